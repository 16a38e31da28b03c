//! The alphabet of packed rows: fixed runs of bytes and variable-length integers (LEB128).
//!
//! Reading never panics and never allocates by a length that the bytes only claim.

/// The bytes are no packed rows. Where the checksum held, they were written by something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// Appends an integer, seven bits a byte, lowest first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = (value & 0x7f).to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Appends how far `value` lies from `base`, short for either sign.
pub(super) fn put_delta(out: &mut Vec<u8>, value: u64, base: u64) {
    let delta = value.wrapping_sub(base).cast_signed();
    put_varint(out, ((delta << 1) ^ (delta >> 63)).cast_unsigned());
}

/// Bytes that are read from the front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    /// Whether everything was read.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Result<u8, Damaged> {
        let (first, rest) = self.0.split_first().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    /// The next `len` bytes.
    pub(super) fn slice(&mut self, len: u64) -> Result<&'a [u8], Damaged> {
        let len = usize::try_from(len).map_err(|_error| Damaged)?;
        let (first, rest) = self.0.split_at_checked(len).ok_or(Damaged)?;
        self.0 = rest;
        Ok(first)
    }

    /// An integer as [`put_varint`] writes it; at most ten bytes.
    pub(super) fn varint(&mut self) -> Result<u64, Damaged> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte holds the last bit alone.
            if shift == 63 && bits > 1 {
                return Err(Damaged);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Damaged)
    }

    /// A value as [`put_delta`] writes it.
    pub(super) fn delta(&mut self, base: u64) -> Result<u64, Damaged> {
        let bits = self.varint()?;
        let delta = (bits >> 1).cast_signed() ^ -((bits & 1).cast_signed());
        Ok(base.wrapping_add(delta.cast_unsigned()))
    }
}

/// Bytes with their checksum after them.
pub(super) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// The bytes before a checksum that holds.
pub(super) fn unseal(sealed: &[u8]) -> Result<&[u8], Damaged> {
    let (bytes, sum) = sealed.split_last_chunk::<4>().ok_or(Damaged)?;
    (checksum(bytes) == u32::from_le_bytes(*sum)).then_some(bytes).ok_or(Damaged)
}

/// The CRC-32 of `bytes`.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_their_known_bytes() {
        let written = |value| {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            out
        };
        assert_eq!(written(0), [0]);
        assert_eq!(written(127), [0x7f]);
        assert_eq!(written(300), [0xac, 0x02]);
        assert_eq!(written(u64::MAX).len(), 10);
        for value in [0, 1, 127, 128, 300, u64::MAX - 1, u64::MAX] {
            assert_eq!(Bytes(&written(value)).varint(), Ok(value));
        }
    }

    #[test]
    fn an_integer_that_is_too_long_or_cut_is_damaged() {
        assert_eq!(Bytes(&[0xff; 10]).varint(), Err(Damaged));
        assert_eq!(Bytes(&[0x80; 11]).varint(), Err(Damaged));
        assert_eq!(Bytes(&[0x80]).varint(), Err(Damaged));
        assert_eq!(Bytes(&[]).varint(), Err(Damaged));
    }

    #[test]
    fn a_distance_is_kept_for_either_sign_and_any_base() {
        for (value, base) in [(5, 7), (7, 5), (0, u64::MAX), (u64::MAX, 0), (1 << 63, 0)] {
            let mut out = Vec::new();
            put_delta(&mut out, value, base);
            assert_eq!(Bytes(&out).delta(base), Ok(value));
        }
        let mut out = Vec::new();
        put_delta(&mut out, 4, 5);
        assert_eq!(out, [1]); // zigzag of -1
    }

    #[test]
    fn the_checksum_is_the_usual_crc_32() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }
}
