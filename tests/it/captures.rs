//! What real emitters sent (`tests/captures`), replayed to the receiver over its sockets as it
//! came, and judged by the pass: the figures must be those worked out by hand from what each
//! scripted agent did.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod capture;
mod expectation;
pub(crate) mod replay;

use std::collections::BTreeSet;
use std::path::Path;

use capture::{Capture, Request};
use expectation::Shown;
use firstcall::call::CallDuration;
use firstcall::otlp::Format;
use proptest::strategy::{Just, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use replay::replay;

use crate::otel_tables::Body;

/// The mark in every argument, answer, failure and prompt of the agents' story.
pub(crate) const CANARY: &[u8] = b"cAnArY";

/// In how many random orders each capture is replayed.
const ORDERS: usize = 3;

pub(crate) fn holds(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

/// The figures of the capture's requests in the given order, and how many sightings they are of.
fn shown(capture: &Capture, requests: &[&Request]) -> (Shown, u64) {
    let folder = tempfile::tempdir().unwrap();
    let range = replay(folder.path(), capture.began, requests);
    assert_no_canary(folder.path(), &capture.name);
    (Shown::of(&range), range.quality.sightings)
}

/// No byte of any file under `folder` is part of an argument, an answer or a prompt.
pub(crate) fn assert_no_canary(folder: &Path, name: &str) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_no_canary(&path, name);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!holds(&bytes, CANARY), "{name}: content in {}", path.display());
        }
    }
}

/// The body of every request of every capture.
pub(crate) fn capture_bodies() -> Vec<Body> {
    let mut bodies = Vec::new();
    for name in NAMES {
        let capture = Capture::read(name);
        for request in &capture.requests {
            if request.path.ends_with("/v1/metrics") {
                continue;
            }
            let is_json = request.content_type.contains("json");
            bodies.push(Body {
                name: format!("{name} {}", request.path),
                bytes: request.inflated(),
                format: if is_json { Format::Json } else { Format::Protobuf },
                now: capture.began.saturating_add(CallDuration::from_secs(900)),
            });
        }
    }
    bodies
}

#[track_caller]
fn assert_shown(shown: &Shown, expected: &Shown, circumstances: &str) {
    let differences = shown.differences(expected);
    assert!(differences.is_empty(), "{circumstances}\n{}", differences.join("\n"));
    assert_eq!(shown, expected, "{circumstances}");
}

fn assert_as_expected(name: &str) {
    let capture = Capture::read(name);
    let as_it_came: Vec<&Request> = capture.requests.iter().collect();
    let (shown, _) = shown(&capture, &as_it_came);
    assert_shown(&shown, &capture.expected.shown(), name);
    // A mark that was never sent proves nothing.
    let sends_marks = capture.requests.iter().any(|request| holds(&request.inflated(), CANARY));
    assert_eq!(sends_marks, !capture.expected.tells_no_content, "{name}: content");
}

fn assert_order_does_not_matter(name: &str) {
    let capture = Capture::read(name);
    let twice: Vec<&Request> = capture.requests.iter().chain(&capture.requests).collect();
    let orders = Just(twice).prop_shuffle();
    let mut runner = TestRunner::deterministic();
    for _ in 0..ORDERS {
        let order = orders.new_tree(&mut runner).unwrap().current();
        let (mut shown, sightings) = shown(&capture, &order);
        // Half of what came is a double, beside the doubles of once.
        shown.duplicates -= sightings / 2;
        let circumstances = format!("{name}, twice and in another order");
        assert_shown(&shown, &capture.expected.shown(), &circumstances);
    }
}

/// Two tests per capture, and a list that must be the folders that are there.
macro_rules! captures {
    ($($test:ident: $name:literal $(, $ignored:meta)?;)+) => {
        const NAMES: &[&str] = &[$($name),+];

        mod as_it_came {
            $(#[test] $(#[$ignored])? fn $test() { super::assert_as_expected($name); })+
        }

        mod twice_and_in_another_order {
            $(#[test] $(#[$ignored])? fn $test() { super::assert_order_does_not_matter($name); })+
        }
    };
}

captures! {
    mcp_python: "mcp-python";
    mcp_python_traced: "mcp-python-traced";
    fastmcp: "fastmcp";
    fastmcp_sessions: "fastmcp-sessions";
    openinference_langchain: "openinference-langchain";
    openllmetry_langchain: "openllmetry-langchain";
    both_langchain: "both-langchain";
    openinference_openai_agents: "openinference-openai-agents";
    openllmetry_openai_agents: "openllmetry-openai-agents";
    openllmetry_mcp: "openllmetry-mcp";
    pydantic_ai: "pydantic-ai";
    pydantic_ai_v2: "pydantic-ai-v2";
    vercel_ai: "vercel-ai";
    vercel_ai_legacy: "vercel-ai-legacy";
    claude_code: "claude-code";
    claude_code_details: "claude-code-details";
    codex: "codex";
    copilot_cli: "copilot-cli";
    copilot_cli_content: "copilot-cli-content";
    gemini_cli: "gemini-cli";
    qwen_code: "qwen-code";
    opencode: "opencode";
}

#[test]
fn every_capture_is_replayed() {
    let folders = std::fs::read_dir(capture::folder()).unwrap().map(|entry| entry.unwrap().path());
    let there: BTreeSet<String> = folders
        .filter(|path| path.join("requests.json").exists())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let replayed: BTreeSet<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(there, replayed);
}
