//! This installation's secret: what prints and keyed hashes are made under (METHOD sections 3 and
//! 11).

use std::fmt;

/// Thirty-two random bytes that belong to one data folder and never leave it.
#[derive(Clone, PartialEq, Eq)]
pub struct InstallationSecret([u8; 32]);

impl InstallationSecret {
    /// A secret from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, for the keyed hash alone.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for InstallationSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstallationSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_secret_is_printed() {
        let shown = format!("{:?}", InstallationSecret::from_bytes([0xab; 32]));
        assert_eq!(shown, "InstallationSecret(..)");
    }
}
