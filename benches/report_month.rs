//! What a report over a month costs: thirty covered days, and the thirty before them, of 200 tools
//! and 20 clients; read and written in a process of its own.
//!
//! Run with `cargo bench --bench report_month [-- CALLS]`: each day is counted from one million
//! calls unless told otherwise; the figures' size hardly depends on it.
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

use std::path::Path;
use std::process::Command;

use firstcall::call::Day;
use firstcall::figures::DayFigures;
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
    let calls = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    if let Ok(what) = std::env::var(MEASURE) {
        return measure(&what, Path::new(&arguments[1]));
    }
    let folder = tempfile::tempdir().unwrap();
    fill(&folder.path().join("data"), calls);
    for what in ["1", "30"] {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program);
        child.arg(calls.to_string()).arg(folder.path()).env(MEASURE, what);
        assert!(child.status().unwrap().success());
    }
}

fn fill(folder: &Path, calls: u64) {
    let size = Size { calls, sessions: calls / 100, tools: 200, clients: 20, seen_twice: 10 };
    let mut generator = Generator::new(day(), size);
    let mut sightings = Vec::new();
    while let Some(burst) = generator.burst() {
        sightings.extend(burst);
    }
    let figures = judge_day(day(), sightings);
    let store = Store::create(folder).unwrap();
    let now = day().plus(1).start();
    let lease = store.begin_pass(now, "a bench").unwrap();
    for of in day().minus(59).through(day()) {
        let watermark = store.watermark(of).unwrap();
        let figures = DayFigures { day: of, ..figures.clone() };
        store.publish_day(&lease, &figures, now, &watermark).unwrap();
    }
    println!("{} tools with their clients a day, 60 days", figures.tools.len());
}

fn measure(days: &str, folder: &Path) {
    let store = Store::open(&folder.join("data")).unwrap();
    let meter = Meter::start();
    let range = Range::Last(days.parse().unwrap());
    let input = read(&store, range, day().plus(1)).unwrap();
    let (wall, cpu) = meter.read();
    println!("{days:>3} days read: {wall:.1} s wall, {cpu:.1} s CPU, peak {} MiB", peak_mib());
    rewrite(&folder.join("site"), &input, Assets::Inline).unwrap();
    let (wall, cpu) = meter.read();
    println!("{days:>3} days written: {wall:.1} s wall, {cpu:.1} s CPU, peak {} MiB", peak_mib());
}
