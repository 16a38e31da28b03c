//! args_hash: the first twelve hex digits of a SHA-256 over canonical arguments (METHOD
//! section 3, args-hash.md section 7), or the same keyed under this installation's secret.

use sha2::{Digest, Sha256};

use super::canonical_json::{self, Canonical, JsonError};
use super::keys::{Keys, first};
use crate::call::{ArgsForm, ArgsHash};

/// What `firstcall hash` shows of one JSON text.
#[derive(Clone, PartialEq, Eq)]
pub struct HashedText {
    /// The args_hash.
    pub hash: ArgsHash,
    /// The same with integers beyond 2^53 digit for digit, where that differs.
    pub exact: Option<ArgsHash>,
    /// The RFC 8785 text that was hashed.
    pub canonical: String,
}

// The canonical text is argument text: it is never printed by Debug.
impl std::fmt::Debug for HashedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HashedText({})", self.hash)
    }
}

/// The args_hash of JSON text, so that anyone can check an instrumentation. Blanks around the
/// value do not matter; a text without a canonical form fails with its fault and place.
pub fn args_hash_of_text(input: &[u8]) -> Result<HashedText, JsonError> {
    let canonical = canonical_json::canonicalise(input)?;
    let exact = exact_of_text(input, &canonical)?;
    let exact = exact.map(|exact| Hasher::plain().json(exact.as_str()));
    let canonical = canonical.as_str().to_owned();
    Ok(HashedText { hash: Hasher::plain().json(&canonical), exact, canonical })
}

fn exact_of_text(input: &[u8], canonical: &Canonical) -> Result<Option<Canonical>, JsonError> {
    // The text was UTF-8 a moment ago, so an empty one stands for nothing here.
    let text = || std::str::from_utf8(input).unwrap_or_default();
    canonical.has_rounded_integers().then(|| canonical_json::exact_text(text())).transpose()
}

/// Hashes arguments, keyed or not. Keyed and unkeyed hashes never compare: their algorithms
/// have different names.
pub(super) struct Hasher<'a> {
    keys: Option<&'a Keys>,
}

impl<'a> Hasher<'a> {
    /// A hasher without a key.
    pub(super) const fn plain() -> Self {
        Self { keys: None }
    }

    /// A hasher under the installation's secret.
    pub(super) const fn keyed(keys: &'a Keys) -> Self {
        Self { keys: Some(keys) }
    }

    /// The algorithm's name, part of a hash's source.
    pub(super) fn algorithm(&self) -> String {
        match self.keys {
            None => "jcs1".to_owned(),
            Some(keys) => format!("jcs1-hmac:{:08x}", keys.id()),
        }
    }

    /// The hash of canonical text.
    pub(super) fn json(&self, text: &str) -> ArgsHash {
        self.bytes(&[text.as_bytes()])
    }

    /// The hash of arguments in `form`. Every form but JSON begins with bytes that no JSON text
    /// begins with, so that no two forms can meet.
    pub(super) fn form(&self, form: ArgsForm, bytes: &[u8]) -> ArgsHash {
        match letter(form) {
            None => self.bytes(&[bytes]),
            Some(letter) => self.bytes(&[&[0, letter, 0], bytes]),
        }
    }

    fn bytes(&self, parts: &[&[u8]]) -> ArgsHash {
        let digest: [u8; 32] = match self.keys {
            None => {
                let mut hash = Sha256::new();
                for part in parts {
                    hash.update(part);
                }
                hash.finalize().into()
            }
            Some(keys) => keys.mac(parts),
        };
        ArgsHash::from_bytes(first(digest))
    }
}

const fn letter(form: ArgsForm) -> Option<u8> {
    match form {
        ArgsForm::Json => None,
        ArgsForm::Raw => Some(b'r'),
        ArgsForm::Cut => Some(b'c'),
        ArgsForm::Flat => Some(b'f'),
        ArgsForm::LowerKeys => Some(b'l'),
        ArgsForm::Given => Some(b'g'),
        ArgsForm::Lossy => Some(b's'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::InstallationSecret;

    #[test]
    fn published_hashes_are_met() {
        // args-hash.md section 1 and 2, from the public conformance fixtures.
        assert_eq!(args_hash_of_text(b" {} ").unwrap().hash.to_string(), "44136fa355b3");
        assert_eq!(args_hash_of_text(b"null").unwrap().hash.to_string(), "74234e98afe7");
        assert_eq!(args_hash_of_text(b"[]").unwrap().hash.to_string(), "4f53cda18c2b");
        let big = args_hash_of_text(b"9007199254740993").unwrap();
        assert_eq!(big.hash.to_string(), "c681da39d727");
        assert_eq!(big.exact.unwrap().to_string(), "a1c367c29158");
        assert!(args_hash_of_text(b"{'a':1}").is_err());
    }

    #[test]
    fn a_keyed_hash_is_hmac_under_the_secret() {
        // RFC 4231 test case 1: key of twenty 0x0b, here padded with zeros as HMAC pads it.
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let keys = Keys::of(&InstallationSecret::from_bytes(key));
        let hasher = Hasher::keyed(&keys);
        assert_eq!(hasher.json("Hi There").to_string(), "b0344c61d8db");
        assert_ne!(hasher.algorithm(), Hasher::plain().algorithm());
        assert_eq!(hasher.algorithm().len(), "jcs1-hmac:".len() + 8);
    }

    #[test]
    fn forms_never_meet() {
        let hasher = Hasher::plain();
        let hashes: std::collections::BTreeSet<_> =
            ArgsForm::ALL.iter().map(|form| hasher.form(*form, b"{}")).collect();
        assert_eq!(hashes.len(), ArgsForm::ALL.len());
        assert_eq!(hasher.form(ArgsForm::Json, b"{}"), hasher.json("{}"));
    }
}
