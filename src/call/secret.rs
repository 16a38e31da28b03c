//! This installation's secret: the key of prints and keyed hashes (METHOD section 3).

use std::fmt;

/// Thirty-two random bytes that never leave this installation.
#[derive(Clone, PartialEq, Eq)]
pub struct InstallationSecret([u8; 32]);

impl InstallationSecret {
    /// The secret in these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The secret's bytes, for keying only.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for InstallationSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstallationSecret")
    }
}
