//! What an import did, in figures.

use std::collections::{BTreeMap, BTreeSet};

use crate::call::Day;
use crate::figures::{Counts, Refusal};
use crate::ingest::Reading;
use crate::store::ErasedDays;

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Requests of spans or log records that were taken.
    pub requests: u64,
    /// Requests that an earlier import, or an earlier line, had taken.
    pub known_requests: u64,
    /// Requests of metrics, which are dropped.
    pub metric_requests: u64,
    /// Parts of files that could not be read.
    pub damaged: u64,
    /// Spans in the requests that were taken.
    pub spans: u64,
    /// Log records in the requests that were taken.
    pub log_records: u64,
    /// Tool calls in them that are kept.
    pub kept: u64,
    /// Tool calls that came late into what had been read before, and are kept as well.
    pub late: u64,
    /// Tool calls in them that could not be kept.
    pub refused: Counts<Refusal>,
    /// The days of the calls that are kept.
    pub days: BTreeSet<Day>,
    /// The days that refused calls because they are closed, each with how many.
    pub closed_days: BTreeMap<Day, u64>,
}

impl Imported {
    /// Tool calls that are kept, late ones included.
    pub const fn calls(&self) -> u64 {
        self.kept.saturating_add(self.late)
    }

    /// Adds what is about to be committed.
    pub(super) fn add(&mut self, reading: &Reading, erased: &ErasedDays) {
        let arrivals = reading.arrivals();
        self.spans += arrivals.spans;
        self.log_records += arrivals.log_records;
        self.kept += arrivals.kept.values().sum::<u64>();
        self.refused.merge(&arrivals.refused);
        for sighting in &reading.batch().sightings {
            let day = sighting.start.day();
            if erased.is_closed(day) {
                *self.closed_days.entry(day).or_default() += 1;
            } else {
                self.days.insert(day);
            }
        }
    }

    /// Takes back calls of closed days.
    pub(super) fn refuse_closed(&mut self, calls: u64) {
        self.kept = self.kept.saturating_sub(calls);
        self.refused.add(Refusal::DayClosed, calls);
    }
}
