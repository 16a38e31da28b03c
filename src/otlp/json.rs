//! Walks an `ExportTraceServiceRequest` in OTLP's JSON and reads only the spans that are wanted.
//!
//! The same two steps as in [`super::protobuf`]: each span is scanned, its grammar checked and
//! its name and keys shown to the visitor; a wanted one is then read whole. Members are known by
//! their lowerCamelCase names and, because some senders write them so, by those of the protobuf
//! fields. Unknown members are ignored at any depth, nulls are absent, and a list or object that
//! is something else is an error that names it: nothing is silently read as nothing.

use std::borrow::Cow;

use super::DecodeError;
use super::json_text::{JsonText, Kind};
use super::read_json_span::Reader;
use super::visitor::{Unread, Visitor};

type Read<T> = Result<T, DecodeError>;

/// Walks `request` and shows its spans to `visitor`. On an error the visitor may have seen a
/// part of the request: it must drop it.
///
/// # Errors
/// Where the request is no JSON, or a member that is looked at has another type than OTLP's.
pub(super) fn walk(request: &[u8], visitor: &mut impl Visitor) -> Read<()> {
    let mut json = JsonText::of(request);
    if json.kind()? != Kind::Object {
        return Err(DecodeError::Shape("request"));
    }
    json.object("request", |json, key| match key {
        "resourceSpans" | "resource_spans" => {
            json.array("resourceSpans", |json| walk_resource_spans(json, visitor))
        }
        _ => json.skip().map(drop),
    })?;
    json.end()
}

/// The wanted spans of one scope, with the scope, still as text.
#[derive(Debug, Default)]
struct Wanted<'a> {
    scope: &'a [u8],
    spans: Vec<&'a [u8]>,
    /// Client spans below others, which may be wanted as such.
    children: Vec<&'a [u8]>,
    /// The scope's spans, wanted or not.
    seen: u64,
}

fn walk_resource_spans(json: &mut JsonText<'_>, visitor: &mut impl Visitor) -> Read<()> {
    let mut resource: &[u8] = b"null";
    let mut scopes = Vec::new();
    let mut children = Vec::new();
    let mut unread = Unread::default();
    let mut spans = 0;
    json.object("resourceSpans", |json, key| match key {
        "resource" => {
            resource = json.skip()?;
            Ok(())
        }
        "scopeSpans" | "scope_spans" => json.array("scopeSpans", |json| {
            let mut wanted = scan_scope_spans(json, visitor)?;
            spans += wanted.seen;
            children.append(&mut wanted.children);
            if wanted.spans.is_empty() {
                let name = || Reader::default().scope(wanted.scope).map(|scope| scope.name);
                unread.add(wanted.seen, name);
            } else {
                scopes.push(wanted);
            }
            Ok(())
        }),
        _ => json.skip().map(drop),
    })?;

    let mut reader = Reader::default();
    let resource = reader.resource(resource)?;
    visitor.resource(resource.attributes.text("service.name").unwrap_or_default(), spans);
    unread.show_to(visitor);
    for wanted in scopes {
        let mut reader = reader.clone();
        let scope = reader.scope(wanted.scope)?;
        visitor.scope(&scope.name, wanted.seen);
        for span in wanted.spans {
            visitor.span(&reader.clone().span(span)?, &scope, &resource);
        }
    }
    if visitor.wants_children() {
        // One that cannot be read is left out: it is nobody's call.
        for child in children {
            if let Ok(span) = Reader::default().span(child) {
                visitor.child(&span);
            }
        }
    }
    Ok(())
}

fn scan_scope_spans<'a>(json: &mut JsonText<'a>, visitor: &impl Visitor) -> Read<Wanted<'a>> {
    let mut wanted = Wanted { scope: b"null", ..Wanted::default() };
    json.object("scopeSpans", |json, key| match key {
        "scope" => {
            wanted.scope = json.skip()?;
            Ok(())
        }
        "spans" => json.array("spans", |json| {
            wanted.seen += 1;
            let before = json.clone();
            let (is_wanted, is_child) = wishes(json, visitor)?;
            if is_wanted {
                wanted.spans.push(before.until(json));
            } else if is_child {
                wanted.children.push(before.until(json));
            }
            Ok(())
        }),
        _ => json.skip().map(drop),
    })?;
    Ok(wanted)
}

/// Checks a span's grammar to its end, and tells whether the visitor wants it, and whether it is a
/// client span below another one.
fn wishes(json: &mut JsonText<'_>, visitor: &impl Visitor) -> Read<(bool, bool)> {
    const CLIENT: [&[u8]; 3] = [b"3", br#""3""#, br#""SPAN_KIND_CLIENT""#];
    let (mut is_wanted, mut is_client, mut has_parent) = (false, false, false);
    json.object("spans", |json, key| match key {
        "name" => {
            let name = text_bytes(json, "name")?;
            is_wanted |= visitor.is_deciding_name(&name);
            Ok(())
        }
        "kind" => {
            is_client = CLIENT.contains(&json.skip()?);
            Ok(())
        }
        "parentSpanId" | "parent_span_id" => {
            // Sixteen digits within quotes.
            has_parent = json.skip()?.len() == 18;
            Ok(())
        }
        "attributes" => json.array("attributes", |json| {
            json.object("attributes", |json, member| {
                if member != "key" {
                    return json.skip().map(drop);
                }
                let key = text_bytes(json, "key")?;
                is_wanted |= visitor.is_deciding_key(&key);
                Ok(())
            })
        }),
        _ => json.skip().map(drop),
    })?;
    Ok((is_wanted, is_client && has_parent))
}

/// A text as bytes; none where it is null.
fn text_bytes<'a>(json: &mut JsonText<'a>, field: &'static str) -> Read<Cow<'a, [u8]>> {
    match json.kind()? {
        Kind::Null => json.word(b"null").map(|()| Cow::default()),
        Kind::Text => {
            let text = json.text()?;
            Ok(match text.plain() {
                Some(bytes) => Cow::Borrowed(bytes),
                None => Cow::Owned(text.unescaped().into_owned().into_bytes()),
            })
        }
        _ => Err(DecodeError::Shape(field)),
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
