//! How fast calls are stored and read, and how much disk one takes. A measurement, not a test.
#![expect(clippy::cast_precision_loss, reason = "a measurement is printed with two digits")]

use std::fs;
use std::time::Instant;

use firstcall::call::{ArgsHash, Arguments, SessionClaim, SessionKey, Sighting, SpanId, TraceId};
use firstcall::store::{Batch, Store, Writer, WriterOptions};

use crate::store::{day, sighting};
use crate::support::stores::Place;

const CALLS: u64 = 1_000_000;
const REQUEST: u64 = 500;

/// A number that looks random and is the same each time (splitmix64).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A call with identities and hashes that do not compress, as real ones do not: a hundred thousand
/// sessions of ten calls, each call with two prints.
fn call(number: u64) -> Sighting {
    let plain = sighting(number + 1);
    let bytes = |salt: u64| mixed(number ^ salt).to_le_bytes();
    let hash: [u8; 6] = bytes(3)[..6].try_into().unwrap();
    let arguments = plain.arguments.clone().map(|arguments| {
        let mut prints = arguments.prints.clone();
        for (print, salt) in prints.iter_mut().zip(5..) {
            print.print = bytes(salt)[..4].try_into().unwrap();
        }
        Arguments { hash: ArgsHash::from_bytes(hash), prints, ..arguments }
    });
    let session = mixed(number) % (CALLS / 10);
    // Over a whole day, to the nanosecond.
    let apart = 86_000_000_000_000 / CALLS;
    let start = day().start().get() + number * apart + mixed(number ^ 7) % apart;
    let start = firstcall::call::UnixNanos::new(start);
    let took =
        firstcall::call::CallDuration::from_nanos(20_000_000 + mixed(number ^ 9) % 900_000_000);
    let end = start.saturating_add(took);
    Sighting {
        trace_id: TraceId::from_bytes(&[bytes(1), bytes(2)].concat()).unwrap(),
        span_id: SpanId::from_bytes(&bytes(4)).unwrap(),
        parent_span_id: SpanId::from_bytes(&bytes(6)),
        session: Some(SessionClaim::Conversation(SessionKey::of(&session.to_string()))),
        arguments,
        start,
        end,
        received: end.saturating_add(firstcall::call::CallDuration::from_nanos(1_000_000)),
        result_bytes: Some(mixed(number ^ 0xb) % 4096),
        ..plain
    }
}

/// Seconds of processor time that a process has used.
fn cpu(process: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().unwrap()).sum();
    ticks as f64 / 100.0
}

fn ingest(store: &Store) -> (f64, f64) {
    let batches: Vec<Batch> = (0..CALLS / REQUEST)
        .map(|request| {
            let calls = (request * REQUEST..(request + 1) * REQUEST).map(call).collect();
            Batch::of(day().start(), calls)
        })
        .collect();
    let writer = Writer::start(store, WriterOptions::default()).unwrap();
    let (started, used) = (Instant::now(), cpu("self"));
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let commits: Vec<_> =
            batches.into_iter().map(|batch| tokio::spawn(writer.commit(batch))).collect();
        for commit in commits {
            commit.await.unwrap().unwrap();
        }
    });
    let ended = (started.elapsed().as_secs_f64(), cpu("self") - used);
    writer.close().unwrap();
    ended
}

#[test]
#[ignore = "a measurement: run with optimisation and --nocapture"]
fn calls_a_second_and_bytes_a_call() {
    for place in [Place::folder(), Place::clickhouse()] {
        let store = place.store();
        let (took, used) = ingest(&store);
        let (started, reading) = (Instant::now(), cpu("self"));
        let mut rows = 0_u64;
        store.read_sightings(day(), day().start(), day().end(), &mut |_row| rows += 1).unwrap();
        let read = (started.elapsed().as_secs_f64(), cpu("self") - reading);
        let calls = CALLS as f64;
        assert_eq!(rows, CALLS);
        let name = if place.engine().is_some() { "clickhouse" } else { "sqlite" };
        println!(
            "{name}: ingest {:.0} calls/s, {:.0} calls/s per core of the receiver; \
             read {:.0} rows/s, {:.0} per core",
            calls / took,
            calls / used,
            calls / read.0,
            calls / read.1,
        );
        if let Some(engine) = place.engine() {
            let parts = "SELECT count(), sum(bytes_on_disk) FROM system.parts \
                 WHERE active AND table = 'sightings' AND database = currentDatabase()";
            println!("as inserted (parts, bytes): {}", engine.ask(parts).trim());
            engine.execute("OPTIMIZE TABLE sightings FINAL");
            println!("merged (parts, bytes): {}", engine.ask(parts).trim());
            let columns = "SELECT column, sum(column_data_compressed_bytes) AS bytes \
                 FROM system.parts_columns WHERE active AND table = 'sightings' \
                 AND database = currentDatabase() GROUP BY column ORDER BY bytes DESC LIMIT 20";
            println!("{}", engine.ask(columns));
        } else {
            let file = store.dir().join(format!("sightings/{}.sqlite", day()));
            let size = fs::metadata(file).unwrap().len();
            println!("{:.1} bytes a call", size as f64 / calls);
        }
    }
}
