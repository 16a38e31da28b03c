//! What a request holds that was sent to the base address, where no path tells.

use super::Format;
use super::signal::{Signal, signal_of};

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
    match signal_of(request, format) {
        Ok(Some(Signal::Logs)) => Sent::Logs,
        _ => Sent::Spans,
    }
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
