//! Log records in protobuf: which are wanted, and reading those whole.

use std::borrow::Cow;

use super::DecodeError;
use super::log_view::{EVENT_NAME, LogView};
use super::protobuf::{Items, plain_pair, walk_items};
use super::read_span::{MAX_VALUES, Reader};
use super::span_view::{ResourceView, ScopeView};
use super::value::Attributes;
use super::visitor::{LogVisitor, Wish};
use super::wire::Fields;

/// Walks `request` and shows its log records to `visitor`. On an error the visitor may have seen
/// a part of the request: it must drop it.
///
/// # Errors
/// Where the framing of any message in the request is broken.
pub(super) fn walk(request: &[u8], visitor: &mut impl LogVisitor) -> Result<(), DecodeError> {
    walk_items(request, &mut Records(visitor))
}

struct Records<'v, V>(&'v mut V);

impl<V: LogVisitor> Items for Records<'_, V> {
    type Outline = V;

    fn wish(&self, item: &[u8]) -> Result<Wish, DecodeError> {
        Ok(Wish::of(is_wanted(item, self.0)?, false))
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
        self.0.log(reader.log(item)?, scope, resource);
        Ok(())
    }
}

/// Checks a record's framing to its end, and tells whether the visitor wants it.
fn is_wanted(record: &[u8], visitor: &impl LogVisitor) -> Result<bool, DecodeError> {
    let mut is_wanted = false;
    let mut fields = Fields::of(record);
    while let Some((number, field)) = fields.next()? {
        match number {
            // The wire types of the fields that tell a record from a span.
            1 | 11 => drop(field.fixed64()?),
            5 => {
                let text = text_of(field.bytes()?)?;
                is_wanted |= text.is_some_and(|text| visitor.is_deciding_event(text));
            }
            6 => is_wanted |= is_deciding(field.bytes()?, visitor)?,
            12 => is_wanted |= visitor.is_deciding_event(field.bytes()?),
            _ => {}
        }
    }
    Ok(is_wanted)
}

/// Checks an attribute's framing to its end, and tells whether it names a wanted event. One that
/// is written in an unusual way does, by its key alone: reading one too many does no harm.
fn is_deciding(pair: &[u8], visitor: &impl LogVisitor) -> Result<bool, DecodeError> {
    let is_name = |key: &[u8]| key == EVENT_NAME.as_bytes();
    if let Some((key, value)) = plain_pair(pair) {
        let text = text_of(value)?;
        return Ok(is_name(key) && text.is_some_and(|text| visitor.is_deciding_event(text)));
    }
    let mut is_deciding = false;
    let mut fields = Fields::of(pair);
    while let Some((number, field)) = fields.next()? {
        if number == 1 {
            is_deciding |= is_name(field.bytes()?);
        }
    }
    Ok(is_deciding)
}

/// The text that a value is, its framing checked to its end; none where it is no text.
fn text_of(value: &[u8]) -> Result<Option<&[u8]>, DecodeError> {
    let mut text = None;
    let mut fields = Fields::of(value);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => text = Some(field.bytes()?),
            // Every other kind of value.
            2..=8 => text = None,
            _ => {}
        }
    }
    Ok(text)
}

impl Reader {
    /// A log record. Marked as mended also where its scope or resource was.
    fn log(mut self, message: &[u8]) -> Result<LogView<'_>, DecodeError> {
        self.values_left = MAX_VALUES;
        let mut log = LogView::empty();
        let mut pairs = Vec::new();
        let mut fields = Fields::of(message);
        while let Some((number, field)) = fields.next()? {
            match number {
                1 => log.time_unix_nanos = field.fixed64()?,
                5 => self.merge_value(field.bytes()?, &mut log.body, 1)?,
                6 => self.attribute(field.bytes()?, &mut pairs, 0)?,
                9 => log.trace_id = Cow::Borrowed(field.bytes()?),
                11 => log.observed_unix_nanos = field.fixed64()?,
                12 => log.event_name = self.text(field)?,
                _ => {}
            }
        }
        log.attributes = Attributes::new(pairs);
        log.is_utf8_repaired = self.is_utf8_repaired;
        Ok(log)
    }
}

#[cfg(test)]
#[path = "protobuf_logs_tests.rs"]
mod tests;
