//! A row as the span or the log record that it was, as the walkers of OTLP give them.
//!
//! What the tables do not keep is not made up: every value of a map is a text, and stays one. The
//! rules of recognising read numbers and truth values out of texts, and arguments that were an
//! object stand there as JSON.

use std::borrow::Cow;

use clickhouse::Row;
use serde::Deserialize;

use super::json_attributes;
use crate::call::SpanKind;
use crate::otlp::{
    Attributes, EventView, LogView, ResourceView, ScopeView, SpanView, StatusCode, StatusView,
    Value,
};

type Map = Vec<(String, String)>;

/// How many wanted rows a minute has, and a sum over them that changes with any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Row, Deserialize)]
pub(super) struct SlotRow {
    /// Minutes since the epoch.
    pub(super) slot: u32,
    pub(super) rows: u64,
    pub(super) print: u64,
}

/// A span.
#[derive(Row, Deserialize)]
pub(super) struct SpanRow {
    start: i64,
    duration: i64,
    trace_id: String,
    span_id: String,
    parent_span_id: String,
    trace_state: String,
    name: String,
    kind: String,
    pub(super) service: String,
    resource: Map,
    pub(super) scope_name: String,
    scope_version: String,
    attributes: Map,
    status: String,
    message: String,
    event_names: Vec<String>,
    event_attributes: Vec<Map>,
    is_valid: bool,
    pub(super) is_wanted: bool,
}

/// A log record.
#[derive(Row, Deserialize)]
pub(super) struct LogRow {
    time: i64,
    trace_id: String,
    pub(super) service: String,
    body: String,
    event_name: String,
    resource: Map,
    pub(super) scope_name: String,
    scope_version: String,
    attributes: Map,
    is_valid: bool,
}

/// The keys under which tables without columns for it hold the scope.
const SCOPE_NAMES: &[&str] = &["otel.scope.name", "otel.library.name"];
const SCOPE_VERSIONS: &[&str] = &["otel.scope.version", "otel.library.version"];

impl SpanRow {
    /// Puts the scope where it belongs if it stands among the attributes.
    pub(super) fn settle_scope(&mut self) {
        for (keys, place) in
            [(SCOPE_NAMES, &mut self.scope_name), (SCOPE_VERSIONS, &mut self.scope_version)]
        {
            let at = self.attributes.iter().position(|(key, _)| keys.contains(&key.as_str()));
            if let Some(at) = at {
                *place = self.attributes.remove(at).1;
            }
        }
    }

    /// About how many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        bytes(&self.attributes) + self.event_attributes.iter().map(bytes).sum::<usize>()
    }

    /// The scope.
    pub(super) fn scope(&self) -> ScopeView<'_> {
        scope(&self.scope_name, &self.scope_version)
    }

    /// The resource.
    pub(super) fn resource(&self) -> ResourceView<'_> {
        ResourceView { attributes: attributes(&self.resource) }
    }

    /// The span.
    pub(super) fn span(&self) -> SpanView<'_> {
        let start = nanos(self.start);
        let events = self.event_names.iter().zip(&self.event_attributes);
        SpanView {
            trace_id: id(&self.trace_id),
            span_id: id(&self.span_id),
            parent_span_id: id(&self.parent_span_id),
            trace_state: Cow::Borrowed(&self.trace_state),
            name: Cow::Borrowed(&self.name),
            kind: kind(&self.kind),
            start_unix_nanos: start,
            end_unix_nanos: start.saturating_add_signed(self.duration),
            attributes: attributes(&self.attributes),
            events: events
                .map(|(name, map)| EventView {
                    name: Cow::Borrowed(name),
                    attributes: attributes(map),
                })
                .collect(),
            status: StatusView {
                code: status(&self.status),
                message: Cow::Borrowed(&self.message),
            },
            is_utf8_repaired: !self.is_valid,
        }
    }
}

impl LogRow {
    /// About how many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        bytes(&self.attributes) + self.body.len()
    }

    /// The scope.
    pub(super) fn scope(&self) -> ScopeView<'_> {
        scope(&self.scope_name, &self.scope_version)
    }

    /// The resource.
    pub(super) fn resource(&self) -> ResourceView<'_> {
        ResourceView { attributes: attributes(&self.resource) }
    }

    /// The record. When it was observed is not kept where it told its own time.
    pub(super) fn log(&self) -> LogView<'_> {
        LogView {
            time_unix_nanos: nanos(self.time),
            observed_unix_nanos: 0,
            event_name: Cow::Borrowed(&self.event_name),
            body: match self.body.as_str() {
                "" => Value::Empty,
                body => Value::String(Cow::Borrowed(body)),
            },
            attributes: attributes(&self.attributes),
            trace_id: id(&self.trace_id),
            is_utf8_repaired: !self.is_valid,
        }
    }
}

fn bytes(map: &Map) -> usize {
    map.iter().map(|(key, value)| key.len() + value.len()).sum()
}

fn scope<'r>(name: &'r str, version: &'r str) -> ScopeView<'r> {
    ScopeView { name: Cow::Borrowed(name), version: Cow::Borrowed(version) }
}

fn attributes(map: &Map) -> Attributes<'_> {
    if let [(key, json)] = map.as_slice()
        && key.is_empty()
    {
        return json_attributes::read(json);
    }
    let pair = |(key, value): &'_ (String, String)| {
        (Cow::Owned(key.clone()), Value::String(Cow::Owned(value.clone())))
    };
    Attributes::new(map.iter().map(pair).collect())
}

fn nanos(time: i64) -> u64 {
    u64::try_from(time).unwrap_or(0)
}

/// An id out of its hexadecimal digits; none where they are none.
fn id(hex: &str) -> Cow<'_, [u8]> {
    let digit =
        |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = hex.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    });
    Cow::Owned(pairs.collect::<Option<Vec<u8>>>().unwrap_or_default())
}

/// A kind as today's exporter writes it, `Server`, and yesterday's, `SPAN_KIND_SERVER`.
fn kind(text: &str) -> SpanKind {
    let word = text.strip_prefix("SPAN_KIND_").unwrap_or(text);
    let is = |kind: &&SpanKind| kind.word().eq_ignore_ascii_case(word);
    SpanKind::ALL.iter().find(is).copied().unwrap_or(SpanKind::Unspecified)
}

/// The same of a status: `Error`, `STATUS_CODE_ERROR`.
fn status(text: &str) -> StatusCode {
    let word = text.strip_prefix("STATUS_CODE_").unwrap_or(text);
    if word.eq_ignore_ascii_case("error") {
        StatusCode::Error
    } else if word.eq_ignore_ascii_case("ok") {
        StatusCode::Ok
    } else {
        StatusCode::Unset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_version_of_the_exporter_are_understood() {
        for text in ["Server", "SPAN_KIND_SERVER", "server"] {
            assert_eq!(kind(text), SpanKind::Server);
        }
        assert_eq!(kind("Unspecified"), SpanKind::Unspecified);
        assert_eq!(kind(""), SpanKind::Unspecified);
        for (text, code) in [
            ("Ok", StatusCode::Ok),
            ("STATUS_CODE_OK", StatusCode::Ok),
            ("Error", StatusCode::Error),
            ("STATUS_CODE_ERROR", StatusCode::Error),
            ("Unset", StatusCode::Unset),
            ("STATUS_CODE_UNSET", StatusCode::Unset),
            ("", StatusCode::Unset),
        ] {
            assert_eq!(status(text), code, "{text}");
        }
    }

    #[test]
    fn ids_are_read_out_of_their_digits() {
        assert_eq!(*id("00ffA0"), [0, 255, 160]);
        assert!(id("").is_empty());
        assert!(id("abc").is_empty());
        assert!(id("zz").is_empty());
    }
}
