//! The pass on a real store.

use super::*;
use crate::call::arbitrary::plain_sighting;
use crate::call::{ArgsHash, CallDuration, Sighting, SpanId};
use crate::clock::ManualClock;
use crate::figures::Figures;
use crate::store::{Batch, Writer, WriterOptions};

const SECOND: u64 = 1_000_000_000;
const DAY_SECONDS: u64 = 86_400;

/// The day of [`plain_sighting`].
fn day() -> Day {
    "2026-11-29".parse().unwrap()
}

fn at(seconds_after_midnight: u64) -> UnixNanos {
    UnixNanos::new(day().start().get() + seconds_after_midnight * SECOND)
}

/// A call of one tool in one session, told apart by `number`; every one has other arguments.
fn call(number: u64, seconds_after_midnight: u64) -> Sighting {
    let mut sighting = plain_sighting();
    sighting.span_id = SpanId::from_bytes(&number.to_be_bytes()).unwrap();
    sighting.start = at(seconds_after_midnight);
    sighting.end = UnixNanos::new(sighting.start.get() + SECOND);
    sighting.received = UnixNanos::new(sighting.end.get() + SECOND);
    if let Some(arguments) = &mut sighting.arguments {
        let [a, b, ..] = number.to_le_bytes();
        arguments.hash = ArgsHash::from_bytes([a, b, 0, 0, 0, 0]);
    }
    sighting
}

fn send(store: &Store, sightings: Vec<Sighting>) {
    let writer = Writer::start(store, WriterOptions::default()).unwrap();
    let batch = Batch::of(at(0), sightings);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(writer.commit(batch)).unwrap();
    writer.close().unwrap();
}

fn pass(store: &Store, days: DaysToRun, seconds_after_midnight: u64) -> Vec<(Day, u64, u64, bool)> {
    let clock = ManualClock::at(at(seconds_after_midnight));
    let report = run(store, days, &clock, &mut |_event| {}).unwrap();
    assert!(report.failed.is_empty() && report.kept.is_empty());
    let told = |day: DayPassed| (day.day, day.calls, day.late, day.is_again);
    report.days.into_iter().map(told).collect()
}

fn figures(store: &Store, day: Day) -> Figures {
    let days = store.read_days(day, day).unwrap();
    let mut all = Figures::default();
    days.iter().flat_map(|day| day.tools.values()).for_each(|figures| all.merge(figures));
    all
}

#[test]
fn missed_nights_are_caught_up_oldest_first_and_today_is_never_covered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    send(&store, vec![call(1, 100), call(2, 2 * DAY_SECONDS + 100), call(3, 3 * DAY_SECONDS + 7)]);
    let days = pass(&store, DaysToRun::Due, 3 * DAY_SECONDS + 7200);
    let expect = [(day(), 1, 0, false), (day().plus(1), 0, 0, false), (day().plus(2), 1, 0, false)];
    assert_eq!(days, expect);
    assert_eq!(pass(&store, DaysToRun::Due, 3 * DAY_SECONDS + 7200), []);
}

#[test]
fn a_call_before_midnight_is_retried_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    send(&store, vec![call(1, DAY_SECONDS - 10), call(2, DAY_SECONDS + 5)]);
    let days = pass(&store, DaysToRun::Due, 2 * DAY_SECONDS + 7200);
    assert_eq!(days, [(day(), 1, 0, false), (day().plus(1), 1, 0, false)]);
    let before = figures(&store, day());
    assert_eq!((before.calls, before.retried, before.judged), (1, 1, 1));
    let after = figures(&store, day().plus(1));
    assert_eq!((after.calls, after.retried, after.judged), (1, 0, 1));
}

#[test]
fn a_day_that_received_more_is_run_again_and_counts_what_came_late() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    send(&store, vec![call(1, 100)]);
    let night = DAY_SECONDS + 7200;
    assert_eq!(pass(&store, DaysToRun::Due, night), [(day(), 1, 0, false)]);
    let late = Sighting { received: at(night + 60), ..call(2, 110) };
    send(&store, vec![late]);
    let next = night + DAY_SECONDS;
    let days = pass(&store, DaysToRun::Due, next);
    assert_eq!(days, [(day(), 2, 1, true), (day().plus(1), 0, 0, false)]);
    assert_eq!(figures(&store, day()).retried, 1);
    let covered = store.coverage().unwrap();
    assert_eq!(covered[0].covered_at, at(night), "the first time stands");
    assert_eq!(covered[0].restated_at, Some(at(next)));
}

#[test]
fn a_pass_that_ran_before_the_margin_was_in_runs_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    send(&store, vec![call(1, DAY_SECONDS - 10)]);
    pass(&store, DaysToRun::Due, DAY_SECONDS + 1);
    assert_eq!(figures(&store, day()).retried, 0);
    send(&store, vec![call(2, DAY_SECONDS + 5)]);
    assert_eq!(pass(&store, DaysToRun::Due, DAY_SECONDS + 7200), [(day(), 1, 0, true)]);
    assert_eq!(figures(&store, day()).retried, 1);
}

#[test]
fn a_pass_twice_gives_the_same_and_restates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    send(&store, (0..50).map(|number| call(number + 1, number * 7)).collect());
    let range = DaysToRun::Range { from: day(), to: day() };
    pass(&store, DaysToRun::Due, 2 * DAY_SECONDS);
    let once = store.read_days(day(), day()).unwrap();
    assert_eq!(pass(&store, range, 3 * DAY_SECONDS), [(day(), 50, 0, true)]);
    assert_eq!(store.read_days(day(), day()).unwrap(), once);
    assert_eq!(store.coverage().unwrap()[0].restated_at, None);
}

#[test]
fn today_is_refused_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let clock = ManualClock::at(at(100));
    let range = DaysToRun::Range { from: day().minus(1), to: day() };
    let error = run(&store, range, &clock, &mut |_event| panic!("nothing is done")).unwrap_err();
    assert_eq!(error.to_string(), "2026-11-29 is not over yet: today is 2026-11-29 (UTC)");
    assert!(error.help().is_some());
    assert_eq!(store.coverage().unwrap(), []);
}

#[test]
fn a_second_pass_is_told_who_runs_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let lease = store.begin_pass(at(0), "someone").unwrap();
    let clock = ManualClock::at(at(0));
    let error = run(&store, DaysToRun::Due, &clock, &mut |_event| {}).unwrap_err();
    assert!(matches!(error, NightlyError::Store(StoreError::PassRunning { .. })), "{error}");
    drop(lease);
    clock.advance(CallDuration::from_secs(1));
    run(&store, DaysToRun::Due, &clock, &mut |_event| {}).unwrap();
}

#[test]
fn a_damaged_day_is_left_alone_and_the_others_are_covered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    send(&store, vec![call(1, 100), call(2, 3 * DAY_SECONDS + 100)]);
    let file = folder.path().join(format!("sightings/{}.sqlite", day()));
    let mut bytes = std::fs::read(&file).unwrap();
    let end = bytes.len();
    bytes[100..end].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    let clock = ManualClock::at(at(4 * DAY_SECONDS + 7200));
    let result = run(&store, DaysToRun::Due, &clock, &mut |_event| {});
    let report = result.unwrap();
    let failed: Vec<Day> = report.failed.iter().map(|(day, _)| *day).collect();
    // The day after reads the damaged file's last hour.
    assert_eq!(failed, [day(), day().plus(1)]);
    let passed: Vec<Day> = report.days.iter().map(|passed| passed.day).collect();
    assert_eq!(passed, [day().plus(2), day().plus(3)]);
}

#[test]
fn nothing_of_the_waiting_parts_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    send(&store, vec![call(1, 100)]);
    std::fs::create_dir(folder.path().join(SCRATCH)).unwrap();
    std::fs::write(folder.path().join(SCRATCH).join("old"), b"left by a killed pass").unwrap();
    pass(&store, DaysToRun::Due, 2 * DAY_SECONDS);
    assert!(!folder.path().join(SCRATCH).exists());
}
