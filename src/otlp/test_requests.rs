//! Requests for the tests of both encodings, and a visitor that keeps what it is shown.

use std::borrow::Cow;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as ProtoValue;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status, span};
use proptest::collection::vec;
use proptest::prelude::*;

use super::log_view::LogView;
use super::span_view::{ResourceView, ScopeView, SpanView};
use super::value::Value;
use super::visitor::{LogVisitor, Outline, Visitor};

/// Keeps what it is shown as text, and wants the spans that have an attribute with a `w` in its
/// key, and the log records of events called `wanted`.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) spans: Vec<String>,
    pub(super) children: Vec<String>,
    pub(super) resources: Vec<(String, u64)>,
}

fn is_wanted_key(key: &[u8]) -> bool {
    key.contains(&b'w')
}

impl Outline for Shown {
    fn resource(&mut self, service_name: &str, items: u64) {
        self.resources.push((service_name.to_owned(), items));
    }
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

    fn span(&mut self, span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        // A key that stands twice in one pair decides by either; protobuf keeps the last.
        let is_wanted = span.attributes.iter().any(|(key, _)| is_wanted_key(key.as_bytes()));
        if is_wanted || span.name == "wanted" {
            self.spans.push(shown(span, scope, resource));
        }
    }
}

impl LogVisitor for Shown {
    fn is_deciding_event(&self, name: &[u8]) -> bool {
        name == b"wanted"
    }

    fn log(&mut self, log: LogView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) {
        // Of a field that stands twice any decides; protobuf keeps the last.
        let has_name = log
            .attributes
            .iter()
            .any(|(key, value)| key == super::EVENT_NAME && value.as_str() == Some("wanted"));
        if has_name || log.body.as_str() == Some("wanted") || log.event_name == "wanted" {
            self.spans.push(format!("{log:?} {scope:?} {resource:?}"));
        }
    }
}

fn shown(span: &SpanView<'_>, scope: &ScopeView<'_>, resource: &ResourceView<'_>) -> String {
    format!("{span:?} {scope:?} {resource:?}")
}

pub(super) fn any_value() -> impl Strategy<Value = AnyValue> {
    let leaf = prop_oneof![
        Just(None),
        prop_oneof![".{0,4}", Just("wanted".to_owned())]
            .prop_map(|text| Some(ProtoValue::StringValue(text))),
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

pub(super) fn attributes() -> impl Strategy<Value = Vec<KeyValue>> {
    let key = prop_oneof![
        "[kw]{0,2}",
        Just("service.name".to_owned()),
        Just(super::EVENT_NAME.to_owned())
    ];
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

fn scopes() -> impl Strategy<Value = Option<InstrumentationScope>> {
    let scope =
        ("[a-z]{0,3}", "[0-9]{0,2}", attributes()).prop_map(|(name, version, attributes)| {
            InstrumentationScope { name, version, attributes, ..InstrumentationScope::default() }
        });
    proptest::option::of(scope)
}

fn resources() -> impl Strategy<Value = Option<Resource>> {
    let resource =
        attributes().prop_map(|attributes| Resource { attributes, ..Resource::default() });
    proptest::option::of(resource)
}

/// Requests of any shape, small enough to be many.
pub(super) fn requests() -> impl Strategy<Value = ExportTraceServiceRequest> {
    let scope_spans = (scopes(), vec(spans(), 0..4)).prop_map(|(scope, spans)| ScopeSpans {
        scope,
        spans,
        schema_url: "s".to_owned(),
    });
    let resource_spans =
        (resources(), vec(scope_spans, 0..3)).prop_map(|(resource, scope_spans)| ResourceSpans {
            resource,
            scope_spans,
            ..ResourceSpans::default()
        });
    vec(resource_spans, 0..3)
        .prop_map(|resource_spans| ExportTraceServiceRequest { resource_spans })
}

fn log_records() -> impl Strategy<Value = LogRecord> {
    let event = prop_oneof!["[a-z]{0,3}", Just("wanted".to_owned())];
    let body = proptest::option::of(any_value());
    (any::<(u64, u64, i32)>(), event, body, attributes(), vec(any::<u8>(), 0..18)).prop_map(
        |((time, observed, severity), event_name, body, attributes, trace_id)| LogRecord {
            time_unix_nano: time,
            observed_time_unix_nano: observed,
            severity_number: severity,
            severity_text: "INFO".to_owned(),
            body,
            attributes,
            dropped_attributes_count: 1,
            flags: 1,
            span_id: vec![2; 8],
            trace_id,
            event_name,
        },
    )
}

/// The same of log records.
pub(super) fn log_requests() -> impl Strategy<Value = ExportLogsServiceRequest> {
    let scope_logs = (scopes(), vec(log_records(), 0..4))
        .prop_map(|(scope, log_records)| ScopeLogs { scope, log_records, ..ScopeLogs::default() });
    let resource_logs = (resources(), vec(scope_logs, 0..3)).prop_map(|(resource, scope_logs)| {
        ResourceLogs { resource, scope_logs, ..ResourceLogs::default() }
    });
    vec(resource_logs, 0..3).prop_map(|resource_logs| ExportLogsServiceRequest { resource_logs })
}

/// One kind of damage: a byte changed, put in or taken out, a piece repeated, the end cut off.
#[derive(Debug, Clone)]
pub(super) enum Damage {
    Change(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Repeat(prop::sample::Index, prop::sample::Index),
    Cut(prop::sample::Index),
}

pub(super) fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let index = any::<prop::sample::Index>;
    let damage = prop_oneof![
        (index(), any::<u8>()).prop_map(|(at, byte)| Damage::Change(at, byte)),
        (index(), any::<u8>()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        index().prop_map(Damage::Remove),
        (index(), index()).prop_map(|(from, to)| Damage::Repeat(from, to)),
        index().prop_map(Damage::Cut),
    ];
    vec(damage, 1..4)
}

impl Damage {
    pub(super) fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        match self {
            Self::Change(at, byte) => *at.get_mut(bytes) = *byte,
            Self::Insert(at, byte) => bytes.insert(at.index(bytes.len()), *byte),
            Self::Remove(at) => drop(bytes.remove(at.index(bytes.len()))),
            Self::Repeat(from, to) => {
                let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
                let piece = bytes[from.min(to)..from.max(to)].to_vec();
                let at = from.max(to);
                bytes.splice(at..at, piece);
            }
            Self::Cut(at) => bytes.truncate(at.index(bytes.len())),
        }
    }
}

/// What the reader makes of a value that prost has read.
pub(super) fn view_of_value(value: Option<&AnyValue>) -> Value<'_> {
    match value.and_then(|value| value.value.as_ref()) {
        None | Some(ProtoValue::StringValueStrindex(_)) => Value::Empty,
        Some(ProtoValue::StringValue(text)) => Value::String(text.into()),
        Some(ProtoValue::BoolValue(value)) => Value::Bool(*value),
        Some(ProtoValue::IntValue(value)) => Value::Int(*value),
        Some(ProtoValue::DoubleValue(value)) => Value::Double(*value),
        Some(ProtoValue::BytesValue(bytes)) => Value::Bytes(bytes.into()),
        Some(ProtoValue::ArrayValue(array)) => {
            Value::Array(array.values.iter().map(|value| view_of_value(Some(value))).collect())
        }
        Some(ProtoValue::KvlistValue(list)) => Value::Kvlist(view_of_pairs(&list.values)),
    }
}

/// The same of attributes.
pub(super) fn view_of_pairs(pairs: &[KeyValue]) -> Vec<(Cow<'_, str>, Value<'_>)> {
    let view = |pair| {
        let KeyValue { key, value, .. }: &KeyValue = pair;
        (Cow::from(key), view_of_value(value.as_ref()))
    };
    pairs.iter().map(view).collect()
}
