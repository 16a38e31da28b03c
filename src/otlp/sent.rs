//! What a request holds that was sent to the base address, where no path tells.

use super::wire::{Field, Fields};
use super::{DecodeError, Format, json_logs};

/// The kinds of request that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// An `ExportTraceServiceRequest`.
    Spans,
    /// An `ExportLogsServiceRequest`.
    Logs,
}

/// What `request` holds: log records only where that is certain, else spans.
pub fn sent(request: &[u8], format: Format) -> Sent {
    let is_of_logs = match format {
        Format::Json => json_logs::is_of_logs(request),
        Format::Protobuf => is_of_logs(request).unwrap_or(false),
    };
    if is_of_logs { Sent::Logs } else { Sent::Spans }
}

/// Spans and log records stand under the same numbers. They are told by the wire types of their
/// own fields; the first field that only one of them has decides.
fn is_of_logs(request: &[u8]) -> Result<bool, DecodeError> {
    let mut outer = Fields::of(request);
    while let Some((1, Field::Len(resource))) = outer.next()? {
        let mut resource = Fields::of(resource);
        while let Some((number, field)) = resource.next()? {
            let (2, Field::Len(scope)) = (number, field) else { continue };
            let mut scope = Fields::of(scope);
            while let Some((number, field)) = scope.next()? {
                let (2, Field::Len(item)) = (number, field) else { continue };
                if let Some(is_log) = is_log(item)? {
                    return Ok(is_log);
                }
            }
        }
    }
    Ok(false)
}

fn is_log(item: &[u8]) -> Result<Option<bool>, DecodeError> {
    let mut fields = Fields::of(item);
    while let Some(field) = fields.next()? {
        match field {
            // time, severity, attributes, flags, observed time.
            (1 | 11, Field::Fixed64(_))
            | (2, Field::Varint(_))
            | (6, Field::Len(_))
            | (8, Field::Fixed32(_)) => return Ok(Some(true)),
            // trace id, span id, kind, start, end, events.
            (1 | 2 | 11, Field::Len(_)) | (6, Field::Varint(_)) | (7 | 8, Field::Fixed64(_)) => {
                return Ok(Some(false));
            }
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
    use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
    use prost::Message;

    use super::*;

    fn of_log(record: LogRecord) -> Vec<u8> {
        let scope = ScopeLogs { log_records: vec![record], ..ScopeLogs::default() };
        let resource = ResourceLogs { scope_logs: vec![scope], ..ResourceLogs::default() };
        ExportLogsServiceRequest { resource_logs: vec![resource] }.encode_to_vec()
    }

    fn of_span(span: Span) -> Vec<u8> {
        let scope = ScopeSpans { spans: vec![span], ..ScopeSpans::default() };
        let resource = ResourceSpans { scope_spans: vec![scope], ..ResourceSpans::default() };
        ExportTraceServiceRequest { resource_spans: vec![resource] }.encode_to_vec()
    }

    #[test]
    fn log_records_are_told_from_spans_without_a_path() {
        let timed = LogRecord { time_unix_nano: 7, ..LogRecord::default() };
        // Codex tells no time, only when it was observed.
        let observed = LogRecord { observed_time_unix_nano: 7, ..LogRecord::default() };
        for record in [timed, observed] {
            assert_eq!(sent(&of_log(record), Format::Protobuf), Sent::Logs);
        }
        let span = Span { trace_id: vec![1; 16], name: "x".to_owned(), ..Span::default() };
        let only_times = Span { start_time_unix_nano: 7, ..Span::default() };
        for span in [span, only_times, Span::default()] {
            assert_eq!(sent(&of_span(span), Format::Protobuf), Sent::Spans);
        }
        assert_eq!(sent(br#"{"resourceLogs":[]}"#, Format::Json), Sent::Logs);
        for other in [&br#"{"resourceSpans":[]}"#[..], b"{}", b"[", br#"{"resourceLogs":["#] {
            assert_eq!(sent(other, Format::Json), Sent::Spans);
        }
        assert_eq!(sent(b"", Format::Protobuf), Sent::Spans);
        assert_eq!(sent(b"\x0a\xff", Format::Protobuf), Sent::Spans);
    }
}
