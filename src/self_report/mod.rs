//! What firstcall says of itself while it runs: a small closed set of figures, and whether it is
//! healthy and ready.
//!
//! Other modules count here; [`MetricsListener`] shows it, on an address of its own. No label
//! comes from a request: labels are the words of closed sets, and names of dialects, which are
//! closed as well.

mod histogram;
mod listener;
mod metric;
mod text;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::call::{Day, UnixNanos};
use crate::figures::ArrivalCounts;
use histogram::Latencies;
pub use histogram::{COMMITS, COMMITS_HELP, ends_seconds};
pub use listener::{MetricsBindError, MetricsListener};
pub use metric::{Kind, METRICS, Metric, Sample};

/// What a request came over, as a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Over {
    /// OTLP/gRPC; its codes are gRPC's.
    Grpc,
    /// OTLP/HTTP; its codes are HTTP's.
    Http,
}

impl Over {
    const fn word(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Http => "http",
        }
    }
}

/// The figures. Shared by everything that counts.
#[derive(Debug, Default)]
pub struct SelfReport {
    arrivals: Mutex<ArrivalCounts>,
    requests: Mutex<BTreeMap<(Over, u16), u64>>,
    night: Mutex<Night>,
    bytes_received: AtomicU64,
    in_flight_bytes: AtomicU64,
    waiting: AtomicU64,
    duplicates: AtomicU64,
    unknown_requests: AtomicU64,
    commits: Latencies,
    listener: CommitListener,
    is_storage_failing: AtomicBool,
    storage_failures: AtomicU64,
    exports_sent: AtomicU64,
    exports_failed: AtomicU64,
    is_draining: AtomicBool,
    has_writer_stopped: AtomicBool,
}

/// Who else wants to hear of each commit.
#[derive(Default)]
struct CommitListener(OnceLock<Box<dyn Fn(Duration) + Send + Sync>>);

impl fmt::Debug for CommitListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitListener({})", self.0.get().is_some())
    }
}

/// What is known of the nights.
#[derive(Debug, Clone, Copy, Default)]
struct Night {
    last_pass: Option<(UnixNanos, bool)>,
    covered_through: Option<Day>,
}

/// A request that waits for its commit; it no longer does once this is dropped.
#[derive(Debug)]
pub struct WaitingForCommit<'r>(&'r SelfReport);

impl Drop for WaitingForCommit<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Every count is whole after each statement, so a panic elsewhere spoils none.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SelfReport {
    /// A report of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts spans of a request that was taken.
    pub fn arrived(&self, counts: &ArrivalCounts) {
        lock(&self.arrivals).merge(counts);
    }

    /// Counts an answered request by its code.
    pub fn answered(&self, over: Over, code: u16) {
        *lock(&self.requests).entry((over, code)).or_default() += 1;
    }

    /// Counts bytes of bodies, as they were sent.
    pub fn received(&self, bytes: usize) {
        self.bytes_received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts bytes that are held from now on.
    pub fn hold(&self, bytes: usize) {
        self.in_flight_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts bytes that are held no longer.
    pub fn release(&self, bytes: usize) {
        self.in_flight_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// A request waits for its commit, until what is returned is dropped.
    pub fn wait_for_commit(&self) -> WaitingForCommit<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        WaitingForCommit(self)
    }

    /// A commit succeeded after `took`. Returns whether the store had been failing until now.
    pub fn committed(&self, took: Duration) -> bool {
        self.commits.add(took);
        if let Some(listener) = self.listener.0.get() {
            listener(took);
        }
        self.is_storage_failing.swap(false, Ordering::Relaxed)
    }

    /// Tells `listener` of each commit from now on; only the first one is told.
    pub fn on_commit(&self, listener: impl Fn(Duration) + Send + Sync + 'static) {
        // A second one is dropped.
        self.listener.0.set(Box::new(listener)).ok();
    }

    /// Counts kept spans that had been kept before.
    pub fn sent_again(&self, spans: u64) {
        self.duplicates.fetch_add(spans, Ordering::Relaxed);
    }

    /// Counts a request that holds nothing of OTLP's. Returns whether it is the first.
    pub fn held_nothing_known(&self) -> bool {
        self.unknown_requests.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// A commit failed. Returns whether it is the first since one succeeded.
    pub fn storage_failed(&self) -> bool {
        self.storage_failures.fetch_add(1, Ordering::Relaxed);
        !self.is_storage_failing.swap(true, Ordering::Relaxed)
    }

    /// A nightly pass ended at `now`, well or not.
    pub fn pass_ended(&self, now: UnixNanos, is_done: bool) {
        lock(&self.night).last_pass = Some((now, is_done));
    }

    /// The last day that is covered.
    pub fn covered_through(&self, day: Option<Day>) {
        lock(&self.night).covered_through = day;
    }

    /// The figures were sent as metrics after a pass, or could not be.
    pub fn figures_exported(&self, is_sent: bool) {
        let counter = if is_sent { &self.exports_sent } else { &self.exports_failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Nothing new is taken from now on.
    pub fn draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// The store's writer has died: nothing can be answered with success any more.
    pub fn writer_stopped(&self) {
        self.has_writer_stopped.store(true, Ordering::Relaxed);
    }

    /// Why the program is not healthy; none while it is.
    pub fn sickness(&self) -> Option<&'static str> {
        self.has_writer_stopped.load(Ordering::Relaxed).then_some("the store's writer has stopped")
    }

    /// Why requests should go elsewhere; none while they are welcome.
    pub fn unreadiness(&self) -> Option<&'static str> {
        let is_draining = self.is_draining.load(Ordering::Relaxed);
        self.sickness().or_else(|| is_draining.then_some("draining"))
    }

    /// The figures in Prometheus' text format, version 0.0.4; the same figures give the same
    /// text.
    pub fn prometheus_text(&self) -> String {
        text::write(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draining_program_is_healthy_and_not_ready_and_one_without_a_writer_is_neither() {
        let report = SelfReport::new();
        assert_eq!((report.sickness(), report.unreadiness()), (None, None));
        report.draining();
        assert_eq!((report.sickness(), report.unreadiness()), (None, Some("draining")));
        report.writer_stopped();
        assert!(report.sickness().is_some() && report.unreadiness() == report.sickness());
    }

    #[test]
    fn storage_trouble_is_new_once_and_over_once() {
        let report = SelfReport::new();
        assert!(!report.committed(Duration::from_millis(1)));
        assert!(report.storage_failed());
        assert!(!report.storage_failed());
        assert!(report.committed(Duration::from_millis(1)));
        assert!(!report.committed(Duration::from_millis(1)));
    }
}
