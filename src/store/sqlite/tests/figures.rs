//! Published figures in their file.

use super::*;
use crate::store::tests::figures::{empty, lease, publish, two_clients};

#[test]
fn figures_outlive_their_sightings() {
    let (_folder, store) = fresh();
    commit_all(&store, [batch(vec![sighting(1, day(), 1)])]);
    publish(&store, &two_clients(day(), 10), 1);
    std::fs::remove_file(files(&store).day_file(day())).unwrap();
    // Nothing arrived: the day is not to be run again, and running it by hand is refused.
    let covered = store.coverage().unwrap().remove(0);
    assert_eq!(store.watermark(day()).unwrap(), covered.watermark);
    let again =
        store.publish_day(&lease(&store), &empty(day()), UnixNanos::new(2), &covered.watermark);
    assert!(matches!(again, Err(StoreError::SightingsGone { .. })));
    assert_eq!(store.read_days(day(), day()).unwrap(), [two_clients(day(), 10)]);
    // A straggler makes a new file; one call must not take the place of a day of them.
    commit_all(&store, [batch(vec![sighting(2, day(), 1)])]);
    assert_eq!(store.watermark(day()).unwrap(), covered.watermark);
}

#[test]
fn figures_can_be_read_with_plain_sql() {
    let (_folder, store) = fresh();
    let mut figures = two_clients(day(), 10);
    let first = figures.tools.values_mut().next().unwrap();
    first.latency.record(3); // bucket 50
    publish(&store, &figures, 1);
    let main = rusqlite::Connection::open(files(&store).main_file()).unwrap();
    let found: (String, i64, i64, i64) = main
        .query_row(
            "SELECT client, first_call_successes, bucket, day_latency.calls
             FROM day_figures JOIN day_latency USING (figures_id)
             WHERE day = '2026-11-29' AND tool = 'search_orders'",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .unwrap();
    assert_eq!(found, ("claude-code".to_owned(), 8, 50, 1));
}
