//! Which days are covered, and what they showed before they were restated.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::database::At;
use super::rows::{count, day, instant, tool};
use crate::call::{Day, UnixNanos};
use crate::store::columns::{DAYS, RESTATEMENTS};
use crate::store::coverage::{CoveredDay, Headline, Restatement};
use crate::store::error::{Damage, StoreError};
use crate::store::watermark::Watermark;

/// Every covered day, ascending.
pub(super) fn covered_days(
    connection: &Connection,
    file: &Path,
) -> Result<Vec<CoveredDay>, StoreError> {
    let mut select = connection.prepare(&DAYS.select("ORDER BY day")).at(file)?;
    let mut rows = select.query([]).at(file)?;
    let mut days = Vec::new();
    while let Some(row) = rows.next().at(file)? {
        let restated_at: Option<i64> = row.get(3).at(file)?;
        days.push(CoveredDay {
            day: day(row, 0).at(file)?,
            covered_at: instant(row, 1).at(file)?,
            watermark: watermark(row.get_ref(2).at(file)?.as_str().unwrap_or_default(), file)?,
            restated_at: restated_at.map(|at| UnixNanos::new(at.unsigned_abs())),
        });
    }
    Ok(days)
}

/// The watermark that a covered day's figures were made from; none where it is not covered.
pub(super) fn published_watermark(
    connection: &Connection,
    file: &Path,
    day: Day,
) -> Result<Option<Watermark>, StoreError> {
    let select = "SELECT watermark FROM days WHERE day = ?1";
    let found: Option<String> =
        connection.query_row(select, [day.to_string()], |row| row.get(0)).optional().at(file)?;
    found.map(|text| watermark(&text, file)).transpose()
}

fn watermark(text: &str, file: &Path) -> Result<Watermark, StoreError> {
    Watermark::from_text(text).ok_or_else(|| StoreError::Corrupt {
        file: file.into(),
        damage: Damage::Column("watermark"),
    })
}

/// The restatements of a range of days, by day and then oldest first.
pub(super) fn restatements(
    connection: &Connection,
    from: Day,
    to: Day,
) -> rusqlite::Result<Vec<Restatement>> {
    let rest = "WHERE day BETWEEN ?1 AND ?2 ORDER BY day, restatement, service, tool";
    let mut select = connection.prepare(&RESTATEMENTS.select(rest))?;
    let mut rows = select.query([from.to_string(), to.to_string()])?;
    let mut found: BTreeMap<(Day, u64), Restatement> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (day, number, restated_at) = (day(row, 0)?, count(row, 1)?, instant(row, 2)?);
        let headline = Headline {
            judged: count(row, 5)?,
            first_call_successes: count(row, 6)?,
            confirmed_first_call_successes: count(row, 7)?,
            retried: count(row, 8)?,
        };
        let restatement = found.entry((day, number)).or_insert_with(|| Restatement {
            day,
            restated_at,
            shown_before: BTreeMap::new(),
        });
        restatement.shown_before.insert(tool(row, 3)?, headline);
    }
    Ok(found.into_values().collect())
}
