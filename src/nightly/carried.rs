//! What a giant's slices carry from one to the next: what is counted once for a session or for its
//! calls of one tool, and the chains that slices cut.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::call::Call;
use super::chain::ChainKind;
use super::facts::{Facts, SessionId, Tool};
use super::judge::{Judged, Judgement};
use super::names::{NameId, Names};
use super::pair;
use super::retry::{WINDOW, arguments_from};
use super::seen::Args;
use super::stretch::Stretch;
use super::summarise::{Tally, parameters_of};
use crate::call::{Comparison, Day, KeyPrint, KeyStatus, SessionGrade, UnixNanos};

/// The sessions of one giant, as far as its slices were added.
#[derive(Debug)]
pub(super) struct Carried<'f> {
    day: Day,
    facts: &'f Facts,
    sessions: BTreeMap<SessionId, Open>,
}

/// A session that may go on.
#[derive(Debug)]
struct Open {
    grade: SessionGrade,
    first: UnixNanos,
    last: UnixNanos,
    /// Its calls on the day.
    of_day: u64,
    /// Its last call whose start is known.
    before: Option<Call>,
    runs: BTreeMap<Tool, OpenRun>,
}

/// The calls of one tool in one session.
#[derive(Debug, Default)]
struct OpenRun {
    is_of_day: bool,
    parameters: BTreeSet<NameId>,
    /// Whether its last call is one of the day's and empty.
    is_accepted: bool,
    chain: Option<OpenChain>,
    /// The first arguments that came with each idempotency key.
    by_key: HashMap<KeyPrint, Option<Args>>,
}

#[derive(Debug)]
struct OpenChain {
    is_of_day: bool,
    has_confirmed: bool,
    changes: u32,
    is_usable: bool,
    last: UnixNanos,
    args: Option<Args>,
}

impl<'f> Carried<'f> {
    /// Nothing added yet.
    pub(super) const fn new(day: Day, facts: &'f Facts) -> Self {
        Self { day, facts, sessions: BTreeMap::new() }
    }

    /// Adds the calls that start in `own`, of which `judged` tells, to `tally`. Slices come in
    /// order of time.
    pub(super) fn add(&mut self, tally: &mut Tally, own: Stretch, judged: &Judged, names: &Names) {
        tally.add_outside_sessions(judged);
        for session in &judged.sessions.all {
            let all = session.calls.iter().filter_map(|at| judged.call(*at));
            let calls: Vec<&Call> = all.filter(|call| own.holds(call.start)).collect();
            self.add_session(tally, session.grade, &calls, judged);
        }
        for run in &judged.runs {
            let found = |at: &u32| Some((judged.call(*at)?, judged.judgements.get(*at as usize)?));
            let of_run = judged.calls_of(run).iter().filter_map(found);
            let of_run: Vec<(&Call, &Judgement)> =
                of_run.filter(|(call, _)| own.holds(call.start)).collect();
            self.add_run(tally, &of_run, judged);
            if let Some((first, _)) = of_run.first().filter(|_| run.reworded_known > 0) {
                tally.add_reworded(judged, run, first, names);
            }
        }
    }

    fn add_session(
        &mut self,
        tally: &mut Tally,
        grade: SessionGrade,
        calls: &[&Call],
        judged: &Judged,
    ) {
        let Some((first, last)) = calls.first().zip(calls.last()) else { return };
        let Some(id) = self.facts.session(first) else { return };
        let open = self.sessions.entry(id).or_insert_with(|| Open {
            grade,
            first: first.start,
            last: last.start,
            of_day: 0,
            before: None,
            runs: BTreeMap::new(),
        });
        open.last = open.last.max(last.start);
        let of_day = calls.iter().filter(|call| judged.is_of_day(call)).count();
        open.of_day += u64::try_from(of_day).unwrap_or(u64::MAX);
        let before = open.before.take();
        let in_order = || before.iter().chain(calls.iter().copied());
        let day = Stretch::of(self.day);
        let pairs = pair::find(in_order());
        pairs.filter(|(first, _)| day.holds(first.start)).for_each(|(a, b)| tally.add_pair(a, b));
        open.before = in_order().rfind(|call| call.is_time_known).cloned();
    }

    /// Adds the calls of a run, which are in order.
    fn add_run(&mut self, tally: &mut Tally, calls: &[(&Call, &Judgement)], judged: &Judged) {
        let Some((first, _)) = calls.first() else { return };
        let layer = self.facts.layer(first);
        let open = self.facts.session(first).and_then(|id| self.sessions.get_mut(&id));
        let Some((open, tool)) = open.zip(first.tool) else { return };
        let grade = open.grade;
        let run = open.runs.entry((first.service, tool)).or_default();
        for (call, judgement) in calls.iter().copied() {
            let args = arguments_from(layer, call).filter(|_| call.is_time_known);
            let is_conflict = run.is_key_conflict(call, args);
            if judged.is_of_day(call) {
                run.is_of_day = true;
                run.parameters.extend(parameters_of(call));
                let mut judgement = *judgement;
                if let (Some(found), Some(is)) = (&mut judgement.recovered, is_conflict) {
                    found.is_key_conflict = is;
                }
                tally.add_call(call, &judgement, grade);
            }
            if call.is_time_known {
                run.is_accepted = judged.is_of_day(call) && call.is_empty();
                run.follow(tally, call, judgement, args, self.day);
            }
        }
    }

    /// Adds what is known once all slices were added.
    pub(super) fn finish(self, tally: &mut Tally, names: &Names) {
        let day = Stretch::of(self.day);
        for (id, open) in self.sessions {
            let (_, _, client) = id;
            if let Some(last) = open.before.as_ref().filter(|call| day.holds(call.start)) {
                tally.add_last_word(last);
            }
            if open.of_day > 0 {
                let is_shared = self.facts.is_shared(id, open.first, open.last);
                tally.add_session(client, open.grade, open.of_day == 1, is_shared);
            }
            for (tool, run) in open.runs {
                if let Some(chain) = run.chain.filter(|chain| chain.is_of_day) {
                    tally.add_chain((tool, client), chain.kind());
                }
                if run.is_of_day {
                    let parameters: Vec<NameId> = run.parameters.into_iter().collect();
                    tally.add_run_end((tool, client), &parameters, run.is_accepted, names);
                }
            }
        }
    }
}

impl OpenRun {
    /// Whether the server says so, or the key came first with arguments that are different; none
    /// where the call has no key or no place in the order.
    fn is_key_conflict(&mut self, call: &Call, args: Option<&Args>) -> Option<bool> {
        let told = &call.recovery.as_ref().filter(|_| call.is_time_known)?.told;
        let key = told.key?;
        let is_told = told.key_status == Some(KeyStatus::Conflict);
        if let Some(first) = self.by_key.get(&key) {
            return Some(is_told || Args::compare(first.as_ref(), args) == Comparison::Different);
        }
        self.by_key.insert(key, args.cloned());
        Some(is_told)
    }

    /// The run's next call continues its chain or ends it and begins another.
    fn follow(
        &mut self,
        tally: &mut Tally,
        call: &Call,
        judgement: &Judgement,
        args: Option<&Args>,
        day: Day,
    ) {
        let is_confirmed = judgement.retry.is_some_and(|retry| !retry.class.is_look_alike());
        if let Some(chain) = &mut self.chain
            && call.start <= chain.last.saturating_add(WINDOW)
        {
            let is_changed = Args::compare(chain.args.as_ref(), args) == Comparison::Different;
            chain.changes = chain.changes.saturating_add(u32::from(is_changed));
            chain.has_confirmed |= is_confirmed;
            (chain.is_usable, chain.last) = (call.is_usable(), call.start);
            chain.args = args.cloned();
            return;
        }
        let begun = OpenChain {
            is_of_day: Stretch::of(day).holds(call.start),
            has_confirmed: is_confirmed,
            changes: 0,
            is_usable: call.is_usable(),
            last: call.start,
            args: args.cloned(),
        };
        if let Some(ended) = self.chain.replace(begun).filter(|chain| chain.is_of_day)
            && let Some(tool) = call.tool
        {
            tally.add_chain(((call.service, tool), call.client), ended.kind());
        }
    }
}

impl OpenChain {
    const fn kind(&self) -> ChainKind {
        match (self.has_confirmed, self.is_usable) {
            (false, _) => ChainKind::NotOfRetries,
            (true, true) => ChainKind::Usable { extra_attempts: self.changes },
            (true, false) => ChainKind::Abandoned,
        }
    }
}
