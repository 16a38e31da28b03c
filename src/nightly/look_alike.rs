//! What a retry was: the seven classes (METHOD section 7). First match wins, and the classes add
//! up to the retries.

use std::collections::HashMap;
use std::ops::Range;

use super::names::NameId;
use super::retry::Run;
use super::seen::Args;
use crate::call::{CallDuration, Outcome};
use crate::figures::RetryClass;

/// Sooner than this after an answer, no model has read it.
const READING: CallDuration = CallDuration::from_millis(250);
/// A loop over ids has at least this many calls; two or three are how a model works through an
/// ambiguous parameter.
const SWEEP: usize = 4;

/// A retried call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Classified {
    /// The call that shows it, by its place in the run.
    pub(super) witness: usize,
    /// What it was.
    pub(super) class: RetryClass,
    /// Whether it is confirmed only for want of arguments to test `paging` or `sweep` with.
    pub(super) is_untested: bool,
}

/// Classifies the retry of the call at `a`, of which `first` is the first different call.
pub(super) fn classify(
    run: &Run<'_>,
    sweeps: &Sweeps,
    a: usize,
    first: usize,
) -> Option<Classified> {
    let call = run.calls.get(a)?;
    let read = call.end.saturating_add(READING);
    let mut witness = first;
    if run.calls.get(first)?.start <= read {
        let later = if call.is_usable() { None } else { run.first_different_after(a, read) };
        let Some(later) = later else {
            let class = RetryClass::FanOut;
            return Some(Classified { witness, class, is_untested: false });
        };
        witness = later;
    }
    let args = |at: usize| run.args.get(at).copied().flatten();
    let (of_a, of_b) = (args(a)?, args(witness)?);
    let class = if Args::is_page_turn(of_a, of_b) {
        RetryClass::Paging
    } else if sweeps.hold(a, witness) {
        RetryClass::Sweep
    } else {
        after(call.outcome, call.is_empty())
    };
    let could_sweep = call.is_usable() && run.calls.get(witness)?.is_usable();
    let shows_sweep = of_a.shows_parameters() && of_b.shows_parameters();
    let is_untested =
        !class.is_look_alike() && (!of_a.shows_pages() || (could_sweep && !shows_sweep));
    Some(Classified { witness, class, is_untested })
}

const fn after(outcome: Outcome, is_empty: bool) -> RetryClass {
    match outcome {
        Outcome::BadArgs => RetryClass::AfterBadArgs,
        Outcome::Ok if is_empty => RetryClass::AfterEmpty,
        Outcome::Ok => RetryClass::AfterOk,
        Outcome::UnknownTool
        | Outcome::ToolError
        | Outcome::Crashed
        | Outcome::Timeout
        | Outcome::Cancelled
        | Outcome::Error => RetryClass::AfterFailure,
    }
}

/// The loops over ids in one run; made once for many runs.
#[derive(Debug, Default)]
pub(super) struct Sweeps {
    /// For every call the first call from which on all up to it make one loop.
    first: Vec<usize>,
}

impl Sweeps {
    /// Finds the loops in `run`, which has these chains.
    pub(super) fn find(&mut self, run: &Run<'_>, chains: &[Range<usize>]) {
        self.first.clear();
        self.first.extend(0..run.calls.len());
        for chain in chains.iter().filter(|chain| chain.len() >= SWEEP) {
            find_in_chain(run, chain.clone(), &mut self.first);
        }
    }

    /// Whether the calls at `a` and `b` belong to one loop of at least four calls.
    fn hold(&self, a: usize, b: usize) -> bool {
        let first = |last: usize| self.first.get(last).copied();
        // A loop that holds both and is long enough can be cut to end at `b`, or at most three
        // calls after `a`.
        (b..=b.max(a + SWEEP - 1))
            .any(|last| first(last).is_some_and(|first| first <= a && last + 1 - first >= SWEEP))
    }
}

fn find_in_chain(run: &Run<'_>, chain: Range<usize>, first: &mut [usize]) {
    let Range { start, end } = chain;
    let args = |at: usize| run.args.get(at).copied().flatten();
    let is_usable = |at: usize| run.calls.get(at).is_some_and(|call| call.is_usable());
    let mut changed_before: Option<NameId> = None;
    let mut begin = start;
    for at in start..end {
        let changed = match (at > start).then(|| args(at - 1)).flatten().zip(args(at)) {
            Some((before, this)) if is_usable(at - 1) && is_usable(at) => {
                only_changed(before, this)
            }
            _ => None,
        };
        let before = begin;
        if changed.is_none() {
            begin = at;
        } else if changed_before.is_some() && changed != changed_before {
            begin = at - 1;
        }
        if begin != before {
            part_alike(run, before..at, first);
        }
        changed_before = changed;
        if let Some(first) = first.get_mut(at) {
            *first = begin;
        }
    }
    part_alike(run, begin..end, first);
}

/// No two calls of a loop are alike: of these calls, which would be one, each loop begins after the
/// last call that came again in it.
fn part_alike(run: &Run<'_>, calls: Range<usize>, first: &mut [usize]) {
    if calls.len() < SWEEP {
        return;
    }
    let mut seen_at: HashMap<[u8; 6], usize> = HashMap::with_capacity(calls.len());
    let mut begin = calls.start;
    for at in calls.clone() {
        if let Some(args) = run.args.get(at).copied().flatten()
            && let Some(alike) = seen_at.insert(args.value, at)
        {
            begin = begin.max(alike + 1);
        }
        // The first call may end a loop before.
        if let Some(first) = first.get_mut(at).filter(|_| at > calls.start) {
            *first = begin;
        }
    }
}

/// The one parameter whose value differs, where nothing else does.
fn only_changed(a: &Args, b: &Args) -> Option<NameId> {
    if a.layer != b.layer || a.value == b.value || a.prints.len() != b.prints.len() {
        return None;
    }
    let mut changed = None;
    for (a, b) in a.prints.iter().zip(b.prints.iter()) {
        if a.name != b.name {
            return None;
        }
        if a.print != b.print {
            if changed.is_some() {
                return None;
            }
            changed = Some(a.name);
        }
    }
    changed
}
