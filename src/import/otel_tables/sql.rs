//! The questions that are asked of a table. They hold names that firstcall knows and nothing that
//! it read.
//!
//! Which rows may be tool calls is said as recognise's first test says it, as far as SQL can: it
//! lets through a little more, never less, and looks at keys before it looks at values, so that the
//! engine reads the long texts of few rows only.

use super::Kind;
use super::layout::Layout;
use crate::config::SqlName;
use crate::recognise::{EVENTS, NAME_ENDS, NAME_STARTS, deciding_keys, deciding_texts};

/// Nanoseconds in the unit in which it is remembered what was read.
pub(super) const SLOT_NANOS: u64 = 60_000_000_000;

/// A time of a row in nanoseconds, as `{from: Int64}` and `{to: Int64}` are.
const TIME: &str = "toUnixTimestamp64Nano(toDateTime64(Timestamp, 9))";

/// Keys of which a client span that asks a dependency has one.
const ASKED: [&str; 6] = [
    "db.system",
    "db.system.name",
    "http.method",
    "http.request.method",
    "rpc.system",
    "rpc.system.name",
];

/// A part of the rows that are read, told by a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) number: u64,
    pub(super) of: u64,
}

impl Part {
    /// The condition that the hash of `columns` falls into this part.
    fn of(self, columns: &str) -> String {
        let Self { number, of } = self;
        if of == 1 {
            return String::new();
        }
        format!(" AND cityHash64({columns}) % {of} = {number}")
    }
}

/// A table with its layout.
pub(super) struct Table<'t> {
    pub(super) kind: Kind,
    pub(super) name: &'t SqlName,
    pub(super) layout: Layout,
    /// Whether client spans below calls are wanted.
    pub(super) wants_attempts: bool,
}

impl Table<'_> {
    /// The days that have rows, counted from the epoch.
    pub(super) fn days(&self) -> String {
        let (name, within) = (self.name, self.within());
        format!(
            "SELECT DISTINCT toUInt32(intDiv({TIME}, 86400000000000)) AS day \
             FROM `{name}` WHERE {within} ORDER BY day"
        )
    }

    /// What is wanted of a table of spans, told by minute: how many rows, and a sum over them that
    /// changes with any of them.
    pub(super) fn span_slots(&self) -> String {
        let (name, within, wanted) = (self.name, self.within(), self.wanted_or_below());
        format!(
            "SELECT toUInt32(intDiv({TIME}, {SLOT_NANOS})) AS slot, count() AS rows, \
             sum(cityHash64({TIME}, TraceId, SpanId, SpanName)) AS print \
             FROM `{name}` WHERE {within} AND {wanted} GROUP BY slot ORDER BY slot"
        )
    }

    /// A part of the wanted rows of a table of spans, a service's calls before what lies below
    /// them.
    pub(super) fn spans(&self, part: Part) -> String {
        let (name, within) = (self.name, self.within() + &part.of("TraceId, SpanId"));
        let (wanted, either) = (self.wanted_spans(), self.wanted_or_below());
        let (resource, attributes) =
            (self.attributes("ResourceAttributes"), self.attributes("SpanAttributes"));
        let scope = if self.layout.has_scope {
            ("toValidUTF8(ScopeName)", "toValidUTF8(ScopeVersion)")
        } else {
            ("''", "''")
        };
        let events = if self.layout.is_json {
            "arrayMap(x -> map('', toJSONString(x)), `Events.Attributes`)".to_owned()
        } else {
            format!("arrayMap(x -> {}, `Events.Attributes`)", valid("x"))
        };
        let is_valid = if self.layout.is_json {
            "true".to_owned()
        } else {
            "arrayAll(x -> isValidUTF8(x), mapValues(SpanAttributes))".to_owned()
        };
        format!(
            "SELECT {TIME} AS start, toInt64(Duration) AS duration, \
             toString(TraceId) AS trace_id, toString(SpanId) AS span_id, \
             toString(ParentSpanId) AS parent_span_id, toValidUTF8(TraceState) AS trace_state, \
             toValidUTF8(toString(SpanName)) AS name, toString(SpanKind) AS kind, \
             toValidUTF8(toString(ServiceName)) AS service, {resource} AS resource, \
             {} AS scope_name, {} AS scope_version, {attributes} AS attributes, \
             toString(StatusCode) AS status, toValidUTF8(StatusMessage) AS message, \
             arrayMap(x -> toValidUTF8(toString(x)), `Events.Name`) AS event_names, \
             CAST({events}, 'Array(Map(String, String))') AS event_attributes, \
             toBool(isValidUTF8(toString(SpanName)) AND {is_valid}) AS is_valid, \
             toBool({wanted}) AS is_wanted \
             FROM `{name}` WHERE {within} AND {either} \
             ORDER BY service, is_wanted DESC, scope_name, start, span_id",
            scope.0, scope.1
        )
    }

    /// The same of a table of log records.
    pub(super) fn log_slots(&self) -> String {
        let (name, within, wanted) = (self.name, self.within(), self.wanted_logs());
        format!(
            "SELECT toUInt32(intDiv({TIME}, {SLOT_NANOS})) AS slot, count() AS rows, \
             sum(cityHash64({TIME}, TraceId, ServiceName, Body)) AS print \
             FROM `{name}` WHERE {within} AND {wanted} GROUP BY slot ORDER BY slot"
        )
    }

    /// A part of the wanted rows of a table of log records.
    pub(super) fn logs(&self, part: Part) -> String {
        let within = self.within() + &part.of(&format!("{TIME}, TraceId, ServiceName, Body"));
        let (name, wanted) = (self.name, self.wanted_logs());
        let (resource, attributes) =
            (self.attributes("ResourceAttributes"), self.attributes("LogAttributes"));
        let event = if self.layout.has_event_name { "toString(EventName)" } else { "''" };
        let scope = if self.layout.has_scope {
            ("toValidUTF8(ScopeName)", "toValidUTF8(toString(ScopeVersion))")
        } else {
            ("''", "''")
        };
        let is_valid = if self.layout.is_json {
            "true"
        } else {
            "arrayAll(x -> isValidUTF8(x), mapValues(LogAttributes))"
        };
        format!(
            "SELECT {TIME} AS time, toString(TraceId) AS trace_id, \
             toValidUTF8(toString(ServiceName)) AS service, toValidUTF8(Body) AS body, \
             toValidUTF8({event}) AS event_name, {resource} AS resource, {} AS scope_name, \
             {} AS scope_version, {attributes} AS attributes, toBool({is_valid}) AS is_valid \
             FROM `{name}` WHERE {within} AND {wanted} ORDER BY service, scope_name, time, body",
            scope.0, scope.1
        )
    }

    /// The rows from `{from: Int64}` up to and without `{to: Int64}`, in nanoseconds.
    fn within(&self) -> String {
        let mut within = "Timestamp >= fromUnixTimestamp64Nano({from: Int64}) \
                          AND Timestamp < fromUnixTimestamp64Nano({to: Int64})"
            .to_owned();
        if self.layout.has_second_time {
            within += " AND TimestampTime >= toDateTime(intDiv({from: Int64}, 1000000000)) \
                       AND TimestampTime <= toDateTime(intDiv({to: Int64}, 1000000000))";
        }
        within
    }

    fn wanted_spans(&self) -> String {
        let starts =
            NAME_STARTS.iter().map(|start| format!("startsWith(SpanName, {})", quoted(start)));
        let ends = NAME_ENDS.iter().map(|end| format!("endsWith(SpanName, {})", quoted(end)));
        let named: Vec<String> = starts.chain(ends).collect();
        let named = named.join(" OR ");
        let (key, texts) = deciding_texts();
        let key = quoted(key);
        let keys = list(deciding_keys());
        let texts = list(texts.iter().copied().chain([""]));
        // The first half is decided by names and keys alone: values are read where it holds.
        if self.layout.is_json {
            let paths = "JSONAllPaths(SpanAttributes)";
            let text = format!("trim(ifNull(toString(getSubcolumn(SpanAttributes, {key})), ''))");
            // A key under which an object stands is no path, but the beginning of some.
            let below: Vec<String> = deciding_keys()
                .map(|key| format!("startsWith(x, {})", quoted(&format!("{key}."))))
                .collect();
            let below = format!("arrayExists(x -> {}, {paths})", below.join(" OR "));
            return format!(
                "({named} OR hasAny({paths}, {keys}) OR {below} \
                 OR (has({paths}, {key}) AND {text} IN {texts}))"
            );
        }
        let found = "mapKeys(SpanAttributes)";
        format!(
            "(({named} OR hasAny({found}, {keys}) OR has({found}, {key})) \
             AND ({named} OR hasAny({found}, {keys}) OR trim(SpanAttributes[{key}]) IN {texts}))"
        )
    }

    /// The wanted spans, and the client spans of the services that have some.
    fn wanted_or_below(&self) -> String {
        let wanted = self.wanted_spans();
        if !self.wants_attempts {
            return wanted;
        }
        let (name, within) = (
            self.name,
            "Timestamp >= fromUnixTimestamp64Nano({day: Int64}) \
             AND Timestamp < fromUnixTimestamp64Nano({day: Int64} + 86400000000000)",
        );
        let keys = if self.layout.is_json {
            "JSONAllPaths(SpanAttributes)"
        } else {
            "mapKeys(SpanAttributes)"
        };
        let asked = list(ASKED);
        format!(
            "({wanted} OR (SpanKind IN ('Client', 'SPAN_KIND_CLIENT') AND ParentSpanId != '' \
             AND hasAny({keys}, {asked}) AND ServiceName IN \
             (SELECT DISTINCT ServiceName FROM `{name}` WHERE {within} AND {wanted})))"
        )
    }

    fn wanted_logs(&self) -> String {
        let events = list(EVENTS.iter().copied());
        let named = if self.layout.is_json {
            "ifNull(toString(getSubcolumn(LogAttributes, 'event.name')), '')"
        } else {
            "LogAttributes['event.name']"
        };
        let own = if self.layout.has_event_name {
            format!(" OR EventName IN {events}")
        } else {
            String::new()
        };
        format!("(Body IN {events} OR {named} IN {events}{own})")
    }

    /// A column of attributes as a map of texts; JSON as one text under an empty key.
    fn attributes(&self, column: &str) -> String {
        if self.layout.is_json {
            format!("CAST(map('', toJSONString({column})), 'Map(String, String)')")
        } else {
            format!("CAST({}, 'Map(String, String)')", valid(column))
        }
    }
}

/// A map with U+FFFD in place of what is no UTF-8.
fn valid(map: &str) -> String {
    format!("mapApply((k, v) -> (toValidUTF8(toString(k)), toValidUTF8(v)), {map})")
}

fn list(texts: impl IntoIterator<Item = &'static str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", texts.join(", "))
}

/// A text of our own as SQL writes it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
