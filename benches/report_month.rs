//! What a report costs, each read and written in a process of its own.
//!
//! *month*: one covered day, and thirty, with the thirty before them, of 200 tools and 20
//! clients. *wide*: two days of 2,000 tools by 200 clients, every tool called by every client.
//!
//! Run with `cargo bench --bench report_month [-- CALLS [CLIENTS]]`: each day of the month is
//! counted from one million calls unless told otherwise (the figures' size hardly depends on it),
//! and each tool of the wide site is called by 200 clients. The folders are made where `TMPDIR`
//! says and take up to 4 GB.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program for people who measure"
)]

#[path = "nightly_day/generator.rs"]
#[expect(dead_code, reason = "rows for other programs are another bench's")]
mod generator;
#[path = "nightly_day/machine.rs"]
mod machine;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use firstcall::call::{ClientName, Day, Name, Outcome, ToolKey};
use firstcall::figures::{DayFigures, Figures, QualityCounts, RewordedCount};
use firstcall::nightly::judge_day;
use firstcall::report::{Assets, Range, read, rewrite};
use firstcall::store::Store;
use generator::{Generator, Size};
use machine::{Meter, peak_mib};

/// The environment variable that tells a child process what to measure.
const MEASURE: &str = "FIRSTCALL_BENCH_MEASURE";

fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let Ok(what) = std::env::var(MEASURE) {
        return measure(&what, Path::new(&arguments[0]));
    }
    let number = |place: usize, usual: u64| -> u64 {
        arguments.get(place).and_then(|n| n.parse().ok()).unwrap_or(usual)
    };
    let folder = tempfile::tempdir().unwrap();
    fill_month(&folder.path().join("data"), number(0, 1_000_000));
    for days in ["1", "30"] {
        measure_apart("month", days, folder.path());
    }
    drop(folder);
    let folder = tempfile::tempdir().unwrap();
    fill_wide(&folder.path().join("data"), number(1, 200));
    measure_apart("wide", "1", folder.path());
}

fn measure_apart(what: &str, days: &str, folder: &Path) {
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program);
    child.arg(folder).env(MEASURE, format!("{what} {days}"));
    assert!(child.status().unwrap().success());
}

fn fill_month(folder: &Path, calls: u64) {
    let size = Size { calls, sessions: calls / 100, tools: 200, clients: 20, seen_twice: 10 };
    let mut generator = Generator::new(day(), size);
    let mut sightings = Vec::new();
    while let Some(burst) = generator.burst() {
        sightings.extend(burst);
    }
    let figures = judge_day(day(), sightings);
    publish(folder, day().minus(59).through(day()), &figures);
    println!("month: {} tools with their clients a day, 60 days", figures.tools.len());
}

/// Two days on which each of 2,000 tools is called 24 times by each of `clients` clients.
fn fill_wide(folder: &Path, clients: u64) {
    let cell = |tool: u64, client: u64| {
        let mut figures = Figures { calls: 24, judged: 24, sessions: 20, ..Figures::default() };
        figures.outcomes.add(Outcome::Ok, 24);
        figures.emptiness_known = 24;
        figures.first_call_successes = 20 - (tool + client) % 5;
        figures.retried = 24 - figures.first_call_successes;
        figures.confirmed_first_call_successes = 22;
        for call in 0..24 {
            figures.latency.record(1_000_000 * (20 + tool % 90) + 900_000 * call * (client % 7));
            figures.result_sizes.record(400 + 90 * call);
            figures.result_bytes += 400 + 90 * call;
        }
        for parameter in ["query", "status", "since"] {
            let count = RewordedCount { retries: 2, sessions: 6 };
            figures.reworded.insert(Name::cut(parameter), count);
        }
        figures.reworded_known = 4;
        figures
    };
    let mut tools = BTreeMap::new();
    for tool in 0..2_000 {
        let name = Name::cut(&format!("tool_with_a_longer_name_{tool}"));
        let key = ToolKey { service: Name::cut("warehouse"), tool: name };
        for client in 0..clients {
            let client_name = ClientName::new(Name::cut(&format!("client {client}")));
            tools.insert((key.clone(), client_name), cell(tool, client));
        }
    }
    let figures = DayFigures {
        day: day(),
        tools,
        unknown_tool_calls: BTreeMap::new(),
        pairs: BTreeMap::new(),
        sessions: BTreeMap::new(),
        quality: QualityCounts::default(),
    };
    publish(folder, day().minus(1).through(day()), &figures);
    println!("wide: {} tools with their clients a day, 2 days", figures.tools.len());
}

/// The same figures for each of `days`.
fn publish(folder: &Path, days: impl Iterator<Item = Day>, figures: &DayFigures) {
    let store = Store::create(folder).unwrap();
    let now = day().plus(1).start();
    let lease = store.begin_pass(now, "a bench").unwrap();
    for of in days {
        let watermark = store.watermark(of).unwrap();
        let figures = DayFigures { day: of, ..figures.clone() };
        store.publish_day(&lease, &figures, now, &watermark).unwrap();
    }
}

fn measure(what: &str, folder: &Path) {
    let (name, days) = what.split_once(' ').unwrap();
    let store = Store::open(&folder.join("data")).unwrap();
    let told = |done: &str, meter: &Meter| {
        let ((wall, cpu), peak) = (meter.read(), peak_mib("self"));
        println!("{name}, {days} days {done}: {wall:.1} s wall, {cpu:.1} s CPU, peak {peak} MiB");
    };
    let meter = Meter::start();
    let range = Range::Last(days.parse().unwrap());
    let input = read(&store, range, day().plus(1)).unwrap();
    told("read", &meter);
    let site = folder.join("site");
    for done in ["written", "written again, unchanged"] {
        let meter = Meter::start();
        let files = rewrite(&site, &input, Assets::Inline).unwrap();
        told(&format!("{done}, {files} files"), &meter);
    }
    let (bytes, largest) = sizes(&site);
    println!("{name}: {} MB, the largest page {} kB", bytes / 1_000_000, largest / 1_000);
}

/// The bytes of all files below `folder`, and of the largest page.
fn sizes(folder: &Path) -> (u64, u64) {
    let (mut bytes, mut largest) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (more, page) = if path.is_dir() {
            sizes(&path)
        } else {
            let length = std::fs::metadata(&path).unwrap().len();
            (length, if path.extension().is_some_and(|ext| ext == "html") { length } else { 0 })
        };
        (bytes, largest) = (bytes + more, largest.max(page));
    }
    (bytes, largest)
}
