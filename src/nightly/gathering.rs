//! A day's sightings are gathered in two looks. The first one notes which traces they are of and
//! what may join their calls with those of other traces. In the second one, a sighting that nothing
//! can be folded or joined with becomes its call at once; all others wait by trace.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::by_parts::{of_session, of_trace};
use super::call::Call;
use super::fold;
use super::gathered::Gathered;
use super::join::By;
use super::judge::{Terms, is_near};
use super::names::{KnownNames, NameId};
use super::parts::{Adder, Parts};
use super::seen::Seen;
use super::traces::{Company, Traces};
use crate::call::{Attempt, Day, SpanKind, TraceId, UnixNanos};
use crate::store::StoredSighting;

/// What the first look at a day tells.
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
        self.has_request |= By::Request.is_told(stored);
        self.has_call |= By::Call.is_told(stored);
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

impl By {
    /// Whether a sighting tells a session and the id.
    const fn is_told(self, stored: &StoredSighting<'_, NameId>) -> bool {
        let has_id = match self {
            Self::Request => stored.request_id.is_some(),
            Self::Call => stored.call_id.is_some(),
        };
        has_id && stored.session.is_some()
    }
}

impl Survey {
    /// By what calls of different traces may be joined, in order.
    pub(super) fn rounds(&self) -> Vec<By> {
        let met = *self.met.lock().unwrap_or_else(PoisonError::into_inner);
        By::BOTH.into_iter().filter(|by| met.may_join(*by)).collect()
    }
}

/// Looks at a day for the first time, one for each thread that does.
#[derive(Debug)]
pub(super) struct Surveying<'v> {
    day: Day,
    survey: &'v Survey,
    met: Met,
    waiting: Vec<TraceId>,
}

/// How many sightings wait until their traces are noted or asked for together.
const AT_ONCE: usize = 64;

impl<'v> Surveying<'v> {
    pub(super) fn new(day: Day, survey: &'v Survey) -> Self {
        Self { day, survey, met: Met::default(), waiting: Vec::with_capacity(AT_ONCE) }
    }

    /// Notes a sighting of the day or its margins.
    pub(super) fn note(&mut self, stored: &StoredSighting<'_, NameId>) {
        if is_near(self.day, stored.start) {
            self.met.note(stored);
            self.waiting.push(stored.trace_id);
            if self.waiting.len() >= AT_ONCE {
                self.note_waiting();
            }
        }
    }

    fn note_waiting(&mut self) {
        let traces = &self.survey.traces;
        traces.bring_near(self.waiting.iter().copied());
        self.waiting.drain(..).for_each(|trace| traces.note(trace));
    }

    /// Notes a client span that may be below a call of the day or its margins.
    pub(super) fn note_attempt(&self, trace: TraceId, start: UnixNanos) {
        if is_near(self.day, start) {
            self.survey.traces.note_company(trace);
        }
    }

    /// Hands over what was noted.
    pub(super) fn finish(mut self) {
        self.note_waiting();
        self.survey.met.lock().unwrap_or_else(PoisonError::into_inner).merge(self.met);
    }
}

/// Gathers a day's sightings, one for each thread that does.
#[derive(Debug)]
pub(super) struct Gathering<'p, 's> {
    day: Day,
    terms: Terms,
    known: KnownNames,
    traces: &'p Traces,
    rounds: Vec<By>,
    by_trace: Adder<'p, 's, Gathered>,
    calls: Adder<'p, 's, Call>,
    /// Sightings, and whether their calls may be joined with others.
    waiting: Vec<(Seen, bool)>,
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
    pub(super) fn new(
        (day, terms): (Day, Terms),
        known: KnownNames,
        survey: &'p Survey,
        places: Places<'p, 's>,
    ) -> Self {
        let (by_trace, calls) = (places.by_trace.adder(), places.calls.adder());
        let (traces, rounds) = (&survey.traces, survey.rounds());
        let waiting = Vec::with_capacity(AT_ONCE);
        Self { day, terms, known, traces, rounds, by_trace, calls, waiting, count: 0, failed: None }
    }

    /// Takes in a sighting of the day or its margins.
    pub(super) fn add(&mut self, stored: &StoredSighting<'_, NameId>) {
        if is_near(self.day, stored.start) && self.failed.is_none() {
            let may_be_joined = self.rounds.iter().any(|by| by.is_told(stored));
            self.waiting.push((Seen::new(stored, self.known.unknown), may_be_joined));
            if self.waiting.len() >= AT_ONCE {
                self.failed = self.add_waiting().err();
            }
        }
    }

    fn add_waiting(&mut self) -> io::Result<()> {
        self.traces.bring_near(self.waiting.iter().map(|(seen, _)| seen.trace_id));
        for (seen, may_be_joined) in self.waiting.drain(..) {
            let company = self.traces.take(seen.trace_id);
            self.count += u64::from(company != Company::New);
            match company {
                // It came since the first look, and makes the day due again.
                Company::New => {}
                Company::Alone if !may_be_joined => {
                    let call = fold::alone(&seen, self.known);
                    self.calls.add(of_session(self.terms, &call), &call)?;
                }
                Company::Alone | Company::Several => {
                    self.by_trace.add(of_trace(seen.trace_id), &Gathered::Seen(seen))?;
                }
            }
        }
        Ok(())
    }

    /// How many sightings were taken in by now.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Takes in a client span that may be below a call of the day or its margins.
    pub(super) fn add_attempt(&mut self, attempt: Attempt<NameId>) {
        if is_near(self.day, attempt.start) && self.failed.is_none() {
            let key = of_trace(attempt.trace_id);
            self.failed = self.by_trace.add(key, &Gathered::Attempt(attempt)).err();
        }
    }

    /// Hands over what is left and answers how many sightings there were; an error where anything
    /// could not be kept.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.add_waiting()?;
        self.by_trace.finish()?;
        self.calls.finish()?;
        Ok(self.count)
    }
}
