//! Minutes of a table: which were read, and which are read together.

use super::row::SlotRow;
use super::sql::SLOT_NANOS;
use crate::config::{ClickHouseOtel, SqlName};
use crate::store::RequestDigest;

/// Rows that are asked for at once, about; a minute that has more is read in parts. The engine may
/// look through the whole day for each question, so there should be few.
const RUN_ROWS: u64 = 25_000;

/// A minute that has rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// Minutes since the epoch.
    number: u32,
    rows: u64,
    /// Stands for the minute as it is.
    pub(super) content: RequestDigest,
    /// Stands for the minute, whatever it holds.
    pub(super) seen: RequestDigest,
}

impl Slot {
    /// The slot of a table's minute. A server is not told apart by its address, which may change;
    /// two servers' minutes differ in what they hold.
    pub(super) fn of(source: &ClickHouseOtel, table: &SqlName, row: SlotRow) -> Self {
        let SlotRow { slot, rows, print } = row;
        let seen = format!("clickhouse_otel\0{}\0{table}\0{slot}", source.database);
        let content = format!("{seen}\0{rows}\0{print}");
        Self {
            number: slot,
            rows,
            content: RequestDigest::of(content.as_bytes()),
            seen: RequestDigest::of(seen.as_bytes()),
        }
    }
}

/// Minutes that are read together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Nanoseconds since the epoch.
    pub(super) from: u64,
    /// Nanoseconds since the epoch, not included.
    pub(super) to: u64,
    /// How many of the minutes have rows.
    pub(super) minutes: u64,
    /// In how many parts they are read: more than one only of a single minute.
    pub(super) parts: u64,
    /// Whether they were read before, when they held something else.
    pub(super) is_again: bool,
    /// What is noted when they are committed.
    pub(super) digests: Vec<RequestDigest>,
}

/// The runs over a day's slots, each told whether it is done and whether it was read before.
pub(super) fn runs(slots: &[(Slot, bool, bool)]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut rows = 0;
    // A minute that is done ends a run: nothing is read over it.
    let mut is_open = false;
    for (slot, is_done, is_again) in slots {
        if *is_done {
            is_open = false;
            continue;
        }
        let from = u64::from(slot.number) * SLOT_NANOS;
        rows += slot.rows;
        match runs.last_mut() {
            Some(run @ Run { .. }) if is_open && run.is_again == *is_again && rows <= RUN_ROWS => {
                run.to = from + SLOT_NANOS;
                run.minutes += 1;
                run.digests.extend([slot.content, slot.seen]);
            }
            _ => {
                runs.push(Run {
                    from,
                    to: from + SLOT_NANOS,
                    minutes: 1,
                    parts: slot.rows.div_ceil(RUN_ROWS).max(1),
                    is_again: *is_again,
                    digests: vec![slot.content, slot.seen],
                });
                rows = slot.rows;
                is_open = true;
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(number: u32, rows: u64) -> Slot {
        let source = ClickHouseOtel::at("http://a:1".parse().unwrap());
        Slot::of(&source, &source.traces_table, SlotRow { slot: number, rows, print: 7 })
    }

    #[test]
    fn minutes_are_read_together_until_there_are_many_rows_and_never_over_one_that_is_done() {
        let slots = [
            (slot(10, 16_000), false, false),
            (slot(12, 9_000), false, false),
            (slot(13, 1), false, false),
            (slot(14, 5), true, false),
            (slot(15, 50_001), false, false),
            (slot(16, 5), false, true),
        ];
        let found: Vec<_> = runs(&slots)
            .iter()
            .map(|run| {
                let (from, to) = (run.from / SLOT_NANOS, run.to / SLOT_NANOS);
                (from, to, run.minutes, run.parts, run.is_again, run.digests.len())
            })
            .collect();
        assert_eq!(
            found,
            [
                (10, 13, 2, 1, false, 4),
                (13, 14, 1, 1, false, 2),
                (15, 16, 1, 3, false, 2),
                (16, 17, 1, 1, true, 2)
            ]
        );
    }

    #[test]
    fn a_minute_is_another_when_any_row_of_it_changes() {
        let (one, more) = (slot(10, 1), slot(10, 2));
        assert_eq!(one.seen, more.seen);
        assert_ne!(one.content, more.content);
        assert_ne!(one.seen, slot(11, 1).seen);
    }
}
