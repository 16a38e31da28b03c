//! Publishing days, reading them back, restating them.

use super::*;
use crate::call::{ClientName, Name, ToolKey};
use crate::figures::arbitrary::day_figures;
use crate::figures::{DayFigures, Figures, QualityCounts};
use crate::store::{Headline, PassLease};

pub(in crate::store) fn lease(store: &Store) -> PassLease {
    store.begin_pass(UnixNanos::new(0), "test").unwrap()
}

fn tool() -> ToolKey {
    ToolKey { service: Name::cut("shop"), tool: Name::cut("search_orders") }
}

pub(in crate::store) fn empty(day: Day) -> DayFigures {
    DayFigures {
        day,
        tools: std::collections::BTreeMap::new(),
        unknown_tool_calls: std::collections::BTreeMap::new(),
        pairs: std::collections::BTreeMap::new(),
        sessions: std::collections::BTreeMap::new(),
        quality: QualityCounts::default(),
    }
}

/// A day on which two clients called one tool; the first of them `judged` times.
pub(in crate::store) fn two_clients(day: Day, judged: u64) -> DayFigures {
    let mut figures = empty(day);
    for (client, judged) in [("claude-code", judged), ("cursor", 5)] {
        let counts = Figures {
            calls: judged,
            judged,
            retried: 2,
            first_call_successes: judged - 2,
            confirmed_first_call_successes: judged - 1,
            ..Figures::default()
        };
        figures.tools.insert((tool(), ClientName::new(Name::cut(client))), counts);
    }
    figures
}

/// Publishes with the watermark of the moment.
#[track_caller]
pub(in crate::store) fn publish(store: &Store, figures: &DayFigures, at: u64) {
    let watermark = store.watermark(figures.day).unwrap();
    store.publish_day(&lease(store), figures, UnixNanos::new(at), &watermark).unwrap();
}

on_each_store! {
    fn days_are_read_as_they_were_published(place) {
        let days = (day_figures(day()), day_figures(day()), day_figures(day().plus(1)));
        check(place, 48, days, |store, (first, again, next)| {
            publish(store, &first, 1);
            publish(store, &next, 1);
            assert_eq!(store.read_days(day(), day().plus(1)).unwrap(), [first, next.clone()]);
            publish(store, &again, 2);
            assert_eq!(store.read_days(day(), day().plus(1)).unwrap(), [again.clone(), next]);
            assert_eq!(store.read_days(day(), day()).unwrap(), [again]);
        });
    }

    fn only_covered_days_are_read_and_an_empty_one_is_covered(place) {
        let store = place.store();
        assert_eq!(store.read_days(day(), day().plus(9)).unwrap(), []);
        publish(&store, &empty(day().plus(1)), 7);
        assert_eq!(store.read_days(day(), day().plus(9)).unwrap(), [empty(day().plus(1))]);
        assert_eq!(store.read_days(day().plus(2), day()).unwrap(), []);
        let coverage = store.coverage().unwrap();
        assert_eq!(coverage.len(), 1);
        assert_eq!(coverage[0].day, day().plus(1));
        assert_eq!(coverage[0].covered_at, UnixNanos::new(7));
        assert_eq!(coverage[0].restated_at, None);
    }

    fn the_same_figures_again_change_nothing(place) {
        let store = place.store();
        publish(&store, &two_clients(day(), 10), 1);
        let before = store.coverage().unwrap();
        publish(&store, &two_clients(day(), 10), 2);
        assert_eq!(store.coverage().unwrap(), before);
        assert_eq!(store.restatements(day(), day()).unwrap(), []);
    }

    fn other_figures_restate_the_day_and_keep_what_was_shown(place) {
        let store = place.store();
        publish(&store, &two_clients(day(), 10), 1);
        publish(&store, &two_clients(day(), 30), 2);
        publish(&store, &two_clients(day(), 40), 3);
        let coverage = store.coverage().unwrap();
        assert_eq!(coverage[0].covered_at, UnixNanos::new(1));
        assert_eq!(coverage[0].restated_at, Some(UnixNanos::new(3)));
        let restatements = store.restatements(day(), day()).unwrap();
        let shown: Vec<_> = restatements
            .iter()
            .map(|restatement| (restatement.restated_at.get(), restatement.shown_before[&tool()]))
            .collect();
        // 10 and 30 judged calls of the first client, 5 of the second.
        let headline = |judged| Headline {
            judged,
            first_call_successes: judged - 4,
            confirmed_first_call_successes: judged - 2,
            retried: 4,
        };
        assert_eq!(shown, [(2, headline(15)), (3, headline(35))]);
        assert_eq!(store.restatements(day().plus(1), day().plus(1)).unwrap(), []);
    }

    fn what_was_received_twice_restates_nothing_and_is_counted(place) {
        let store = place.store();
        let mut figures = two_clients(day(), 10);
        publish(&store, &figures, 1);
        figures.quality.duplicates = 3;
        publish(&store, &figures, 2);
        assert_eq!(store.coverage().unwrap()[0].restated_at, None);
        assert_eq!(store.read_days(day(), day()).unwrap(), [figures]);
    }

    fn a_watermark_moves_with_what_can_touch_its_day(place) {
        let store = place.store();
        let next = day().plus(1);
        let moved = |rows: Vec<Sighting>| {
            let before = store.watermark(next).unwrap();
            commit_all(&store, [batch(rows)]);
            store.watermark(next).unwrap() != before
        };
        let hour = 3600;
        assert!(!moved(vec![sighting(1, day(), 23 * hour - 1)]), "before the last hour");
        assert!(moved(vec![sighting(2, day(), 23 * hour)]), "the last hour begins");
        assert!(moved(vec![sighting(3, next, 12 * hour)]), "the day itself");
        assert!(moved(vec![sighting(4, next.plus(1), 15 * 60 - 1)]), "the first quarter of an hour");
        assert!(!moved(vec![sighting(5, next.plus(1), 15 * 60)]), "after it");
        assert!(!moved(vec![sighting(6, next.plus(2), 0)]), "two days later");
        assert!(!moved(vec![sighting(7, day().minus(1), 24 * hour - 1)]), "two days before");
        // One batch that holds both an early and a late start touches the margin.
        assert!(moved(vec![sighting(8, day(), 0), sighting(9, day(), 24 * hour - 1)]));
    }

    fn a_watermark_comes_back_from_coverage_as_it_was(place) {
        let store = place.store();
        assert!(store.watermark(day()).unwrap().is_empty());
        commit_all(&store, [batch(vec![sighting(1, day(), 1), sighting(2, day().plus(1), 1)])]);
        let watermark = store.watermark(day()).unwrap();
        assert!(!watermark.is_empty());
        store.publish_day(&lease(&store), &empty(day()), UnixNanos::new(1), &watermark).unwrap();
        assert_eq!(store.coverage().unwrap()[0].watermark, watermark);
        assert_eq!(store.watermark(day()).unwrap(), watermark);
    }

    fn one_pass_at_a_time_and_the_second_is_told_who_runs(place) {
        let store = place.store();
        // 1,795,953,600 s is noon of 2026-11-29.
        let noon = UnixNanos::new(1_795_953_600_000_000_000);
        let first = store.begin_pass(noon, "firstcall nightly\nprocess 7").unwrap();
        let second = place.reader(&store).begin_pass(noon, "other").unwrap_err();
        assert_eq!(
            second.to_string(),
            "another pass is running: firstcall nightly process 7, since 2026-11-29 12:00:00 UTC"
        );
        drop(first);
        drop(store.begin_pass(noon, "other").unwrap());
    }

    fn another_process_reads_whole_days_while_they_are_published(place) {
        let store = place.store();
        publish(&store, &two_clients(day(), 10), 1);
        let reader = place.reader(&store);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..30 {
                    publish(&store, &two_clients(day(), 10 + round % 2), round);
                }
            });
            for _ in 0..60 {
                let days = reader.read_days(day(), day()).unwrap();
                assert!(
                    days == [two_clients(day(), 10)] || days == [two_clients(day(), 11)],
                    "{days:?}"
                );
            }
        });
    }
}
