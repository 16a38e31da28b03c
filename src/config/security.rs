//! Who may send, and how the way there is kept private. The file names secrets' places and holds
//! none of them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Who may send.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Auth {
    /// A file of bearer tokens, one a line; read again every few seconds.
    pub bearer_tokens_file: Option<PathBuf>,
    /// The name of an environment variable that holds bearer tokens, one a line.
    pub bearer_tokens_env: Option<String>,
}

impl Auth {
    /// Whether senders have to show a token.
    pub const fn is_on(&self) -> bool {
        self.bearer_tokens_file.is_some() || self.bearer_tokens_env.is_some()
    }
}

/// TLS, on both addresses. Files are PEM, and read again every few seconds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "TlsKeys")]
pub struct Tls {
    /// The certificate, then those that lead to its root. TLS is off where it is not given.
    pub cert_file: Option<PathBuf>,
    /// The certificate's private key.
    pub key_file: Option<PathBuf>,
    /// The roots of clients' certificates. Where given, a client without one is refused.
    pub client_ca_file: Option<PathBuf>,
}

/// The keys as they stand in the file, not yet held against each other.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_field_names, reason = "the fields are the configuration's keys")]
struct TlsKeys {
    cert_file: Option<PathBuf>,
    key_file: Option<PathBuf>,
    client_ca_file: Option<PathBuf>,
}

/// Half a TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cert_file and key_file belong together, and client_ca_file needs both")]
pub struct IncompleteTlsError;

impl TryFrom<TlsKeys> for Tls {
    type Error = IncompleteTlsError;

    fn try_from(keys: TlsKeys) -> Result<Self, IncompleteTlsError> {
        let TlsKeys { cert_file, key_file, client_ca_file } = keys;
        match (&cert_file, &key_file, &client_ca_file) {
            (Some(_), Some(_), _) | (None, None, None) => {
                Ok(Self { cert_file, key_file, client_ca_file })
            }
            _ => Err(IncompleteTlsError),
        }
    }
}

/// Browsers as senders.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cors {
    /// Origins whose pages may send, such as `https://app.example.org`; none by default, `*` for
    /// all.
    pub allowed_origins: Vec<String>,
}
