//! Writing and reading the bytes of [`packed`](super::packed) values: integers that take the bytes
//! that they fill, names in two, flags by the bit.

#![expect(
    clippy::option_option,
    reason = "the outer one tells whether the bytes hold, the inner one whether a value is there"
)]

use super::names::NameId;
use crate::call::UnixNanos;

/// Bytes that are written one after the other into a buffer that is kept.
#[derive(Debug, Default, Clone)]
pub(super) struct Out {
    buffer: Vec<u8>,
    length: usize,
}

impl Out {
    /// What was written.
    pub(super) fn written(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or_default()
    }

    /// How many bytes were written.
    pub(super) const fn len(&self) -> usize {
        self.length
    }

    /// Begins anew.
    pub(super) const fn clear(&mut self) {
        self.length = 0;
    }

    /// Writes `bytes` over those from `at` on.
    pub(super) fn overwrite<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        if let Some(to) = self.buffer.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *to = bytes;
        }
    }

    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.put_first(bytes, N);
    }

    /// Writes the first `length` of `bytes`.
    #[inline]
    fn put_first<const N: usize>(&mut self, bytes: [u8; N], length: usize) {
        if self.buffer.len() < self.length + N {
            self.grow(N);
        }
        self.overwrite(self.length, bytes);
        self.length += length;
    }

    /// Writes bytes of any number.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        if self.buffer.len() < self.length + bytes.len() {
            self.grow(bytes.len());
        }
        if let Some(to) = self.buffer.get_mut(self.length..self.length + bytes.len()) {
            to.copy_from_slice(bytes);
        }
        self.length += bytes.len();
    }

    #[cold]
    fn grow(&mut self, by: usize) {
        self.buffer.resize((self.buffer.len() * 2).max(self.length + by + 256), 0);
    }

    /// An integer: how many bytes it fills, and those.
    #[inline]
    pub(super) fn short(&mut self, value: u64) {
        let length = (64 - value.leading_zeros()).div_ceil(8);
        let [count, ..] = length.to_le_bytes();
        self.put([count]);
        self.put_first(value.to_le_bytes(), length as usize);
    }

    /// How far `value` lies from `base`, for either sign.
    #[inline]
    pub(super) fn distance(&mut self, value: UnixNanos, base: UnixNanos) {
        let distance = value.get().wrapping_sub(base.get()).cast_signed();
        self.short(((distance << 1) ^ (distance >> 63)).cast_unsigned());
    }

    /// A name's number: two bytes, or two that no such number has and then four.
    #[inline]
    pub(super) fn name(&mut self, name: Option<NameId>) {
        let number = name.map_or(0, NameId::get);
        match u16::try_from(number) {
            Ok(number) if number != u16::MAX => self.put(number.to_le_bytes()),
            _ => {
                self.put(u16::MAX.to_le_bytes());
                self.put(number.to_le_bytes());
            }
        }
    }

    /// Names, at most eight: in two bytes each where `are_short` says that their numbers are small
    /// enough.
    #[inline]
    pub(super) fn names<const N: usize>(&mut self, names: [Option<NameId>; N], are_short: bool) {
        if !are_short {
            return names.into_iter().for_each(|name| self.name(name));
        }
        let mut bytes = [0; 16];
        for (to, name) in bytes.as_chunks_mut().0.iter_mut().zip(names) {
            let [low, high, ..] = name.map_or(0, NameId::get).to_le_bytes();
            *to = [low, high];
        }
        self.put_first(bytes, 2 * N);
    }

    pub(super) fn optional<const N: usize>(&mut self, bytes: Option<[u8; N]>) {
        if let Some(bytes) = bytes {
            self.put(bytes);
        }
    }
}

/// Whether names take two bytes each.
pub(super) fn are_short(names: &[Option<NameId>]) -> bool {
    names.iter().flatten().all(|name| u16::try_from(name.get()).is_ok())
}

/// Bytes that are read from the front.
#[derive(Debug, Clone, Copy)]
pub(super) struct In<'a>(pub(super) &'a [u8]);

impl In<'_> {
    #[inline]
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    #[inline]
    pub(super) fn short(&mut self) -> Option<u64> {
        let length = usize::from(self.byte()?);
        let (bytes, rest) = self.0.split_at_checked(length)?;
        let value = match self.0.first_chunk::<8>() {
            Some(eight) if length < 8 => u64::from_le_bytes(*eight) & !(u64::MAX << (8 * length)),
            Some(eight) => u64::from_le_bytes(*eight),
            // The last bytes of all.
            None => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        };
        self.0 = rest;
        Some(value)
    }

    #[inline]
    pub(super) fn distance(&mut self, base: UnixNanos) -> Option<UnixNanos> {
        let bits = self.short()?;
        let distance = (bits >> 1).cast_signed() ^ -((bits & 1).cast_signed());
        Some(UnixNanos::new(base.get().wrapping_add(distance.cast_unsigned())))
    }

    #[inline]
    pub(super) fn optional_name(&mut self) -> Option<Option<NameId>> {
        match u16::from_le_bytes(self.take()?) {
            u16::MAX => self.take().map(u32::from_le_bytes).map(NameId::new),
            number => Some(NameId::new(u32::from(number))),
        }
    }

    #[inline]
    pub(super) fn name(&mut self) -> Option<NameId> {
        self.optional_name()?
    }

    /// Names as [`Out::names`] writes them.
    #[inline]
    pub(super) fn names<const N: usize>(&mut self, are_short: bool) -> Option<[Option<NameId>; N]> {
        let mut names = [None; N];
        if are_short {
            let (bytes, rest) = self.0.split_at_checked(2 * N)?;
            for (name, bytes) in names.iter_mut().zip(bytes.as_chunks().0) {
                *name = NameId::new(u32::from(u16::from_le_bytes(*bytes)));
            }
            self.0 = rest;
        } else {
            for name in &mut names {
                *name = self.optional_name()?;
            }
        }
        Some(names)
    }

    pub(super) fn optional<const N: usize, T>(
        &mut self,
        is_there: bool,
        make: impl Fn([u8; N]) -> Option<T>,
    ) -> Option<Option<T>> {
        if is_there { self.take().and_then(make).map(Some) } else { Some(None) }
    }

    pub(super) fn optional_short(&mut self, is_there: bool) -> Option<Option<u64>> {
        if is_there { self.short().map(Some) } else { Some(None) }
    }
}

/// Flags and small words that share four bytes, put in and taken out in the same order.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Word {
    bits: u32,
    used: u32,
}

impl Word {
    pub(super) fn put(&mut self, value: u8, bits: u32) {
        debug_assert!(self.used + bits <= u32::BITS, "a word has no more bits");
        self.bits |= u32::from(value) << self.used;
        self.used += bits;
    }

    pub(super) fn flag(&mut self, is_set: bool) {
        self.put(u8::from(is_set), 1);
    }

    pub(super) fn take(&mut self, bits: u32) -> u8 {
        let [value, ..] = (self.bits & ((1 << bits) - 1)).to_le_bytes();
        self.bits >>= bits;
        value
    }

    /// Takes the next bits as a word of their own.
    pub(super) fn split(&mut self, bits: u32) -> Self {
        let first = Self { bits: self.bits & ((1 << bits) - 1), used: bits };
        self.bits >>= bits;
        first
    }

    pub(super) fn is_set(&mut self) -> bool {
        self.take(1) != 0
    }

    /// Writes the first byte alone, where the word fills no more.
    pub(super) fn write_byte(self, out: &mut Out) {
        let [byte, ..] = self.bits.to_le_bytes();
        out.put([byte]);
    }

    /// Reads what [`Word::write_byte`] wrote.
    pub(super) fn read_byte(from: &mut In<'_>) -> Option<Self> {
        Some(Self { bits: u32::from(from.byte()?), used: 0 })
    }

    pub(super) fn write(self, out: &mut Out) {
        out.put(self.bits.to_le_bytes());
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self { bits: u32::from_le_bytes(from.take()?), used: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_length_come_back() {
        let values = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1, !(1 << bit)]);
        let values: Vec<u64> = values.chain([u64::MAX]).collect();
        let mut out = Out::default();
        for value in &values {
            out.short(*value);
        }
        let mut from = In(out.written());
        for value in values {
            assert_eq!(from.short(), Some(value));
        }
        assert_eq!(from.short(), None);
    }

    #[test]
    fn what_shares_a_word_comes_back_in_order() {
        let mut word = Word::default();
        word.put(5, 4);
        word.flag(true);
        word.flag(false);
        word.put(3, 2);
        let mut out = Out::default();
        word.write(&mut out);
        let mut found = Word::read(&mut In(out.written())).unwrap();
        assert_eq!(
            (found.take(4), found.is_set(), found.is_set(), found.take(2)),
            (5, true, false, 3)
        );
    }
}
