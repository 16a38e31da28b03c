//! Which days are covered: of each day the publication with the highest number.

use std::collections::BTreeMap;

use super::engine::Engine;
use super::json::Row;
use crate::call::{Day, UnixNanos};
use crate::figures::QualityCounts;
use crate::store::coverage::{CoveredDay, Headline, Restatement};
use crate::store::error::StoreError;
use crate::store::watermark::Watermark;

/// The columns of `days`.
pub(super) const DAYS: [&str; 12] = [
    "day",
    "publication",
    "version",
    "covered_at",
    "watermark",
    "restated_at",
    "sightings",
    "duplicates",
    "folded",
    "late",
    "sampled",
    "unnamed",
];

/// What a row of `days` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Publication {
    /// The covered day.
    pub(super) covered: CoveredDay,
    /// Which rows of the tables of figures are its own.
    pub(super) version: u64,
    /// Its quality counts.
    pub(super) quality: QualityCounts,
}

/// The publications that count, of the days from `from` to `to`, ascending.
pub(super) fn read(engine: &Engine, from: Day, to: Day) -> Result<Vec<Publication>, StoreError> {
    read_where(engine, &format!("WHERE {}", between(from, to)))
}

/// The publications that count, of all days, ascending.
pub(super) fn all(engine: &Engine) -> Result<Vec<Publication>, StoreError> {
    read_where(engine, "")
}

fn read_where(engine: &Engine, of_days: &str) -> Result<Vec<Publication>, StoreError> {
    let query = format!(
        "SELECT {} FROM days {of_days} ORDER BY day, publication DESC LIMIT 1 BY day",
        DAYS.join(", "),
    );
    let rows = engine.rows(&query)?.into_iter();
    rows.map(|row| publication(row).ok_or_else(|| engine.damaged("days"))).collect()
}

/// The publication of one day that counts; none where it is not covered.
pub(super) fn of(engine: &Engine, day: Day) -> Result<Option<Publication>, StoreError> {
    Ok(read(engine, day, day)?.pop())
}

/// A condition on the column `day`.
pub(super) fn between(from: Day, to: Day) -> String {
    format!("day BETWEEN toDate32('{from}') AND toDate32('{to}')")
}

fn publication(mut row: Row) -> Option<Publication> {
    let day = row.day()?;
    let (_number, version, covered_at) = (row.number()?, row.number()?, row.instant()?);
    let watermark = Watermark::from_text(&row.text()?)?;
    let restated_at = row.number_or_null()?.map(UnixNanos::new);
    Some(Publication {
        covered: CoveredDay { day, covered_at, watermark, restated_at },
        version,
        quality: QualityCounts {
            sightings: row.number()?,
            duplicates: row.number()?,
            folded: row.number()?,
            late: row.number()?,
            sampled: row.number()?,
            unnamed: row.number()?,
        },
    })
}

/// The columns of `restatements`.
pub(super) const RESTATEMENTS: [&str; 9] = [
    "day",
    "publication",
    "restated_at",
    "service",
    "tool",
    "judged",
    "first_call_successes",
    "confirmed_first_call_successes",
    "retried",
];

/// The restatements of a range of days, by day and then oldest first. One whose publication never
/// came to be is none.
pub(super) fn restatements(
    engine: &Engine,
    from: Day,
    to: Day,
) -> Result<Vec<Restatement>, StoreError> {
    let between = between(from, to);
    let query = format!(
        "SELECT {} FROM restatements WHERE {between} \
         AND publication IN (SELECT publication FROM days WHERE {between})",
        RESTATEMENTS.join(", ")
    );
    let mut found: BTreeMap<(Day, u64), Restatement> = BTreeMap::new();
    for row in engine.rows(&query)? {
        restatement(row, &mut found).ok_or_else(|| engine.damaged("restatements"))?;
    }
    Ok(found.into_values().collect())
}

fn restatement(mut row: Row, found: &mut BTreeMap<(Day, u64), Restatement>) -> Option<()> {
    let (day, publication, restated_at) = (row.day()?, row.number()?, row.instant()?);
    let tool = row.tool()?;
    let headline = Headline {
        judged: row.number()?,
        first_call_successes: row.number()?,
        confirmed_first_call_successes: row.number()?,
        retried: row.number()?,
    };
    let of = found.entry((day, publication)).or_insert_with(|| Restatement {
        day,
        restated_at,
        shown_before: BTreeMap::new(),
    });
    of.shown_before.insert(tool, headline);
    Some(())
}
