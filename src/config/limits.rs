//! Caps on what a peer may send and cost. Each has a clear answer to the sender.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

/// The caps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The longest request, in bytes, as sent and after inflating; 64 MiB by default, as OTLP
    /// recommends.
    pub max_request_bytes: NonZeroU32,
    /// Bytes of all requests that are held at once; 256 MiB by default. Beyond it senders are
    /// asked to come back later. Never less than `max_request_bytes`.
    pub max_in_flight_bytes: NonZeroU64,
    /// Requests that are worked on at once; 4,096 by default.
    pub max_requests: NonZeroU32,
    /// Connections that are open at once on each address; 4,096 by default.
    pub max_connections: NonZeroU32,
    /// About how long a connection is kept, in seconds; one hour by default. Give or take a
    /// tenth, and never with a request in flight.
    pub max_connection_age_s: NonZeroU32,
    /// How long requests may take to finish after the signal to stop, in seconds; 10 by default.
    pub drain_timeout_s: NonZeroU32,
    /// How far in the future a span may start, in seconds; one hour by default.
    pub max_future_s: NonZeroU32,
    /// How many days ago a span may have started; 400 by default.
    pub max_past_days: NonZeroU32,
}

const MIB: u32 = 1024 * 1024;

/// A default that is plainly not zero.
const fn at_least_one(count: u32) -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(count.saturating_sub(1))
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_request_bytes: at_least_one(64 * MIB),
            max_in_flight_bytes: at_least_one(256 * MIB).into(),
            max_requests: at_least_one(4096),
            max_connections: at_least_one(4096),
            max_connection_age_s: at_least_one(3600),
            drain_timeout_s: at_least_one(10),
            max_future_s: at_least_one(3600),
            max_past_days: at_least_one(400),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_what_the_documentation_says() {
        let limits = Limits::default();
        assert_eq!(limits.max_request_bytes.get(), 67_108_864);
        assert_eq!(limits.max_in_flight_bytes.get(), 268_435_456);
        assert_eq!((limits.max_requests.get(), limits.max_past_days.get()), (4096, 400));
    }
}
