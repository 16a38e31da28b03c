//! The rows of one tool and client that tell of recovery.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use super::database::to_sql;
use super::rows::{count, name};
use crate::call::AttemptKind;
use crate::figures::{Dependency, DependencyCounts, RecoveryFigures};
use crate::store::columns::{DAY_DEPENDENCIES, DAY_RECOVERY};
use crate::store::recovery_numbers::{KEYS, figures, numbers};

/// Adds the rows of the figures with this id; none where nothing was counted.
pub(super) fn insert(
    connection: &Connection,
    id: i64,
    figures: &RecoveryFigures,
) -> rusqlite::Result<()> {
    if figures.is_nothing() {
        return Ok(());
    }
    let numbers = numbers(figures).into_iter().map(to_sql);
    let status_tool = figures.status_tool.as_ref().map(|tool| tool.as_str().to_owned());
    let keys = [Value::from(id), Value::from(status_tool)];
    let values = keys.into_iter().chain(numbers.map(Value::from));
    connection.prepare_cached(&DAY_RECOVERY.insert())?.execute(params_from_iter(values))?;
    let mut insert = connection.prepare_cached(&DAY_DEPENDENCIES.insert())?;
    for (dependency, counts) in &figures.dependencies {
        insert.execute((
            id,
            dependency.kind.word(),
            dependency.name.as_str(),
            to_sql(counts.attempts),
            to_sql(counts.failed),
            to_sql(counts.timed_out),
            to_sql(counts.nanos),
        ))?;
    }
    Ok(())
}

/// The figures of a row of `day_recovery`, without their dependencies.
pub(super) fn figures_of(row: &Row<'_>) -> rusqlite::Result<RecoveryFigures> {
    let columns = KEYS..DAY_RECOVERY.columns.len();
    let numbers = columns.map(|column| count(row, column)).collect::<Result<Vec<u64>, _>>()?;
    let has_status_tool = row.get_ref(1)? != ValueRef::Null;
    let status_tool = has_status_tool.then(|| name(row, 1)).transpose()?;
    Ok(RecoveryFigures { status_tool, ..figures(numbers) })
}

/// Adds a row of `day_dependencies`; one of a kind that a later firstcall may write is left out.
pub(super) fn add_dependency(figures: &mut RecoveryFigures, row: &Row<'_>) -> rusqlite::Result<()> {
    let word = row.get_ref(1)?.as_str().unwrap_or_default();
    if let Some(kind) = AttemptKind::from_word(word) {
        let dependency = Dependency { kind, name: name(row, 2)? };
        let counts = DependencyCounts {
            attempts: count(row, 3)?,
            failed: count(row, 4)?,
            timed_out: count(row, 5)?,
            nanos: count(row, 6)?,
        };
        figures.dependencies.insert(dependency, counts);
    }
    Ok(())
}
