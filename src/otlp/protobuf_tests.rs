//! The walker on messages written by hand, and against prost on generated and damaged ones.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;

use super::super::span_view::{
    EventView, ResourceView, ScopeView, SpanView, StatusCode, StatusView,
};
use super::super::test_requests::{Shown, damages, requests, view_of_pairs};
use super::super::value::Attributes;
use super::*;
use crate::call::SpanKind;

fn walked(request: &[u8]) -> Result<Shown, DecodeError> {
    let mut shown = Shown::default();
    walk(request, &mut shown).map(|()| shown)
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
    bytes
}

fn field(number: u8, payload: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2], varint(payload.len()).as_slice(), payload].concat()
}

fn string_attribute(number: u8, key: &str, value: &str) -> Vec<u8> {
    let value = field(2, &field(1, value.as_bytes()));
    field(number, &[field(1, key.as_bytes()), value].concat())
}

/// A request with this span's bytes in it.
fn request_of(span: &[u8]) -> Vec<u8> {
    field(1, &field(2, &field(2, span)))
}

fn the_span(request: &[u8]) -> String {
    let mut shown = walked(request).unwrap();
    assert_eq!(shown.spans.len(), 1);
    shown.spans.pop().unwrap()
}

#[test]
fn a_span_is_read_whole_only_where_its_name_or_a_key_decides() {
    let ordinary = [field(5, b"ordinary"), string_attribute(9, "k", "v")].concat();
    let by_key = [field(5, b"x"), string_attribute(9, "w", "v")].concat();
    let by_name = field(5, b"wanted");
    let scope = [field(2, &ordinary), field(2, &by_key), field(2, &by_name)].concat();
    let request =
        field(1, &[field(1, &string_attribute(1, "service.name", "s")), field(2, &scope)].concat());
    let shown = walked(&request).unwrap();
    assert_eq!(shown.resources, [("s".to_owned(), 3)]);
    assert_eq!(shown.spans.len(), 2);
    assert!(shown.spans[0].contains("\"x\"") && shown.spans[1].contains("\"wanted\""));
}

#[test]
fn the_service_name_is_told_also_where_no_span_is_wanted() {
    let attributes = [
        string_attribute(1, "service.name", "first"),
        string_attribute(1, "host.name", "h"),
        string_attribute(1, "service.name", "last"),
    ];
    let request = field(1, &[field(2, &field(2, b"")), field(1, &attributes.concat())].concat());
    assert_eq!(walked(&request).unwrap().resources, [("last".to_owned(), 1)]);
}

#[test]
fn a_scope_and_a_resource_may_follow_their_spans_and_come_in_parts() {
    let span = field(2, &field(5, b"wanted"));
    let scope = [span, field(1, &field(1, b"scope")), field(1, &field(2, b"1.0"))].concat();
    let resource_spans = [
        field(2, &scope),
        field(1, &string_attribute(1, "service.name", "s")),
        field(1, &string_attribute(1, "host.name", "h")),
    ];
    let shown = the_span(&field(1, &resource_spans.concat()));
    for text in ["\"scope\"", "\"1.0\"", "\"s\"", "\"h\""] {
        assert!(shown.contains(text), "{text} in {shown}");
    }
}

#[test]
fn of_a_repeated_field_the_last_one_holds_and_messages_merge() {
    let status = [field(15, &field(2, b"why")), field(15, &[0x18, 0x02])].concat();
    let value = [field(2, &field(1, b"lost")), field(2, &[0x18, 0x07])].concat();
    let pair = field(9, &[field(1, b"w"), value].concat());
    let span = [field(5, b"first"), field(5, b"last"), status, pair].concat();
    let shown = the_span(&request_of(&span));
    assert!(shown.contains("name: \"last\""));
    assert!(shown.contains("code: Error") && shown.contains("\"why\""));
    assert!(shown.contains("Int(7)") && !shown.contains("lost"));
}

#[test]
fn invalid_utf8_is_replaced_where_it_is_kept_and_marked() {
    let name = [0xe2, 0x82];
    let kept = [field(5, &name), string_attribute(9, "w", "v")].concat();
    let shown = the_span(&request_of(&kept));
    assert!(shown.contains("name: \"\u{fffd}\"") && shown.contains("is_utf8_repaired: true"));
    let unread = [field(5, b"wanted"), field(12, &name)].concat();
    assert!(the_span(&request_of(&unread)).contains("is_utf8_repaired: false"));
    assert!(walked(&request_of(&field(5, &name))).unwrap().spans.is_empty());
    // The same in a scope: its name is kept with every sighting.
    let scope = [field(1, &field(1, &name)), field(2, &field(5, b"wanted"))].concat();
    assert!(the_span(&field(1, &field(2, &scope))).contains("is_utf8_repaired: true"));
}

#[test]
fn unknown_fields_of_every_wire_type_are_skipped_at_every_level() {
    // Field 100 as varint, eight bytes, length-delimited, a group with a varint in it, four bytes.
    let mut unknown = vec![0xa0, 0x06, 0x01, 0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8];
    unknown.extend([0xa2, 0x06, 0x01, b'x', 0xa3, 0x06, 0x08, 0x01, 0xa4, 0x06]);
    unknown.extend([0xa5, 0x06, 1, 2, 3, 4]);
    let with = |parts: &[Vec<u8>]| [unknown.clone(), parts.concat(), unknown.clone()].concat();
    let value = with(&[field(1, b"v")]);
    let pair = with(&[field(1, b"w"), field(2, &value)]);
    let event = with(&[field(2, b"e"), field(3, &pair)]);
    let status = with(&[field(2, b"m")]);
    let span = with(&[field(5, b"wanted"), field(9, &pair), field(11, &event), field(15, &status)]);
    let scope = with(&[field(1, &with(&[field(1, b"scope")])), field(2, &span)]);
    let resource = with(&[field(1, &pair)]);
    let request = with(&[field(1, &with(&[field(1, &resource), field(2, &scope)]))]);
    let shown = the_span(&request);
    assert!(shown.contains("\"e\"") && shown.contains("\"m\"") && shown.contains("\"scope\""));
    assert!(ExportTraceServiceRequest::decode(request.as_slice()).is_ok());
}

#[test]
fn a_message_cut_anywhere_is_refused_or_ends_between_two_fields() {
    let span = [field(1, &[0xa1; 16]), field(5, b"wanted"), string_attribute(9, "w", "v")].concat();
    let request = request_of(&span);
    assert!(walked(&request).is_ok());
    for len in 1..request.len() {
        assert!(walked(&request[..len]).is_err(), "{len} bytes of {}", request.len());
    }
}

#[test]
fn damage_in_a_span_that_is_not_wanted_is_still_damage() {
    for broken in [
        field(9, &[0x0a, 0x05, b'k']),  // a key cut short
        field(11, &[0x12, 0x05, b'e']), // an event's name cut short
        field(13, &[0x0a, 0x10, 0x01]), // a link's trace id cut short
        field(15, &[0x12, 0x05, b'm']), // a status message cut short
        vec![0x39, 1, 2, 3],            // a start time cut short
        vec![0x28, 0x01],               // a name that is a number
    ] {
        assert!(walked(&request_of(&broken)).is_err(), "{broken:?}");
    }
    let scope = field(1, &[0x0a, 0x05, b's']);
    assert!(walked(&field(1, &field(2, &scope))).is_err(), "a scope without spans");
    assert!(walked(&field(1, &field(1, &[0x0a, 0x05]))).is_err(), "a resource without spans");
}

/// An array in an array, `levels` times, around a text.
fn nested(levels: usize) -> Vec<u8> {
    let mut value = field(1, b"x");
    for _ in 0..levels {
        value = field(5, &field(1, &value));
    }
    value
}

#[test]
fn values_are_read_to_sixty_four_levels_and_not_one_more() {
    let with_value = |levels| {
        let pair = field(9, &[field(1, b"w"), field(2, &nested(levels))].concat());
        the_span(&request_of(&pair))
    };
    // The text within 63 lists is itself the sixty-fourth level.
    assert!(with_value(63).contains("\"x\"") && !with_value(63).contains("TooDeep"));
    assert!(with_value(64).contains("TooDeep"));
}

#[test]
fn a_hundred_thousand_levels_cost_neither_stack_nor_the_request() {
    // Built from the inside out by prepending, which copying would make quadratic.
    let mut reversed: Vec<u8> = vec![b'x', 0x01, 0x0a];
    for _ in 0..100_000 {
        for tag in [0x0a, 0x2a] {
            let len = varint(reversed.len());
            reversed.extend(len.iter().rev());
            reversed.push(tag);
        }
    }
    reversed.reverse();
    for key in [&b"w"[..], b"k"] {
        let pair = field(9, &[field(1, key), field(2, &reversed)].concat());
        let shown = walked(&request_of(&pair)).unwrap();
        assert_eq!(shown.spans.len(), usize::from(key == b"w"));
        assert!(shown.spans.iter().all(|span| span.contains("TooDeep")));
    }
}

#[test]
fn the_number_of_values_of_a_span_is_bounded() {
    let list = field(1, b"").repeat(crate::otlp::MAX_VALUES + 1);
    let big = field(9, &[field(1, b"w"), field(2, &field(5, &list))].concat());
    assert!(the_span(&request_of(&big)).contains("TooDeep"));
    let many = string_attribute(9, "w", "v").repeat(crate::otlp::MAX_VALUES + 1);
    let shown = the_span(&request_of(&many));
    assert_eq!(shown.matches("\"w\"").count(), crate::otlp::MAX_VALUES);
}

fn view_of_span(span: &Span) -> SpanView<'_> {
    let kinds = [
        SpanKind::Unspecified,
        SpanKind::Internal,
        SpanKind::Server,
        SpanKind::Client,
        SpanKind::Producer,
        SpanKind::Consumer,
    ];
    let kind = usize::try_from(span.kind).ok().and_then(|kind| kinds.get(kind));
    let status = span.status.as_ref().map(|status| StatusView {
        code: match status.code {
            1 => StatusCode::Ok,
            2 => StatusCode::Error,
            _ => StatusCode::Unset,
        },
        message: (&status.message).into(),
    });
    SpanView {
        trace_id: (&span.trace_id).into(),
        span_id: (&span.span_id).into(),
        parent_span_id: (&span.parent_span_id).into(),
        trace_state: (&span.trace_state).into(),
        name: (&span.name).into(),
        kind: kind.copied().unwrap_or(SpanKind::Unspecified),
        start_unix_nanos: span.start_time_unix_nano,
        end_unix_nanos: span.end_time_unix_nano,
        attributes: Attributes::new(view_of_pairs(&span.attributes)),
        events: span
            .events
            .iter()
            .map(|event| EventView {
                name: (&event.name).into(),
                attributes: Attributes::new(view_of_pairs(&event.attributes)),
            })
            .collect(),
        status: status.unwrap_or_default(),
        is_utf8_repaired: false,
    }
}

/// What the walker should show of what prost has read.
fn expected(request: &ExportTraceServiceRequest) -> Shown {
    let mut shown_by_prost = Shown::default();
    for resource_spans in &request.resource_spans {
        let pairs =
            resource_spans.resource.as_ref().map_or(&[][..], |resource| &resource.attributes);
        let resource = ResourceView { attributes: Attributes::new(view_of_pairs(pairs)) };
        let spans = resource_spans.scope_spans.iter().map(|scope| scope.spans.len() as u64).sum();
        let name = resource.attributes.text("service.name").unwrap_or_default();
        shown_by_prost.resource(name, spans);
        for scope_spans in &resource_spans.scope_spans {
            let scope = scope_spans.scope.as_ref().map(|scope| ScopeView {
                name: (&scope.name).into(),
                version: (&scope.version).into(),
            });
            let scope = scope.unwrap_or_default();
            for span in &scope_spans.spans {
                shown_by_prost.span(&view_of_span(span), &scope, &resource);
            }
        }
    }
    shown_by_prost
}

#[track_caller]
fn check_against_prost(bytes: &[u8]) {
    let Ok(request) = ExportTraceServiceRequest::decode(bytes) else {
        // The walker is more lenient where nothing is read; it must only not fall over.
        drop(walked(bytes));
        return;
    };
    let expected = expected(&request);
    let walked = walked(bytes).expect("what prost accepts is accepted");
    assert_eq!(walked.resources, expected.resources);
    assert_eq!(walked.spans, expected.spans);
}

proptest! {
    #[test]
    fn what_is_valid_is_read_as_prost_reads_it(request in requests()) {
        check_against_prost(&request.encode_to_vec());
    }

    #[test]
    fn what_is_damaged_and_still_accepted_by_prost_is_read_as_prost_reads_it(
        request in requests(),
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
