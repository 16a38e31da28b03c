//! Typed values of a row. A value that firstcall never writes is an error of the conversion, not
//! a panic and not a silent zero.

use rusqlite::types::Type;
use rusqlite::{Error, Row};

use crate::call::{ClientName, Day, Name, ToolKey, UnixNanos};

/// A count: never negative.
pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let count: i64 = row.get(column)?;
    u64::try_from(count)
        .map_err(|error| Error::FromSqlConversionFailure(column, Type::Integer, Box::new(error)))
}

/// An instant.
pub(super) fn instant(row: &Row<'_>, column: usize) -> rusqlite::Result<UnixNanos> {
    count(row, column).map(UnixNanos::new)
}

/// A name; cut where someone else made it longer than firstcall would.
pub(super) fn name(row: &Row<'_>, column: usize) -> rusqlite::Result<Name> {
    row.get_ref(column)?
        .as_str()
        .map(Name::cut)
        .map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// A client.
pub(super) fn client(row: &Row<'_>, column: usize) -> rusqlite::Result<ClientName> {
    name(row, column).map(ClientName::new)
}

/// A tool, from two columns side by side.
pub(super) fn tool(row: &Row<'_>, column: usize) -> rusqlite::Result<ToolKey> {
    Ok(ToolKey { service: name(row, column)?, tool: name(row, column + 1)? })
}

/// A day.
pub(super) fn day(row: &Row<'_>, column: usize) -> rusqlite::Result<Day> {
    let text = row.get_ref(column)?.as_str().unwrap_or_default();
    text.parse()
        .map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
