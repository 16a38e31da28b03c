//! How a table is laid out. The Collector's exporter has changed its tables over time, and tables
//! are not changed with it, so a table's own columns are asked.
//!
//! Spans: until early 2024 without columns for the scope, which stood among the attributes
//! instead; then with them; and, where the exporter is told so, with JSON columns in place of maps.
//! Log records: with or without `EventName` and `TimestampTime`, and with maps or JSON.

use super::connection::Connection;
use super::error::TablesError;
use crate::config::SqlName;

/// What differs from table to table.
#[expect(clippy::struct_excessive_bools, reason = "four columns that are there or not")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Layout {
    /// Whether attributes are JSON columns and not maps of texts.
    pub(super) is_json: bool,
    /// Whether the scope has columns of its own.
    pub(super) has_scope: bool,
    /// Whether log records tell their own event's name.
    pub(super) has_event_name: bool,
    /// Whether there is a second column for the time, by which the table is partitioned.
    pub(super) has_second_time: bool,
}

const OF_SPANS: &[&str] = &[
    "Timestamp",
    "TraceId",
    "SpanId",
    "ParentSpanId",
    "TraceState",
    "SpanName",
    "SpanKind",
    "ServiceName",
    "ResourceAttributes",
    "SpanAttributes",
    "Duration",
    "StatusCode",
    "StatusMessage",
    "Events.Name",
    "Events.Attributes",
];

const OF_LOGS: &[&str] =
    &["Timestamp", "TraceId", "ServiceName", "Body", "ResourceAttributes", "LogAttributes"];

impl Layout {
    /// The layout of a table of spans; none where there is no such table.
    pub(super) fn of_spans(
        connection: &Connection,
        table: &SqlName,
    ) -> Result<Option<Self>, TablesError> {
        Self::of(connection, table, OF_SPANS, "SpanAttributes")
    }

    /// The layout of a table of log records; none where there is no such table.
    pub(super) fn of_logs(
        connection: &Connection,
        table: &SqlName,
    ) -> Result<Option<Self>, TablesError> {
        Self::of(connection, table, OF_LOGS, "LogAttributes")
    }

    fn of(
        connection: &Connection,
        table: &SqlName,
        needed: &[&'static str],
        attributes: &str,
    ) -> Result<Option<Self>, TablesError> {
        let columns = connection.columns(table)?;
        let has = |name: &str| columns.iter().any(|(column, _)| column == name);
        if columns.is_empty() {
            return Ok(None);
        }
        let missing: Vec<&str> = needed.iter().copied().filter(|name| !has(name)).collect();
        if !missing.is_empty() {
            let (table, missing) = (table.to_string(), missing.join(", "));
            return Err(TablesError::Columns { table, missing });
        }
        let is_json =
            |(column, of): &(String, String)| column == attributes && of.starts_with("JSON");
        Ok(Some(Self {
            is_json: columns.iter().any(is_json),
            has_scope: has("ScopeName") && has("ScopeVersion"),
            has_event_name: has("EventName"),
            has_second_time: has("TimestampTime"),
        }))
    }
}
