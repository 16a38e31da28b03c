//! Writes spans and log records into tables as the Collector's ClickHouse exporter does, in each
//! layout that it has had.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use firstcall::call::SpanKind;
use firstcall::otlp::{
    Attributes, Format, LogView, LogVisitor, Outline, ResourceView, ScopeView, Sent, SpanView,
    StatusCode, Value, Visitor, sent, walk, walk_logs,
};
use serde_json::{Map, Value as Json, json};

use super::Body;
use crate::support::clickhouse::{ClickHouse, block_on};

/// A layout of the exporter's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layout {
    /// Until early 2024: the scope among the attributes, kinds and codes in OTLP's own words.
    Old,
    /// Maps of texts, and columns for the scope.
    Maps,
    /// JSON columns.
    Json,
}

impl Layout {
    pub(crate) const ALL: [Self; 3] = [Self::Old, Self::Maps, Self::Json];

    /// The type of a column of attributes.
    fn attributes(self) -> &'static str {
        if self == Self::Json { "JSON" } else { "Map(LowCardinality(String), String)" }
    }

    /// Makes both tables, empty.
    pub(crate) fn create(self, engine: &ClickHouse) {
        let of = self.attributes();
        let (scope, duration) = match self {
            Self::Old => ("", "Int64"),
            _ => ("ScopeName String, ScopeVersion String,", "UInt64"),
        };
        let order = if self == Self::Old {
            "(ServiceName, SpanName, toUnixTimestamp(Timestamp), TraceId)"
        } else {
            "(ServiceName, SpanName, toDateTime(Timestamp), Timestamp)"
        };
        engine.execute("DROP TABLE IF EXISTS otel_traces");
        engine.execute(&format!(
            "CREATE TABLE otel_traces (Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)), \
             TraceId String, SpanId String, ParentSpanId String, TraceState String, \
             SpanName LowCardinality(String), SpanKind LowCardinality(String), \
             ServiceName LowCardinality(String), ResourceAttributes {of}, {scope} \
             SpanAttributes {of}, Duration {duration}, StatusCode LowCardinality(String), \
             StatusMessage String, Events Nested (Timestamp DateTime64(9), \
             Name LowCardinality(String), Attributes {of}), Links Nested (TraceId String, \
             SpanId String, TraceState String, Attributes {of}), \
             INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1) \
             ENGINE = MergeTree PARTITION BY toDate(Timestamp) ORDER BY {order} \
             SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1"
        ));
        let (second, event) = match self {
            Self::Old => ("", ""),
            Self::Maps => ("TimestampTime DateTime DEFAULT toDateTime(Timestamp),", ""),
            Self::Json => ("", "EventName String,"),
        };
        let partition = if second.is_empty() { "Timestamp" } else { "TimestampTime" };
        engine.execute("DROP TABLE IF EXISTS otel_logs");
        engine.execute(&format!(
            "CREATE TABLE otel_logs (Timestamp DateTime64(9), {second} TraceId String, \
             SpanId String, TraceFlags UInt8, SeverityText LowCardinality(String), \
             SeverityNumber UInt8, ServiceName LowCardinality(String), Body String, \
             ResourceSchemaUrl LowCardinality(String), ResourceAttributes {of}, \
             ScopeSchemaUrl LowCardinality(String), ScopeName String, \
             ScopeVersion LowCardinality(String), ScopeAttributes {of}, LogAttributes {of}, {event} \
             INDEX idx_body Body TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8) \
             ENGINE = MergeTree PARTITION BY toDate({partition}) \
             ORDER BY (ServiceName, toDateTime(Timestamp), Timestamp) \
             SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1"
        ));
    }

    /// Makes both tables, with every body's items in them.
    pub(crate) fn hold(self, engine: &ClickHouse, bodies: &[Body]) {
        self.create(engine);
        for body in bodies {
            self.export(engine, &body.bytes, body.format);
        }
    }

    /// Writes a request's items.
    pub(crate) fn export(self, engine: &ClickHouse, body: &[u8], format: Format) {
        let mut rows = Rows { layout: self, spans: String::new(), logs: String::new() };
        match sent(body, format) {
            Sent::Spans => walk(body, format, &mut rows).unwrap(),
            Sent::Logs => walk_logs(body, format, &mut rows).unwrap(),
        }
        for (table, rows) in [("otel_traces", rows.spans), ("otel_logs", rows.logs)] {
            if rows.is_empty() {
                continue;
            }
            let sql = format!("INSERT INTO {table} FORMAT JSONEachRow");
            block_on(async {
                let mut insert = engine.client().insert_formatted_with(sql);
                insert.send(rows.into_bytes().into()).await?;
                insert.end().await
            })
            .unwrap();
        }
    }
}

struct Rows {
    layout: Layout,
    spans: String,
    logs: String,
}

impl Outline for Rows {
    fn resource(&mut self, _service_name: &str, _items: u64) {}
}

impl Visitor for Rows {
    fn is_deciding_key(&self, _key: &[u8]) -> bool {
        true
    }

    fn is_deciding_text(&self, _key: &[u8], _text: &[u8]) -> bool {
        true
    }

    fn is_deciding_name(&self, _name: &[u8]) -> bool {
        true
    }

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        let mut attributes = self.attributes(&span.attributes);
        let events = |of: fn(&Self, &firstcall::otlp::EventView<'_>) -> Json| {
            Json::Array(span.events.iter().map(|event| of(self, event)).collect())
        };
        let mut row = json!({
            "Timestamp": time(span.start_unix_nanos),
            "TraceId": hex(&span.trace_id),
            "SpanId": hex(&span.span_id),
            "ParentSpanId": hex(&span.parent_span_id),
            "TraceState": span.trace_state,
            "SpanName": span.name,
            "SpanKind": self.kind(span.kind),
            "ServiceName": resource.attributes.text("service.name").unwrap_or_default(),
            "ResourceAttributes": self.attributes(&resource.attributes),
            // A span that ends before it starts wraps around in an unsigned column.
            "Duration": span.end_unix_nanos.wrapping_sub(span.start_unix_nanos),
            "StatusCode": self.code(span.status.code),
            "StatusMessage": span.status.message,
            "Events.Timestamp": events(|_, _| json!("1970-01-01 00:00:00.000000000")),
            "Events.Name": events(|_, event| json!(event.name)),
            "Events.Attributes": events(|rows, event| rows.attributes(&event.attributes)),
        });
        let object = row.as_object_mut().unwrap();
        if self.layout == Layout::Old {
            let duration = span.end_unix_nanos.wrapping_sub(span.start_unix_nanos).cast_signed();
            object.insert("Duration".to_owned(), json!(duration));
            let attributes = attributes.as_object_mut().unwrap();
            for (key, text) in
                [("otel.scope.name", &scope.name), ("otel.scope.version", &scope.version)]
            {
                if !text.is_empty() {
                    attributes.insert(key.to_owned(), json!(text));
                }
            }
        } else {
            object.insert("ScopeName".to_owned(), json!(scope.name));
            object.insert("ScopeVersion".to_owned(), json!(scope.version));
        }
        object.insert("SpanAttributes".to_owned(), attributes);
        writeln!(self.spans, "{row}").unwrap();
    }
}

impl LogVisitor for Rows {
    fn is_deciding_event(&self, _name: &[u8]) -> bool {
        true
    }

    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        let told = [log.time_unix_nanos, log.observed_unix_nanos];
        let mut row = json!({
            "Timestamp": time(told.into_iter().find(|nanos| *nanos != 0).unwrap_or(0)),
            "TraceId": hex(&log.trace_id),
            "ServiceName": resource.attributes.text("service.name").unwrap_or_default(),
            "Body": as_string(&log.body),
            "ResourceAttributes": self.attributes(&resource.attributes),
            "ScopeName": scope.name,
            "ScopeVersion": scope.version,
            "LogAttributes": self.attributes(&log.attributes),
        });
        if self.layout == Layout::Json {
            let object = row.as_object_mut().unwrap();
            object.insert("EventName".to_owned(), json!(log.event_name));
        }
        writeln!(self.logs, "{row}").unwrap();
    }
}

impl Rows {
    fn attributes(&self, attributes: &Attributes<'_>) -> Json {
        let value = |value: &Value<'_>| match self.layout {
            Layout::Json => as_raw(value),
            Layout::Old | Layout::Maps => Json::String(as_string(value)),
        };
        let pairs = attributes.iter().map(|(key, of)| (key.to_string(), value(of)));
        Json::Object(pairs.collect())
    }

    fn kind(&self, kind: SpanKind) -> String {
        if self.layout == Layout::Old {
            return format!("SPAN_KIND_{}", kind.word().to_uppercase());
        }
        let (first, rest) = kind.word().split_at(1);
        first.to_uppercase() + rest
    }

    const fn code(&self, code: StatusCode) -> &'static str {
        match (self.layout, code) {
            (Layout::Old, StatusCode::Unset) => "STATUS_CODE_UNSET",
            (Layout::Old, StatusCode::Ok) => "STATUS_CODE_OK",
            (Layout::Old, StatusCode::Error) => "STATUS_CODE_ERROR",
            (_, StatusCode::Unset) => "Unset",
            (_, StatusCode::Ok) => "Ok",
            (_, StatusCode::Error) => "Error",
        }
    }
}

/// A value as the Collector's `AsString` writes it.
fn as_string(value: &Value<'_>) -> String {
    match value {
        Value::Empty => String::new(),
        Value::String(text) => text.to_string(),
        Value::Array(_) | Value::Kvlist(_) => sorted(&as_raw(value)).to_string(),
        Value::Bytes(bytes) => STANDARD.encode(bytes),
        value => as_raw(value).to_string(),
    }
}

/// A value as its `AsRaw` gives it to a writer of JSON.
fn as_raw(value: &Value<'_>) -> Json {
    match value {
        Value::Empty | Value::TooDeep => Json::Null,
        Value::String(text) => json!(text),
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        // Go writes a double that is whole without a fraction.
        #[expect(clippy::cast_possible_truncation, reason = "as Go writes it")]
        Value::Double(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            json!(*number as i64)
        }
        Value::Double(number) => json!(number),
        Value::Bytes(bytes) => json!(STANDARD.encode(bytes)),
        Value::Array(items) => items.iter().map(as_raw).collect(),
        Value::Kvlist(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| (key.to_string(), as_raw(value)));
            Json::Object(pairs.collect())
        }
    }
}

/// JSON with its members in order, as Go writes it.
fn sorted(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().map(sorted).collect(),
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| (*key).clone());
            let members = members.into_iter().map(|(key, value)| (key.clone(), sorted(value)));
            Json::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

pub(super) fn hex(id: &[u8]) -> String {
    if id.iter().all(|byte| *byte == 0) {
        return String::new();
    }
    id.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// A time as ClickHouse takes it, UTC, nine digits behind the point.
fn time(nanos: u64) -> String {
    let part = u32::try_from(nanos % 1_000_000_000).unwrap();
    let seconds = (nanos / 1_000_000_000).cast_signed();
    let time = chrono::DateTime::from_timestamp(seconds, part).unwrap();
    time.format("%Y-%m-%d %H:%M:%S%.9f").to_string()
}
