//! Publishing a day: one transaction that puts its figures in place of those that were there.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params_from_iter, types::Value};

use super::database::{At, to_sql};
use super::read_days::read_day;
use super::recovery_rows;
use crate::call::{Day, UnixNanos};
use crate::figures::{DayFigures, Figures, Histogram};
use crate::store::columns::{
    BY_DAY, BY_FIGURES, DAY_FIGURES, DAY_LATENCY, DAY_PAIRS, DAY_QUALITY, DAY_RESULT_SIZES,
    DAY_REWORDED, DAY_SESSIONS, DAY_UNKNOWN_TOOLS, DAYS, RESTATEMENTS,
};
use crate::store::coverage::{headlines, shows_the_same};
use crate::store::error::StoreError;
use crate::store::figure_numbers;
use crate::store::watermark::Watermark;

/// Publishes a day within a transaction of the caller's (METHOD section 10).
pub(super) fn publish(
    connection: &Connection,
    file: &Path,
    figures: &DayFigures,
    covered_at: UnixNanos,
    watermark: &Watermark,
) -> Result<(), StoreError> {
    let day = figures.day;
    if !is_covered(connection, day).at(file)? {
        replace(connection, figures).at(file)?;
        return cover(connection, day, covered_at, watermark).at(file);
    }
    let shown = read_day(connection, file, day)?;
    if shown != *figures {
        if !shows_the_same(&shown, figures) {
            restate(connection, &shown, covered_at).at(file)?;
        }
        replace(connection, figures).at(file)?;
    }
    let update = "UPDATE days SET watermark = ?2 WHERE day = ?1";
    connection.execute(update, (day.to_string(), watermark.to_string())).at(file)?;
    Ok(())
}

fn is_covered(connection: &Connection, day: Day) -> rusqlite::Result<bool> {
    let found: Option<i64> = connection
        .query_row("SELECT 1 FROM days WHERE day = ?1", [day.to_string()], |row| row.get(0))
        .optional()?;
    Ok(found.is_some())
}

fn cover(
    connection: &Connection,
    day: Day,
    covered_at: UnixNanos,
    watermark: &Watermark,
) -> rusqlite::Result<()> {
    connection.execute(
        &DAYS.insert(),
        (day.to_string(), to_sql(covered_at.get()), watermark.to_string(), None::<i64>),
    )?;
    Ok(())
}

/// Keeps the headline figures that were shown until now.
fn restate(connection: &Connection, shown: &DayFigures, at: UnixNanos) -> rusqlite::Result<()> {
    let day = shown.day.to_string();
    connection
        .execute("UPDATE days SET restated_at = ?2 WHERE day = ?1", (&day, to_sql(at.get())))?;
    let restatement: i64 = connection.query_row(
        "SELECT coalesce(max(restatement), 0) + 1 FROM restatements WHERE day = ?1",
        [&day],
        |row| row.get(0),
    )?;
    let mut insert = connection.prepare_cached(&RESTATEMENTS.insert())?;
    for (tool, headline) in headlines(shown) {
        insert.execute((
            &day,
            restatement,
            to_sql(at.get()),
            tool.service.as_str(),
            tool.tool.as_str(),
            to_sql(headline.judged),
            to_sql(headline.first_call_successes),
            to_sql(headline.confirmed_first_call_successes),
            to_sql(headline.retried),
        ))?;
    }
    Ok(())
}

/// Deletes what the day's tables hold and fills them anew.
fn replace(connection: &Connection, figures: &DayFigures) -> rusqlite::Result<()> {
    let day = figures.day.to_string();
    for table in BY_FIGURES {
        let of_day = "SELECT figures_id FROM day_figures WHERE day = ?1";
        let delete = format!("DELETE FROM {} WHERE figures_id IN ({of_day})", table.name);
        connection.execute(&delete, [&day])?;
    }
    for table in BY_DAY {
        connection.execute(&format!("DELETE FROM {} WHERE day = ?1", table.name), [&day])?;
    }
    insert_tools(connection, &day, figures)?;
    insert_clients(connection, &day, figures)?;
    let mut insert = connection.prepare_cached(&DAY_PAIRS.insert())?;
    for (pair, times) in &figures.pairs {
        insert.execute((
            &day,
            pair.first.service.as_str(),
            pair.first.tool.as_str(),
            pair.next.service.as_str(),
            pair.next.tool.as_str(),
            to_sql(*times),
        ))?;
    }
    let quality = &figures.quality;
    connection.execute(
        &DAY_QUALITY.insert(),
        (
            &day,
            to_sql(quality.sightings),
            to_sql(quality.duplicates),
            to_sql(quality.folded),
            to_sql(quality.late),
            to_sql(quality.sampled),
            to_sql(quality.unnamed),
        ),
    )?;
    Ok(())
}

fn insert_tools(connection: &Connection, day: &str, figures: &DayFigures) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(&DAY_FIGURES.insert())?;
    for ((tool, client), figures) in &figures.tools {
        let keys = [
            Value::Null, // figures_id: SQLite hands it out
            Value::from(day.to_owned()),
            Value::from(tool.service.as_str().to_owned()),
            Value::from(tool.tool.as_str().to_owned()),
            Value::from(client.as_str().to_owned()),
        ];
        let numbers = figure_numbers::numbers(figures).into_iter().map(to_sql).map(Value::from);
        let id = insert.insert(params_from_iter(keys.into_iter().chain(numbers)))?;
        insert_buckets(connection, &DAY_LATENCY.insert(), id, &figures.latency)?;
        insert_buckets(connection, &DAY_RESULT_SIZES.insert(), id, &figures.result_sizes)?;
        insert_reworded(connection, id, figures)?;
        recovery_rows::insert(connection, id, &figures.recovery)?;
    }
    Ok(())
}

fn insert_buckets(
    connection: &Connection,
    insert: &str,
    id: i64,
    histogram: &Histogram,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(insert)?;
    for (bucket, times) in histogram.buckets() {
        insert.execute((id, bucket, to_sql(times)))?;
    }
    Ok(())
}

fn insert_reworded(connection: &Connection, id: i64, figures: &Figures) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(&DAY_REWORDED.insert())?;
    for (parameter, count) in &figures.reworded {
        insert.execute((id, parameter.as_str(), to_sql(count.retries), to_sql(count.sessions)))?;
    }
    Ok(())
}

fn insert_clients(
    connection: &Connection,
    day: &str,
    figures: &DayFigures,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(&DAY_SESSIONS.insert())?;
    for (client, counts) in &figures.sessions {
        let keys = [Value::from(day.to_owned()), Value::from(client.as_str().to_owned())];
        let numbers = [counts.single_call, counts.shared].into_iter();
        let numbers = numbers.chain(figure_numbers::counts(&counts.sessions));
        let numbers = numbers.map(to_sql).map(Value::from);
        insert.execute(params_from_iter(keys.into_iter().chain(numbers)))?;
    }
    let mut insert = connection.prepare_cached(&DAY_UNKNOWN_TOOLS.insert())?;
    for (client, calls) in &figures.unknown_tool_calls {
        insert.execute((day, client.as_str(), to_sql(*calls)))?;
    }
    Ok(())
}
