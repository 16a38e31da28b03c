//! The store across processes: one that writes and is killed, one that reads beside it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "in a test a panic is the message, helpers included"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Instant;

use firstcall::call::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, ClientName, Confidence, Day, Emptiness, Name,
    Outcome, SessionClaim, SessionKey, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
};
use firstcall::store::{Batch, Store, StoreError, Writer, WriterOptions};

use super::support::{FOLDER, start_ignored};

/// The test that is run as a process of its own.
const UNTIL_KILLED: &str = "store::a_process_that_commits_until_it_is_killed";

pub(crate) fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

/// A call as a server's instrumentation tells it; `number` from 1.
pub(crate) fn sighting(number: u64) -> Sighting {
    let start = day().start().get() + number * 1_000_000;
    let name = |text: &str| Name::cut(text);
    let print = |parameter: &str| ArgumentPrint { name: name(parameter), print: [9; 4] };
    let trace: [u8; 16] =
        std::array::from_fn(|at| if at < 8 { 7 } else { number.to_le_bytes()[at - 8] });
    Sighting {
        trace_id: TraceId::from_bytes(&trace).unwrap(),
        span_id: SpanId::from_bytes(&number.to_be_bytes()).unwrap(),
        parent_span_id: SpanId::from_bytes(&[3; 8]),
        kind: SpanKind::Server,
        scope: name("mcp"),
        dialect: name("otel-mcp"),
        emitter: Some(name("shop")),
        service: Some(name("shop")),
        tool: Some(name(&format!("tool_{}", number % 200))),
        client: Some(ClientName::new(name(&format!("client_{}", number % 20)))),
        client_version: Some(name("2.1")),
        session: Some(SessionClaim::Transport(SessionKey::of(&(number / 100).to_string()))),
        start: UnixNanos::new(start),
        end: UnixNanos::new(start + 250_000_000),
        is_time_known: true,
        arguments: Some(Arguments {
            form: ArgsForm::Json,
            source: name("mcp/arguments"),
            hash: ArgsHash::from_bytes([5; 6]),
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: vec![print("limit"), print("query")],
        }),
        outcome: Outcome::Ok,
        confidence: Confidence::High,
        emptiness: Emptiness::No,
        result_bytes: Some(2048),
        call_id: None,
        request_id: None,
        is_sampled: false,
        recovery: None,
        is_label: false,
        received: UnixNanos::new(start + 300_000_000),
    }
}

fn batch(sightings: Vec<Sighting>) -> Batch {
    Batch::of(day().start(), sightings)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

/// The numbers of the stored sightings, ascending, doubles kept.
pub(crate) fn numbers(store: &Store) -> Vec<u64> {
    let mut found = Vec::new();
    let mut visit = |row: Sighting| found.push(u64::from_be_bytes(*row.span_id.as_bytes()));
    store.read_sightings(day(), day().start(), day().end(), &mut visit).unwrap();
    found.sort_unstable();
    found
}

#[test]
#[ignore = "run by another test as a process of its own"]
fn a_process_that_commits_until_it_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let store = Store::create(Path::new(&folder)).unwrap();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let _lease = store.begin_pass(day().start(), "the child").unwrap();
    let runtime = runtime();
    let mut output = std::io::stdout().lock();
    for number in 1.. {
        runtime.block_on(writer.commit(batch(vec![sighting(number)]))).unwrap();
        writeln!(output, "answered {number}").unwrap();
        output.flush().unwrap();
    }
}

/// The number in a line of the writing process; none for the test harness's own lines.
fn answered(line: &str) -> Option<u64> {
    line.split_once("answered ")?.1.parse().ok()
}

#[test]
fn a_killed_process_loses_nothing_that_it_answered_and_holds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("data");
    for until in [1, 20, 60] {
        let before = Store::open(&dir).map_or(0, |store| numbers(&store).len());
        let mut child = start_ignored(UNTIL_KILLED, &dir);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut last = lines.by_ref().find_map(|line| answered(&line)).unwrap();
        // Beside the running writer: reading works, a second writer does not.
        let store = Store::open(&dir).unwrap();
        assert!(!numbers(&store).is_empty());
        let second = Writer::start(&store, WriterOptions::default()).unwrap_err();
        let StoreError::WriterRunning { pid, .. } = second else { panic!("{second}") };
        assert_eq!(pid, Some(child.id()));
        let pass = store.begin_pass(day().start(), "the parent").unwrap_err();
        let StoreError::PassRunning { owner, since } = pass else { panic!("{pass}") };
        assert_eq!((owner.as_str(), since), ("the child", Some(day().start())));
        while last < until {
            last = lines.by_ref().find_map(|line| answered(&line)).unwrap();
        }
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        last = lines.filter_map(|line| answered(&line)).last().unwrap_or(last);
        // Each round numbers from 1 again, as a sender does that tries again.
        let found = numbers(&store);
        for number in 1..=last {
            assert!(found.contains(&number), "{number} of {last} was answered and is gone");
        }
        drop(store.begin_pass(day().start(), "the parent").unwrap());
        // At most the one commit that nobody heard of any more.
        let added = u64::try_from(found.len() - before).unwrap();
        assert!(added == last || added == last + 1, "{added} stored, {last} answered");
    }
}

/// Wants a file system of a few megabytes of its own, for example
/// `mount -t tmpfs -o size=2m tmpfs DIR`, and its path in `FIRSTCALL_TEST_TINY_DISK`.
#[test]
#[ignore = "needs a tiny file system"]
fn a_full_disk_is_told_and_works_again_once_there_is_room() {
    let Ok(disk) = std::env::var("FIRSTCALL_TEST_TINY_DISK") else { return };
    let folder = tempfile::tempdir_in(&disk).unwrap();
    let store = Store::create(&folder.path().join("data")).unwrap();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let runtime = runtime();
    let commit = |first: u64| {
        let rows = (first..first + 100).map(sighting).collect();
        runtime.block_on(writer.commit(batch(rows)))
    };
    let ballast = folder.path().join("ballast");
    std::fs::write(&ballast, vec![0; 500_000]).unwrap();
    let mut answered = Vec::new();
    let full = (1..).step_by(100).find_map(|first| match commit(first) {
        Ok(_) => {
            answered.extend(first..first + 100);
            None
        }
        Err(error) => Some((first, error)),
    });
    let (first, error) = full.unwrap();
    assert!(matches!(error, StoreError::Full { .. }) && error.is_retryable(), "{error}");
    for _ in 0..5 {
        assert!(commit(first).is_err());
    }
    std::fs::remove_file(ballast).unwrap();
    commit(first).unwrap();
    answered.extend(first..first + 100);
    writer.close().unwrap();
    assert_eq!(numbers(&store), answered);
}

/// Prints how fast rows are committed and read, and how much disk a row takes.
#[test]
#[ignore = "a measurement: run with optimisation and --nocapture"]
fn rows_a_second_and_bytes_a_row() {
    const REQUEST: u64 = 500;
    const REQUESTS: u64 = 2000;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("data")).unwrap();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let batches: Vec<Batch> = (0..REQUESTS)
        .map(|request| {
            let numbers = request * REQUEST + 1..=(request + 1) * REQUEST;
            batch(numbers.map(sighting).collect())
        })
        .collect();
    let started = Instant::now();
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap().block_on(
        async {
            // Eight senders that each wait for their answer.
            let writer = &writer;
            let mut queues: Vec<Vec<Batch>> = (0..8).map(|_| Vec::new()).collect();
            for (position, batch) in batches.into_iter().enumerate() {
                queues[position % 8].push(batch);
            }
            let senders = queues.into_iter().map(|batches| {
                let commits: Vec<_> =
                    batches.into_iter().map(|batch| writer.commit(batch)).collect();
                tokio::spawn(async move {
                    for commit in commits {
                        commit.await.unwrap();
                    }
                })
            });
            for sender in senders.collect::<Vec<_>>() {
                sender.await.unwrap();
            }
        },
    );
    let committed = started.elapsed().as_secs_f64();
    writer.close().unwrap();
    let size = std::fs::metadata(store.dir().join(format!("sightings/{}.sqlite", day()))).unwrap();
    let started = Instant::now();
    let mut rows = 0_u64;
    store.read_sightings(day(), day().start(), day().end(), &mut |_row| rows += 1).unwrap();
    let read = started.elapsed().as_secs_f64();
    let count = f64::from(u32::try_from(rows).unwrap());
    println!(
        "committed {:.0} rows/s, read {:.0} rows/s, {:.1} bytes/row",
        count / committed,
        count / read,
        f64::from(u32::try_from(size.len()).unwrap()) / count
    );
    assert_eq!(rows, REQUEST * REQUESTS);
}
