//! Which days are covered, and what they showed before they were restated.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::columns::{DAYS, RESTATEMENTS};
use super::database::At;
use super::error::{Damage, StoreError};
use super::rows::{count, day, instant, tool};
use super::watermark::Watermark;
use crate::call::{Day, ToolKey, UnixNanos};
use crate::figures::Figures;

/// A day that the pass has covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredDay {
    /// The day.
    pub day: Day,
    /// When it was first covered.
    pub covered_at: UnixNanos,
    /// What its figures were made from.
    pub watermark: Watermark,
    /// When its figures last changed after they had been shown; none where they never did.
    pub restated_at: Option<UnixNanos>,
}

/// The figures that a day showed before a later pass changed them (METHOD section 10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restatement {
    /// The day.
    pub day: Day,
    /// When its figures changed.
    pub restated_at: UnixNanos,
    /// What was shown before, per tool, all clients together; never empty.
    pub shown_before: BTreeMap<ToolKey, Headline>,
}

/// A tool's headline figures, all clients together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Headline {
    /// Judged calls.
    pub judged: u64,
    /// First-call successes among them.
    pub first_call_successes: u64,
    /// Confirmed first-call successes among them.
    pub confirmed_first_call_successes: u64,
    /// Retried calls.
    pub retried: u64,
}

impl Headline {
    /// Adds one client's figures.
    pub(super) const fn add(&mut self, figures: &Figures) {
        self.judged = self.judged.saturating_add(figures.judged);
        self.first_call_successes =
            self.first_call_successes.saturating_add(figures.first_call_successes);
        self.confirmed_first_call_successes = self
            .confirmed_first_call_successes
            .saturating_add(figures.confirmed_first_call_successes);
        self.retried = self.retried.saturating_add(figures.retried);
    }
}

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
