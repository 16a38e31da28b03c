//! The engine stops, refuses or is slow: nothing that was answered is lost, nothing is counted
//! twice, and figures are the old ones or the new ones, whole.

use std::time::Duration;

use firstcall::call::{CallDuration, Day, Sighting, UnixNanos};
use firstcall::clock::ManualClock;
use firstcall::config;
use firstcall::nightly::{self, DaysToRun};
use firstcall::store::{Batch, Store, StoreError, Writer, WriterOptions};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_client::TraceServiceClient;

use crate::receive::client::post;
use crate::receive::spans::{call_at, request};
use crate::store::{day, numbers, sighting};
use crate::support::RunningServer;
use crate::support::clickhouse::{ClickHouse, Fault, FaultKind};
use crate::support::stores::Place;

/// An engine that can be asked for faults; none where a real server takes its place.
pub(super) fn engine() -> Option<Place> {
    let place = Place::clickhouse();
    place.engine().is_some_and(ClickHouse::can_fail).then_some(place)
}

/// A store whose inserts are given up after a second.
pub(super) fn impatient(place: &Place) -> (config::Store, Store) {
    let mut config = place.config();
    config.clickhouse.as_mut().unwrap().timeout_s = std::num::NonZeroU32::MIN;
    let store = Store::create_configured(&config).unwrap();
    (config, store)
}

pub(super) fn commit(writer: &Writer, sightings: Vec<Sighting>) -> Result<(), StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(writer.commit(Batch::of(day().start(), sightings))).map(drop)
}

/// Two o'clock of the night after the day.
fn night() -> ManualClock {
    ManualClock::at(day().end().saturating_add(CallDuration::from_secs(7200)))
}

fn calls(store: &Store) -> u64 {
    let days = store.read_days(day(), day()).unwrap();
    days.iter().flat_map(|day| day.tools.values()).map(|figures| figures.calls).sum()
}

fn duplicates(store: &Store) -> u64 {
    store.read_days(day(), day()).unwrap().iter().map(|day| day.quality.duplicates).sum()
}

#[track_caller]
fn pass(store: &Store) {
    let report = nightly::run(store, DaysToRun::Due, &night(), &mut |_event| {}).unwrap();
    assert!(report.failed.is_empty(), "{:?}", report.failed);
}

/// A right to a pass that was not given back ends after some minutes of the server's clock; an
/// operator who knows that its holder is dead need not wait (docs/data-model.md).
pub(super) fn end_lease(engine: &ClickHouse) {
    engine.execute(
        "INSERT INTO leases (term, lasts_s, is_released) SELECT max(term), 0, true FROM leases",
    );
}

#[test]
fn an_engine_that_stops_before_an_insert_is_not_answered_for() {
    let Some(mut place) = engine() else { return };
    let store = place.store();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    commit(&writer, vec![sighting(1)]).unwrap();
    place.engine().unwrap().fault(Fault::new(FaultKind::StopBefore).of("INSERT INTO `sightings`"));
    let error = commit(&writer, vec![sighting(2)]).unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }) && error.is_retryable(), "{error}");
    place.engine_mut().unwrap().wait_until_stopped();
    let error = commit(&writer, vec![sighting(2)]).unwrap_err();
    assert!(error.is_retryable() && error.help().is_some(), "{error}");
    place.engine_mut().unwrap().restart();
    assert_eq!(numbers(&store), [1]);
    commit(&writer, vec![sighting(2)]).unwrap();
    assert_eq!(numbers(&store), [1, 2]);
}

#[test]
fn an_insert_whose_acknowledgement_was_lost_is_sent_again_and_counted_once() {
    let Some(mut place) = engine() else { return };
    let store = place.store();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    place.engine().unwrap().fault(Fault::new(FaultKind::StopAfter).of("INSERT INTO `sightings`"));
    let error = commit(&writer, vec![sighting(1), sighting(2)]).unwrap_err();
    assert!(error.is_retryable(), "{error}");
    place.engine_mut().unwrap().wait_until_stopped();
    place.engine_mut().unwrap().restart();
    // It was there all the same; the sender does not know, and sends again.
    assert_eq!(numbers(&store), [1, 2]);
    commit(&writer, vec![sighting(1), sighting(2)]).unwrap();
    assert_eq!(numbers(&store), [1, 1, 2, 2]);
    pass(&store);
    assert_eq!((calls(&store), duplicates(&store)), (2, 2));
}

#[test]
fn a_connection_that_breaks_is_tried_once_more_with_the_same_token() {
    let Some(place) = engine() else { return };
    let store = place.store();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let engine = place.engine().unwrap();
    engine.fault(Fault::new(FaultKind::Refuse).of("INSERT INTO `sightings`").times(1));
    commit(&writer, vec![sighting(1)]).unwrap();
    assert_eq!(numbers(&store), [1]);
    engine.fault(Fault::new(FaultKind::Refuse).of("INSERT INTO `sightings`").times(2));
    assert!(commit(&writer, vec![sighting(2)]).unwrap_err().is_retryable());
    assert_eq!(numbers(&store), [1]);
}

#[test]
fn a_slow_engine_is_given_up_and_nothing_is_counted_twice() {
    let Some(place) = engine() else { return };
    let (_config, store) = impatient(&place);
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    let slow = FaultKind::Delay(Duration::from_millis(1500));
    place.engine().unwrap().fault(Fault::new(slow).of("INSERT INTO `sightings`").times(1));
    let error = commit(&writer, vec![sighting(1)]).unwrap_err();
    assert!(matches!(error, StoreError::TooSlow { .. }) && error.is_retryable(), "{error}");
    // The insert that was given up may still be done.
    std::thread::sleep(Duration::from_secs(2));
    commit(&writer, vec![sighting(1)]).unwrap();
    assert!(numbers(&store).len() <= 2);
    pass(&store);
    assert_eq!(calls(&store), 1);
}

#[tokio::test]
async fn a_sender_is_told_to_come_back_while_the_engine_is_slow_or_gone() {
    let Some(mut place) = engine() else { return };
    let file = place.config_file();
    let text = std::fs::read_to_string(&file).unwrap().replace("timeout_s: 20", "timeout_s: 1");
    std::fs::write(&file, text).unwrap();
    let data = place.home().join("unused");
    let server = RunningServer::start_with(&data, &["--config", file.to_str().unwrap()], &[]);
    let now = firstcall::clock::Clock::now(&firstcall::clock::SystemClock).get();
    let body = |number| prost::Message::encode_to_vec(&request(vec![call_at(number, now)]));
    let sent = |answer: &crate::receive::client::Answer| answer.status;
    let mut grpc = TraceServiceClient::connect(server.grpc_url()).await.unwrap();
    let over_grpc = |number| request(vec![call_at(number, now)]);
    assert_eq!(sent(&post(server.http, &body(1), &[]).await), 200);
    grpc.export(over_grpc(11)).await.unwrap();
    let slow = FaultKind::Delay(Duration::from_secs(2));
    place.engine().unwrap().fault(Fault::new(slow).of("INSERT INTO `sightings`"));
    let answer = post(server.http, &body(2), &[]).await;
    assert_eq!(sent(&answer), 503);
    assert!(answer.header("retry-after").is_some(), "a delay is asked for");
    let status = grpc.export(over_grpc(12)).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unavailable);
    assert!(!status.details().is_empty(), "a delay is asked for");
    place.engine().unwrap().heal();
    assert_eq!(sent(&post(server.http, &body(2), &[]).await), 200);
    grpc.export(over_grpc(12)).await.unwrap();
    place.engine_mut().unwrap().kill();
    let answer = post(server.http, &body(3), &[]).await;
    assert_eq!((sent(&answer), answer.header("retry-after").is_some()), (503, true));
    let status = grpc.export(over_grpc(13)).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unavailable);
    place.engine_mut().unwrap().restart();
    assert_eq!(sent(&post(server.http, &body(3), &[]).await), 200);
    grpc.export(over_grpc(13)).await.unwrap();
    let stopped = server.stop();
    assert_eq!(stopped.status.code(), Some(0));
    let spans = place.engine().unwrap().ask("SELECT uniqExact(span_id) FROM sightings");
    assert_eq!(spans.trim(), "6");
}

#[test]
fn an_engine_that_stops_in_a_publication_leaves_the_old_figures_whole() {
    for statement in ["INSERT INTO day_figures", "INSERT INTO days"] {
        let Some(mut place) = engine() else { return };
        let store = place.store();
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        commit(&writer, vec![sighting(1)]).unwrap();
        pass(&store);
        let before = store.read_days(day(), day()).unwrap();
        let covered = store.coverage().unwrap();
        commit(&writer, vec![sighting(2)]).unwrap();
        let stop = Fault::new(FaultKind::StopBefore).of(statement);
        place.engine().unwrap().fault(stop);
        let ended = nightly::run(&store, DaysToRun::Due, &night(), &mut |_event| {});
        assert!(ended.is_err() || !ended.unwrap().failed.is_empty());
        place.engine_mut().unwrap().wait_until_stopped();
        place.engine_mut().unwrap().restart();
        assert_eq!(store.read_days(day(), day()).unwrap(), before, "{statement}");
        assert_eq!(store.coverage().unwrap(), covered);
        assert_eq!(store.restatements(day(), day()).unwrap(), []);
        // Its right to a pass is not given back yet.
        let running = store.begin_pass(UnixNanos::new(1), "next").unwrap_err();
        assert!(matches!(running, StoreError::PassRunning { .. }), "{running}");
        end_lease(place.engine().unwrap());
        pass(&store);
        assert_eq!(calls(&store), 2);
        assert_eq!(store.restatements(day(), day()).unwrap().len(), 1);
    }
}

#[test]
fn an_engine_that_stops_while_sightings_are_read_is_told() {
    let Some(mut place) = engine() else { return };
    let store = place.store();
    let writer = Writer::start(&store, WriterOptions::default()).unwrap();
    commit(&writer, (1..=5000).map(sighting).collect()).unwrap();
    place.engine().unwrap().fault(Fault::new(FaultKind::StopWithin).of("FROM sightings WHERE day"));
    let mut rows = 0;
    let ended = store.read_sightings(day(), day().start(), day().end(), &mut |_row| rows += 1);
    // What was cut must not look like the end.
    assert!(ended.unwrap_err().is_retryable(), "after {rows}");
    place.engine_mut().unwrap().wait_until_stopped();
    place.engine_mut().unwrap().restart();
    assert_eq!(numbers(&store).len(), 5000);
}

#[test]
fn a_pass_that_lost_its_right_publishes_nothing() {
    let place = Place::clickhouse();
    let store = place.store();
    let first = store.begin_pass(UnixNanos::new(1), "first").unwrap();
    end_lease(place.engine().unwrap());
    let second = store.begin_pass(UnixNanos::new(2), "second").unwrap();
    let figures = empty(day());
    let watermark = store.watermark(day()).unwrap();
    let lost = store.publish_day(&first, &figures, UnixNanos::new(3), &watermark).unwrap_err();
    assert!(matches!(lost, StoreError::LeaseLost) && !lost.is_retryable(), "{lost}");
    assert_eq!(store.coverage().unwrap(), []);
    store.publish_day(&second, &figures, UnixNanos::new(3), &watermark).unwrap();
    assert_eq!(store.coverage().unwrap().len(), 1);
}

#[test]
fn of_many_who_want_to_run_a_pass_at_once_one_does() {
    let place = Place::clickhouse();
    let store = place.store();
    for round in 0..3 {
        let taken = std::thread::scope(|scope| {
            let ask = || store.begin_pass(UnixNanos::new(1), "one of them");
            let all: Vec<_> = (0..6).map(|_| scope.spawn(ask)).collect();
            all.into_iter().map(|asked| asked.join().unwrap()).collect::<Vec<_>>()
        });
        let refused =
            taken.iter().filter(|taken| matches!(taken, Err(StoreError::PassRunning { .. })));
        assert_eq!(refused.count(), 5, "round {round}");
    }
}

fn empty(day: Day) -> firstcall::figures::DayFigures {
    firstcall::figures::DayFigures {
        day,
        tools: std::collections::BTreeMap::new(),
        unknown_tool_calls: std::collections::BTreeMap::new(),
        pairs: std::collections::BTreeMap::new(),
        sessions: std::collections::BTreeMap::new(),
        quality: firstcall::figures::QualityCounts::default(),
    }
}

#[test]
fn a_database_without_tables_or_with_others_is_told_and_left_alone() {
    let place = Place::clickhouse();
    let mut config = place.config();
    config.clickhouse.as_mut().unwrap().create_schema = false;
    for opened in [Store::create_configured(&config), Store::open_configured(&config)] {
        let error = opened.unwrap_err();
        assert!(matches!(error, StoreError::NoSchema { .. }), "{error}");
        assert!(error.help().unwrap().contains("firstcall schema clickhouse"));
    }
    let engine = place.engine().unwrap();
    assert_eq!(engine.ask("SHOW TABLES"), "");
    config.clickhouse.as_mut().unwrap().create_schema = true;
    let secret = Store::create_configured(&config).unwrap().secret().unwrap();
    assert_eq!(Store::open_configured(&config).unwrap().secret().unwrap(), secret);
    // A secret of its own would make prints that nobody else's match.
    let file = place.home().join("secret");
    std::fs::write(&file, [7; 32]).unwrap();
    let mut other = config.clone();
    other.clickhouse.as_mut().unwrap().secret_file = Some(file);
    let error = Store::open_configured(&other).unwrap().secret().unwrap_err();
    assert!(matches!(error, StoreError::OtherSecret { .. }), "{error}");
    engine.execute("INSERT INTO notes (key, value) VALUES ('schema_version', '9')");
    let error = Store::create_configured(&config).unwrap_err();
    let StoreError::OtherSchema { found: 9, known: 1, .. } = error else { panic!("{error}") };
}
