//! Walks an export request of spans or log records in OTLP's JSON and reads only those that are
//! wanted.
//!
//! The same two steps as in [`super::protobuf`]: each one is scanned, its grammar checked and
//! what may decide shown to the visitor; a wanted one is then read whole. Members are known by
//! their lowerCamelCase names and, because some senders write them so, by those of the protobuf
//! fields. Unknown members are ignored at any depth, nulls are absent, and a list or object that
//! is something else is an error that names it: nothing is silently read as nothing.

use std::borrow::Cow;

use super::DecodeError;
use super::json_text::{JsonText, Kind};
use super::read_json_span::Reader;
use super::span_view::{ResourceView, ScopeView};
use super::visitor::{Outline, Unread, Visitor, Wish};

type Read<T> = Result<T, DecodeError>;

/// Walks `request` and shows its spans to `visitor`. On an error the visitor may have seen a
/// part of the request: it must drop it.
///
/// # Errors
/// Where the request is no JSON, or a member that is looked at has another type than OTLP's.
pub(super) fn walk(request: &[u8], visitor: &mut impl Visitor) -> Read<()> {
    walk_items(request, &mut Spans(visitor))
}

/// Both kinds of request are built alike: items within scopes within resources.
pub(super) trait Items {
    /// Who takes what is told beside the items.
    type Outline: Outline;

    /// The members that hold resources, scopes and items, each in camel case and in snake case.
    const MEMBERS: [[&'static str; 2]; 3];

    /// Checks an item's grammar to its end, and tells what it is wanted for.
    fn wish(&self, json: &mut JsonText<'_>) -> Read<Wish>;

    /// Them.
    fn outline(&mut self) -> &mut Self::Outline;

    /// Reads a wanted item and shows it.
    fn show(
        &mut self,
        item: &[u8],
        reader: Reader,
        scope: &ScopeView<'_>,
        resource: &ResourceView<'_>,
    ) -> Read<()>;

    /// Reads the resource's client spans below others and shows them, if they are wanted.
    fn show_children(&mut self, _children: &[&[u8]]) {}
}

struct Spans<'v, V>(&'v mut V);

impl<V: Visitor> Items for Spans<'_, V> {
    type Outline = V;

    const MEMBERS: [[&'static str; 2]; 3] =
        [["resourceSpans", "resource_spans"], ["scopeSpans", "scope_spans"], ["spans", "spans"]];

    fn wish(&self, json: &mut JsonText<'_>) -> Read<Wish> {
        wish(json, self.0)
    }

    fn outline(&mut self) -> &mut V {
        self.0
    }

    fn show(
        &mut self,
        item: &[u8],
        reader: Reader,
        scope: &ScopeView<'_>,
        resource: &ResourceView<'_>,
    ) -> Read<()> {
        self.0.span(&reader.span(item)?, scope, resource);
        Ok(())
    }

    fn show_children(&mut self, children: &[&[u8]]) {
        if !self.0.wants_children() {
            return;
        }
        for child in children {
            // One that cannot be read is left out: it is nobody's call.
            if let Ok(span) = Reader::default().span(child) {
                self.0.child(&span);
            }
        }
    }
}

/// Walks a request of either kind.
pub(super) fn walk_items<I: Items>(request: &[u8], items: &mut I) -> Read<()> {
    let [resources, ..] = I::MEMBERS;
    let mut json = JsonText::of(request);
    if json.kind()? != Kind::Object {
        return Err(DecodeError::Shape("request"));
    }
    let (mut is_known, mut is_unknown) = (false, false);
    json.object("request", |json, key| {
        if resources.contains(&key) {
            is_known = true;
            return json.array(resources[0], |json| walk_resource(json, items));
        }
        is_unknown = true;
        json.skip().map(drop)
    })?;
    json.end()?;
    if is_unknown && !is_known {
        items.outline().nothing_known();
    }
    Ok(())
}

/// The wanted items of one scope, with the scope, still as text.
#[derive(Debug, Default)]
struct Wanted<'a> {
    scope: &'a [u8],
    items: Vec<&'a [u8]>,
    /// Client spans below others, which may be wanted as such.
    children: Vec<&'a [u8]>,
    /// The scope's items, wanted or not.
    seen: u64,
}

fn walk_resource<I: Items>(json: &mut JsonText<'_>, items: &mut I) -> Read<()> {
    let [resources, within, ..] = I::MEMBERS;
    let mut resource: &[u8] = b"null";
    let mut scopes = Vec::new();
    let mut children = Vec::new();
    let mut unread = Unread::default();
    let mut count = 0;
    json.object(resources[0], |json, key| {
        if key == "resource" {
            resource = json.skip()?;
            return Ok(());
        }
        if !within.contains(&key) {
            return json.skip().map(drop);
        }
        json.array(within[0], |json| {
            let mut wanted = scan_scope(json, items)?;
            count += wanted.seen;
            children.append(&mut wanted.children);
            if wanted.items.is_empty() {
                let name = || Reader::default().scope(wanted.scope).map(|scope| scope.name);
                unread.add(wanted.seen, name);
            } else {
                scopes.push(wanted);
            }
            Ok(())
        })
    })?;

    let mut reader = Reader::default();
    let resource = reader.resource(resource)?;
    items.outline().resource(resource.attributes.text("service.name").unwrap_or_default(), count);
    unread.show(|name, seen| items.outline().scope(name, seen));
    for wanted in scopes {
        let mut reader = reader.clone();
        let scope = reader.scope(wanted.scope)?;
        items.outline().scope(&scope.name, wanted.seen);
        for item in wanted.items {
            items.show(item, reader.clone(), &scope, &resource)?;
        }
    }
    items.show_children(&children);
    Ok(())
}

fn scan_scope<'a, I: Items>(json: &mut JsonText<'a>, items: &I) -> Read<Wanted<'a>> {
    let [_, within, each] = I::MEMBERS;
    let mut wanted = Wanted { scope: b"null", ..Wanted::default() };
    json.object(within[0], |json, key| {
        if key == "scope" {
            wanted.scope = json.skip()?;
            return Ok(());
        }
        if !each.contains(&key) {
            return json.skip().map(drop);
        }
        json.array(each[0], |json| {
            wanted.seen += 1;
            let before = json.clone();
            match items.wish(json)? {
                Wish::Whole => wanted.items.push(before.until(json)),
                Wish::Child => wanted.children.push(before.until(json)),
                Wish::Nothing => {}
            }
            Ok(())
        })
    })?;
    Ok(wanted)
}

/// Checks a span's grammar to its end, and tells whether the visitor wants it, or may want it as
/// a client span below another one.
fn wish(json: &mut JsonText<'_>, visitor: &impl Visitor) -> Read<Wish> {
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
    Ok(Wish::of(is_wanted, is_client && has_parent))
}

/// A text as bytes; none where it is null.
pub(super) fn text_bytes<'a>(json: &mut JsonText<'a>, field: &'static str) -> Read<Cow<'a, [u8]>> {
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
pub(super) mod tests;
