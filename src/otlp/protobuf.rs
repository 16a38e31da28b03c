//! Walks the bytes of an export request of spans or log records and reads only those that are
//! wanted.
//!
//! Each one is first scanned: its framing is checked and what may decide is shown to the visitor:
//! of a span its name and attribute keys, of a log record its event's name. Only one that it wants
//! is read whole; of the others nothing is decoded or copied. The framing of every message is
//! checked to its end, whether wanted or not, so a damaged request is refused as a whole and never
//! acknowledged in part. The bytes inside attribute values, and below events and links, are opened
//! only where they are wanted.

use std::borrow::Cow;

use super::DecodeError;
use super::read_span::{Reader, scope_name, service_name};
use super::span_view::{ResourceView, ScopeView};
use super::visitor::{Outline, Unread, Visitor, Wish};
use super::wire::{Fields, check, touch};

/// Walks `request` and shows its spans to `visitor`. On an error the visitor may have seen a
/// part of the request: it must drop it.
///
/// # Errors
/// Where the framing of any message in the request is broken.
pub(super) fn walk(request: &[u8], visitor: &mut impl Visitor) -> Result<(), DecodeError> {
    walk_items(request, &mut Spans(visitor))
}

/// Both kinds of request are built alike: items within scopes within resources, under the same
/// field numbers.
pub(super) trait Items {
    /// Who takes what is told beside the items.
    type Outline: Outline;

    /// Checks an item's framing to its end, and tells what it is wanted for.
    fn wish(&self, item: &[u8]) -> Result<Wish, DecodeError>;

    /// Them.
    fn outline(&mut self) -> &mut Self::Outline;

    /// Reads a wanted item and shows it.
    fn show(
        &mut self,
        item: &[u8],
        reader: Reader,
        scope: &ScopeView<'_>,
        resource: &ResourceView<'_>,
    ) -> Result<(), DecodeError>;

    /// Reads the resource's client spans below others and shows them, if they are wanted.
    fn show_children(&mut self, _children: &[&[u8]]) {}
}

struct Spans<'v, V>(&'v mut V);

impl<V: Visitor> Items for Spans<'_, V> {
    type Outline = V;

    fn wish(&self, item: &[u8]) -> Result<Wish, DecodeError> {
        wish(item, self.0)
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
    ) -> Result<(), DecodeError> {
        self.0.span(&reader.span(item)?, scope, resource);
        Ok(())
    }

    fn show_children(&mut self, children: &[&[u8]]) {
        if children.is_empty() || !self.0.wants_children() {
            return;
        }
        let mut pairs = Vec::new();
        for child in children {
            let reader = Reader::default();
            // One that cannot be read is left out: its framing holds, and it is nobody's call.
            if let Ok(span) = reader.child(child, pairs, |key| self.0.is_child_key(key)) {
                self.0.child(&span);
                pairs = span.attributes.into_pairs();
            } else {
                pairs = Vec::new();
            }
        }
    }
}

/// Walks a request of either kind.
pub(super) fn walk_items(request: &[u8], items: &mut impl Items) -> Result<(), DecodeError> {
    let mut fields = Fields::of(request);
    while let Some((number, field)) = fields.next()? {
        if number == 1 {
            walk_resource(field.bytes()?, items)?;
        }
    }
    Ok(())
}

/// The items of one scope that are wanted, still as bytes. The scope may be sent after its
/// items, and in several parts that merge, so items are read when the whole message is known.
#[derive(Debug, Default)]
struct Wanted<'a> {
    scope_parts: Vec<&'a [u8]>,
    items: Vec<&'a [u8]>,
    /// Client spans below others, which may be wanted as such.
    children: Vec<&'a [u8]>,
    /// The scope's items, wanted or not.
    seen: u64,
}

fn walk_resource(message: &[u8], items: &mut impl Items) -> Result<(), DecodeError> {
    let mut resource_parts = Vec::new();
    let mut scopes = Vec::new();
    let mut children = Vec::new();
    let mut unread = Unread::default();
    let mut count = 0;
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => resource_parts.push(field.bytes()?),
            2 => {
                let mut wanted = scan_scope(field.bytes()?, items)?;
                count += wanted.seen;
                children.append(&mut wanted.children);
                if wanted.items.is_empty() {
                    unread.add(wanted.seen, || scope_name(&wanted.scope_parts));
                } else {
                    scopes.push(wanted);
                }
            }
            _ => {}
        }
    }

    if scopes.is_empty() {
        let name = service_name(&resource_parts)?;
        items.outline().resource(&name.unwrap_or(Cow::Borrowed("")), count);
        unread.show(|name, seen| items.outline().scope(name, seen));
        items.show_children(&children);
        return Ok(());
    }
    let mut reader = Reader::default();
    let resource = reader.resource(&resource_parts)?;
    items.outline().resource(resource.attributes.text("service.name").unwrap_or_default(), count);
    unread.show(|name, seen| items.outline().scope(name, seen));
    for wanted in scopes {
        let mut reader = reader.clone();
        let scope = reader.scope(&wanted.scope_parts)?;
        items.outline().scope(&scope.name, wanted.seen);
        for item in wanted.items {
            items.show(item, reader.clone(), &scope, &resource)?;
        }
    }
    items.show_children(&children);
    Ok(())
}

fn scan_scope<'a>(message: &'a [u8], items: &impl Items) -> Result<Wanted<'a>, DecodeError> {
    let mut wanted = Wanted::default();
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => {
                let scope = field.bytes()?;
                check(scope)?;
                wanted.scope_parts.push(scope);
            }
            2 => {
                let item = field.bytes()?;
                wanted.seen += 1;
                match items.wish(item)? {
                    Wish::Whole => wanted.items.push(item),
                    Wish::Child => wanted.children.push(item),
                    Wish::Nothing => {}
                }
            }
            _ => {}
        }
    }
    Ok(wanted)
}

/// Checks a span's framing to its end, and tells whether the visitor wants it, or may want it as
/// a client span below another one.
fn wish(span: &[u8], visitor: &impl Visitor) -> Result<Wish, DecodeError> {
    const CLIENT: u64 = 3;
    const TRACE_ID: u8 = 0x0a;
    const SPAN_ID: u8 = 0x12;
    const ATTRIBUTE: u8 = 0x4a;
    touch(span);
    let (mut is_wanted, mut is_client, mut has_parent) = (false, false, false);
    let mut fields = Fields::of(span);
    // As libraries begin; whatever the order, the fields are the same.
    fields.next_if(TRACE_ID)?;
    fields.next_if(SPAN_ID)?;
    loop {
        while let Some(pair) = fields.next_if(ATTRIBUTE)? {
            is_wanted |= is_deciding(pair, visitor)?;
        }
        let Some((number, field)) = fields.next()? else { break };
        match number {
            4 => has_parent = field.bytes().is_ok_and(|id| id.len() == 8),
            6 => is_client = field.varint().is_ok_and(|kind| kind == CLIENT),
            5 => {
                let name = field.bytes()?;
                is_wanted = is_wanted || visitor.is_deciding_name(name);
            }
            9 => is_wanted |= is_deciding(field.bytes()?, visitor)?,
            // Events, links and the status are messages too: whole fields, or no answer.
            11 | 13 | 15 => check(field.bytes()?)?,
            _ => {}
        }
    }
    Ok(Wish::of(is_wanted, is_client && has_parent))
}

/// Checks an attribute's framing to its end, and tells whether it makes its span wanted.
#[inline]
fn is_deciding(pair: &[u8], visitor: &impl Visitor) -> Result<bool, DecodeError> {
    match plain_pair(pair) {
        Some((key, _)) if !visitor.is_deciding_key(key) => Ok(false),
        Some((key, value)) => {
            Ok(text_of(value)?.is_none_or(|text| visitor.is_deciding_text(key, text)))
        }
        None => is_deciding_by_key(pair, visitor),
    }
}

/// The same of an attribute that is written in an unusual way, by its key alone.
#[cold]
fn is_deciding_by_key(pair: &[u8], visitor: &impl Visitor) -> Result<bool, DecodeError> {
    let mut is_deciding = false;
    let mut fields = Fields::of(pair);
    while let Some((number, field)) = fields.next()? {
        if number == 1 {
            is_deciding |= visitor.is_deciding_key(field.bytes()?);
        }
    }
    Ok(is_deciding)
}

/// The key and the value's bytes of an attribute in the form in which libraries write it: a key
/// of up to 127 bytes, a value, and nothing else.
#[inline]
pub(super) fn plain_pair(pair: &[u8]) -> Option<(&[u8], &[u8])> {
    let ([0x0a, key_len @ 0..0x80], rest) = pair.split_first_chunk()? else { return None };
    let (key, rest) = rest.split_at_checked(usize::from(*key_len))?;
    let (len, value) = match rest {
        [0x12, len @ 0..0x80, value @ ..] => (usize::from(*len), value),
        [0x12, low, high @ 0..0x80, value @ ..] => {
            (usize::from(*low & 0x7f) | usize::from(*high) << 7, value)
        }
        _ => return None,
    };
    (value.len() == len).then_some((key, value))
}

/// The text that a value is; none where it is no text, or could yet become another value.
fn text_of(value: &[u8]) -> Result<Option<&[u8]>, DecodeError> {
    let mut fields = Fields::of(value);
    let Some((1, text)) = fields.next()? else { return Ok(None) };
    if fields.next()?.is_some() {
        return Ok(None);
    }
    text.bytes().map(Some)
}

#[cfg(test)]
#[path = "protobuf_tests.rs"]
mod tests;
