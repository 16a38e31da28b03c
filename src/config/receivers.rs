//! Where telemetry is received.

use serde::{Deserialize, Serialize};

use super::endpoint::Endpoint;
use super::section::section;
use super::security::{Auth, Cors, Tls};

/// The receivers; OTLP is the only one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receivers {
    /// The OpenTelemetry Protocol.
    #[serde(default, deserialize_with = "section")]
    pub otlp: Otlp,
}

/// The OTLP receiver.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Otlp {
    /// Its two transports; both are always served.
    #[serde(default, deserialize_with = "section")]
    pub protocols: Protocols,
    /// Who may send; everybody who can connect, by default.
    #[serde(default, deserialize_with = "section")]
    pub auth: Auth,
    /// TLS; plain text by default.
    #[serde(default, deserialize_with = "section")]
    pub tls: Tls,
    /// Browsers as senders; none by default.
    #[serde(default, deserialize_with = "section")]
    pub cors: Cors,
    /// Whether an address that other machines can reach may be listened on without TLS and
    /// without asking who sends; not by default.
    #[serde(default)]
    pub insecure_listen: bool,
}

/// The transports of OTLP.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocols {
    /// OTLP/gRPC; `127.0.0.1:4317` by default.
    #[serde(default, deserialize_with = "section")]
    pub grpc: Grpc,
    /// OTLP/HTTP, `POST /v1/traces`; `127.0.0.1:4318` by default.
    #[serde(default, deserialize_with = "section")]
    pub http: Http,
}

macro_rules! transport {
    ($(#[$doc:meta])* $name:ident, $port:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// Where to listen, as `host:port`; port 0 picks a free one.
            pub endpoint: Endpoint,
        }

        impl Default for $name {
            fn default() -> Self {
                Self { endpoint: Endpoint::loopback($port) }
            }
        }
    };
}

transport!(
    /// OTLP/gRPC.
    Grpc,
    4317
);
transport!(
    /// OTLP/HTTP.
    Http,
    4318
);
