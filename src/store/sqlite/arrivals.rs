//! Arrival counts in `firstcall.sqlite`.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::database::to_sql;
use super::rows::{count, name};
use super::{imports, source_hours};
use crate::call::{Day, Name};
use crate::figures::ArrivalCounts;
use crate::store::arrivals::{ArrivalBook, add_row, entries};
use crate::store::columns::ARRIVALS;

/// Adds the counts to those in the file, all or none.
pub(super) fn save(book: &ArrivalBook, connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    {
        // A sum never leaves the integers, whatever was counted before.
        let add = "ON CONFLICT DO UPDATE SET times = min(times, ?) + excluded.times";
        let mut insert = transaction.prepare_cached(&format!("{} {add}", ARRIVALS.insert()))?;
        for ((day, emitter), counts) in &book.days {
            let day = day.to_string();
            for (what, word, times) in entries(counts) {
                let times = to_sql(times);
                let room = i64::MAX - times;
                insert.execute((&day, emitter.as_str(), what, word, times, room))?;
            }
        }
    }
    source_hours::save(&book.hours, &transaction)?;
    imports::save(&book.imported, &transaction)?;
    transaction.commit()
}

/// The counts of the days from `from` to `to`, both included, by emitter.
pub(super) fn read(
    connection: &Connection,
    from: Day,
    to: Day,
) -> rusqlite::Result<BTreeMap<Name, ArrivalCounts>> {
    let mut select = connection.prepare(&ARRIVALS.select("WHERE day BETWEEN ?1 AND ?2"))?;
    let mut rows = select.query([from.to_string(), to.to_string()])?;
    let mut arrivals: BTreeMap<Name, ArrivalCounts> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (what, word, times) = (name(row, 2)?, name(row, 3)?, count(row, 4)?);
        add_row(arrivals.entry(name(row, 1)?).or_default(), what.as_str(), word, times);
    }
    Ok(arrivals)
}
