//! A day's sightings are gathered in one read. Each waits by session as the call that it is if it is
//! alone; meanwhile it is noted which traces they are of, and what may join their calls with those of
//! other traces. Those that something can be folded or joined with are then taken out again and wait
//! by trace.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::by_parts::{of_sighting, of_trace};
use super::call::Call;
use super::gathered::Gathered;
use super::join::By;
use super::judge::{Terms, is_near};
use super::names::NameId;
use super::packed_sighting::Ties;
use super::parts::{Adder, Parts};
use super::traces::Traces;
use crate::call::{Attempt, Day, SpanKind, TraceId};
use crate::store::StoredSighting;

/// What reading a day tells beside its sightings.
#[derive(Debug, Default)]
pub(super) struct Survey {
    traces: Traces,
    met: Mutex<Met>,
}

/// What may join calls of different traces: an id that is shared, seen from two layers.
#[derive(Debug, Clone, Copy, Default)]
struct Met {
    layer: Option<(SpanKind, NameId)>,
    has_two_layers: bool,
    has_request: bool,
    has_call: bool,
}

impl Met {
    fn note(&mut self, stored: &StoredSighting<'_, NameId>) {
        self.note_layer((stored.kind, stored.scope));
        let has_session = stored.session.is_some();
        self.has_request |= has_session && stored.request_id.is_some();
        self.has_call |= has_session && stored.call_id.is_some();
    }

    fn note_layer(&mut self, layer: (SpanKind, NameId)) {
        self.has_two_layers |= self.layer.is_some_and(|first| first != layer);
        self.layer = Some(layer);
    }

    fn merge(&mut self, other: Self) {
        if let Some(layer) = other.layer {
            self.note_layer(layer);
        }
        self.has_two_layers |= other.has_two_layers;
        self.has_request |= other.has_request;
        self.has_call |= other.has_call;
    }

    const fn may_join(self, by: By) -> bool {
        let is_told = match by {
            By::Request => self.has_request,
            By::Call => self.has_call,
        };
        self.has_two_layers && is_told
    }
}

impl Survey {
    /// By what calls of different traces may be joined, in order.
    pub(super) fn rounds(&self) -> Vec<By> {
        let met = *self.met.lock().unwrap_or_else(PoisonError::into_inner);
        By::BOTH.into_iter().filter(|by| met.may_join(*by)).collect()
    }

    /// Takes the sightings that something can be folded or joined with out of the `calls`, once all
    /// were gathered; they wait by trace.
    pub(super) fn part(
        &self,
        calls: &mut Parts<'_, Call>,
        by_trace: &Parts<'_, Gathered>,
    ) -> io::Result<()> {
        let rounds = self.rounds();
        let begin = || (by_trace.adder(), Vec::new());
        let finish = |(adder, _): (Adder<'_, '_, Gathered>, Vec<Option<Ties>>)| adder.finish();
        calls.sift(
            begin,
            |(adder, ties), items, gone| {
                ties.clear();
                ties.extend(items.iter().map(|item| Ties::of(item.value())));
                self.traces.bring_near(ties.iter().flatten().map(|ties| ties.trace_id));
                for (place, (item, ties)) in items.iter().zip(ties).enumerate() {
                    let Some(ties) = ties else { continue };
                    let may_be_joined = rounds.iter().any(|by| ties.is_told(*by));
                    if may_be_joined || !self.traces.is_alone(ties.trace_id) {
                        adder.add_value(of_trace(ties.trace_id), item.value())?;
                        gone.note(place);
                    }
                }
                Ok(())
            },
            finish,
        )
    }
}

/// How many sightings wait until their traces are noted together.
const AT_ONCE: usize = 64;

/// Gathers a day's sightings, one for each thread that does.
#[derive(Debug)]
pub(super) struct Gathering<'p, 's> {
    day: Day,
    terms: Terms,
    survey: &'p Survey,
    met: Met,
    by_trace: Adder<'p, 's, Gathered>,
    calls: Adder<'p, 's, Call>,
    /// Traces that are not noted yet.
    waiting: Vec<TraceId>,
    count: u64,
    failed: Option<io::Error>,
}

/// Where what is gathered goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'p, 's> {
    /// What is to be folded, by trace.
    pub(super) by_trace: &'p Parts<'s, Gathered>,
    /// Calls, by session.
    pub(super) calls: &'p Parts<'s, Call>,
}

impl<'p, 's> Gathering<'p, 's> {
    /// Nothing gathered yet.
    pub(super) fn new(day: Day, terms: Terms, survey: &'p Survey, places: Places<'p, 's>) -> Self {
        let (by_trace, calls) = (places.by_trace.adder(), places.calls.adder());
        let waiting = Vec::with_capacity(AT_ONCE);
        let (met, count, failed) = (Met::default(), 0, None);
        Self { day, terms, survey, met, by_trace, calls, waiting, count, failed }
    }

    /// Takes in a sighting of the day or its margins.
    pub(super) fn add(&mut self, stored: &StoredSighting<'_, NameId>) {
        if is_near(self.day, stored.start) && self.failed.is_none() {
            self.met.note(stored);
            self.waiting.push(stored.trace_id);
            if self.waiting.len() >= AT_ONCE {
                self.note_waiting();
            }
            self.count += 1;
            self.failed = self.calls.add(of_sighting(self.terms, stored), stored).err();
        }
    }

    fn note_waiting(&mut self) {
        let traces = &self.survey.traces;
        traces.bring_near(self.waiting.iter().copied());
        self.waiting.drain(..).for_each(|trace| traces.note(trace));
    }

    /// How many sightings were taken in by now.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Takes in a client span that may be below a call of the day or its margins.
    pub(super) fn add_attempt(&mut self, attempt: &Attempt<NameId>) {
        if is_near(self.day, attempt.start) && self.failed.is_none() {
            self.survey.traces.note_company(attempt.trace_id);
            self.failed = self.by_trace.add(of_trace(attempt.trace_id), attempt).err();
        }
    }

    /// Hands over what is left; an error where anything could not be kept.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.note_waiting();
        self.survey.met.lock().unwrap_or_else(PoisonError::into_inner).merge(self.met);
        self.by_trace.finish()?;
        self.calls.finish()
    }
}
