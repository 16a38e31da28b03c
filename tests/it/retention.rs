//! Sightings go when their day can no longer be restated, and nothing that was shown goes with
//! them (METHOD sections 3 and 10).
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use crate::support::files::files_below;
use crate::support::stores::{Place, on_each_store};
use firstcall::call::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, CallDuration, Confidence, Day, Emptiness, Name,
    Outcome, SessionClaim, SessionKey, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
};
use firstcall::clock::{Clock, ManualClock};
use firstcall::figures::{ArrivalCounts, Refusal};
use firstcall::nightly::{self, DaysToRun, NightlyError};
use firstcall::store::{Batch, Committed, Store, StoreError, Writer, WriterOptions};

const HASH: [u8; 6] = [0xc4, 0x9a, 0x21, 0x7e, 0x5b, 0xd3];
const PRINT: [u8; 4] = [0x8d, 0x13, 0xfa, 0x67];

fn first() -> Day {
    "2026-11-20".parse().unwrap()
}

/// Two o'clock, `nights` nights after the first day.
fn night(nights: u32) -> UnixNanos {
    first().plus(nights).start().saturating_add(CallDuration::from_secs(7200))
}

/// A call at noon of a day, with a hash and a print that are looked for afterwards.
fn call(number: u64, day: Day) -> Sighting {
    let start = day.start().saturating_add(CallDuration::from_secs(43_200 + number * 60));
    let name = |text: &str| Name::exact(text).unwrap();
    Sighting {
        trace_id: TraceId::from_bytes(&[7; 16]).unwrap(),
        span_id: SpanId::from_bytes(&(number + 1).to_be_bytes()).unwrap(),
        parent_span_id: None,
        kind: SpanKind::Server,
        scope: name("server"),
        dialect: name("plain"),
        emitter: Some(name("orders")),
        service: Some(name("orders")),
        tool: Some(name("search")),
        client: None,
        client_version: None,
        session: Some(SessionClaim::Conversation(SessionKey::of("one"))),
        start,
        end: start.saturating_add(CallDuration::from_secs(1)),
        is_time_known: true,
        arguments: Some(Arguments {
            form: ArgsForm::Json,
            source: name("arguments"),
            hash: ArgsHash::from_bytes(HASH),
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: vec![ArgumentPrint { name: name("query"), print: PRINT }],
        }),
        outcome: Outcome::Ok,
        confidence: Confidence::High,
        emptiness: Emptiness::No,
        result_bytes: None,
        call_id: None,
        request_id: None,
        is_sampled: false,
        recovery: None,
        is_label: false,
        received: start,
    }
}

fn send(writer: &Writer, now: UnixNanos, sightings: Vec<Sighting>) -> Committed {
    let kept = sightings.len() as u64;
    let counts = ArrivalCounts {
        kept: BTreeMap::from([(Name::exact("plain").unwrap(), kept)]),
        ..ArrivalCounts::default()
    };
    let counts = BTreeMap::from([(Name::exact("orders").unwrap(), counts)]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(writer.commit(Batch { counts, ..Batch::of(now, sightings) })).unwrap()
}

fn week() -> NonZeroU32 {
    NonZeroU32::new(7).unwrap()
}

/// A pass and the erasure after it.
fn pass(store: &Store, now: UnixNanos) -> (Vec<Day>, Vec<Day>) {
    let clock = ManualClock::at(now);
    let report = nightly::run(store, DaysToRun::Due, &clock, &mut |_event| {}).unwrap();
    assert!(report.failed.is_empty() && report.kept.is_empty());
    let covered = report.days.into_iter().map(|passed| passed.day).collect();
    (covered, nightly::erase(store, week(), &clock).unwrap())
}

/// The files that hold the hash or the print, by name.
fn holders(dir: &Path) -> Vec<String> {
    let holds = |bytes: &[u8], needle: &[u8]| bytes.windows(needle.len()).any(|w| w == needle);
    let mut found: Vec<String> = files_below(dir)
        .into_iter()
        .filter(|file| {
            let bytes = fs::read(file).unwrap();
            holds(&bytes, &HASH) || holds(&bytes, &PRINT)
        })
        .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn hashes_and_prints_are_in_no_file_once_a_day_can_no_longer_be_restated() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    // The writer stays open over the erasure, as in a running server.
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    send(&writer, night(0), vec![call(1, first()), call(2, first())]);
    assert_eq!(pass(&store, night(1)), (vec![first()], vec![]));
    for nights in 2..=8 {
        let (_covered, erased) = pass(&store, night(nights));
        assert_eq!(erased, [], "the day after was covered a night later: night {nights}");
    }
    assert!(!holders(folder.path()).is_empty());
    let shown = store.read_days(first(), first()).unwrap();
    let (_covered, erased) = pass(&store, night(9));
    assert_eq!(erased, [first()]);
    assert_eq!(holders(folder.path()), [""; 0]);
    assert_eq!(store.sighting_days().unwrap(), []);
    assert_eq!(store.read_days(first(), first()).unwrap(), shown);
    writer.close().unwrap();
    assert_eq!(holders(folder.path()), [""; 0]);
    let calls: u64 = shown[0].tools.values().map(|figures| figures.calls).sum();
    assert_eq!(calls, 2);
}

#[test]
fn a_kill_in_the_middle_of_an_erasure_is_finished_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    send(&writer, night(0), vec![call(1, first())]);
    writer.close().unwrap();
    (1..=8).for_each(|nights| drop(pass(&store, night(nights))));
    let file = folder.path().join(format!("sightings/{}.sqlite", first()));
    let bytes = fs::read(&file).unwrap();
    pass(&store, night(9));
    // Killed after the day was noted and before its file was gone.
    fs::write(&file, bytes).unwrap();
    assert_eq!(holders(folder.path()).len(), 1);
    let shown = store.read_days(first(), first()).unwrap();
    let (covered, _erased) = pass(&store, night(10));
    assert_eq!(covered, [first().plus(9)]);
    assert_eq!(holders(folder.path()), [""; 0]);
    assert_eq!(store.read_days(first(), first()).unwrap(), shown);
}

on_each_store! {
    fn late_calls_of_a_closed_day_are_refused_and_counted_and_change_no_figure(place) {
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        send(&writer, night(0), vec![call(1, first()), call(2, first().plus(4))]);
        (1..=9).for_each(|nights| drop(pass(&store, night(nights))));
        let shown = store.read_days(first(), first().plus(8)).unwrap();
        // The day itself, the day after, whose margin is gone, and the day before, which would miss
        // its margin; the day after those is open.
        let [before, after, open] = [first().minus(1), first().plus(1), first().plus(2)];
        let late = [first(), before, after, open].into_iter().zip(10..);
        let late = late.map(|(day, number)| call(number, day)).collect();
        assert_eq!(send(&writer, night(9), late), Committed { refused: 3, duplicates: 0 });
        assert_eq!(store.sighting_days().unwrap(), [open, first().plus(4)]);
        let (covered, erased) = pass(&store, night(10));
        assert_eq!(covered, [open, first().plus(9)]);
        assert_eq!(erased, [], "the open day was covered first on the third night");
        let now = store.read_days(first(), first().plus(8)).unwrap();
        assert_eq!((&now[..2], &now[3..]), (&shown[..2], &shown[3..]));
        assert_eq!(now[2].tools.values().map(|figures| figures.calls).sum::<u64>(), 1);
        writer.close().unwrap();
        let arrivals = store.arrival_counts(first(), first().plus(9)).unwrap();
        let counts = &arrivals[&Name::exact("orders").unwrap()];
        assert_eq!(counts.refused.get(Refusal::DayClosed), 3);
        // Two in time and one late.
        assert_eq!(counts.kept[&Name::exact("plain").unwrap()], 3);
    }

    fn a_closed_day_cannot_be_run_by_hand_and_an_uncovered_one_is_never_erased(place) {
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        send(&writer, night(0), vec![call(1, first())]);
        let clock = ManualClock::at(night(300));
        assert_eq!(nightly::erase(&store, week(), &clock).unwrap(), []);
        let lease = store.begin_pass(clock.now(), "a test").unwrap();
        assert!(!store.erase_sightings(&lease, first(), clock.now()).unwrap());
        drop(lease);
        assert_eq!(store.sighting_days().unwrap(), [first()]);
        (1..=9).for_each(|nights| drop(pass(&store, night(nights))));
        let shown = store.read_days(first(), first()).unwrap();
        let range = DaysToRun::Range { from: first(), to: first().plus(1) };
        let report = nightly::run(&store, range, &ManualClock::at(night(9)), &mut |_| {}).unwrap();
        assert_eq!(report.kept, [first(), first().plus(1)]);
        assert_eq!(store.read_days(first(), first()).unwrap(), shown);
    }

    fn a_day_with_calls_that_no_pass_has_counted_is_kept(place) {
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        send(&writer, night(0), vec![call(1, first())]);
        (1..=8).for_each(|nights| drop(pass(&store, night(nights))));
        assert_eq!(send(&writer, night(8), vec![call(2, first())]), Committed::default());
        let clock = ManualClock::at(night(9));
        assert_eq!(nightly::erase(&store, week(), &clock).unwrap(), []);
        // The next pass counts it, and then the day may go.
        assert_eq!(pass(&store, night(9)), (vec![first(), first().plus(8)], vec![first()]));
        let days = store.read_days(first(), first()).unwrap();
        assert_eq!(days[0].tools.values().map(|figures| figures.calls).sum::<u64>(), 2);
    }

    fn erasing_waits_for_a_pass_that_runs(place) {
        let store = place.store();
        let _lease = store.begin_pass(night(1), "someone").unwrap();
        let error = nightly::erase(&store, week(), &ManualClock::at(night(1))).unwrap_err();
        assert!(matches!(error, NightlyError::Store(StoreError::PassRunning { .. })), "{error}");
    }
}
