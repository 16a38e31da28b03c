//! A session with more calls than memory should hold is judged slice by slice, each beside the
//! calls shortly before and after it.
//!
//! Every judgement looks a short time back and ahead. What looks further is known before
//! ([`Facts`]) or carried on ([`Carried`]). So memory holds the calls of a slice and of ten minutes
//! on either side, however long the session goes on.

use std::io;

use super::call::Call;
use super::carried::Carried;
use super::divide::{Giant, Slice};
use super::facts::Facts;
use super::judge::{Terms, judge_slice};
use super::names::{NameId, Names};
use super::summarise::Tally;
use crate::call::{CallDuration, Day};

/// How far before and after a call everything lies that its judgement depends on: what follows an
/// uncertain call, and the write that a second one repeats. A retry's window and the three calls of
/// a loop over ids beside it are nearer.
const BESIDE: CallDuration = CallDuration::from_secs(10 * 60);

impl Giant {
    /// Judges the giant's calls and adds them to `tally`.
    pub(super) fn judge(
        self,
        terms: Terms,
        day: Day,
        names: &Names,
        tally: &mut Tally,
    ) -> io::Result<()> {
        let facts = self.facts(terms, day)?;
        let mut carried = Carried::new(day, &facts);
        let mut calls: Vec<Call> = Vec::new();
        let owns: Vec<_> = self.slices.iter().map(|slice| slice.own).collect();
        let mut waiting = self.slices.into_iter().peekable();
        for own in owns {
            let until = own.until.saturating_add(BESIDE);
            let is_beside = |slice: &Slice| slice.own.from <= until;
            while let Some(slice) = waiting.next_if(is_beside) {
                calls.append(&mut slice.calls.load()?);
            }
            // Slices and what they hold come in order of start.
            let later = calls.split_off(calls.partition_point(|call| call.start <= until));
            let judged = judge_slice(terms, day, (own, &facts), calls, names);
            carried.add(tally, own, &judged, names);
            calls = judged.calls;
            let from = own.until.saturating_sub(BESIDE);
            calls.retain(|call| call.start >= from);
            calls.extend(later);
        }
        carried.finish(tally, names);
        Ok(())
    }

    fn facts(&self, terms: Terms, day: Day) -> io::Result<Facts> {
        let mut facts = Facts::new(day, terms, NameId::UNKNOWN);
        for slice in &self.slices {
            facts.add(&slice.calls.clone().load()?);
        }
        if facts.has_several_layers() {
            for slice in &self.slices {
                facts.vote(&slice.calls.clone().load()?);
            }
            facts.choose_layers();
        }
        Ok(facts)
    }
}

#[cfg(test)]
#[path = "giant_tests.rs"]
mod giant_tests;
