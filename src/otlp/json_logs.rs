//! Log records in OTLP's JSON: which are wanted, and reading those whole.

use super::DecodeError;
use super::json::{Items, text_bytes, walk_items};
use super::json_number::unsigned;
use super::json_text::{JsonText, Kind};
use super::log_view::{EVENT_NAME, LogView};
use super::read_json_span::{Reader, id};
use super::read_span::MAX_VALUES;
use super::span_view::{ResourceView, ScopeView};
use super::value::Attributes;
use super::visitor::{LogVisitor, Wish};

type Read<T> = Result<T, DecodeError>;

/// Walks `request` and shows its log records to `visitor`. On an error the visitor may have seen
/// a part of the request: it must drop it.
///
/// # Errors
/// Where the request is no JSON, or a member that is looked at has another type than OTLP's.
pub(super) fn walk(request: &[u8], visitor: &mut impl LogVisitor) -> Read<()> {
    walk_items(request, &mut Records(visitor))
}

struct Records<'v, V>(&'v mut V);

impl<V: LogVisitor> Items for Records<'_, V> {
    type Outline = V;

    const MEMBERS: [[&'static str; 2]; 3] = [
        ["resourceLogs", "resource_logs"],
        ["scopeLogs", "scope_logs"],
        ["logRecords", "log_records"],
    ];

    fn wish(&self, json: &mut JsonText<'_>) -> Read<Wish> {
        Ok(Wish::of(is_wanted(json, self.0)?, false))
    }

    fn outline(&mut self) -> &mut V {
        self.0
    }

    fn show(
        &mut self,
        item: &[u8],
        reader: Reader,
        scope: &ScopeView<'_>,
        resource: &ResourceView<'_>,
    ) -> Read<()> {
        self.0.log(reader.log(item)?, scope, resource);
        Ok(())
    }
}

/// Checks a record's grammar to its end, and tells whether the visitor wants it.
fn is_wanted(json: &mut JsonText<'_>, visitor: &impl LogVisitor) -> Read<bool> {
    let mut is_wanted = false;
    json.object("logRecords", |json, member| match member {
        "body" => {
            is_wanted |= is_event(json, "body", visitor)?;
            Ok(())
        }
        "eventName" | "event_name" => {
            is_wanted |= visitor.is_deciding_event(&text_bytes(json, "eventName")?);
            Ok(())
        }
        "attributes" => json.array("attributes", |json| {
            let (mut is_name, mut is_wanted_event) = (false, false);
            json.object("attributes", |json, member| {
                match member {
                    "key" => is_name = *text_bytes(json, "key")? == *EVENT_NAME.as_bytes(),
                    "value" => is_wanted_event = is_event(json, "value", visitor)?,
                    _ => drop(json.skip()?),
                }
                Ok(())
            })?;
            is_wanted |= is_name && is_wanted_event;
            Ok(())
        }),
        _ => json.skip().map(drop),
    })?;
    Ok(is_wanted)
}

/// Skips a value, and tells whether it is the name of a wanted event.
fn is_event(json: &mut JsonText<'_>, field: &'static str, visitor: &impl LogVisitor) -> Read<bool> {
    let mut is_wanted = false;
    json.object(field, |json, member| match member {
        "stringValue" | "string_value" if json.kind()? == Kind::Text => {
            is_wanted = visitor.is_deciding_event(&text_bytes(json, "stringValue")?);
            Ok(())
        }
        _ => json.skip().map(drop),
    })?;
    Ok(is_wanted)
}

impl Reader {
    /// A log record. Marked as mended also where its scope or resource was.
    fn log(mut self, text: &[u8]) -> Read<LogView<'_>> {
        self.values_left = MAX_VALUES;
        let mut log = LogView::empty();
        let mut pairs = Vec::new();
        JsonText::of(text).object("logRecords", |json, key| {
            match key {
                "timeUnixNano" | "time_unix_nano" => {
                    log.time_unix_nanos = unsigned(json, "timeUnixNano")?;
                }
                "observedTimeUnixNano" | "observed_time_unix_nano" => {
                    log.observed_unix_nanos = unsigned(json, "observedTimeUnixNano")?;
                }
                "eventName" | "event_name" => log.event_name = self.text(json, "eventName")?,
                "body" => log.body = self.value(json, 1)?,
                "attributes" => self.pairs(json, "attributes", &mut pairs, 0)?,
                "traceId" | "trace_id" => log.trace_id = id(json, "traceId")?,
                _ => drop(json.skip()?),
            }
            Ok(())
        })?;
        log.attributes = Attributes::new(pairs);
        log.is_utf8_repaired = self.is_utf8_repaired;
        Ok(log)
    }
}

#[cfg(test)]
#[path = "json_logs_tests.rs"]
mod tests;
