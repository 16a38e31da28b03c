//! Walks the bytes of an `ExportTraceServiceRequest` and reads only the spans that are wanted.
//!
//! Each span is first scanned: its framing is checked and its name and attribute keys are shown
//! to the visitor. Only a span that it wants is read whole; of the others nothing is decoded or
//! copied. The framing of every message is checked to its end, whether wanted or not, so a
//! damaged request is refused as a whole and never acknowledged in part. The bytes inside
//! attribute values, and below events and links, are opened only where they are wanted.

use std::borrow::Cow;

use super::DecodeError;
use super::read_span::{Reader, service_name};
use super::visitor::Visitor;
use super::wire::{Fields, check};

/// Walks `request` and shows its spans to `visitor`. On an error the visitor may have seen a
/// part of the request: it must drop it.
///
/// # Errors
/// Where the framing of any message in the request is broken.
pub(super) fn walk(request: &[u8], visitor: &mut impl Visitor) -> Result<(), DecodeError> {
    let mut fields = Fields::of(request);
    while let Some((number, field)) = fields.next()? {
        if number == 1 {
            walk_resource_spans(field.bytes()?, visitor)?;
        }
    }
    Ok(())
}

/// The spans of one scope that are wanted, still as bytes. The scope may be sent after its
/// spans, and in several parts that merge, so spans are read when the whole message is known.
#[derive(Debug, Default)]
struct Wanted<'a> {
    scope_parts: Vec<&'a [u8]>,
    spans: Vec<&'a [u8]>,
}

fn walk_resource_spans(message: &[u8], visitor: &mut impl Visitor) -> Result<(), DecodeError> {
    let mut resource_parts = Vec::new();
    let mut scopes = Vec::new();
    let mut spans = 0;
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => resource_parts.push(field.bytes()?),
            2 => {
                let (wanted, seen) = scan_scope_spans(field.bytes()?, visitor)?;
                spans += seen;
                if !wanted.spans.is_empty() {
                    scopes.push(wanted);
                }
            }
            _ => {}
        }
    }

    if scopes.is_empty() {
        let name = service_name(&resource_parts)?;
        visitor.resource(&name.unwrap_or(Cow::Borrowed("")), spans);
        return Ok(());
    }
    let mut reader = Reader::default();
    let resource = reader.resource(&resource_parts)?;
    visitor.resource(resource.attributes.text("service.name").unwrap_or_default(), spans);
    for wanted in scopes {
        let mut reader = reader.clone();
        let scope = reader.scope(&wanted.scope_parts)?;
        for span in wanted.spans {
            visitor.span(&reader.clone().span(span)?, &scope, &resource);
        }
    }
    Ok(())
}

fn scan_scope_spans<'a>(
    message: &'a [u8],
    visitor: &impl Visitor,
) -> Result<(Wanted<'a>, u64), DecodeError> {
    let mut wanted = Wanted::default();
    let mut seen = 0;
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => {
                let scope = field.bytes()?;
                check(scope)?;
                wanted.scope_parts.push(scope);
            }
            2 => {
                let span = field.bytes()?;
                seen += 1;
                if is_wanted(span, visitor)? {
                    wanted.spans.push(span);
                }
            }
            _ => {}
        }
    }
    Ok((wanted, seen))
}

/// Checks a span's framing to its end, and tells whether the visitor wants it.
fn is_wanted(span: &[u8], visitor: &impl Visitor) -> Result<bool, DecodeError> {
    let mut is_wanted = false;
    let mut fields = Fields::of(span);
    while let Some((number, field)) = fields.next()? {
        match number {
            5 => is_wanted |= visitor.is_deciding_name(field.bytes()?),
            9 => {
                let mut pair = Fields::of(field.bytes()?);
                while let Some((number, field)) = pair.next()? {
                    if number == 1 {
                        is_wanted |= visitor.is_deciding_key(field.bytes()?);
                    }
                }
            }
            // Events, links and the status are messages too: whole fields, or no answer.
            11 | 13 | 15 => check(field.bytes()?)?,
            _ => {}
        }
    }
    Ok(is_wanted)
}

#[cfg(test)]
#[path = "protobuf_tests.rs"]
mod tests;
