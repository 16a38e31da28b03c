//! The walker of log records against prost, on generated and damaged requests.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;

use super::super::test_requests::{Shown, damages, log_requests, view_of_pairs, view_of_value};
use super::super::value::Attributes;
use super::super::visitor::Outline;
use super::*;

fn walked(request: &[u8]) -> Result<Shown, DecodeError> {
    let mut shown = Shown::default();
    walk(request, &mut shown).map(|()| shown)
}

fn view_of_log(log: &LogRecord) -> LogView<'_> {
    LogView {
        time_unix_nanos: log.time_unix_nano,
        observed_unix_nanos: log.observed_time_unix_nano,
        event_name: (&log.event_name).into(),
        body: view_of_value(log.body.as_ref()),
        attributes: Attributes::new(view_of_pairs(&log.attributes)),
        trace_id: (&log.trace_id).into(),
        is_utf8_repaired: false,
    }
}

/// What the walker should show of what prost has read.
fn expected(request: &ExportLogsServiceRequest) -> Shown {
    let mut shown = Shown::default();
    for resource_logs in &request.resource_logs {
        let pairs = resource_logs.resource.as_ref().map_or(&[][..], |each| &each.attributes);
        let resource = ResourceView { attributes: Attributes::new(view_of_pairs(pairs)) };
        let records =
            resource_logs.scope_logs.iter().map(|scope| scope.log_records.len() as u64).sum();
        let name = resource.attributes.text("service.name").unwrap_or_default();
        shown.resource(name, records);
        for scope_logs in &resource_logs.scope_logs {
            let scope = scope_logs.scope.as_ref().map(|scope| ScopeView {
                name: (&scope.name).into(),
                version: (&scope.version).into(),
            });
            let scope = scope.unwrap_or_default();
            for log in &scope_logs.log_records {
                shown.log(view_of_log(log), &scope, &resource);
            }
        }
    }
    shown
}

#[track_caller]
fn check_against_prost(bytes: &[u8]) {
    let Ok(request) = ExportLogsServiceRequest::decode(bytes) else {
        // The walker is more lenient where nothing is read; it must only not fall over.
        drop(walked(bytes));
        return;
    };
    let expected = expected(&request);
    let walked = walked(bytes).expect("what prost accepts is accepted");
    assert_eq!(walked.resources, expected.resources);
    assert_eq!(walked.spans, expected.spans);
}

fn request_of(records: Vec<LogRecord>) -> Vec<u8> {
    let scope = ScopeLogs { log_records: records, ..ScopeLogs::default() };
    let resource = ResourceLogs { scope_logs: vec![scope], ..ResourceLogs::default() };
    ExportLogsServiceRequest { resource_logs: vec![resource] }.encode_to_vec()
}

#[test]
fn a_record_is_read_whole_only_where_its_event_decides() {
    let named = |name: &str| LogRecord { event_name: name.to_owned(), ..LogRecord::default() };
    let shown = walked(&request_of(vec![named("other"), named("wanted"), named("")])).unwrap();
    assert_eq!(shown.resources, [(String::new(), 3)]);
    assert_eq!(shown.spans.len(), 1);
}

#[test]
fn damage_in_a_record_that_is_not_wanted_is_still_damage() {
    let mut bytes = request_of(vec![LogRecord { time_unix_nano: 7, ..LogRecord::default() }]);
    assert!(walked(&bytes).is_ok());
    // The record ends in the middle of its time.
    bytes.pop();
    assert_eq!(walked(&bytes).unwrap_err(), DecodeError::Truncated);
    // A time that is no fixed number: a span's trace id stands there.
    let span = [0x0a, 6, 0x12, 4, 0x12, 2, 0x0a, 0];
    assert_eq!(walked(&span).unwrap_err(), DecodeError::WireType);
}

proptest! {
    #[test]
    fn what_is_valid_is_read_as_prost_reads_it(request in log_requests()) {
        check_against_prost(&request.encode_to_vec());
    }

    #[test]
    fn what_is_damaged_and_still_accepted_by_prost_is_read_as_prost_reads_it(
        request in log_requests(),
        damages in damages(),
    ) {
        let mut bytes = request.encode_to_vec();
        for damage in &damages {
            damage.apply(&mut bytes);
        }
        check_against_prost(&bytes);
    }

    #[test]
    fn no_bytes_at_all_make_the_walker_fall_over(bytes in vec(any::<u8>(), 0..200)) {
        check_against_prost(&bytes);
    }
}
