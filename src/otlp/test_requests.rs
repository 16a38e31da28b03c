//! Requests for the tests of both encodings, and a visitor that keeps what it is shown.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as ProtoValue;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status, span};
use proptest::collection::vec;
use proptest::prelude::*;

use super::span_view::{ResourceView, ScopeView, SpanView};
use super::visitor::Visitor;

/// Keeps what it is shown as text, and wants the spans that have an attribute with a `w` in its key.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) spans: Vec<String>,
    pub(super) children: Vec<String>,
    pub(super) resources: Vec<(String, u64)>,
}

fn is_wanted_key(key: &[u8]) -> bool {
    key.contains(&b'w')
}

impl Visitor for Shown {
    fn is_deciding_key(&self, key: &[u8]) -> bool {
        is_wanted_key(key)
    }

    fn is_deciding_text(&self, _key: &[u8], text: &[u8]) -> bool {
        text != b"unwanted"
    }

    fn is_deciding_name(&self, name: &[u8]) -> bool {
        name == b"wanted"
    }

    fn wants_children(&self) -> bool {
        true
    }

    fn is_child_key(&self, _key: &[u8]) -> bool {
        true
    }

    fn child(&mut self, span: &SpanView<'_>) {
        let SpanView { trace_id, span_id, parent_span_id, kind, attributes, .. } = span;
        let ids = (trace_id, span_id, parent_span_id);
        self.children.push(format!("{ids:?} {kind:?} {attributes:?} {:?}", span.status.code));
    }

    fn resource(&mut self, service_name: &str, spans: u64) {
        self.resources.push((service_name.to_owned(), spans));
    }

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        // A key that stands twice in one pair decides by either; protobuf keeps the last.
        let is_wanted = span.attributes.iter().any(|(key, _)| is_wanted_key(key.as_bytes()));
        if is_wanted || span.name == "wanted" {
            self.spans.push(shown(span, scope, resource));
        }
    }
}

fn shown(span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) -> String {
    format!("{span:?} {scope:?} {resource:?}")
}

fn any_value() -> impl Strategy<Value = AnyValue> {
    let leaf = prop_oneof![
        Just(None),
        ".{0,4}".prop_map(|text| Some(ProtoValue::StringValue(text))),
        any::<bool>().prop_map(|value| Some(ProtoValue::BoolValue(value))),
        any::<i64>().prop_map(|value| Some(ProtoValue::IntValue(value))),
        any::<f64>().prop_map(|value| Some(ProtoValue::DoubleValue(value))),
        vec(any::<u8>(), 0..4).prop_map(|value| Some(ProtoValue::BytesValue(value))),
        any::<i32>().prop_map(|index| Some(ProtoValue::StringValueStrindex(index))),
    ];
    leaf.prop_map(|value| AnyValue { value }).prop_recursive(4, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4)
                .prop_map(|values| ProtoValue::ArrayValue(ArrayValue { values })),
            vec(("[kw]{0,2}", inner), 0..4).prop_map(|pairs| {
                ProtoValue::KvlistValue(KeyValueList {
                    values: pairs.into_iter().map(key_value).collect(),
                })
            }),
        ]
        .prop_map(|value| AnyValue { value: Some(value) })
    })
}

fn key_value((key, value): (String, AnyValue)) -> KeyValue {
    KeyValue { key, value: Some(value), ..KeyValue::default() }
}

fn attributes() -> impl Strategy<Value = Vec<KeyValue>> {
    let key = prop_oneof!["[kw]{0,2}", Just("service.name".to_owned())];
    vec((key, any_value()).prop_map(key_value), 0..4)
}

fn spans() -> impl Strategy<Value = Span> {
    let ids = (vec(any::<u8>(), 0..18), vec(any::<u8>(), 0..10), vec(any::<u8>(), 0..10));
    let texts = ("[a-z]{0,3}", ".{0,4}", ".{0,3}");
    let numbers = (-1..9_i32, any::<u64>(), any::<u64>(), -1..4_i32);
    let events = vec(("[a-z]{0,3}", attributes()), 0..3);
    (ids, texts, numbers, attributes(), events).prop_map(
        |(ids, texts, numbers, attributes, events)| Span {
            trace_id: ids.0,
            span_id: ids.1,
            parent_span_id: ids.2,
            trace_state: texts.0,
            name: texts.1,
            kind: numbers.0,
            start_time_unix_nano: numbers.1,
            end_time_unix_nano: numbers.2,
            attributes,
            events: events
                .into_iter()
                .map(|(name, attributes)| span::Event {
                    name,
                    attributes,
                    ..span::Event::default()
                })
                .collect(),
            links: vec![span::Link { trace_id: vec![1; 16], ..span::Link::default() }],
            status: Some(Status { message: texts.2, code: numbers.3 }),
            dropped_events_count: 1,
            flags: 0x101,
            ..Span::default()
        },
    )
}

/// Requests of any shape, small enough to be many.
pub(super) fn requests() -> impl Strategy<Value = ExportTraceServiceRequest> {
    let scope =
        ("[a-z]{0,3}", "[0-9]{0,2}", attributes()).prop_map(|(name, version, attributes)| {
            InstrumentationScope { name, version, attributes, ..InstrumentationScope::default() }
        });
    let scope_spans = (proptest::option::of(scope), vec(spans(), 0..4))
        .prop_map(|(scope, spans)| ScopeSpans { scope, spans, schema_url: "s".to_owned() });
    let resource =
        attributes().prop_map(|attributes| Resource { attributes, ..Resource::default() });
    let resource_spans = (proptest::option::of(resource), vec(scope_spans, 0..3)).prop_map(
        |(resource, scope_spans)| ResourceSpans {
            resource,
            scope_spans,
            ..ResourceSpans::default()
        },
    );
    vec(resource_spans, 0..3)
        .prop_map(|resource_spans| ExportTraceServiceRequest { resource_spans })
}
