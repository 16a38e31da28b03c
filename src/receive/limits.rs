//! What a peer may cost: every cap of the receiver in one place.

use std::time::Duration;

const MIB: usize = 1024 * 1024;

/// The receiver's caps. Each has an answer to the sender, or closes the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest request in bytes, both as sent and after inflating. OTLP recommends 64 MiB.
    pub max_request_bytes: usize,
    /// Bytes of all requests that are held at once, on both transports. Never less than
    /// [`Limits::max_request_bytes`], or the longest request could not be taken at all.
    pub max_in_flight_bytes: usize,
    /// Requests that are worked on at once, on both transports.
    pub max_requests: usize,
    /// Connections that are open at once on one listener; further ones wait to be accepted.
    pub max_connections: usize,
    /// Requests at once on one HTTP/2 connection.
    pub max_streams: u32,
    /// The longest time from the first byte of a request's head to its last.
    pub head_timeout: Duration,
    /// How long a connection may stay open without a request.
    pub idle_timeout: Duration,
    /// About how long a connection is kept: it ends after this time, give or take a tenth, and
    /// never with a request in flight.
    pub max_connection_age: Duration,
    /// The longest silence within a body. Together with [`Limits::min_body_rate`] it bounds how
    /// long a body may take.
    pub body_timeout: Duration,
    /// Bytes a second that a body must bring on average, once the first silence is used up.
    pub min_body_rate: u64,
    /// How long requests in flight may take after the stop signal.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_request_bytes: 64 * MIB,
            max_in_flight_bytes: 256 * MIB,
            max_requests: 4096,
            max_connections: 4096,
            max_streams: 1024,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(3),
            max_connection_age: Duration::from_hours(1),
            body_timeout: Duration::from_secs(10),
            min_body_rate: 16 * 1024,
            drain_timeout: Duration::from_secs(10),
        }
    }
}
