//! Reading published days back, exactly as they were published.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator as _;
use rusqlite::{Connection, OptionalExtension, Row, Rows, Statement};

use super::database::{At, from_sql};
use super::recovery_rows;
use super::rows::{client, count, name, tool};
use crate::call::{ClientName, Day};
use crate::figures::{DayFigures, Histogram, PairKey, QualityCounts, RewordedCount, SessionCounts};
use crate::store::columns::{
    DAY_DEPENDENCIES, DAY_FIGURES, DAY_FIGURES_KEYS, DAY_LATENCY, DAY_PAIRS, DAY_QUALITY,
    DAY_RECOVERY, DAY_RESULT_SIZES, DAY_REWORDED, DAY_SESSIONS, DAY_UNKNOWN_TOOLS, Table,
};
use crate::store::error::{Damage, StoreError};
use crate::store::figure_numbers;
use crate::store::visit::{VisitDays, WholeDays};

/// Reads one day from the tables of published days, whether it is covered or not.
pub(super) fn read_day(
    connection: &Connection,
    file: &Path,
    day: Day,
) -> Result<DayFigures, StoreError> {
    let mut whole = WholeDays::default();
    visit_day(connection, file, day, &mut whole)?;
    // One day was visited.
    whole.days.pop().ok_or(StoreError::Corrupt { file: file.into(), damage: Damage::Column("day") })
}

/// Hands one day to `visit`, whether it is covered or not.
pub(super) fn visit_day(
    connection: &Connection,
    file: &Path,
    day: Day,
    visit: &mut dyn VisitDays,
) -> Result<(), StoreError> {
    visit_tools(connection, file, day, visit)?;
    visit.rest(DayFigures {
        day,
        tools: BTreeMap::new(),
        unknown_tool_calls: unknown_tool_calls(connection, day).at(file)?,
        pairs: pairs(connection, day).at(file)?,
        sessions: sessions(connection, file, day)?,
        quality: quality(connection, day).at(file)?,
    });
    Ok(())
}

/// The tables beside `day_figures` are walked along with it, all in the order of the keys: a query
/// for each tool with a client would cost more than the rows themselves.
fn visit_tools(
    connection: &Connection,
    file: &Path,
    day: Day,
    visit: &mut dyn VisitDays,
) -> Result<(), StoreError> {
    let text = day.to_string();
    let beside = |table| connection.prepare_cached(&Beside::select(table)).at(file);
    let mut select = connection.prepare_cached(&tools_in_order()).at(file)?;
    let (mut latency, mut sizes) = (beside(DAY_LATENCY)?, beside(DAY_RESULT_SIZES)?);
    let (mut reworded, mut recovery) = (beside(DAY_REWORDED)?, beside(DAY_RECOVERY)?);
    let mut dependencies = beside(DAY_DEPENDENCIES)?;
    let mut latency = Beside::open(&mut latency, &text).at(file)?;
    let mut sizes = Beside::open(&mut sizes, &text).at(file)?;
    let mut reworded = Beside::open(&mut reworded, &text).at(file)?;
    let mut recovery = Beside::open(&mut recovery, &text).at(file)?;
    let mut dependencies = Beside::open(&mut dependencies, &text).at(file)?;
    let mut rows = select.query([&text]).at(file)?;
    while let Some(row) = rows.next().at(file)? {
        let id = row.get(0).at(file)?;
        let (tool, client) = (tool(row, 2).at(file)?, client(row, 4).at(file)?);
        let mut figures = figure_numbers::figures(numbers(row, file)?);
        latency.each(id, |row| add_bucket(&mut figures.latency, row)).at(file)?;
        sizes.each(id, |row| add_bucket(&mut figures.result_sizes, row)).at(file)?;
        reworded
            .each(id, |row| {
                let found = RewordedCount { retries: count(row, 2)?, sessions: count(row, 3)? };
                figures.reworded.insert(name(row, 1)?, found);
                Ok(())
            })
            .at(file)?;
        let of_recovery = &mut figures.recovery;
        recovery
            .each(id, |row| {
                *of_recovery = recovery_rows::figures_of(row)?;
                Ok(())
            })
            .at(file)?;
        dependencies.each(id, |row| recovery_rows::add_dependency(of_recovery, row)).at(file)?;
        visit.tool(day, tool, client, figures);
    }
    Ok(())
}

/// The rows of a day's tools and clients in the order of their names.
fn tools_in_order() -> String {
    DAY_FIGURES.select("WHERE day = ?1 ORDER BY service, tool, client")
}

/// The rows of a table that hang on those of `day_figures`, walked in the order of the latter.
struct Beside<'s>(Rows<'s>);

impl<'s> Beside<'s> {
    fn select(table: Table) -> String {
        let columns: Vec<String> =
            table.columns.iter().map(|column| format!("beside.{column}")).collect();
        // A cross join keeps this order of the tables, and with it that of the rows.
        format!(
            "SELECT {} FROM day_figures AS of CROSS JOIN {} AS beside USING (figures_id) \
             WHERE of.day = ?1 ORDER BY of.service, of.tool, of.client",
            columns.join(", "),
            table.name
        )
    }

    fn open(select: &'s mut Statement<'_>, day: &str) -> rusqlite::Result<Self> {
        let mut rows = select.query([day])?;
        rows.advance()?;
        Ok(Self(rows))
    }

    /// Hands the rows of the figures with this id to `take`.
    fn each(
        &mut self,
        id: i64,
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        while let Some(row) = self.0.get() {
            if row.get::<_, i64>(0)? != id {
                break;
            }
            take(row)?;
            self.0.advance()?;
        }
        Ok(())
    }
}

fn numbers(row: &Row<'_>, file: &Path) -> Result<Vec<u64>, StoreError> {
    let columns = DAY_FIGURES.columns.iter().enumerate().skip(DAY_FIGURES_KEYS);
    columns.map(|(position, column)| from_sql(row.get(position).at(file)?, file, column)).collect()
}

fn add_bucket(histogram: &mut Histogram, row: &Row<'_>) -> rusqlite::Result<()> {
    histogram.add(row.get(1)?, count(row, 2)?);
    Ok(())
}

fn unknown_tool_calls(
    connection: &Connection,
    day: Day,
) -> rusqlite::Result<BTreeMap<ClientName, u64>> {
    let mut select = connection.prepare_cached(&DAY_UNKNOWN_TOOLS.select("WHERE day = ?1"))?;
    let rows = select.query_map([day.to_string()], |row| Ok((client(row, 1)?, count(row, 2)?)))?;
    rows.collect()
}

fn pairs(connection: &Connection, day: Day) -> rusqlite::Result<BTreeMap<PairKey, u64>> {
    let mut select = connection.prepare_cached(&DAY_PAIRS.select("WHERE day = ?1"))?;
    let rows = select.query_map([day.to_string()], |row| {
        Ok((PairKey { first: tool(row, 1)?, next: tool(row, 3)? }, count(row, 5)?))
    })?;
    rows.collect()
}

fn sessions(
    connection: &Connection,
    file: &Path,
    day: Day,
) -> Result<BTreeMap<ClientName, SessionCounts>, StoreError> {
    let mut select = connection.prepare_cached(&DAY_SESSIONS.select("WHERE day = ?1")).at(file)?;
    let mut rows = select.query([day.to_string()]).at(file)?;
    let mut sessions = BTreeMap::new();
    while let Some(row) = rows.next().at(file)? {
        let (single_call, shared) = (count(row, 2).at(file)?, count(row, 3).at(file)?);
        let grades = DAY_SESSIONS.columns.iter().enumerate().skip(4);
        let grades =
            grades.map(|(position, column)| from_sql(row.get(position).at(file)?, file, column));
        let mut grades = grades.collect::<Result<Vec<u64>, StoreError>>()?.into_iter();
        let counts = figure_numbers::counted(&mut || grades.next().unwrap_or_default());
        sessions.insert(
            client(row, 1).at(file)?,
            SessionCounts { sessions: counts, single_call, shared },
        );
    }
    Ok(sessions)
}

fn quality(connection: &Connection, day: Day) -> rusqlite::Result<QualityCounts> {
    let mut select = connection.prepare_cached(&DAY_QUALITY.select("WHERE day = ?1"))?;
    let found = select.query_row([day.to_string()], |row| {
        Ok(QualityCounts {
            sightings: count(row, 1)?,
            duplicates: count(row, 2)?,
            folded: count(row, 3)?,
            late: count(row, 4)?,
            sampled: count(row, 5)?,
            unnamed: count(row, 6)?,
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::database;

    #[test]
    fn a_day_is_walked_in_order_without_sorting() {
        let folder = tempfile::tempdir().unwrap();
        let main =
            database::open_or_make(&folder.path().join("main.sqlite"), &database::MAIN).unwrap();
        let beside = [DAY_LATENCY, DAY_RESULT_SIZES, DAY_REWORDED, DAY_RECOVERY, DAY_DEPENDENCIES];
        let all = beside.map(Beside::select).into_iter().chain([tools_in_order()]);
        for select in all {
            let mut explain = main.prepare(&format!("EXPLAIN QUERY PLAN {select}")).unwrap();
            let steps = explain.query_map([""], |row| row.get::<_, String>(3)).unwrap();
            for step in steps.map(Result::unwrap) {
                assert!(step.starts_with("SEARCH"), "{select}: {step}");
            }
        }
    }
}
