//! What a night costs: the floor of merely reading a day's sightings from the store, the whole
//! pass over it, and judging alone in memory; each in a process of its own.
//!
//! Run with `cargo bench --bench nightly_day [-- CALLS [FOLDER]]`: one million calls unless told
//! otherwise, in a hundredth as many sessions, or in as many as `FIRSTCALL_BENCH_SESSIONS` tells.
//! A FOLDER is kept, and used again if it holds a day already. `nightly_day/engines.py`
//! does a part of the work with DuckDB and ClickHouse on the same rows.
//!
//! Where `FIRSTCALL_BENCH_CLICKHOUSE` is the URL of a ClickHouse server, the pass is run over the
//! same day inside of its database `default` as well, and `FIRSTCALL_BENCH_ENGINE`, the server's
//! process id, tells what that took there. `FIRSTCALL_BENCH_BATCH` is how many sightings are
//! committed at a time while the day is made, 20,000 unless told otherwise.
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
mod generator;
#[path = "nightly_day/machine.rs"]
mod machine;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use firstcall::call::{Day, Sighting, SpanKind};
use firstcall::clock::ManualClock;
use firstcall::nightly::{DaysToRun, PassEvent, judge_day, run};
use firstcall::store::{Batch, Store, Writer, WriterOptions};
use generator::{Generator, Size};
use machine::{Meter, peak_mib};

/// Sightings in one batch, and the environment variable that tells another number.
const BATCH: usize = 20_000;
const OF_BATCH: &str = "FIRSTCALL_BENCH_BATCH";
/// The environment variable that tells a child process what to measure.
const MEASURE: &str = "FIRSTCALL_BENCH_MEASURE";
/// The environment variable that tells in how many sessions the calls are: with one, that is a
/// giant.
const SESSIONS: &str = "FIRSTCALL_BENCH_SESSIONS";
/// The server's URL, and its process.
const SERVER: &str = "FIRSTCALL_BENCH_CLICKHOUSE";
const ENGINE: &str = "FIRSTCALL_BENCH_ENGINE";

fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

fn size(calls: u64) -> Size {
    let sessions = std::env::var(SESSIONS).ok().and_then(|n| n.parse().ok());
    let sessions = sessions.unwrap_or((calls / 100).max(1));
    Size { calls, sessions, tools: 200, clients: 20, seen_twice: 10 }
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let calls = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    if let Ok(what) = std::env::var(MEASURE) {
        return measure(&what, Path::new(&arguments[1]), calls);
    }
    let temporary = tempfile::tempdir().unwrap();
    let folder = arguments.get(1).map_or(temporary.path(), Path::new);
    let is_made = Store::open(folder).is_ok_and(|store| !store.sighting_days().unwrap().is_empty());
    if !is_made {
        fill(&Store::create(folder).unwrap(), calls);
    }
    let server = std::env::var(SERVER).ok().map(|_| server(folder));
    if let Some(server) = server.filter(|store| store.sighting_days().unwrap().is_empty()) {
        fill(&server, calls);
    }
    let all = ["read", "pass", "judge", "engine"];
    for what in all.into_iter().filter(|what| *what != "engine" || std::env::var(SERVER).is_ok()) {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program);
        child.arg(calls.to_string()).arg(folder).env(MEASURE, what);
        assert!(child.status().unwrap().success());
    }
}

/// The store in the server's database.
fn server(folder: &Path) -> Store {
    let url = std::env::var(SERVER).unwrap();
    let text = format!(
        "clickhouse:\n  url: {url}\n  database: default\n  create_schema: true\n  timeout_s: 600\n  folder: {}\n",
        folder.display()
    );
    let config: firstcall::config::Store = yaml_serde::from_str(&text).unwrap();
    Store::create_configured(&config).unwrap()
}

fn fill(store: &Store, calls: u64) {
    let batch = std::env::var(OF_BATCH).ok().and_then(|n| n.parse().ok()).unwrap_or(BATCH);
    // Making the sightings is no part of storing them.
    let making = Meter::start();
    let mut generator = Generator::new(day(), size(calls));
    while let Some(burst) = generator.burst() {
        std::hint::black_box(burst);
    }
    let (_, making) = making.read();
    let engine = std::env::var(ENGINE).ok().map(|process| Meter::of(&process));
    let meter = Meter::start();
    let writer = Writer::start(store, WriterOptions::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut generator = Generator::new(day(), size(calls));
    let (mut waiting, mut written) = (Vec::new(), 0);
    loop {
        let burst = generator.burst();
        let is_over = burst.is_none();
        waiting.extend(burst.into_iter().flatten());
        if waiting.len() >= batch || is_over {
            written += waiting.len();
            let sightings = std::mem::take(&mut waiting);
            let batch = Batch::of(day().end(), sightings);
            runtime.block_on(writer.commit(batch)).unwrap();
        }
        if is_over {
            break;
        }
    }
    writer.close().unwrap();
    let (wall, cpu) = meter.read();
    let of_engine = engine.map_or(0.0, |engine| engine.read().1);
    println!(
        "stored {calls} calls, {written} sightings by {batch}: {wall:.1} s wall, {:.2} s CPU here \
         beside {making:.2} s to make them, {of_engine:.2} s CPU of the engine",
        cpu - making
    );
}

/// Writes the calls as numbers, one line each, for other programs to count.
fn write_rows(folder: &Path, calls: u64) {
    let mut rows = BufWriter::new(File::create(folder.join("rows.csv")).unwrap());
    writeln!(rows, "session,tool,client,start,took,span,hash,outcome,empty,bytes").unwrap();
    let mut generator = Generator::new(day(), size(calls));
    while let Some(burst) = generator.burst() {
        for call in burst.iter().filter(|sighting| sighting.kind == SpanKind::Server) {
            writeln!(rows, "{}", generator::numbers(call)).unwrap();
        }
    }
}

fn measure(what: &str, folder: &Path, calls: u64) {
    if what == "rows" {
        return write_rows(folder, calls);
    }
    let engine = std::env::var(ENGINE).ok().filter(|_| what == "engine");
    let engine_meter = engine.as_deref().map(Meter::of);
    let (count, (wall, cpu)) = match what {
        "read" => {
            let store = Store::open(folder).unwrap();
            let meter = Meter::start();
            let mut count = 0_u64;
            for of in day().minus(1).through(day().plus(1)) {
                let mut visit = |sighting: Sighting| count += u64::from(sighting.is_time_known);
                store.read_sightings(of, of.start(), of.end(), &mut visit).unwrap();
            }
            (count, meter.read())
        }
        "pass" | "engine" => {
            let is_folder = what == "pass";
            let store = if is_folder { Store::open(folder).unwrap() } else { server(folder) };
            let clock = ManualClock::at(day().plus(2).start());
            let range = DaysToRun::Range { from: day(), to: day() };
            let meter = Meter::start();
            let mut tell = |event| {
                if let PassEvent::Judging { sightings, .. } = event {
                    let (wall, cpu) = meter.read();
                    println!("  {what}: gathered {sightings} by {wall:.2} s wall, {cpu:.2} s CPU");
                }
            };
            let report = run(&store, range, &clock, &mut tell).unwrap();
            let cost = meter.read();
            let days = store.read_days(day(), day()).unwrap();
            let retried: u64 = days[0].tools.values().map(|figures| figures.retried).sum();
            println!("  {what}: {retried} retried");
            (report.days[0].calls, cost)
        }
        _ => {
            // What fits into memory as full sightings.
            let mut generator = Generator::new(day(), size(calls.min(1_000_000)));
            let mut sightings = Vec::new();
            while let Some(burst) = generator.burst() {
                sightings.extend(burst);
            }
            let meter = Meter::start();
            let figures = judge_day(day(), sightings);
            (figures.tools.values().map(|figures| figures.calls).sum(), meter.read())
        }
    };
    if let (Some(process), Some(meter)) = (&engine, &engine_meter) {
        let ((_, cpu), peak) = (meter.read(), peak_mib(process));
        println!("  engine: its own process took {cpu:.2} s CPU, peak {peak} MiB");
    }
    let peak = peak_mib("self");
    let each = cpu * 1e9 / count as f64;
    println!(
        "{what:>6}: {count} in {wall:.2} s wall, {cpu:.2} s CPU ({each:.0} ns each), peak {peak} MiB"
    );
}
