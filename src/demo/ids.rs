//! Trace and span ids that depend on the demo's last day and nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

use opentelemetry::{SpanId, TraceId};
use opentelemetry_sdk::trace::IdGenerator;
use sha2::{Digest, Sha256};

use crate::call::Day;

/// Makes one program's ids.
#[derive(Debug)]
pub(super) struct Ids {
    seed: String,
    next: AtomicU64,
}

impl Ids {
    /// The ids of the program `program` in the demo that ends with `last_day`.
    pub(super) fn new(last_day: Day, program: &str) -> Self {
        Self { seed: format!("{last_day} {program}"), next: AtomicU64::new(0) }
    }

    fn bytes<const N: usize>(&self, kind: &str) -> [u8; N] {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let digest = Sha256::digest(format!("{} {kind} {number}", self.seed).as_bytes());
        let mut bytes = [0; N];
        for (to, from) in bytes.iter_mut().zip(digest) {
            *to = from;
        }
        bytes
    }
}

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        TraceId::from_bytes(self.bytes("trace"))
    }

    fn new_span_id(&self) -> SpanId {
        SpanId::from_bytes(self.bytes("span"))
    }
}
