//! Hashes that come with the telemetry: used as they are (METHOD section 3).

use sha2::{Digest, Sha256};

use super::keys::first;
use crate::call::ArgsHash;
use crate::recognise::{GIVEN_HASHES, Key, Seen};

/// Hex digits of a given hash: as many as the public SDKs and servers send and take.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=64;

/// A hash that came with the span.
pub(super) struct Given<'v> {
    pub(super) key: Key,
    pub(super) hash: ArgsHash,
    /// The algorithm, where the emitter names it, or `short` for one of fewer than twelve
    /// digits: such a one compares only with its like.
    pub(super) algorithm: &'v str,
}

/// The hash that came with the span; none where there is none, or where it stands for arguments
/// that could not be hashed.
pub(super) fn given<'v>(seen: &Seen<'v>) -> Option<Given<'v>> {
    GIVEN_HASHES.iter().find_map(|key| {
        let (hash, algorithm) = parse(seen.text(*key)?)?;
        Some(Given { key: *key, hash, algorithm })
    })
}

fn parse(text: &str) -> Option<(ArgsHash, &str)> {
    let text = text.trim();
    let (algorithm, digits) = text.rsplit_once(':').unwrap_or(("given", text));
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !DIGITS.contains(&digits.len()) || !is_hex || is_sentinel(digits) {
        return None;
    }
    let mut bytes = [0; 6];
    if digits.len() < 12 {
        let digest = Sha256::digest(digits.to_ascii_lowercase());
        return Some((ArgsHash::from_bytes(first(digest)), "short"));
    }
    let (pairs, _rest) = digits.as_bytes().as_chunks::<2>();
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some((ArgsHash::from_bytes(bytes), algorithm))
}

/// SDKs send one digit over and over for arguments that they could not hash: two of them are
/// not the same arguments.
fn is_sentinel(digits: &str) -> bool {
    digits.bytes().all(|digit| digit == b'0') || digits.bytes().all(|digit| digit == b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_hash_is_its_first_twelve_digits_in_lower_case() {
        let (hash, algorithm) = parse("44136FA355B3678A1146AD16F7E8649E94FB4FC2").unwrap();
        assert_eq!((hash.to_string().as_str(), algorithm), ("44136fa355b3", "given"));
        let (hash, algorithm) = parse("sha256:44136fa355b3").unwrap();
        assert_eq!((hash.to_string().as_str(), algorithm), ("44136fa355b3", "sha256"));
    }

    #[test]
    fn a_short_hash_is_kept_apart() {
        let (hash, algorithm) = parse("AB12").unwrap();
        assert_eq!(algorithm, "short");
        assert_eq!(parse("ab12").unwrap().0, hash);
        assert_ne!(parse("ab13").unwrap().0, hash);
    }

    #[test]
    fn sentinels_and_other_texts_are_no_hash() {
        for text in
            ["000000000000", "0000", "ffffffffffff", "", "abc", "unhashable", "xyz123456789"]
        {
            assert!(parse(text).is_none(), "{text}");
        }
        assert!(parse(&"a1".repeat(33)).is_none());
    }
}
