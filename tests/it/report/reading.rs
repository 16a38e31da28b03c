//! A report's input is read from the store as it was published there.

use firstcall::call::UnixNanos;
use firstcall::figures::DayFigures;
use firstcall::report::input::previous_period;
use firstcall::report::{Range, read};
use firstcall::store::Store;

use super::report_input::{AS_OF, usual};

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
    assert_eq!((nothing.as_of, nothing.has_calls_uncovered), (None, false));

    publish(&store, &expected.history, expected.today.start());
    let found = read(&store, Range::Last(7), today).unwrap();
    assert_eq!((found.from, found.to, found.as_of), (expected.from, expected.to, expected.as_of));
    assert_eq!(found.days, expected.days);
    assert_eq!(found.history, expected.history);
    let (first, last) = previous_period(found.from, found.to).unwrap();
    assert!(found.previous.iter().all(|day| first <= day.day && day.day <= last));
    assert_eq!(found.previous, expected.previous);
    assert!(found.restated.is_empty());
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
    assert_eq!(found.days, std::slice::from_ref(&last));
    let restated = &found.restated[&last.day];
    assert_eq!(restated.tools.len(), 7);
    let pages = firstcall::report::site(&found);
    let night = pages.iter().find(|(path, _)| path.ends_with("nights/2026-11-29.html")).unwrap();
    assert!(std::str::from_utf8(&night.1).unwrap().contains("Restated: calls arrived after"));
}
