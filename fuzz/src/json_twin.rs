//! JSON against its protobuf twin: a request that prost can read is written as OTLP's JSON, in
//! one of the many ways in which senders write it, and must be read as the same.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use firstcall::otlp::Format;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as ProtoValue;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::Event;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status};
use prost::Message;

use super::protobuf::expected;
use super::shown::{Shown, Wanted};

/// Bytes of protobuf, if prost can read them, are the same request in JSON.
pub fn check(bytes: &[u8]) {
    let Ok(request) = ExportTraceServiceRequest::decode(bytes) else { return };
    let text = Writer::new(bytes).request(&request);
    for wanted in [Wanted::All, Wanted::Some] {
        let by_json = Shown::of(text.as_bytes(), Format::Json, wanted);
        assert_eq!(by_json.as_ref(), Ok(&expected(&request, wanted)), "{text}");
    }
}

/// Writes JSON, choosing among the ways of writing by numbers that depend on the request alone.
pub(crate) struct Writer(u64);

impl Writer {
    pub(crate) fn new(seed: &[u8]) -> Self {
        // Fowler, Noll and Vo's hash.
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(seed.iter().fold(0xcbf2_9ce4_8422_2325, mix) | 1)
    }

    /// A number below `most`.
    fn choose(&mut self, most: u64) -> u64 {
        // Marsaglia's xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) % most
    }

    fn request(&mut self, request: &ExportTraceServiceRequest) -> String {
        let list = self.list(&request.resource_spans, Self::resource_spans);
        self.whole("resourceSpans", list)
    }

    /// A whole request of one member.
    pub(crate) fn whole(&mut self, member: &str, list: Option<String>) -> String {
        let text = self.object(vec![(member, list)]);
        // Some writers begin with a byte order mark.
        if self.choose(8) == 0 { format!("\u{feff}{text}\n") } else { text }
    }

    fn resource_spans(&mut self, resource_spans: &ResourceSpans) -> String {
        let resource = self.resource(resource_spans.resource.as_ref());
        let scopes = self.list(&resource_spans.scope_spans, Self::scope_spans);
        self.object(vec![("resource", resource), ("scopeSpans", scopes)])
    }

    fn scope_spans(&mut self, scope_spans: &ScopeSpans) -> String {
        let scope = self.scope(scope_spans.scope.as_ref());
        let spans = self.list(&scope_spans.spans, Self::span);
        self.object(vec![("scope", scope), ("spans", spans)])
    }

    pub(crate) fn resource(&mut self, resource: Option<&Resource>) -> Option<String> {
        let attributes = self.list(&resource?.attributes, Self::pair);
        Some(self.object(vec![("attributes", attributes)]))
    }

    pub(crate) fn scope(&mut self, scope: Option<&InstrumentationScope>) -> Option<String> {
        let InstrumentationScope { name, version, .. } = scope?;
        let (name, version) = (self.text(name), self.text(version));
        Some(self.object(vec![("name", name), ("version", version)]))
    }

    fn span(&mut self, span: &Span) -> String {
        let kinds = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
        let members = vec![
            ("traceId", self.hex(&span.trace_id)),
            ("spanId", self.hex(&span.span_id)),
            ("parentSpanId", self.hex(&span.parent_span_id)),
            ("traceState", self.text(&span.trace_state)),
            ("name", self.text(&span.name)),
            ("kind", self.named(span.kind, "SPAN_KIND_", &kinds)),
            ("startTimeUnixNano", self.number(span.start_time_unix_nano)),
            ("endTimeUnixNano", self.number(span.end_time_unix_nano)),
            ("attributes", self.list(&span.attributes, Self::pair)),
            ("events", self.list(&span.events, Self::event)),
            ("status", span.status.as_ref().map(|status| self.status(status))),
            ("flags", self.number(span.flags)),
        ];
        self.object(members)
    }

    fn event(&mut self, event: &Event) -> String {
        let members = vec![
            ("timeUnixNano", self.number(event.time_unix_nano)),
            ("name", self.text(&event.name)),
            ("attributes", self.list(&event.attributes, Self::pair)),
        ];
        self.object(members)
    }

    fn status(&mut self, status: &Status) -> String {
        let code = self.named(status.code, "STATUS_CODE_", &["UNSET", "OK", "ERROR"]);
        let message = self.text(&status.message);
        self.object(vec![("code", code), ("message", message)])
    }

    pub(crate) fn pair(&mut self, pair: &KeyValue) -> String {
        let key = self.text(&pair.key);
        let value = pair.value.as_ref().map(|value| self.value(value));
        self.object(vec![("key", key), ("value", value)])
    }

    pub(crate) fn value(&mut self, value: &AnyValue) -> String {
        let Some(value) = &value.value else {
            return self.pick(&["{}", "null", r#"{"stringValue":null}"#]).to_owned();
        };
        let member = match value {
            ProtoValue::StringValue(text) => ("stringValue", self.written(text)),
            ProtoValue::BoolValue(value) => ("boolValue", value.to_string()),
            ProtoValue::IntValue(value) => ("intValue", self.quoted_or_not(&value.to_string())),
            ProtoValue::DoubleValue(value) => ("doubleValue", self.double(*value)),
            ProtoValue::ArrayValue(array) => {
                let values = self.list(&array.values, Self::value);
                ("arrayValue", self.object(vec![("values", values)]))
            }
            ProtoValue::KvlistValue(list) => {
                let values = self.list(&list.values, Self::pair);
                ("kvlistValue", self.object(vec![("values", values)]))
            }
            ProtoValue::BytesValue(bytes) => {
                let engines = [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD];
                let at = usize::try_from(self.choose(4)).unwrap_or(0);
                ("bytesValue", format!("\"{}\"", engines[at].encode(bytes)))
            }
            ProtoValue::StringValueStrindex(index) => {
                ("stringValueStrindex", self.quoted_or_not(&index.to_string()))
            }
        };
        self.object(vec![(member.0, Some(member.1))])
    }

    /// An object of those members that are there, each under either of its names.
    pub(crate) fn object(&mut self, mut members: Vec<(&str, Option<String>)>) -> String {
        if self.choose(4) == 0 {
            members.reverse();
        }
        if self.choose(8) == 0 {
            members
                .push(("notYetKnown", Some(r#"{"a":[null,{"b":"\u0000"}],"c":-0.5e-3}"#.into())));
        }
        let is_snake = self.choose(4) == 0;
        let mut written = Vec::new();
        for (name, value) in members {
            let value = match value {
                Some(value) => value,
                None if self.choose(2) == 0 => "null".to_owned(),
                None => continue,
            };
            let blank = self.pick(&["", "", " ", "\r\n\t"]);
            written.push(if is_snake {
                format!("{blank}\"{}\"{blank}:{blank}{value}{blank}", snake(name))
            } else {
                format!("{blank}\"{name}\":{value}{blank}")
            });
        }
        format!("{{{}}}", written.join(","))
    }

    /// A list; one that is empty may also be left out.
    pub(crate) fn list<T>(
        &mut self,
        items: &[T],
        write: fn(&mut Self, &T) -> String,
    ) -> Option<String> {
        if items.is_empty() && self.choose(2) == 0 {
            return None;
        }
        let items: Vec<_> = items.iter().map(|item| write(self, item)).collect();
        Some(format!("[{}]", items.join(self.pick(&[",", ", "]))))
    }

    /// A text; one that is empty may also be left out.
    pub(crate) fn text(&mut self, text: &str) -> Option<String> {
        (!text.is_empty() || self.choose(2) == 0).then(|| self.written(text))
    }

    fn written(&mut self, text: &str) -> String {
        if self.choose(3) > 0 {
            return serde_json::Value::from(text).to_string();
        }
        let mut written = String::from("\"");
        for unit in text.encode_utf16() {
            // Writing to a string cannot fail.
            if self.choose(2) == 0 {
                write!(written, "\\u{unit:04x}").ok();
            } else {
                write!(written, "\\u{unit:04X}").ok();
            }
        }
        written + "\""
    }

    pub(crate) fn hex(&mut self, bytes: &[u8]) -> Option<String> {
        if bytes.is_empty() && self.choose(2) == 0 {
            return None;
        }
        let mut hex = String::new();
        for byte in bytes {
            // Writing to a string cannot fail.
            write!(hex, "{byte:02x}").ok();
        }
        Some(format!("\"{}\"", if self.choose(2) == 0 { hex } else { hex.to_uppercase() }))
    }

    pub(crate) fn number(&mut self, number: impl std::fmt::Display) -> Option<String> {
        let written = number.to_string();
        if written == "0" && self.choose(2) == 0 {
            return None;
        }
        Some(self.quoted_or_not(&written))
    }

    fn named(&mut self, number: i32, prefix: &str, names: &[&str]) -> Option<String> {
        let name = usize::try_from(number).ok().and_then(|at| names.get(at));
        match name {
            Some(name) if self.choose(3) == 0 => Some(format!("\"{prefix}{name}\"")),
            _ => self.number(number),
        }
    }

    fn double(&mut self, value: f64) -> String {
        let written = match value {
            _ if value.is_nan() => return "\"NaN\"".to_owned(),
            f64::INFINITY => return "\"Infinity\"".to_owned(),
            f64::NEG_INFINITY => return "\"-Infinity\"".to_owned(),
            // The shortest digits that are this number again.
            _ => format!("{value:?}"),
        };
        self.quoted_or_not(&written)
    }

    fn quoted_or_not(&mut self, written: &str) -> String {
        if self.choose(2) == 0 { format!("\"{written}\"") } else { written.to_owned() }
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.choose(choices.len() as u64)).unwrap_or(0);
        choices.get(at).copied().unwrap_or_default()
    }
}

/// `camelCase` as `snake_case`.
fn snake(name: &str) -> String {
    let letter = |letter: char| match letter {
        'A'..='Z' => format!("_{}", letter.to_ascii_lowercase()),
        _ => letter.to_string(),
    };
    name.chars().map(letter).collect()
}
