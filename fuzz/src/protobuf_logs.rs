//! The walker over log records against prost with `opentelemetry-proto`.

use firstcall::otlp::{Attributes, Format, LogView, LogVisitor, Outline, ResourceView, ScopeView};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;

use super::protobuf::{is_lenient_about, pairs_of, value_of};
use super::shown::{Shown, Wanted};

/// What prost accepts is accepted and read as prost reads it; what prost refuses is refused, or
/// is on the list of what firstcall is lenient about on purpose.
pub fn check(bytes: &[u8]) {
    let all = Shown::of_logs(bytes, Format::Protobuf, Wanted::All);
    let some = Shown::of_logs(bytes, Format::Protobuf, Wanted::Some);
    match ExportLogsServiceRequest::decode(bytes) {
        Ok(request) => {
            assert_eq!(all.as_ref(), Ok(&expected(&request, Wanted::All)));
            assert_eq!(some.as_ref(), Ok(&expected(&request, Wanted::Some)));
        }
        Err(error) => {
            let error = error.to_string();
            if let Ok(shown) = &all {
                let is_lenient = is_lenient_about(&error) || is_unread(&error, shown);
                assert!(is_lenient, "accepted in spite of: {error}");
            }
        }
    }
    // Reading more of a request can find more wrong with it, never less.
    assert!(all.is_err() || some.is_ok());
}

/// Whether the error may lie in values that were not opened, for no record around them was wanted:
/// of such the framing alone is checked.
fn is_unread(error: &str, shown: &Shown) -> bool {
    !shown.is_all_read() && (error.contains("LogRecord.") || error.contains("Resource."))
}

/// What the walker should show of what prost has read.
pub(crate) fn expected(request: &ExportLogsServiceRequest, wanted: Wanted) -> Shown {
    let mut shown = Shown::new(wanted);
    for resource_logs in &request.resource_logs {
        let pairs =
            resource_logs.resource.as_ref().map_or(&[][..], |resource| &resource.attributes);
        let resource = ResourceView { attributes: Attributes::new(pairs_of(pairs)) };
        let records = &resource_logs.scope_logs;
        let records = records.iter().map(|scope| scope.log_records.len() as u64).sum();
        shown.resource(resource.attributes.text("service.name").unwrap_or_default(), records);
        for scope_logs in &resource_logs.scope_logs {
            let scope = scope_logs.scope.as_ref().map(|scope| ScopeView {
                name: (&scope.name).into(),
                version: (&scope.version).into(),
            });
            let scope = scope.unwrap_or_default();
            for record in &scope_logs.log_records {
                shown.log(log_of(record), &scope, &resource);
            }
        }
    }
    shown
}

fn log_of(record: &LogRecord) -> LogView<'_> {
    LogView {
        time_unix_nanos: record.time_unix_nano,
        observed_unix_nanos: record.observed_time_unix_nano,
        event_name: (&record.event_name).into(),
        body: value_of(record.body.as_ref()),
        attributes: Attributes::new(pairs_of(&record.attributes)),
        trace_id: (&record.trace_id).into(),
        is_utf8_repaired: false,
    }
}
