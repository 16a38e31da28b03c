//! Reads a client span that is wanted only as one below another: a part of what it holds.

use std::borrow::Cow;

use super::DecodeError;
use super::read_span::{Pairs, Reader, empty_span, key_of, kind};
use super::span_view::SpanView;
use super::value::Attributes;
use super::wire::{Fields, touch};

impl Reader {
    /// A span without its events and without the attributes that `is_read` does not take. They
    /// are put into `pairs`, which an earlier span may have left behind.
    pub(super) fn child<'a>(
        mut self,
        message: &'a [u8],
        mut pairs: Pairs<'a>,
        is_read: impl Fn(&[u8]) -> bool,
    ) -> Result<SpanView<'a>, DecodeError> {
        const ATTRIBUTE: u8 = 0x4a;
        let mut span = empty_span();
        pairs.clear();
        // It was looked at a megabyte ago.
        touch(message);
        let mut fields = Fields::of(message);
        loop {
            while let Some(pair) = fields.next_if(ATTRIBUTE)? {
                if is_read(key_of(pair)?) {
                    self.attribute(pair, &mut pairs, 0)?;
                }
            }
            let Some((number, field)) = fields.next()? else { break };
            match number {
                1 => span.trace_id = Cow::Borrowed(field.bytes()?),
                2 => span.span_id = Cow::Borrowed(field.bytes()?),
                4 => span.parent_span_id = Cow::Borrowed(field.bytes()?),
                5 => span.name = self.text(field)?,
                6 => span.kind = kind(field.varint()?),
                7 => span.start_unix_nanos = field.fixed64()?,
                8 => span.end_unix_nanos = field.fixed64()?,
                // One whose tag is written in an unusual way.
                9 => {
                    let pair = field.bytes()?;
                    if is_read(key_of(pair)?) {
                        self.attribute(pair, &mut pairs, 0)?;
                    }
                }
                15 => self.status(field.bytes()?, &mut span.status)?,
                _ => {}
            }
        }
        span.attributes = Attributes::new(pairs);
        Ok(span)
    }
}
