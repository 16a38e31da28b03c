//! The walker against prost with `opentelemetry-proto`.

use std::borrow::Cow;

use firstcall::call::SpanKind;
use firstcall::otlp::{
    Attributes, EventView, Format, Outline, ResourceView, ScopeView, SpanView, StatusCode,
    StatusView, Value, Visitor,
};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as ProtoValue;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

use super::shown::{Shown, Wanted};

/// What prost accepts is accepted and read as prost reads it; what prost refuses is refused, or
/// is on the list of what firstcall is lenient about on purpose.
pub fn check(bytes: &[u8]) {
    let all = Shown::of(bytes, Format::Protobuf, Wanted::All);
    let some = Shown::of(bytes, Format::Protobuf, Wanted::Some);
    match ExportTraceServiceRequest::decode(bytes) {
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

/// What the walker does not look at, for nothing of it is kept.
pub(crate) fn is_lenient_about(error: &str) -> bool {
    // Bad text is mended; depth is cut; a field that is not read may have any wire type.
    ["UTF-8", "recursion limit", "invalid wire type"].iter().any(|lenient| error.contains(lenient))
        // The framing of these is checked, and no field inside them.
        || ["links", "entity_refs", "InstrumentationScope.attributes"]
            .iter()
            .any(|unread| error.contains(unread))
}

/// Whether the error may lie in values that were not opened, for no span around them was wanted:
/// of such the framing alone is checked.
fn is_unread(error: &str, shown: &Shown) -> bool {
    !shown.is_all_read() && (error.contains("Span.") || error.contains("Resource."))
}

/// What the walker should show of what prost has read.
pub(crate) fn expected(request: &ExportTraceServiceRequest, wanted: Wanted) -> Shown {
    let mut shown = Shown::new(wanted);
    for resource_spans in &request.resource_spans {
        let pairs =
            resource_spans.resource.as_ref().map_or(&[][..], |resource| &resource.attributes);
        let resource = ResourceView { attributes: Attributes::new(pairs_of(pairs)) };
        let spans = resource_spans.scope_spans.iter().map(|scope| scope.spans.len() as u64).sum();
        shown.resource(resource.attributes.text("service.name").unwrap_or_default(), spans);
        for scope_spans in &resource_spans.scope_spans {
            let scope = scope_spans.scope.as_ref().map(|scope| ScopeView {
                name: (&scope.name).into(),
                version: (&scope.version).into(),
            });
            let scope = scope.unwrap_or_default();
            for span in &scope_spans.spans {
                shown.span(&span_of(span), &scope, &resource);
            }
        }
    }
    shown
}

pub(crate) fn value_of(value: Option<&AnyValue>) -> Value<'_> {
    match value.and_then(|value| value.value.as_ref()) {
        None | Some(ProtoValue::StringValueStrindex(_)) => Value::Empty,
        Some(ProtoValue::StringValue(text)) => Value::String(text.into()),
        Some(ProtoValue::BoolValue(value)) => Value::Bool(*value),
        Some(ProtoValue::IntValue(value)) => Value::Int(*value),
        Some(ProtoValue::DoubleValue(value)) => Value::Double(*value),
        Some(ProtoValue::BytesValue(bytes)) => Value::Bytes(bytes.into()),
        Some(ProtoValue::ArrayValue(array)) => {
            Value::Array(array.values.iter().map(|value| value_of(Some(value))).collect())
        }
        Some(ProtoValue::KvlistValue(list)) => Value::Kvlist(pairs_of(&list.values)),
    }
}

pub(crate) fn pairs_of(pairs: &[KeyValue]) -> Vec<(Cow<'_, str>, Value<'_>)> {
    let pair = |pair| {
        let KeyValue { key, value, .. }: &KeyValue = pair;
        (Cow::from(key), value_of(value.as_ref()))
    };
    pairs.iter().map(pair).collect()
}

fn span_of(span: &Span) -> SpanView<'_> {
    let status = span.status.as_ref().map(|status| StatusView {
        code: match status.code {
            1 => StatusCode::Ok,
            2 => StatusCode::Error,
            _ => StatusCode::Unset,
        },
        message: (&status.message).into(),
    });
    let events = span.events.iter().map(|event| EventView {
        name: (&event.name).into(),
        attributes: Attributes::new(pairs_of(&event.attributes)),
    });
    SpanView {
        trace_id: (&span.trace_id).into(),
        span_id: (&span.span_id).into(),
        parent_span_id: (&span.parent_span_id).into(),
        trace_state: (&span.trace_state).into(),
        name: (&span.name).into(),
        kind: kind_of(span.kind),
        start_unix_nanos: span.start_time_unix_nano,
        end_unix_nanos: span.end_time_unix_nano,
        attributes: Attributes::new(pairs_of(&span.attributes)),
        events: events.collect(),
        status: status.unwrap_or_default(),
        is_utf8_repaired: false,
    }
}

const fn kind_of(number: i32) -> SpanKind {
    match number {
        1 => SpanKind::Internal,
        2 => SpanKind::Server,
        3 => SpanKind::Client,
        4 => SpanKind::Producer,
        5 => SpanKind::Consumer,
        _ => SpanKind::Unspecified,
    }
}
