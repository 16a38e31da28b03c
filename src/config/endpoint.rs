//! An address to listen on, as `host:port`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::section::text;

/// A host and a port. Port 0 asks the system for a free one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Endpoint(String);

/// A text that is no endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `host:port`, such as `127.0.0.1:4317`, got `{0}`")]
pub struct ParseEndpointError(String);

impl Endpoint {
    /// An endpoint on this machine only.
    pub fn loopback(port: u16) -> Self {
        Self(format!("127.0.0.1:{port}"))
    }

    /// The endpoint as `host:port`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Endpoint {
    type Err = ParseEndpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || ParseEndpointError(text.chars().take(80).collect());
        let (host, port) = text.rsplit_once(':').ok_or_else(refuse)?;
        let is_bracketed = host.starts_with('[') && host.ends_with(']');
        let is_host = !host.is_empty()
            && (is_bracketed || !host.contains(':'))
            && host.chars().all(|c| c.is_ascii_alphanumeric() || "-._[]:%".contains(c));
        if !is_host || port.parse::<u16>().is_err() {
            return Err(refuse());
        }
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Endpoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_host_and_a_port() {
        for text in ["127.0.0.1:4317", "localhost:0", "[::1]:4318", "0.0.0.0:65535", "otel-1.x:1"] {
            assert_eq!(text.parse::<Endpoint>().unwrap().as_str(), text);
        }
        for text in ["", "4317", ":4317", "host:", "host:65536", "::1:4317", "http://a:1", "a b:1"]
        {
            assert!(text.parse::<Endpoint>().is_err(), "{text}");
        }
    }
}
