//! Mixed agent traffic: of ten spans one is a tool call, two or three are calls of a model, the
//! rest are requests of a web service. Forty-eight different requests of 512 spans and about a
//! megabyte each, so that they do not stay in the processor's cache.

use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;

/// Different requests.
pub(crate) const REQUESTS: u64 = 48;
/// Spans in each.
pub(crate) const SPANS: u64 = 512;

/// The requests, encoded.
pub(crate) fn requests() -> Vec<Bytes> {
    (0..REQUESTS).map(|number| Bytes::from(request(number).encode_to_vec())).collect()
}

/// Numbers without a pattern, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        // Steele, Lea and Flood's splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn text(&mut self, len: usize) -> String {
        const WORDS: [&str; 16] = [
            "order", "list", "the", "user", "of", "search", "tool", "and", "result", "page",
            "error", "in", "query", "a", "price", "to",
        ];
        let mut text = String::with_capacity(len + 8);
        while text.len() < len {
            let word = usize::try_from(self.next() % 16).unwrap_or(0);
            text.push_str(WORDS.get(word).copied().unwrap_or_default());
            text.push(' ');
        }
        text.truncate(len);
        text
    }
}

fn request(number: u64) -> ExportTraceServiceRequest {
    let mut numbers = Numbers(number);
    let spans = (0..SPANS).map(|at| span(number * SPANS + at, &mut numbers)).collect();
    let resource = Resource {
        attributes: vec![
            text("service.name", "agent".to_owned()),
            text("service.version", "1.2.3".to_owned()),
            text("host.name", "worker-17".to_owned()),
            text("telemetry.sdk.language", "python".to_owned()),
        ],
        ..Resource::default()
    };
    let scope = InstrumentationScope {
        name: "agent.instrumentation".to_owned(),
        version: "0.9".to_owned(),
        ..InstrumentationScope::default()
    };
    let scope_spans = ScopeSpans { scope: Some(scope), spans, ..ScopeSpans::default() };
    let resource_spans = ResourceSpans {
        resource: Some(resource),
        scope_spans: vec![scope_spans],
        ..ResourceSpans::default()
    };
    ExportTraceServiceRequest { resource_spans: vec![resource_spans] }
}

fn span(number: u64, numbers: &mut Numbers) -> Span {
    let start = 1_795_953_600_000_000_000 + number * 1_000_000;
    let (name, attributes) = match number % 40 {
        0..4 => ("execute_tool search_orders", tool_call(number, numbers)),
        4..13 => ("chat gpt", model_call(number, numbers)),
        _ => ("GET /orders/{id}", web_request(numbers)),
    };
    Span {
        trace_id: [numbers.next().to_be_bytes(), (number | 1).to_be_bytes()].concat(),
        span_id: (number + 1).to_be_bytes().to_vec(),
        parent_span_id: (numbers.next() | 1).to_be_bytes().to_vec(),
        name: name.to_owned(),
        kind: 3,
        start_time_unix_nano: start,
        end_time_unix_nano: start + 250_000_000,
        attributes,
        ..Span::default()
    }
}

fn tool_call(number: u64, numbers: &mut Numbers) -> Vec<KeyValue> {
    let arguments = format!(
        r#"{{"query":"{}","limit":{},"filters":{{"status":"open","since":"2026-11-01"}}}}"#,
        numbers.text(220),
        numbers.next() % 100,
    );
    let mut attributes = vec![
        text("gen_ai.operation.name", "execute_tool".to_owned()),
        text("gen_ai.tool.name", format!("search_orders_{}", number % 20)),
        text("gen_ai.tool.type", "function".to_owned()),
        text("gen_ai.tool.call.id", format!("call_{number}")),
        text("gen_ai.tool.call.arguments", arguments),
        text("gen_ai.tool.call.result", numbers.text(2000)),
        text("gen_ai.conversation.id", format!("conversation-{}", number % 997)),
    ];
    attributes.extend((0..8).map(|at| text(&format!("app.label.{at}"), numbers.text(12))));
    attributes
}

fn model_call(number: u64, numbers: &mut Numbers) -> Vec<KeyValue> {
    let mut attributes = vec![
        text("gen_ai.operation.name", "chat".to_owned()),
        text("gen_ai.request.model", "model-large".to_owned()),
        text("gen_ai.conversation.id", format!("conversation-{}", number % 997)),
        text("gen_ai.input.messages", numbers.text(4000)),
        text("gen_ai.output.messages", numbers.text(800)),
        integer("gen_ai.usage.input_tokens", number % 5000),
        integer("gen_ai.usage.output_tokens", number % 700),
    ];
    attributes.extend((0..5).map(|at| text(&format!("app.label.{at}"), numbers.text(12))));
    attributes
}

fn web_request(numbers: &mut Numbers) -> Vec<KeyValue> {
    let mut attributes = vec![
        text("http.request.method", "GET".to_owned()),
        text("http.route", "/orders/{id}".to_owned()),
        text("url.full", format!("https://shop.example/orders/{}", numbers.next())),
        integer("http.response.status_code", 200),
        text("user_agent.original", numbers.text(80)),
    ];
    attributes.extend((0..7).map(|at| text(&format!("app.label.{at}"), numbers.text(12))));
    attributes
}

fn text(key: &str, value: String) -> KeyValue {
    pair(key, any_value::Value::StringValue(value))
}

fn integer(key: &str, value: u64) -> KeyValue {
    pair(key, any_value::Value::IntValue(value.cast_signed()))
}

fn pair(key: &str, value: any_value::Value) -> KeyValue {
    let value = Some(AnyValue { value: Some(value) });
    KeyValue { key: key.to_owned(), value, ..KeyValue::default() }
}
