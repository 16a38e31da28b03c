//! Numbers of RFC 8785 section 3.2.2.3: doubles in ECMAScript's shortest form.

/// How integers that a double cannot hold are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integers {
    /// Rounded to the nearest double, as RFC 8785 says.
    Rounded,
    /// Digit for digit (METHOD section 3: compared digit for digit).
    Exact,
}

/// Integers of so many digits are doubles of the same digits.
const SAFE_DIGITS: usize = 15;

/// Writes a number token that JSON's grammar has already accepted. Tells whether rounding
/// changed an integer's digits; none where the token is beyond a double.
pub(super) fn write_token(out: &mut Vec<u8>, token: &str, integers: Integers) -> Option<bool> {
    let is_integer = !token.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let digits = token.strip_prefix('-').unwrap_or(token);
    if is_integer && digits.len() <= SAFE_DIGITS {
        out.extend_from_slice(if token == "-0" { b"0" } else { token.as_bytes() });
        return Some(false);
    }
    let number: f64 = token.parse().ok()?;
    if !number.is_finite() {
        return None;
    }
    let mut buffer = ryu_js::Buffer::new();
    let rounded = buffer.format_finite(number);
    let differs = is_integer && rounded != token;
    let text = if differs && integers == Integers::Exact { token } else { rounded };
    out.extend_from_slice(text.as_bytes());
    Some(differs)
}

/// Writes a double; none where it is not finite.
pub(super) fn write_double(out: &mut Vec<u8>, number: f64) -> Option<()> {
    number.is_finite().then(|| {
        out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
    })
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    const FIXED: &str = include_str!("../../../tests/vectors/es6-numbers.txt");

    /// The published ES6 number file, made from its generator: fixed patterns, a run of
    /// subnormal borders, then patterns from a chain of hashes; lines of `hex,text`.
    /// The first four bytes of the SHA-256 of all of them.
    fn digest_of_number_file(lines: usize) -> String {
        let mut hash = Sha256::new();
        let mut block = [0_u8; 32];
        let fixed = FIXED.lines().skip(1).flat_map(str::split_whitespace);
        let fixed = fixed.map(|hex| u64::from_str_radix(hex, 16).unwrap());
        let borders = (0..2000).map(|step| 0x0010_0000_0000_0000_u64 + step);
        let random = std::iter::repeat_with(move || {
            block = Sha256::digest(block).into();
            let (chunks, _) = block.as_chunks::<8>();
            chunks.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect::<Vec<_>>()
        });
        let random = random.flatten().filter(|bits| {
            let number = f64::from_bits(*bits);
            number != 0.0 && number.is_finite()
        });
        let patterns = fixed.chain(borders).chain(random);
        let mut line = Vec::new();
        for bits in patterns.take(lines) {
            line.clear();
            line.extend_from_slice(format!("{bits:x},").as_bytes());
            write_double(&mut line, f64::from_bits(bits)).unwrap();
            line.push(b'\n');
            hash.update(&line);
        }
        let digest: [u8; 32] = hash.finalize().into();
        let (head, _) = digest.as_chunks::<4>();
        format!("{:08x}", u32::from_be_bytes(head[0]))
    }

    #[test]
    fn ten_thousand_numbers_are_written_as_ecmascript_writes_them() {
        // The published digests of the file's first lines.
        assert_eq!(digest_of_number_file(1_000), "be18b62b");
        assert_eq!(digest_of_number_file(10_000), "b9f7a8e7");
    }

    #[test]
    fn a_hundred_thousand_numbers_are_written_as_ecmascript_writes_them() {
        assert_eq!(digest_of_number_file(100_000), "22776e6d");
    }

    #[test]
    fn rounded_integers_are_told() {
        let mut out = Vec::new();
        assert_eq!(write_token(&mut out, "9007199254740992", Integers::Rounded), Some(false));
        assert_eq!(write_token(&mut out, "9007199254740993", Integers::Rounded), Some(true));
        assert_eq!(write_token(&mut out, "1e400", Integers::Rounded), None);
        assert_eq!(write_token(&mut out, "-0.0", Integers::Rounded), Some(false));
        assert_eq!(out, b"900719925474099290071992547409920");
    }
}
