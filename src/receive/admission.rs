//! Admission: one budget of bytes and of requests over both transports.
//!
//! Bytes are taken as they are about to be held, never on a claim alone: a peer that claims
//! 64 MiB and sends nothing costs nothing and keeps nobody out. What a request has taken it
//! holds until it is answered. Nothing ever waits for the budget; who comes when it is spent is
//! told to come back.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::Limits;
use crate::self_report::SelfReport;

/// The budget is spent; the sender should come back later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("receiver is busy")]
pub(super) struct Busy;

/// The budget.
#[derive(Debug, Clone)]
pub(super) struct Admission {
    bytes: Arc<Semaphore>,
    requests: Arc<Semaphore>,
    report: Arc<SelfReport>,
}

impl Admission {
    /// The budget that `limits` allow; what is held of it is told to `report`.
    pub(super) fn new(limits: &Limits, report: Arc<SelfReport>) -> Self {
        let bytes = limits.max_in_flight_bytes.max(limits.max_request_bytes);
        Self {
            bytes: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))),
            requests: Arc::new(Semaphore::new(limits.max_requests)),
            report,
        }
    }

    /// Lets a request in.
    pub(super) fn admit(&self) -> Result<Admitted, Busy> {
        let request = Arc::clone(&self.requests).try_acquire_owned().map_err(|_error| Busy)?;
        Ok(Admitted {
            budget: Arc::clone(&self.bytes),
            bytes: None,
            report: Arc::clone(&self.report),
            _request: request,
        })
    }
}

/// A request that was let in, with the bytes that it holds. Gives them back when dropped.
#[derive(Debug)]
pub(super) struct Admitted {
    budget: Arc<Semaphore>,
    bytes: Option<OwnedSemaphorePermit>,
    report: Arc<SelfReport>,
    _request: OwnedSemaphorePermit,
}

impl Admitted {
    /// Whether `bytes` more could be taken now; takes none.
    pub(super) fn check(&self, bytes: usize) -> Result<(), Busy> {
        if bytes <= self.budget.available_permits() { Ok(()) } else { Err(Busy) }
    }

    /// Takes `bytes` more.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Busy> {
        let count = u32::try_from(bytes).map_err(|_error| Busy)?;
        let more = Arc::clone(&self.budget).try_acquire_many_owned(count).map_err(|_error| Busy)?;
        self.report.hold(bytes);
        match &mut self.bytes {
            Some(held) => held.merge(more),
            None => self.bytes = Some(more),
        }
        Ok(())
    }

    /// Makes room in `buffer` for `more` bytes, up to `expected` in all where that is known, and
    /// takes what the buffer grows by.
    pub(super) fn reserve(
        &mut self,
        buffer: &mut Vec<u8>,
        more: usize,
        expected: Option<usize>,
    ) -> Result<(), Busy> {
        /// Small requests are common: one step holds them.
        const FIRST_STEP: usize = 64 * 1024;
        let needed = buffer.len().saturating_add(more);
        if needed <= buffer.capacity() {
            return Ok(());
        }
        let generous = buffer.capacity().saturating_mul(4).max(FIRST_STEP);
        let wanted = expected.map_or(generous, |expected| generous.min(expected)).max(needed);
        self.take(wanted - buffer.capacity())?;
        buffer.reserve_exact(wanted - buffer.len());
        Ok(())
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.report.release(self.bytes.as_ref().map_or(0, OwnedSemaphorePermit::num_permits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(bytes: usize, requests: usize) -> Admission {
        let limits = Limits {
            max_request_bytes: 1,
            max_in_flight_bytes: bytes,
            max_requests: requests,
            ..Limits::default()
        };
        Admission::new(&limits, Arc::default())
    }

    #[test]
    fn the_budget_is_shared_to_its_last_byte_and_given_back() {
        let admission = budget(100, 10);
        let mut first = admission.admit().unwrap();
        let mut second = admission.admit().unwrap();
        first.take(60).unwrap();
        assert_eq!(second.check(41), Err(Busy));
        assert_eq!(second.take(41), Err(Busy));
        second.take(40).unwrap();
        drop(first);
        second.take(60).unwrap();
        assert_eq!(second.take(1), Err(Busy));
    }

    #[test]
    fn requests_are_counted_too() {
        let admission = budget(100, 1);
        let first = admission.admit().unwrap();
        assert!(admission.admit().is_err());
        drop(first);
        assert!(admission.admit().is_ok());
    }

    #[test]
    fn a_buffer_grows_in_steps_and_never_past_what_is_expected() {
        let admission = budget(10_000_000, 1);
        let mut request = admission.admit().unwrap();
        let mut buffer = Vec::new();
        request.reserve(&mut buffer, 1, Some(1_000_000)).unwrap();
        assert_eq!(buffer.capacity(), 64 * 1024);
        buffer.resize(64 * 1024, 0);
        request.reserve(&mut buffer, 1, Some(1_000_000)).unwrap();
        assert_eq!(buffer.capacity(), 256 * 1024);
        buffer.resize(256 * 1024, 0);
        request.reserve(&mut buffer, 1, Some(1_000_000)).unwrap();
        assert_eq!(buffer.capacity(), 1_000_000);
        buffer.resize(1_000_000, 0);
        request.reserve(&mut buffer, 5_000_000, Some(1_000_000)).unwrap();
        assert_eq!(buffer.capacity(), 6_000_000);
        assert_eq!(request.check(4_000_001), Err(Busy), "the buffer's bytes are taken");
        assert_eq!(request.check(4_000_000), Ok(()));
    }
}
