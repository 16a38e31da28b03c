//! Reading published days back, exactly as they were published. The rows of a version never
//! change, so a day is whole however many queries it takes.

use std::collections::BTreeMap;

use super::coverage::{self, Publication, between};
use super::engine::Engine;
use super::figure_rows;
use super::json::Row;
use crate::call::Day;
use crate::figures::{DayFigures, PairKey, SessionCounts};
use crate::store::error::StoreError;
use crate::store::figure_numbers;

/// The figures of the covered days from `from` to `to`, ascending.
pub(super) fn read(engine: &Engine, from: Day, to: Day) -> Result<Vec<DayFigures>, StoreError> {
    of(engine, &coverage::read(engine, from, to)?)
}

/// The figures of publications, in their order.
pub(super) fn of(
    engine: &Engine,
    publications: &[Publication],
) -> Result<Vec<DayFigures>, StoreError> {
    let Some((first, last)) = publications.first().zip(publications.last()) else {
        return Ok(Vec::new());
    };
    let mut days: BTreeMap<Day, DayFigures> = BTreeMap::new();
    for publication in publications {
        let day = publication.covered.day;
        let quality = publication.quality.clone();
        let (tools, unknown_tool_calls) = (BTreeMap::new(), BTreeMap::new());
        let (pairs, sessions) = (BTreeMap::new(), BTreeMap::new());
        let figures = DayFigures { day, tools, unknown_tool_calls, pairs, sessions, quality };
        days.insert(day, figures);
    }
    let versions: Vec<String> = publications.iter().map(|one| one.version.to_string()).collect();
    let of_versions = format!(
        "WHERE {} AND version IN ({})",
        between(first.covered.day, last.covered.day),
        versions.join(", ")
    );
    let mut read = |columns: &str, table: &'static str, add: Add| {
        for row in engine.rows(&format!("SELECT {columns} FROM {table} {of_versions}"))? {
            let mut row = Row::of(row);
            let day = row.day();
            let day = day.and_then(|day| days.get_mut(&day));
            day.and_then(|day| add(day, &mut row)).ok_or_else(|| engine.damaged(table))?;
        }
        Ok::<(), StoreError>(())
    };
    read(&figure_rows::columns().join(", "), "day_figures", add_figures)?;
    read(&PAIRS.join(", "), "day_pairs", add_pair)?;
    read(&SESSIONS.join(", "), "day_sessions", add_sessions)?;
    read(&UNKNOWN_TOOLS.join(", "), "day_unknown_tools", add_unknown_tools)?;
    Ok(days.into_values().collect())
}

type Add = fn(&mut DayFigures, &mut Row) -> Option<()>;

/// The columns of `day_pairs`.
pub(super) const PAIRS: [&str; 7] =
    ["day", "version", "first_service", "first_tool", "next_service", "next_tool", "times"];

/// The columns of `day_sessions`.
pub(super) const SESSIONS: [&str; 10] = [
    "day",
    "version",
    "client",
    "single_call",
    "shared",
    "sessions_a",
    "sessions_b",
    "sessions_c",
    "sessions_d",
    "sessions_e",
];

/// The columns of `day_unknown_tools`.
pub(super) const UNKNOWN_TOOLS: [&str; 4] = ["day", "version", "client", "calls"];

fn add_figures(day: &mut DayFigures, row: &mut Row) -> Option<()> {
    let _version = row.number()?;
    let (tool, client, figures) = figure_rows::figures(row)?;
    day.tools.insert((tool, client), figures);
    Some(())
}

fn add_pair(day: &mut DayFigures, row: &mut Row) -> Option<()> {
    let _version = row.number()?;
    let pair = PairKey { first: row.tool()?, next: row.tool()? };
    day.pairs.insert(pair, row.number()?);
    Some(())
}

fn add_sessions(day: &mut DayFigures, row: &mut Row) -> Option<()> {
    let _version = row.number()?;
    let client = row.client()?;
    let (single_call, shared) = (row.number()?, row.number()?);
    let grades: Vec<u64> = (0..5).map(|_| row.number()).collect::<Option<_>>()?;
    let mut grades = grades.into_iter();
    let sessions = figure_numbers::counted(&mut || grades.next().unwrap_or_default());
    day.sessions.insert(client, SessionCounts { sessions, single_call, shared });
    Some(())
}

fn add_unknown_tools(day: &mut DayFigures, row: &mut Row) -> Option<()> {
    let _version = row.number()?;
    let client = row.client()?;
    day.unknown_tool_calls.insert(client, row.number()?);
    Some(())
}
