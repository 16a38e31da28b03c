//! What arrived, hour by hour and source by source: gathered in memory, written with the arrival
//! counts, kept for a week. Bounded however many sources come.

use std::collections::BTreeMap;

use crate::call::{CallDuration, Name, UnixNanos};
use crate::figures::counts::Word;
use crate::figures::{Refusal, SourceCounts, Sources};

/// How many hours are kept.
pub(super) const KEPT_HOURS: u64 = 8 * 24;

/// An hour, counted from the epoch.
pub(super) type Hour = u64;

/// The hour that holds an instant.
pub(super) const fn hour_of(instant: UnixNanos) -> Hour {
    instant.get() / CallDuration::from_secs(3600).as_nanos()
}

/// Counts that are not written yet.
#[derive(Debug, Default)]
pub(super) struct HourBook(pub(super) BTreeMap<Hour, Sources>);

impl HourBook {
    /// Adds what arrived at `received`.
    pub(super) fn add(&mut self, received: UnixNanos, sources: &Sources) {
        if !sources.is_empty() {
            self.0.entry(hour_of(received)).or_default().merge(sources);
        }
    }

    /// Adds another book's counts.
    pub(super) fn merge(&mut self, other: &Self) {
        for (hour, sources) in &other.0 {
            self.0.entry(*hour).or_default().merge(sources);
        }
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Counts as rows: what was counted, of which word, how often. Zeros are left out.
pub(super) fn entries(counts: &SourceCounts) -> impl Iterator<Item = (&'static str, &str, u64)> {
    let SourceCounts { seen, kept, not_calls, refused } = counts;
    let mut entries = vec![("seen", "", *seen)];
    entries.extend(kept.iter().map(|(name, times)| ("kept", name.as_str(), *times)));
    entries.extend(not_calls.iter().map(|(name, times)| ("not_calls", name.as_str(), *times)));
    entries.extend(refused.iter().map(|(word, times)| ("refused", word.text(), times)));
    entries.into_iter().filter(|(_, _, times)| *times > 0)
}

/// Adds what one row tells: what was counted, of which word, how often.
pub(super) fn add_row(counts: &mut SourceCounts, what: &str, word: Name, times: u64) {
    let add = |to: &mut u64| *to = to.saturating_add(times);
    match what {
        "seen" => add(&mut counts.seen),
        "kept" => add(counts.kept.entry(word).or_default()),
        "not_calls" => add(counts.not_calls.entry(word).or_default()),
        "refused" => {
            if let Some(why) = Refusal::from_word(word.as_str()) {
                counts.refused.add(why, times);
            }
        }
        // Written by a firstcall that counts more than this one.
        _ => {}
    }
}
