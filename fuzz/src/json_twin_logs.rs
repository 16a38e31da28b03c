//! Log records in JSON against their protobuf twin, as [`super::json_twin`] does it with spans.

use firstcall::otlp::Format;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;

use super::json_twin::Writer;
use super::protobuf_logs::expected;
use super::shown::{Shown, Wanted};

/// Bytes of protobuf, if prost can read them, are the same request in JSON.
pub fn check(bytes: &[u8]) {
    let Ok(request) = ExportLogsServiceRequest::decode(bytes) else { return };
    let mut writer = Writer::new(bytes);
    let list = writer.list(&request.resource_logs, resource_logs);
    let text = writer.whole("resourceLogs", list);
    for wanted in [Wanted::All, Wanted::Some] {
        let by_json = Shown::of_logs(text.as_bytes(), Format::Json, wanted);
        assert_eq!(by_json.as_ref(), Ok(&expected(&request, wanted)), "{text}");
    }
}

fn resource_logs(writer: &mut Writer, resource_logs: &ResourceLogs) -> String {
    let resource = writer.resource(resource_logs.resource.as_ref());
    let scopes = writer.list(&resource_logs.scope_logs, scope_logs);
    writer.object(vec![("resource", resource), ("scopeLogs", scopes)])
}

fn scope_logs(writer: &mut Writer, scope_logs: &ScopeLogs) -> String {
    let scope = writer.scope(scope_logs.scope.as_ref());
    let records = writer.list(&scope_logs.log_records, record);
    writer.object(vec![("scope", scope), ("logRecords", records)])
}

fn record(writer: &mut Writer, record: &LogRecord) -> String {
    let members = vec![
        ("timeUnixNano", writer.number(record.time_unix_nano)),
        ("observedTimeUnixNano", writer.number(record.observed_time_unix_nano)),
        ("severityNumber", writer.number(record.severity_number)),
        ("severityText", writer.text(&record.severity_text)),
        ("body", record.body.as_ref().map(|body| writer.value(body))),
        ("attributes", writer.list(&record.attributes, Writer::pair)),
        ("flags", writer.number(record.flags)),
        ("traceId", writer.hex(&record.trace_id)),
        ("spanId", writer.hex(&record.span_id)),
        ("eventName", writer.text(&record.event_name)),
    ];
    writer.object(members)
}
