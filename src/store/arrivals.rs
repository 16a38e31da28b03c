//! Arrival counts: gathered in memory, written every few seconds by day and emitter.
//!
//! They feed the data-quality strip. A crash may lose the last few seconds of them, so that
//! requests without tool calls cost no sync.

use std::collections::BTreeMap;

use super::batch::Batch;
use super::imports::ImportedBook;
use super::source_hours::HourBook;
use crate::call::{Day, Name, Repair};
use crate::figures::counts::Word;
use crate::figures::{ArrivalCounts, Counts, Refusal};

/// Pairs of day and emitter that memory holds; further emitters are counted as unnamed.
const MAX_PENDING: usize = 10_000;

/// Counts that are not written yet, and what is written with them.
#[derive(Debug, Default)]
pub(super) struct ArrivalBook {
    pub(super) days: BTreeMap<(Day, Name), ArrivalCounts>,
    pub(super) hours: HourBook,
    pub(super) imported: ImportedBook,
}

impl ArrivalBook {
    /// Adds a batch's counts.
    pub(super) fn add(&mut self, batch: &Batch) {
        let day = batch.received.day().min(Day::MAX);
        for (emitter, counts) in &batch.counts {
            self.add_emitter(day, emitter, counts);
        }
        self.hours.add(batch.received, &batch.sources);
        self.imported.add(batch);
    }

    /// Adds another book's counts.
    pub(super) fn merge(&mut self, other: &Self) {
        for ((day, emitter), counts) in &other.days {
            self.add_emitter(*day, emitter, counts);
        }
        self.hours.merge(&other.hours);
        self.imported.merge(&other.imported);
    }

    fn add_emitter(&mut self, day: Day, emitter: &Name, counts: &ArrivalCounts) {
        let key = (day, emitter.clone());
        let has_room = self.days.len() < MAX_PENDING || self.days.contains_key(&key);
        let key = if has_room { key } else { (day, Name::cut("")) };
        self.days.entry(key).or_default().merge(counts);
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.days.is_empty() && self.hours.is_empty() && self.imported.is_empty()
    }
}

/// Counts as rows: what was counted, of which word, how often. Zeros are left out.
pub(super) fn entries(counts: &ArrivalCounts) -> impl Iterator<Item = (&'static str, &str, u64)> {
    let ArrivalCounts { requests, spans, log_records, kept, not_calls, refused, repaired } = counts;
    let mut entries =
        vec![("requests", "", *requests), ("spans", "", *spans), ("log_records", "", *log_records)];
    entries.extend(kept.iter().map(|(name, times)| ("kept", name.as_str(), *times)));
    entries.extend(not_calls.iter().map(|(name, times)| ("not_calls", name.as_str(), *times)));
    entries.extend(refused.iter().map(|(word, times)| ("refused", word.text(), times)));
    entries.extend(repaired.iter().map(|(word, times)| ("repaired", word.text(), times)));
    entries.into_iter().filter(|(_, _, times)| *times > 0)
}

/// Adds what one row tells: what was counted, of which word, how often.
pub(super) fn add_row(counts: &mut ArrivalCounts, what: &str, word: Name, times: u64) {
    let add = |to: &mut u64| *to = to.saturating_add(times);
    match what {
        "requests" => add(&mut counts.requests),
        "spans" => add(&mut counts.spans),
        "log_records" => add(&mut counts.log_records),
        "kept" => add(counts.kept.entry(word).or_default()),
        "not_calls" => add(counts.not_calls.entry(word).or_default()),
        "refused" => add_word::<Refusal>(&mut counts.refused, &word, times),
        "repaired" => add_word::<Repair>(&mut counts.repaired, &word, times),
        // Written by a firstcall that counts more than this one.
        _ => {}
    }
}

fn add_word<W: Word>(counts: &mut Counts<W>, word: &Name, times: u64) {
    if let Some(found) = W::VALUES.iter().find(|value| value.text() == word.as_str()) {
        counts.add(*found, times);
    }
}
