//! Protobuf's wire format: bytes in, fields out, each borrowed from the message.
//!
//! Nothing here allocates, copies or recurses. What prost accepts is accepted, so that a sender
//! never meets a receiver that is stricter than the libraries it was tested with.

use super::DecodeError;

/// Nested unknown groups that are skipped; prost stops at the same number.
const MAX_GROUPS: usize = 100;

/// The payload of one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2: a text, bytes or a message.
    Len(&'a [u8]),
    /// Wire types 3 and 4: a whole group, skipped. OTLP has none.
    Group,
    /// Wire type 5.
    Fixed32(u32),
}

impl<'a> Field<'a> {
    /// The payload of a length-delimited field.
    pub(super) fn bytes(self) -> Result<&'a [u8], DecodeError> {
        match self {
            Self::Len(bytes) => Ok(bytes),
            Self::Varint(_) | Self::Fixed64(_) | Self::Group | Self::Fixed32(_) => {
                Err(DecodeError::WireType)
            }
        }
    }

    /// The payload of a varint field.
    pub(super) fn varint(self) -> Result<u64, DecodeError> {
        match self {
            Self::Varint(value) => Ok(value),
            Self::Len(_) | Self::Fixed64(_) | Self::Group | Self::Fixed32(_) => {
                Err(DecodeError::WireType)
            }
        }
    }

    /// The payload of an eight-byte field.
    pub(super) fn fixed64(self) -> Result<u64, DecodeError> {
        match self {
            Self::Fixed64(value) => Ok(value),
            Self::Len(_) | Self::Varint(_) | Self::Group | Self::Fixed32(_) => {
                Err(DecodeError::WireType)
            }
        }
    }
}

/// Reads the fields of one message.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of `message`.
    pub(super) const fn of(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The next field with its number; none at the end of the message.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every field of every span passes here")]
    pub(super) fn next(&mut self) -> Result<Option<(u32, Field<'a>)>, DecodeError> {
        let (number, wire_type) = match self.rest.split_first() {
            None => return Ok(None),
            // Field numbers up to fifteen: all that OTLP's spans have but one.
            Some((&tag @ 0x08..0x80, rest)) => {
                self.rest = rest;
                (u32::from(tag >> 3), tag & 7)
            }
            Some(_) => self.tag()?,
        };
        let field = match wire_type {
            2 => Field::Len(self.take_len()?),
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(self.take_array()?)),
            5 => Field::Fixed32(u32::from_le_bytes(self.take_array()?)),
            3 => {
                self.skip_group(number)?;
                Field::Group
            }
            _ => return Err(DecodeError::Tag),
        };
        Ok(Some((number, field)))
    }

    /// Whether every field was read.
    pub(super) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The payload of the next field, if that has this tag of a length-delimited field. Asked where
    /// one kind of field is expected: the processor guesses right, and need not tell all apart.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every field of every span passes here")]
    pub(super) fn next_if(&mut self, tag: u8) -> Result<Option<&'a [u8]>, DecodeError> {
        match self.rest.split_first() {
            Some((&first, rest)) if first == tag => {
                self.rest = rest;
                self.take_len().map(Some)
            }
            _ => Ok(None),
        }
    }

    fn tag(&mut self) -> Result<(u32, u8), DecodeError> {
        let key = u32::try_from(self.varint()?).map_err(|_error| DecodeError::Tag)?;
        let number = key >> 3;
        if number == 0 {
            return Err(DecodeError::Tag);
        }
        Ok((number, (key & 7) as u8))
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every field of every span passes here")]
    fn varint(&mut self) -> Result<u64, DecodeError> {
        match self.rest {
            [byte @ 0..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            [low, high @ 0..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*low & 0x7f) | u64::from(*high) << 7)
            }
            _ => self.long_varint(),
        }
    }

    #[cold]
    fn long_varint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0;
        for (at, &byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                // The tenth byte holds the sixty-fourth bit and no more.
                if at == 9 && byte > 1 {
                    return Err(DecodeError::Varint);
                }
                self.rest = self.rest.get(at + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        Err(if self.rest.len() < 10 { DecodeError::Truncated } else { DecodeError::Varint })
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every field of every span passes here")]
    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*bytes)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every field of every span passes here")]
    fn take_len(&mut self) -> Result<&'a [u8], DecodeError> {
        let len = usize::try_from(self.varint()?).map_err(|_error| DecodeError::Truncated)?;
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Skips to the end of group `number`, whose start was just read.
    #[cold]
    fn skip_group(&mut self, number: u32) -> Result<(), DecodeError> {
        let mut open = vec![number];
        while let Some(&innermost) = open.last() {
            let (number, wire_type) = self.tag()?;
            match wire_type {
                0 => drop(self.varint()?),
                1 => drop(self.take_array::<8>()?),
                2 => drop(self.take_len()?),
                3 if open.len() < MAX_GROUPS => open.push(number),
                4 if number == innermost => drop(open.pop()),
                5 => drop(self.take_array::<4>()?),
                _ => return Err(DecodeError::Tag),
            }
        }
        Ok(())
    }
}

/// Checks that `message` is made of whole fields, reading none of them.
#[inline]
pub(super) fn check(message: &[u8]) -> Result<(), DecodeError> {
    let mut fields = Fields::of(message);
    while fields.next()?.is_some() {}
    Ok(())
}

/// Reads a byte of every cache line of `bytes`, in order. What is read field by field waits for
/// the memory at every length that tells where the next field is; read straight through, the
/// memory brings one line while the next is asked for.
#[inline]
pub(super) fn touch(bytes: &[u8]) {
    const LINE: usize = 64;
    let firsts = bytes.chunks(LINE).filter_map(<[u8]>::first);
    std::hint::black_box(firsts.fold(0, |all, first| all ^ first));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn only_field(message: &[u8]) -> Result<(u32, Field<'_>), DecodeError> {
        let mut fields = Fields::of(message);
        let field = fields.next()?.unwrap();
        assert_eq!(fields.next(), Ok(None));
        Ok(field)
    }

    #[test]
    fn every_wire_type_is_read() {
        // 0x08 = field 1, varint; 300 is ac 02 in the protobuf documentation.
        assert_eq!(only_field(&[0x08, 0xac, 0x02]), Ok((1, Field::Varint(300))));
        assert_eq!(only_field(&[0x11, 1, 0, 0, 0, 0, 0, 0, 0]), Ok((2, Field::Fixed64(1))));
        assert_eq!(only_field(&[0x1a, 2, b'o', b'k']), Ok((3, Field::Len(b"ok"))));
        assert_eq!(only_field(&[0x25, 2, 0, 0, 0]), Ok((4, Field::Fixed32(2))));
    }

    #[test]
    fn a_field_is_taken_only_by_its_tag() {
        let mut fields = Fields::of(&[0x4a, 1, b'x', 0x2a, 1, b'y']);
        assert_eq!(fields.next_if(0x2a), Ok(None));
        assert_eq!(fields.next_if(0x4a), Ok(Some(&b"x"[..])));
        assert_eq!(fields.next_if(0x4a), Ok(None));
        assert_eq!(fields.next(), Ok(Some((5, Field::Len(b"y")))));
        assert_eq!(fields.next_if(0x4a), Ok(None));
        assert_eq!(Fields::of(&[0x4a, 2, b'x']).next_if(0x4a), Err(DecodeError::Truncated));
    }

    #[test]
    fn a_group_is_skipped_with_all_that_is_in_it() {
        // Group 5 holds a varint, a text, both fixed widths and group 6.
        let mut message = vec![0x2b, 0x08, 0x01, 0x12, 0x01, b'x'];
        message.extend([0x19, 0, 0, 0, 0, 0, 0, 0, 0, 0x25, 0, 0, 0, 0]);
        message.extend([0x33, 0x34, 0x2c]);
        assert_eq!(only_field(&message), Ok((5, Field::Group)));
        assert_eq!(only_field(&[0x2b, 0x34]), Err(DecodeError::Tag), "closed by another's end");
        assert_eq!(only_field(&[0x2c]), Err(DecodeError::Tag), "closed but never opened");
        assert_eq!(only_field(&[0x2b]), Err(DecodeError::Truncated), "never closed");
        assert_eq!(only_field(&[0x2b; 200]), Err(DecodeError::Tag), "nested too deep");
    }

    #[test]
    fn varints_are_read_to_their_last_bit_and_no_further() {
        let mut most = vec![0x08];
        most.extend([0xff; 9]);
        most.push(0x01);
        assert_eq!(only_field(&most), Ok((1, Field::Varint(u64::MAX))));
        *most.last_mut().unwrap() = 0x02;
        assert_eq!(only_field(&most), Err(DecodeError::Varint));
        assert_eq!(only_field(&[0x08, 0x81, 0x00]), Ok((1, Field::Varint(1))), "not the shortest");
        assert_eq!(only_field(&[0x08, 0x80]), Err(DecodeError::Truncated));
        assert_eq!(only_field(&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), {
            Err(DecodeError::Varint)
        });
    }

    #[test]
    fn lengths_never_reach_past_the_message() {
        assert_eq!(check(&[0x0a, 0x02, b'x']), Err(DecodeError::Truncated));
        let mut far = vec![0x0a];
        far.extend([0xff; 9]);
        far.push(0x01);
        assert_eq!(check(&far), Err(DecodeError::Truncated));
        assert_eq!(check(&[0x0d, 0, 0, 0]), Err(DecodeError::Truncated));
    }

    #[test]
    fn field_numbers_are_one_to_two_to_the_twenty_ninth() {
        assert_eq!(check(&[0x02, 0x00]), Err(DecodeError::Tag));
        // 2^29 - 1 with wire type 0 is the varint 0xfffffff8.
        assert_eq!(check(&[0xf8, 0xff, 0xff, 0xff, 0x0f, 0x00]), Ok(()));
        assert_eq!(check(&[0xf8, 0xff, 0xff, 0xff, 0x1f, 0x00]), Err(DecodeError::Tag));
        assert_eq!(check(&[0x0e]), Err(DecodeError::Tag), "wire type 6");
        assert_eq!(check(&[0x1f, 0x8b]), Err(DecodeError::Tag), "gzip's first bytes");
    }
}
