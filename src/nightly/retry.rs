//! Retries and repeats: the rule `window-30s` (METHOD section 5).
//!
//! Works on a [`Run`]: the calls of one tool in one session, in order of (start, end, span).

use std::cmp::Reverse;

use super::call::Call;
use super::seen::{Args, Layer};
use super::session::{Order, order};
use crate::call::{ArgsForm, CallDuration, Comparison, UnixNanos};

/// The window, from start to start. It is stated, not tuned: no setting changes it.
pub const WINDOW: CallDuration = CallDuration::from_secs(30);

/// The calls of one tool in one session whose start is known, in order of (start, end, span).
/// Made once for many runs, which are filled in one after the other.
#[derive(Debug, Default)]
pub(super) struct Run<'a> {
    /// The calls.
    pub(super) calls: Vec<&'a Call>,
    /// Each call's arguments, all from the run's layer where the call has them there.
    pub(super) args: Vec<Option<&'a Args>>,
    /// What the window after each call, and the one before it, hold.
    pub(super) windows: Vec<Window>,
    /// The starts that stand in for unknown ones, ascending. Such a call is no witness, but
    /// whether it was one cannot be told either.
    unplaced: Vec<UnixNanos>,
    /// The run's calls that have arguments, by layer and within it in order.
    by_layer: Vec<Placed>,
    /// Arguments, starts and places, for finding repeats.
    known: Vec<(u64, UnixNanos, usize)>,
}

#[derive(Debug)]
struct Placed {
    layer: Layer,
    start: UnixNanos,
    value: u64,
    hides: bool,
    /// How many of `by_layer` hide something, up to this one.
    hiding: usize,
    at: usize,
    /// The next one of the layer, in `by_layer`, with another value.
    next_other: Option<usize>,
}

/// What the window after a call, and the one before it, hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Window {
    /// The first call with different arguments: the witness.
    pub(super) first_different: Option<usize>,
    /// Whether a call of the same tool follows whose arguments cannot be compared.
    pub(super) has_unknown: bool,
    /// Whether the call is a repeat.
    pub(super) is_repeat: bool,
}

impl<'a> Run<'a> {
    /// Becomes the run of `calls`, which are of one session and one tool and in order.
    pub(super) fn fill(&mut self, calls: impl Iterator<Item = &'a Call>, layer: RunLayer) {
        self.take(calls, layer);
        place_by_layer(&self.calls, &self.args, &mut self.by_layer);
        self.find_windows();
    }

    /// Becomes the same without its windows.
    pub(super) fn take(&mut self, calls: impl Iterator<Item = &'a Call>, layer: RunLayer) {
        self.calls.clear();
        self.unplaced.clear();
        for call in calls {
            if call.is_time_known {
                self.calls.push(call);
            } else {
                self.unplaced.push(call.start);
            }
        }
        choose_arguments(&self.calls, layer, &mut self.args);
    }

    fn find_windows(&mut self) {
        let mut windows = std::mem::take(&mut self.windows);
        windows.clear();
        windows.resize(self.calls.len(), Window::default());
        let is_plain = self.compares_throughout();
        for of_layer in self.by_layer.chunk_by(|a, b| a.layer == b.layer) {
            let mut later = of_layer.iter().peekable();
            for placed in of_layer {
                while later.next_if(|other| other.start <= placed.start).is_some() {}
                let found = later.peek().and_then(|later| {
                    self.different(later, placed.value, placed.start.saturating_add(WINDOW))
                });
                let has_unknown =
                    !is_plain && found.is_none() && self.has_unknown(placed, of_layer);
                if let Some(window) = windows.get_mut(placed.at) {
                    window.first_different = found;
                    window.has_unknown = has_unknown;
                }
            }
            mark_repeats(of_layer, &mut self.known, &mut windows);
        }
        self.windows = windows;
    }

    /// Whether any two of the run's calls compare, as in most runs.
    fn compares_throughout(&self) -> bool {
        let layers = || self.by_layer.first().zip(self.by_layer.last());
        self.unplaced.is_empty()
            && self.by_layer.len() == self.calls.len()
            && layers().is_none_or(|(first, last)| first.layer == last.layer && last.hiding == 0)
    }

    /// The first call after `after`, and at most 30 s after the start of the call at `at`, whose
    /// arguments are different from that call's.
    pub(super) fn first_different_after(&self, at: usize, after: UnixNanos) -> Option<usize> {
        let call = self.calls.get(at)?;
        let args = (*self.args.get(at)?)?;
        let key = |placed: &Placed| (placed.layer, placed.start);
        let first = self.by_layer.partition_point(|placed| key(placed) <= (args.layer, after));
        let found = self.by_layer.get(first).filter(|placed| placed.layer == args.layer)?;
        self.different(found, number(args.value), call.start.saturating_add(WINDOW))
    }

    /// `found`, or where its arguments are equal to `value` the next one of its layer with others,
    /// if it starts not after `until`.
    fn different(&self, found: &Placed, value: u64, until: UnixNanos) -> Option<usize> {
        let is_equal = found.value == value;
        let different = if is_equal { self.by_layer.get(found.next_other?)? } else { found };
        (different.start <= until).then_some(different.at)
    }

    /// Whether a call follows within the window that cannot be compared with `placed`, given that
    /// none follows that is known to differ: one without arguments or with another layer's, one
    /// without a known start, or one with equal arguments where equality proves nothing.
    fn has_unknown(&self, placed: &Placed, of_layer: &[Placed]) -> bool {
        let until = placed.start.saturating_add(WINDOW);
        let first = self.calls.partition_point(|call| call.start <= placed.start);
        let in_window = self.calls.partition_point(|call| call.start <= until) - first;
        let first = of_layer.partition_point(|other| other.start <= placed.start);
        let past = of_layer.partition_point(|other| other.start <= until);
        let comparable = of_layer.get(first..past).unwrap_or_default();
        let unplaced = |until| self.unplaced.partition_point(|start| *start <= until);
        let hiding = |placed: Option<&Placed>| placed.map(|placed| placed.hiding);
        unplaced(until) > unplaced(placed.start)
            || in_window > comparable.len()
            || (placed.hides && !comparable.is_empty())
            || hiding(comparable.last()) > hiding(comparable.first())
            || comparable.first().is_some_and(|first| first.hides)
    }

    /// How the arguments of two of the run's calls compare.
    pub(super) fn compare(&self, a: usize, b: usize) -> Comparison {
        let args = |at: usize| self.args.get(at).copied().flatten();
        Args::compare(args(a), args(b))
    }
}

/// From which layer a run's calls have their arguments, as far as they have them from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RunLayer {
    /// It is to be found.
    #[default]
    Asked,
    /// It was found with the run's other calls in view; none where no call has two.
    Known(Option<Layer>),
}

/// Of calls that several layers saw, takes every call's arguments from the same layer: the one
/// that saw most of them; of such, one that hashed JSON, then the outermost.
fn choose_arguments<'a>(calls: &[&'a Call], layer: RunLayer, chosen: &mut Vec<Option<&'a Args>>) {
    let best = match layer {
        RunLayer::Known(best) => best,
        RunLayer::Asked if calls.iter().any(|call| call.args.len() > 1) => {
            let mut votes = Votes::default();
            for call in calls {
                votes.add(call);
            }
            votes.best()
        }
        RunLayer::Asked => None,
    };
    chosen.clear();
    chosen.extend(calls.iter().map(|call| arguments_from(best, call)));
}

/// A call's arguments from this layer, else from the outermost.
pub(super) fn arguments_from(best: Option<Layer>, call: &Call) -> Option<&Args> {
    let from_best = best.and_then(|best| call.args.iter().find(|args| args.layer == best));
    from_best.or_else(|| call.args.first())
}

/// How many of a run's calls each layer saw.
#[derive(Debug, Clone, Default)]
pub(super) struct Votes {
    layers: Vec<Vote>,
    has_several: bool,
}

#[derive(Debug, Clone, Copy)]
struct Vote {
    layer: Layer,
    count: usize,
    /// How many layers were further out, of all calls.
    ranks: usize,
    /// Its first call: of equals the layer that came last has it.
    first: (Order, usize),
}

impl Votes {
    /// Counts a call of the run.
    pub(super) fn add(&mut self, call: &Call) {
        self.has_several |= call.args.len() > 1;
        for (rank, args) in call.args.iter().enumerate() {
            let first = (order(call), rank);
            match self.layers.iter_mut().find(|known| known.layer == args.layer) {
                Some(known) => {
                    known.count += 1;
                    known.ranks += rank;
                    known.first = known.first.min(first);
                }
                None => {
                    self.layers.push(Vote { layer: args.layer, count: 1, ranks: rank, first });
                }
            }
        }
    }

    /// The layer that saw most; none where no call has two.
    pub(super) fn best(&self) -> Option<Layer> {
        let worth = |vote: &&Vote| {
            let is_json = vote.layer.form == ArgsForm::Json;
            (vote.count, is_json, Reverse(vote.ranks), vote.first)
        };
        let best = self.layers.iter().max_by_key(worth).filter(|_| self.has_several);
        best.map(|vote| vote.layer)
    }
}

/// Puts the calls that have arguments by layer, each with the next one that has other arguments:
/// one backward walk.
fn place_by_layer(calls: &[&Call], args: &[Option<&Args>], placed: &mut Vec<Placed>) {
    placed.clear();
    let with_args = calls.iter().zip(args).enumerate();
    placed.extend(with_args.filter_map(|(at, (call, args))| {
        let args = (*args)?;
        let (layer, value, hides) = (args.layer, number(args.value), args.hides);
        let (hiding, next_other) = (0, None);
        Some(Placed { layer, start: call.start, value, hides, hiding, at, next_other })
    }));
    if !placed.is_sorted_by_key(|placed| placed.layer) {
        placed.sort_by_key(|placed| placed.layer);
    }
    let mut hiding = 0;
    for this in placed.iter_mut() {
        hiding += usize::from(this.hides);
        this.hiding = hiding;
    }
    let mut later: Option<(Layer, u64, usize, Option<usize>)> = None;
    for (index, this) in placed.iter_mut().enumerate().rev() {
        this.next_other = match later {
            Some((layer, value, _, next)) if layer == this.layer && value == this.value => next,
            Some((layer, _, index, _)) if layer == this.layer => Some(index),
            _ => None,
        };
        later = Some((this.layer, this.value, index, this.next_other));
    }
}

/// Six bytes as one number: equal for equal ones.
fn number(value: [u8; 6]) -> u64 {
    let [low @ .., fifth, sixth] = value;
    u64::from(u32::from_le_bytes(low)) | u64::from(u16::from_le_bytes([fifth, sixth])) << 32
}

/// Marks the calls of one layer that are repeats: an earlier one, at most 30 s before, had the
/// same arguments. Equal starts are not earlier.
fn mark_repeats(
    of_layer: &[Placed],
    known: &mut Vec<(u64, UnixNanos, usize)>,
    windows: &mut [Window],
) {
    if of_layer.len() < 2 {
        return;
    }
    known.clear();
    let comparable = of_layer.iter().filter(|placed| !placed.hides);
    known.extend(comparable.map(|placed| (placed.value, placed.start, placed.at)));
    known.sort_unstable();
    for same in known.chunk_by(|a, b| a.0 == b.0) {
        let mut before: Option<UnixNanos> = None;
        for at_once in same.chunk_by(|a, b| a.1 == b.1) {
            let Some((_, start, _)) = at_once.first().copied() else { continue };
            if before.is_some_and(|before| start <= before.saturating_add(WINDOW)) {
                for (.., at) in at_once {
                    if let Some(window) = windows.get_mut(*at) {
                        window.is_repeat = true;
                    }
                }
            }
            before = Some(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{ArgsHash, Arguments, Name, Sighting, SpanId};
    use crate::nightly::fold_day;
    use crate::nightly::names::Names;

    /// Calls of one tool: (nanoseconds after noon, hash, source of the hash).
    fn calls(told: &[(u64, Option<u8>, &str)]) -> Vec<Call> {
        let one = |(number, (after, hash, source)): (u64, &(u64, Option<u8>, &str))| {
            let plain = plain_sighting();
            let start = UnixNanos::new(plain.start.get() + after);
            let arguments = hash.and_then(|hash| {
                let hash = ArgsHash::from_bytes([hash; 6]);
                plain.arguments.clone().map(|a| Arguments { hash, source: Name::cut(source), ..a })
            });
            let span_id = SpanId::from_bytes(&number.to_be_bytes()).unwrap();
            Sighting { span_id, start, end: start, arguments, ..plain }
        };
        let sightings = (1..).zip(told).map(one).collect();
        let mut calls = fold_day("2026-11-29".parse().unwrap(), sightings, &mut Names::new());
        calls.sort_by_key(order);
        calls
    }

    fn windows(told: &[(u64, Option<u8>, &str)]) -> Vec<(Option<usize>, bool, bool)> {
        let calls = calls(told);
        let mut run = Run::default();
        run.fill(calls.iter(), RunLayer::Asked);
        run.windows.iter().map(|w| (w.first_different, w.has_unknown, w.is_repeat)).collect()
    }

    const S: u64 = 1_000_000_000;

    #[test]
    fn thirty_seconds_is_within_and_a_nanosecond_more_is_not() {
        let at = |second| windows(&[(0, Some(1), "s"), (second, Some(2), "s")])[0].0;
        assert_eq!(at(30 * S), Some(1));
        assert_eq!(at(30 * S + 1), None);
        assert_eq!(at(1), Some(1));
        assert_eq!(at(0), None, "equal starts are not again");
    }

    #[test]
    fn the_witness_is_the_first_different_one_past_a_row_of_equals() {
        let told: Vec<(u64, Option<u8>, &str)> =
            (0..20).map(|n| (n * S, Some(u8::from(n == 19)), "s")).collect();
        let found = windows(&told);
        assert!(found.iter().take(19).all(|window| window.0 == Some(19)));
        assert_eq!(found.iter().filter(|window| window.2).count(), 18);
    }

    #[test]
    fn only_hashes_of_one_source_compare() {
        let found = windows(&[(0, Some(1), "a"), (S, Some(2), "b"), (2 * S, Some(3), "a")]);
        assert_eq!(found, [(Some(2), false, false), (None, true, false), (None, false, false)]);
    }

    #[test]
    fn a_call_without_a_hash_makes_those_before_it_unknown_and_none_after_it() {
        let found = windows(&[(0, Some(1), "s"), (S, None, "s"), (2 * S, Some(1), "s")]);
        assert_eq!(found, [(None, true, false), (None, false, false), (None, false, true)]);
    }

    #[test]
    fn many_equal_calls_in_one_window_take_no_square_of_their_number() {
        let calls = calls(&[(0, Some(1), "s"), (1, Some(1), "s")]);
        let mut run = Run::default();
        run.fill((0..200_000).map(|_| &calls[0]).chain([&calls[1]]), RunLayer::Asked);
        assert_eq!(run.windows.iter().filter(|window| window.is_repeat).count(), 1);
    }
}
