//! An OTLP/JSON traces request as borrowed views, for tests.

use std::borrow::Cow;

use firstcall::call::SpanKind;
use firstcall::otlp::{
    Attributes, EventView, ResourceView, ScopeView, SpanView, StatusCode, StatusView, Value,
};
use serde_json::Value as Json;

/// A request's spans, each with its resource and scope.
pub(crate) struct Body {
    pub(crate) spans: Vec<(ResourceView<'static>, ScopeView<'static>, SpanView<'static>)>,
}

impl Body {
    /// Reads OTLP/JSON: lowerCamelCase names, hex ids, 64-bit numbers as text.
    pub(crate) fn from_json(text: &str) -> Self {
        let request: Json = serde_json::from_str(text).unwrap();
        let mut spans = Vec::new();
        for resource_spans in list(&request, "resourceSpans") {
            let resource = ResourceView { attributes: attributes(resource_spans.get("resource")) };
            for scope_spans in list(resource_spans, "scopeSpans") {
                let scope = scope_spans.get("scope").unwrap_or(&Json::Null);
                let scope =
                    ScopeView { name: text_of(scope, "name"), version: text_of(scope, "version") };
                for each in list(scope_spans, "spans") {
                    spans.push((resource.clone(), scope.clone(), span(each)));
                }
            }
        }
        Self { spans }
    }
}

fn list<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json.get(key).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn text_of(json: &Json, key: &str) -> Cow<'static, str> {
    Cow::Owned(json.get(key).and_then(Json::as_str).unwrap_or_default().to_owned())
}

fn bytes_of(json: &Json, key: &str) -> Cow<'static, [u8]> {
    let hex = text_of(json, key);
    let pairs = (0..hex.len()).step_by(2);
    Cow::Owned(
        pairs.map(|at| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap()).collect(),
    )
}

fn nanos(json: &Json, key: &str) -> u64 {
    json.get(key).and_then(Json::as_str).map_or(0, |text| text.parse().unwrap())
}

fn span(json: &Json) -> SpanView<'static> {
    let status = json.get("status").unwrap_or(&Json::Null);
    let kind = json.get("kind").and_then(Json::as_u64).unwrap_or_default();
    SpanView {
        trace_id: bytes_of(json, "traceId"),
        span_id: bytes_of(json, "spanId"),
        parent_span_id: bytes_of(json, "parentSpanId"),
        trace_state: text_of(json, "traceState"),
        name: text_of(json, "name"),
        kind: SpanKind::from_index(u8::try_from(kind).unwrap()).unwrap(),
        start_unix_nanos: nanos(json, "startTimeUnixNano"),
        end_unix_nanos: nanos(json, "endTimeUnixNano"),
        attributes: attributes(Some(json)),
        events: list(json, "events")
            .iter()
            .map(|event| EventView {
                name: text_of(event, "name"),
                attributes: attributes(Some(event)),
            })
            .collect(),
        status: StatusView {
            code: match status.get("code").and_then(Json::as_u64) {
                Some(1) => StatusCode::Ok,
                Some(2) => StatusCode::Error,
                _ => StatusCode::Unset,
            },
            message: text_of(status, "message"),
        },
        is_utf8_repaired: false,
    }
}

fn attributes(holder: Option<&Json>) -> Attributes<'static> {
    Attributes::new(holder.map(|holder| pairs(list(holder, "attributes"))).unwrap_or_default())
}

fn pairs(list: &[Json]) -> Vec<(Cow<'static, str>, Value<'static>)> {
    list.iter().map(|pair| (text_of(pair, "key"), value(&pair["value"]))).collect()
}

fn value(json: &Json) -> Value<'static> {
    let Some((kind, inner)) = json.as_object().and_then(|object| object.iter().next()) else {
        return Value::Empty;
    };
    match kind.as_str() {
        "stringValue" => Value::String(Cow::Owned(inner.as_str().unwrap().to_owned())),
        "boolValue" => Value::Bool(inner.as_bool().unwrap()),
        "intValue" => Value::Int(match inner {
            Json::String(text) => text.parse().unwrap(),
            number => number.as_i64().unwrap(),
        }),
        "doubleValue" => Value::Double(inner.as_f64().unwrap()),
        "arrayValue" => Value::Array(list(inner, "values").iter().map(value).collect()),
        "kvlistValue" => Value::Kvlist(pairs(list(inner, "values"))),
        other => panic!("unknown value {other}"),
    }
}
