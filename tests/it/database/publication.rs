//! The engine stops, or is slow, at each statement of a publication: the day shows the old figures
//! or the new ones, whole, and publishing again mends it (METHOD section 10).

use std::time::Duration;

use firstcall::call::{CallDuration, UnixNanos};
use firstcall::figures::DayFigures;
use firstcall::store::{Store, StoreError};

use super::faults::{end_lease, engine, impatient};
use crate::killed_pass::two_versions;
use crate::support::clickhouse::{Fault, FaultKind};

/// Every statement of a publication that replaces figures, in their order.
const STATEMENTS: [&str; 6] = [
    "INSERT INTO restatements",
    "INSERT INTO day_figures",
    "INSERT INTO day_pairs",
    "INSERT INTO day_sessions",
    "INSERT INTO day_unknown_tools",
    "INSERT INTO days",
];

fn publish(store: &Store, figures: &DayFigures) -> Result<(), StoreError> {
    let at = figures.day.plus(1).start();
    let lease = store.begin_pass(at, "a pass")?;
    let watermark = store.watermark(figures.day)?;
    store.publish_day(&lease, figures, at.saturating_add(CallDuration::from_secs(60)), &watermark)
}

/// What the day shows; it must be one of the two versions, whole.
#[track_caller]
fn shown(store: &Store, versions: &[DayFigures; 2]) -> usize {
    let shown = store.read_days(versions[0].day, versions[0].day).unwrap();
    let version = versions.iter().position(|version| shown == [version.clone()]);
    version.unwrap()
}

/// How many retries the restatements say were shown before, the oldest first.
fn shown_before(store: &Store, figures: &DayFigures) -> Vec<u64> {
    let restatements = store.restatements(figures.day, figures.day).unwrap();
    let judged = restatements.iter().map(|of| of.shown_before.values().map(|of| of.judged).sum());
    judged.collect()
}

fn judged(figures: &DayFigures) -> u64 {
    figures.tools.values().map(|of| of.judged).sum()
}

#[test]
fn a_publication_that_is_killed_at_any_statement_shows_one_version_whole() {
    let Some(mut place) = engine() else { return };
    let store = place.store();
    let versions = two_versions();
    assert!(versions[0].tools.values().all(|of| of.calls > 0) && !versions[0].pairs.is_empty());
    publish(&store, &versions[0]).unwrap();
    let (mut showing, mut restated) = (0, 0);
    for kind in [FaultKind::StopBefore, FaultKind::StopAfter] {
        for statement in STATEMENTS {
            let next = 1 - showing;
            place.engine().unwrap().fault(Fault::new(kind).of(statement));
            let error = publish(&store, &versions[next]).unwrap_err();
            assert!(error.is_retryable(), "{statement}: {error}");
            place.engine_mut().unwrap().wait_until_stopped();
            place.engine_mut().unwrap().restart();
            end_lease(place.engine().unwrap());
            // Only when the last row is there are the new figures shown, and told as restated.
            let is_there = kind == FaultKind::StopAfter && statement == "INSERT INTO days";
            assert_eq!(shown(&store, &versions), if is_there { next } else { showing });
            restated += usize::from(is_there);
            assert_eq!(shown_before(&store, &versions[0]).len(), restated, "{kind:?} {statement}");
            publish(&store, &versions[next]).unwrap();
            assert_eq!(shown(&store, &versions), next, "{kind:?} {statement}");
            restated += usize::from(!is_there);
            let told = shown_before(&store, &versions[0]);
            assert_eq!(told.len(), restated, "{kind:?} {statement}");
            assert_eq!(told.last(), Some(&judged(&versions[showing])), "{kind:?} {statement}");
            showing = next;
        }
    }
    assert_eq!(restated, 2 * STATEMENTS.len());
}

#[test]
fn a_publication_that_is_given_up_for_slowness_is_done_whole_or_not_at_all() {
    let Some(place) = engine() else { return };
    let (_config, store) = impatient(&place);
    let versions = two_versions();
    publish(&store, &versions[0]).unwrap();
    let mut showing = 0;
    for statement in STATEMENTS {
        let next = 1 - showing;
        let slow = FaultKind::Delay(Duration::from_millis(1500));
        place.engine().unwrap().fault(Fault::new(slow).of(statement).times(1));
        let error = publish(&store, &versions[next]).unwrap_err();
        assert!(matches!(error, StoreError::TooSlow { .. }), "{statement}: {error}");
        assert_eq!(shown(&store, &versions), showing, "{statement}");
        // What was given up is done all the same, later.
        std::thread::sleep(Duration::from_secs(1));
        let is_there = statement == "INSERT INTO days";
        assert_eq!(shown(&store, &versions), if is_there { next } else { showing });
        publish(&store, &versions[next]).unwrap();
        assert_eq!(shown(&store, &versions), next, "{statement}");
        showing = next;
    }
    assert_eq!(shown_before(&store, &versions[0]).len(), STATEMENTS.len());
    let gone = store.read_days(versions[0].day.plus(1), versions[0].day.plus(9)).unwrap();
    assert_eq!(gone, []);
    assert!(store.coverage().unwrap()[0].restated_at > Some(UnixNanos::new(0)));
}
