//! Identities: of traces and spans, of sessions and calls, of tools and clients.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

macro_rules! span_identity {
    ($(#[$doc:meta])* $name:ident, $len:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $len]);

        impl $name {
            /// The identity in these bytes; none for a wrong length or all zeros,
            /// both invalid by the OTLP data model.
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                let bytes: [u8; $len] = bytes.try_into().ok()?;
                (bytes != [0; $len]).then_some(Self(bytes))
            }

            /// The bytes as OTLP sends them.
            pub const fn as_bytes(&self) -> &[u8; $len] {
                &self.0
            }
        }
    };
}

span_identity!(
    /// A trace's identity: sixteen bytes, not all zero.
    TraceId,
    16
);
span_identity!(
    /// A span's identity within its trace: eight bytes, not all zero.
    SpanId,
    8
);

/// A session's key, kept as the first sixteen bytes of its SHA-256: equality is all that
/// judging needs, and a conversation id itself never reaches the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey([u8; 16]);

impl SessionKey {
    /// The key of a session named `text` by its telemetry.
    pub fn of(text: &str) -> Self {
        Self(digest(text.as_bytes()))
    }

    /// A key from its stored bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The stored bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// A tool call id or JSON-RPC request id, kept as the first eight bytes of its SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey([u8; 8]);

impl CallKey {
    /// The key of the id `text`.
    pub fn of(text: &str) -> Self {
        Self(digest(text.as_bytes()))
    }

    /// A key from its stored bytes.
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The stored bytes.
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

fn digest<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let full = Sha256::digest(bytes);
    let mut first = [0; N];
    for (to, from) in first.iter_mut().zip(full) {
        *to = from;
    }
    first
}

/// A name as telemetry sends it, shared cheaply: of a tool, a service, a scope, a parameter.
///
/// It is hostile text. Whoever shows it escapes it for the place where it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// The longest name that is kept, in bytes.
    pub const MAX_BYTES: usize = 1024;

    /// The name `text`, cut at a character border to at most [`Name::MAX_BYTES`].
    pub fn cut(text: &str) -> Self {
        let end = text.floor_char_boundary(Self::MAX_BYTES);
        Self(text.get(..end).unwrap_or_default().into())
    }

    /// The name `text` byte for byte; none where it is longer than [`Name::MAX_BYTES`].
    pub fn exact(text: &str) -> Option<Self> {
        (text.len() <= Self::MAX_BYTES).then(|| Self(text.into()))
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A tool: the pair (service, tool). Two services may each have a `search` (METHOD section 1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolKey {
    /// Who offers the tool.
    pub service: Name,
    /// The tool's name, byte for byte as sent.
    pub tool: Name,
}

/// The program whose model called. `unknown` is a value, shown as such.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientName(Name);

impl ClientName {
    /// The client called `name`.
    pub const fn new(name: Name) -> Self {
        Self(name)
    }

    /// The client that telemetry does not name.
    pub fn unknown() -> Self {
        Self(Name::cut("unknown"))
    }

    /// Whether this is the client that telemetry does not name.
    pub fn is_unknown(&self) -> bool {
        self.as_str() == "unknown"
    }

    /// The client's name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The client's name as a [`Name`].
    pub const fn name(&self) -> &Name {
        &self.0
    }
}

impl fmt::Display for ClientName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_of_zeros_or_wrong_length_is_none() {
        assert!(SpanId::from_bytes(&[0; 8]).is_none());
        assert!(SpanId::from_bytes(&[1; 9]).is_none());
        assert!(TraceId::from_bytes(&[]).is_none());
        assert!(TraceId::from_bytes(&[1; 16]).is_some());
    }

    #[test]
    fn a_name_is_cut_between_characters() {
        let text = "é".repeat(600);
        assert_eq!(Name::cut(&text).as_str().len(), 1024);
        assert!(Name::exact(&text).is_none());
        let odd = format!("a{text}");
        assert_eq!(Name::cut(&odd).as_str().len(), 1023);
    }

    #[test]
    fn keys_are_the_first_bytes_of_sha_256() {
        // SHA-256 of the empty text begins e3b0c44298fc1c14.
        assert_eq!(CallKey::of("").as_bytes(), &[0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14]);
    }
}
