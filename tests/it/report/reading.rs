//! A report's input is read from the store as it was published there.

use std::collections::BTreeMap;

use firstcall::call::UnixNanos;
use firstcall::figures::{DayFigures, Figures, RangeFigures};
use firstcall::report::input::previous_period;
use firstcall::report::{Range, read};
use firstcall::store::Store;

use super::report_input::{AS_OF, ReportDays, usual};

fn publish(store: &Store, days: &[DayFigures], at: UnixNanos) {
    let lease = store.begin_pass(at, "a test").unwrap();
    for day in days {
        let watermark = store.watermark(day.day).unwrap();
        store.publish_day(&lease, day, at, &watermark).unwrap();
    }
}

#[test]
fn the_days_the_period_before_and_the_history_are_read() {
    let temp = tempfile::tempdir().unwrap();
    let store = Store::create(temp.path()).unwrap();
    let expected = usual();
    let today = expected.today;
    let nothing = read(&store, Range::Last(7), today).unwrap();
    assert_eq!((nothing.dates.as_of, nothing.has_calls_uncovered), (None, false));

    publish(&store, &expected.history, expected.today.start());
    let found = read(&store, Range::Last(7), today).unwrap();
    let days = ReportDays {
        restated: BTreeMap::new(),
        arrivals: BTreeMap::new(),
        has_calls_uncovered: false,
        offered: Vec::new(),
        releases: BTreeMap::new(),
        ..expected.clone()
    };
    assert_eq!(found, days.input());
    // Added up one by one or together, it is the same.
    assert_eq!(found.now, RangeFigures::of(&expected.days));
    let (first, last) = previous_period(found.dates.from, found.dates.to).unwrap();
    assert!(found.before.covered.iter().all(|day| first <= *day && *day <= last));
    let before = RangeFigures::of(&expected.previous);
    assert_eq!((&found.before.overall, &found.before.clients), (&before.overall, &before.clients));
    for (key, tool) in &before.tools {
        let found = &found.before.tools[key];
        assert_eq!(found.all, tool.all);
        for (client, packed) in &tool.clients {
            let headline =
                |figures: Figures| (figures.calls, figures.judged, figures.first_call_successes);
            let (found, exact) = (found.clients[client].counts(), packed.counts());
            assert_eq!(headline(found), headline(exact));
        }
    }
    assert_eq!(found.before.tools.len(), before.tools.len());
    // 28 of the last 30 days are covered, and the period before lies among them.
    assert_eq!(found.nights.len(), 28);
}

#[test]
fn a_restated_day_keeps_what_it_showed_before() {
    let temp = tempfile::tempdir().unwrap();
    let store = Store::create(temp.path()).unwrap();
    let input = usual();
    let last = input.days.last().cloned().unwrap();
    assert_eq!(last.day, AS_OF.parse().unwrap());
    let mut shown = last.clone();
    shown.tools.retain(|(tool, _), _| tool.tool.as_str() != "send_receipt");
    publish(&store, &[shown], input.today.start());
    publish(&store, std::slice::from_ref(&last), input.today.plus(1).start());
    let found = read(&store, Range::Last(1), input.today.plus(1)).unwrap();
    assert_eq!(found.now, RangeFigures::of([&last]));
    assert_eq!(found.shown_before.as_ref().unwrap().tools.len(), 7);
    assert!(found.nights[&last.day].restated.is_some());
    let pages = firstcall::report::site(&found);
    let night = pages.iter().find(|(path, _)| path.ends_with("nights/2026-11-29.html")).unwrap();
    assert!(std::str::from_utf8(&night.1).unwrap().contains("Restated: calls arrived after"));
}
