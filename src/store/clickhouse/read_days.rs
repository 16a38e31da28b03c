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
use crate::store::visit::{VisitDays, WholeDays};

/// Hands the figures of the covered days from `from` to `to` to `visit`, oldest day first.
pub(super) fn visit(
    engine: &Engine,
    (from, to): (Day, Day),
    visit: &mut dyn VisitDays,
) -> Result<(), StoreError> {
    visit_all(engine, &coverage::read(engine, from, to)?, visit)
}

/// The figures of one publication.
pub(super) fn of(engine: &Engine, publication: &Publication) -> Result<DayFigures, StoreError> {
    let mut whole = WholeDays::default();
    visit_all(engine, std::slice::from_ref(publication), &mut whole)?;
    whole.days.pop().ok_or_else(|| engine.damaged("days"))
}

/// Hands on publications, which are in the order of their days.
fn visit_all(
    engine: &Engine,
    publications: &[Publication],
    visit: &mut dyn VisitDays,
) -> Result<(), StoreError> {
    let Some((first, last)) = publications.first().zip(publications.last()) else {
        return Ok(());
    };
    let versions: Vec<String> = publications.iter().map(|one| one.version.to_string()).collect();
    let of_versions = format!(
        "WHERE {} AND version IN ({})",
        between(first.covered.day, last.covered.day),
        versions.join(", ")
    );
    let mut rest = BTreeMap::new();
    for publication in publications {
        rest.insert(publication.covered.day, beside(publication));
    }
    for (table, columns, add) in BESIDE {
        let query = format!("SELECT {} FROM {table} {of_versions}", columns.join(", "));
        engine.each_line(&query, &mut |mut row| {
            let day = row.day()?;
            add(rest.get_mut(&day)?, &mut row)
        })?;
    }
    let columns = figure_rows::columns().join(", ");
    let query = format!(
        "SELECT {columns} FROM day_figures {of_versions} ORDER BY day, service, tool, client"
    );
    let mut rest = rest.into_iter().peekable();
    engine.each_line(&query, &mut |mut row| {
        let (day, _version) = (row.day()?, row.number()?);
        // Days before this one have had all their tools.
        while let Some((_, done)) = rest.next_if(|(of, _)| *of < day) {
            visit.rest(done);
        }
        let (tool, client, figures) = figure_rows::figures(&mut row)?;
        visit.tool(day, tool, client, figures);
        Some(())
    })?;
    rest.for_each(|(_, done)| visit.rest(done));
    Ok(())
}

/// What a publication tells beside its tools, without what stands in tables of its own.
fn beside(publication: &Publication) -> DayFigures {
    DayFigures {
        day: publication.covered.day,
        tools: BTreeMap::new(),
        unknown_tool_calls: BTreeMap::new(),
        pairs: BTreeMap::new(),
        sessions: BTreeMap::new(),
        quality: publication.quality.clone(),
    }
}

/// The tables beside the figures of tools, their columns, and how a row is added.
const BESIDE: [(&str, &[&str], Add); 3] = [
    ("day_pairs", &PAIRS, add_pair),
    ("day_sessions", &SESSIONS, add_sessions),
    ("day_unknown_tools", &UNKNOWN_TOOLS, add_unknown_tools),
];

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
