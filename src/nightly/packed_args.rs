//! Arguments' fingerprints as bytes, beside [`super::packed`].

use smallvec::{Array, SmallVec};

use super::bytes::{In, Out, Word};
use super::names::NameId;
use super::packed::{Packed, SMALL};
use super::seen::{Args, Layer, Print};
use crate::call::ArgsForm;

/// Appends arguments but for their own prints, and these instead.
pub(super) fn pack_args(
    args: &Args,
    prints: impl ExactSizeIterator<Item = (NameId, [u8; 4])>,
    out: &mut Out,
) {
    let mut word = Word::default();
    word.put(args.layer.form.index(), SMALL);
    word.flag(args.core.is_some());
    word.flag(args.pos.is_some());
    word.flag(args.hides);
    word.flag(args.is_empty_object);
    word.write_byte(out);
    out.name(Some(args.layer.source));
    out.put(args.value);
    out.optional(args.core);
    out.optional(args.pos);
    let count = count_of(prints.len());
    out.put([count]);
    for (name, print) in prints.take(usize::from(count)) {
        out.name(Some(name));
        out.put(print);
    }
}

/// At most 32 parameters have a print, and few layers see one call.
fn count_of(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

impl Packed for Args {
    fn pack(&self, out: &mut Out) {
        pack_args(self, self.prints.iter().map(|print| (print.name, print.print)), out);
    }

    fn unpack(from: &mut In<'_>) -> Option<Self> {
        let mut word = Word::read_byte(from)?;
        let form = ArgsForm::from_index(word.take(SMALL))?;
        let (has_core, has_pos) = (word.is_set(), word.is_set());
        let (hides, is_empty_object) = (word.is_set(), word.is_set());
        Some(Self {
            layer: Layer { source: from.name()?, form },
            value: from.take()?,
            core: from.optional(has_core, Some)?,
            pos: from.optional(has_pos, Some)?,
            hides,
            is_empty_object,
            prints: SmallVec::unpack(from)?,
        })
    }
}

impl Packed for Print {
    fn pack(&self, out: &mut Out) {
        out.name(Some(self.name));
        out.put(self.print);
    }

    fn unpack(from: &mut In<'_>) -> Option<Self> {
        Some(Self { name: from.name()?, print: from.take()? })
    }
}

impl<A: Array<Item: Packed>> Packed for SmallVec<A> {
    fn pack(&self, out: &mut Out) {
        let count = count_of(self.len());
        out.put([count]);
        self.iter().take(usize::from(count)).for_each(|value| value.pack(out));
    }

    fn unpack(from: &mut In<'_>) -> Option<Self> {
        let count = from.byte()?;
        let mut values = Self::default();
        for _ in 0..count {
            values.push(Packed::unpack(from)?);
        }
        Some(values)
    }
}
