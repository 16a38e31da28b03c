//! The only door to wall time. Inner functions take `now` as a value.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::call::{CallDuration, UnixNanos};

/// Tells the time.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The time now, UTC.
    fn now(&self) -> UnixNanos;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn now(&self) -> UnixNanos {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixNanos::new(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }
}

/// A clock that moves only when told to; its clones share one time.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn at(now: UnixNanos) -> Self {
        Self(Arc::new(AtomicU64::new(now.get())))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: CallDuration) {
        self.0.fetch_add(by.as_nanos(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixNanos {
        UnixNanos::new(self.0.load(Ordering::SeqCst))
    }
}
