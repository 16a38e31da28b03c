//! Reading published days back, exactly as they were published.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row};

use super::database::{At, from_sql};
use super::recovery_rows;
use super::rows::{client, count, name, tool};
use crate::call::{ClientName, Day, ToolKey};
use crate::figures::{
    DayFigures, Figures, Histogram, PairKey, QualityCounts, RewordedCount, SessionCounts,
};
use crate::store::columns::{
    DAY_FIGURES, DAY_FIGURES_KEYS, DAY_LATENCY, DAY_PAIRS, DAY_QUALITY, DAY_RESULT_SIZES,
    DAY_REWORDED, DAY_SESSIONS, DAY_UNKNOWN_TOOLS,
};
use crate::store::error::StoreError;
use crate::store::figure_numbers;

/// Reads one day from the tables of published days, whether it is covered or not.
pub(super) fn read_day(
    connection: &Connection,
    file: &Path,
    day: Day,
) -> Result<DayFigures, StoreError> {
    Ok(DayFigures {
        day,
        tools: tools(connection, file, day)?,
        unknown_tool_calls: unknown_tool_calls(connection, day).at(file)?,
        pairs: pairs(connection, day).at(file)?,
        sessions: sessions(connection, file, day)?,
        quality: quality(connection, day).at(file)?,
    })
}

fn tools(
    connection: &Connection,
    file: &Path,
    day: Day,
) -> Result<BTreeMap<(ToolKey, ClientName), Figures>, StoreError> {
    let mut select = connection.prepare_cached(&DAY_FIGURES.select("WHERE day = ?1")).at(file)?;
    let mut rows = select.query([day.to_string()]).at(file)?;
    let mut tools = BTreeMap::new();
    while let Some(row) = rows.next().at(file)? {
        let id = row.get(0).at(file)?;
        let key = (tool(row, 2).at(file)?, client(row, 4).at(file)?);
        let mut figures = figure_numbers::figures(numbers(row, file)?);
        add_buckets(connection, &mut figures.latency, &DAY_LATENCY.select(OF_FIGURES), id)
            .at(file)?;
        add_buckets(
            connection,
            &mut figures.result_sizes,
            &DAY_RESULT_SIZES.select(OF_FIGURES),
            id,
        )
        .at(file)?;
        figures.reworded = reworded(connection, id).at(file)?;
        figures.recovery = recovery_rows::read(connection, id).at(file)?;
        tools.insert(key, figures);
    }
    Ok(tools)
}

/// The rows that hang on one row of `day_figures`.
const OF_FIGURES: &str = "WHERE figures_id = ?1";

fn numbers(row: &Row<'_>, file: &Path) -> Result<Vec<u64>, StoreError> {
    let columns = DAY_FIGURES.columns.iter().enumerate().skip(DAY_FIGURES_KEYS);
    columns.map(|(position, column)| from_sql(row.get(position).at(file)?, file, column)).collect()
}

fn add_buckets(
    connection: &Connection,
    histogram: &mut Histogram,
    select: &str,
    id: i64,
) -> rusqlite::Result<()> {
    let mut select = connection.prepare_cached(select)?;
    let mut rows = select.query([id])?;
    while let Some(row) = rows.next()? {
        histogram.add(row.get(1)?, count(row, 2)?);
    }
    Ok(())
}

fn reworded(
    connection: &Connection,
    id: i64,
) -> rusqlite::Result<BTreeMap<crate::call::Name, RewordedCount>> {
    let mut select = connection.prepare_cached(&DAY_REWORDED.select(OF_FIGURES))?;
    let rows = select.query_map([id], |row| {
        Ok((name(row, 1)?, RewordedCount { retries: count(row, 2)?, sessions: count(row, 3)? }))
    })?;
    rows.collect()
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
