//! Which of the three kinds of telemetry a request's bytes hold, where nothing beside them tells.
//!
//! In OTLP's JSON the kinds have different names. In protobuf the three messages nest alike and
//! their fields have no names: the first span, log record or metric is told by its own fields.

use super::DecodeError;
use super::Format;
use super::json_text::{JsonText, Kind};
use super::wire::{Field, Fields};

/// The telemetry that a request holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Spans.
    Traces,
    /// Log records.
    Logs,
    /// Metrics.
    Metrics,
}

/// What `request` holds; none where it holds nothing that tells.
///
/// # Errors
/// Where the bytes are not what their format says, as far as they are looked at.
pub fn signal_of(request: &[u8], format: Format) -> Result<Option<Signal>, DecodeError> {
    match format {
        Format::Protobuf => of_protobuf(request),
        Format::Json => of_json(request),
    }
}

fn of_json(request: &[u8]) -> Result<Option<Signal>, DecodeError> {
    let mut json = JsonText::of(request);
    if json.kind()? != Kind::Object {
        return Err(DecodeError::Shape("request"));
    }
    let (mut found, mut is_empty) = (None, true);
    json.object("request", |json, key| {
        is_empty = false;
        let signal = match key {
            "resourceSpans" | "resource_spans" => Some(Signal::Traces),
            "resourceLogs" | "resource_logs" => Some(Signal::Logs),
            "resourceMetrics" | "resource_metrics" => Some(Signal::Metrics),
            _ => None,
        };
        found = found.or(signal);
        json.skip().map(drop)
    })?;
    json.end()?;
    // An object with other members only is something else altogether.
    if found.is_none() && !is_empty { Err(DecodeError::Shape("request")) } else { Ok(found) }
}

/// Resource, scope, record: the same three steps in all three messages.
fn of_protobuf(request: &[u8]) -> Result<Option<Signal>, DecodeError> {
    let mut found = None;
    let mut resources = Fields::of(request);
    while let Some((number, resource)) = resources.next()? {
        if number != 1 {
            continue;
        }
        let mut scopes = Fields::of(resource.bytes()?);
        while let Some((number, scope)) = scopes.next()? {
            if number != 2 {
                continue;
            }
            let mut records = Fields::of(scope.bytes()?);
            while let Some((number, record)) = records.next()? {
                if number == 2 && found.is_none() {
                    found = of_record(record.bytes()?)?;
                }
            }
        }
    }
    Ok(found)
}

/// A span's times are its fields 7 and 8, a log record's 1 and 11 and its attributes 6; a metric
/// has none of them but a name in field 1, where a span has its trace's id.
fn of_record(record: &[u8]) -> Result<Option<Signal>, DecodeError> {
    let mut fields = Fields::of(record);
    let mut by_first = None;
    while let Some((number, field)) = fields.next()? {
        match (number, field) {
            (7 | 8, Field::Fixed64(_)) => return Ok(Some(Signal::Traces)),
            (1 | 11, Field::Fixed64(_))
            | (2, Field::Varint(_))
            | (6, Field::Len(_))
            | (8, Field::Fixed32(_)) => {
                return Ok(Some(Signal::Logs));
            }
            (1, Field::Len(first)) => {
                let is_name = str::from_utf8(first).is_ok_and(|name| !name.contains('\0'));
                let is_id = first.len() == 16 && !(is_name && first.is_ascii());
                by_first = Some(if is_id { Signal::Traces } else { Signal::Metrics });
            }
            _ => {}
        }
    }
    Ok(by_first)
}

#[cfg(test)]
mod tests {
    use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
    use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
    use opentelemetry_proto::tonic::metrics::v1::{
        Gauge, Metric, ResourceMetrics, ScopeMetrics, Sum, metric,
    };
    use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
    use prost::Message;

    use super::*;

    fn protobuf(message: &impl Message) -> Option<Signal> {
        signal_of(&message.encode_to_vec(), Format::Protobuf).unwrap()
    }

    fn traces(span: Span) -> ExportTraceServiceRequest {
        let scope = ScopeSpans { spans: vec![span], ..ScopeSpans::default() };
        let resource = ResourceSpans { scope_spans: vec![scope], ..ResourceSpans::default() };
        ExportTraceServiceRequest { resource_spans: vec![resource] }
    }

    fn logs(record: LogRecord) -> ExportLogsServiceRequest {
        let scope = ScopeLogs { log_records: vec![record], ..ScopeLogs::default() };
        let resource = ResourceLogs { scope_logs: vec![scope], ..ResourceLogs::default() };
        ExportLogsServiceRequest { resource_logs: vec![resource] }
    }

    fn metrics(metric: Metric) -> ExportMetricsServiceRequest {
        let scope = ScopeMetrics { metrics: vec![metric], ..ScopeMetrics::default() };
        let resource = ResourceMetrics { scope_metrics: vec![scope], ..ResourceMetrics::default() };
        ExportMetricsServiceRequest { resource_metrics: vec![resource] }
    }

    #[test]
    fn the_three_messages_are_told_apart_by_their_first_record() {
        let ids = || (vec![0xd4; 16], vec![0x7a; 8]);
        let (trace_id, span_id) = ids();
        let timeless = Span { trace_id, span_id, name: "tools/call x".into(), ..Span::default() };
        let timed = Span { start_time_unix_nano: 5, end_time_unix_nano: 6, ..timeless.clone() };
        for span in [timed, timeless] {
            assert_eq!(protobuf(&traces(span)), Some(Signal::Traces));
        }
        let (trace_id, span_id) = ids();
        let observed = LogRecord {
            observed_time_unix_nano: 5,
            trace_id,
            span_id,
            event_name: "codex".into(),
            ..LogRecord::default()
        };
        let timed = LogRecord { time_unix_nano: 5, ..observed.clone() };
        for record in [timed, observed, LogRecord { severity_number: 9, ..LogRecord::default() }] {
            assert_eq!(protobuf(&logs(record)), Some(Signal::Logs));
        }
        let gauge = Some(metric::Data::Gauge(Gauge::default()));
        for (name, data) in [
            ("requests", Some(metric::Data::Sum(Sum::default()))),
            ("sixteen_bytes_12", gauge.clone()),
            ("x", gauge),
        ] {
            let description = "eight by".to_owned();
            let metric = Metric { name: name.into(), description, data, ..Metric::default() };
            assert_eq!(protobuf(&metrics(metric)), Some(Signal::Metrics), "{name}");
        }
        assert_eq!(protobuf(&ExportTraceServiceRequest::default()), None);
    }

    #[test]
    fn json_names_its_kind_and_nothing_else_is_a_request() {
        let json = |text: &str| signal_of(text.as_bytes(), Format::Json);
        assert_eq!(json(r#"{"resourceSpans":[]}"#), Ok(Some(Signal::Traces)));
        assert_eq!(json(r#" {"x":1,"resource_logs":[{}]} "#), Ok(Some(Signal::Logs)));
        assert_eq!(json(r#"{"resourceMetrics":null}"#), Ok(Some(Signal::Metrics)));
        assert_eq!(json("{}"), Ok(None));
        assert_eq!(json(r#"{"spans":[]}"#), Err(DecodeError::Shape("request")));
        assert_eq!(json("[]"), Err(DecodeError::Shape("request")));
        assert_eq!(json(r#"{"resourceSpans":[{"#), Err(DecodeError::Json));
    }
}
