//! How much has arrived that can touch one day's figures: how many rows there are. Rows are only
//! ever added and a day's go all at once, so more rows mean that something came, and fewer that
//! they are gone. The tables keep these counts with each part, in the projection `edges`.

use super::engine::Engine;
use crate::call::Day;
use crate::store::error::StoreError;
use crate::store::watermark::{FileMark, Watermark};

/// The first quarter of an hour of a day, and its last hour, as `edges` numbers them.
const HEAD: u64 = 0;
const TAIL: u64 = 2;

/// Which part of its day a start lies in; the text is that of `edges`.
const PART: &str = "multiIf(start % 86400000000000 < 900000000000, 0, \
                    start % 86400000000000 >= 82800000000000, 2, 1)";

/// What is there now; `installation` tells this store from another one in its place.
pub(super) fn read(engine: &Engine, installation: u64, day: Day) -> Result<Watermark, StoreError> {
    let (before, after) = (day.minus(1), day.plus(1));
    let mut counts = Counts::default();
    let days = format!("{}, {}, {}", before.number(), day.number(), after.number());
    for table in ["sightings", "attempts"] {
        let query = format!(
            "SELECT day, {PART} AS part, count() FROM {table} WHERE day IN ({days}) \
             GROUP BY day, part"
        );
        for row in engine.rows(&query)? {
            let mut row = row;
            let values = (row.number(), row.number(), row.number());
            let (Some(of), Some(part), Some(rows)) = values else {
                return Err(engine.damaged("day"));
            };
            counts.add(of, part, rows, [before, day, after]);
        }
    }
    let mark = |rows: u64| (rows > 0).then_some(FileMark { file: installation, last_batch: rows });
    Ok(Watermark { before: mark(counts.before), own: mark(counts.own), after: mark(counts.after) })
}

/// Rows that can touch a day's figures.
#[derive(Debug, Default)]
struct Counts {
    before: u64,
    own: u64,
    after: u64,
}

impl Counts {
    fn add(&mut self, of: u64, part: u64, rows: u64, [before, day, after]: [Day; 3]) {
        let is = |day: Day| of == u64::from(day.number());
        if is(day) {
            self.own = self.own.saturating_add(rows);
        } else if is(before) && part == TAIL {
            self.before = self.before.saturating_add(rows);
        } else if is(after) && part == HEAD {
            self.after = self.after.saturating_add(rows);
        }
    }
}
