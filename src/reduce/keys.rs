//! The installation's secret made ready for use: as a key it costs as much work as a short text
//! that is hashed under it, and it is the same for every span.

use std::fmt;
use std::hash::Hasher as _;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use siphasher::sip::SipHasher24;

use crate::call::InstallationSecret;

/// What prints and keyed hashes are made under (METHOD sections 3 and 11).
pub struct Keys {
    mac: Hmac<Sha256>,
    operations: SipHasher24,
    id: [u8; 4],
}

// Nothing of a secret is printed.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(..)")
    }
}

impl Keys {
    /// The keys that belong to `secret`.
    pub fn of(secret: &InstallationSecret) -> Self {
        // HMAC pads a key to the hash's block with zeros; done here, no length can be wrong.
        let mut block = [0_u8; 64];
        for (to, from) in block.iter_mut().zip(secret.as_bytes()) {
            *to = *from;
        }
        let mac = Hmac::<Sha256>::new(&block.into());
        let operations: [u8; 16] = first(finish(mac.clone(), &[b"firstcall operations"]));
        Self {
            mac,
            operations: SipHasher24::new_with_key(&operations),
            id: first(Sha256::digest(secret.as_bytes())),
        }
    }

    /// What tells two installations' keyed hashes apart, and nothing of the secret.
    pub(super) const fn id(&self) -> u32 {
        u32::from_be_bytes(self.id)
    }

    /// HMAC-SHA-256 of the parts.
    pub(super) fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        finish(self.mac.clone(), parts)
    }

    /// Four bytes of SipHash-2-4 of the parts, which tell their borders, under a key of its own:
    /// what was asked of a dependency is printed for nearly every client span that arrives.
    pub(super) fn operation(&self, parts: &[&str]) -> [u8; 4] {
        let mut hasher = self.operations;
        for part in parts {
            hasher.write(part.as_bytes());
            hasher.write_u8(0xff); // in no text
        }
        let [a, b, c, d, ..] = hasher.finish().to_be_bytes();
        [a, b, c, d]
    }
}

fn finish(mut mac: Hmac<Sha256>, parts: &[&[u8]]) -> [u8; 32] {
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The first bytes of a digest.
pub(super) fn first<const N: usize>(digest: impl Into<[u8; 32]>) -> [u8; N] {
    let digest: [u8; 32] = digest.into();
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(digest) {
        *to = from;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(byte: u8) -> Keys {
        Keys::of(&InstallationSecret::from_bytes([byte; 32]))
    }

    #[test]
    fn the_keyed_hash_is_hmac_sha_256() {
        // RFC 4231 test case 1: key of twenty 0x0b, here padded with zeros as HMAC pads it.
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let keys = Keys::of(&InstallationSecret::from_bytes(key));
        let mac = keys.mac(&[b"Hi ", b"There"]);
        assert_eq!(mac[..8], [0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53]);
    }

    #[test]
    fn an_operation_is_printed_under_the_secret_and_its_parts_are_told_apart() {
        let keys = [keys(1), keys(2)];
        let prints = |parts: &[&str]| keys.each_ref().map(|keys| keys.operation(parts));
        assert_eq!(prints(&["GET", "/orders"]), prints(&["GET", "/orders"]));
        let [one, other] = prints(&["GET", "/orders"]);
        assert_ne!(one, other, "two installations");
        assert_ne!([one, other], prints(&["GET/", "orders"]));
        assert_ne!([one, other], prints(&["GET", "/orders", ""]));
    }

    #[test]
    fn an_operations_hash_is_sip_hash_2_4() {
        // The reference's first vector: the key 00 01 .. 0f, no text.
        let key: [u8; 16] = std::array::from_fn(|at| u8::try_from(at).unwrap());
        let hasher = SipHasher24::new_with_key(&key);
        assert_eq!(hasher.finish(), 0x726f_db47_dd0e_0e31);
    }

    #[test]
    fn nothing_of_the_secret_is_shown() {
        assert_eq!(format!("{:?}", keys(0xab)), "Keys(..)");
    }
}
