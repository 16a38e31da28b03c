//! Calls are judged: sessions in order, then retries, classes, chains and pairs.
//!
//! Pure. The calls of the day are judged; those of its margins are only what they are seen beside.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::call::Call;
use super::chain::{self, Chain, ChainKind};
use super::declared::{Declared, ToolTerms};
use super::first_call::{Standing, standing};
use super::fold::fold;
use super::join::{By, join};
use super::look_alike::{Classified, Sweeps, classify};
use super::names::{NameId, Namer, Names};
use super::recovery::{self, Recovered};
use super::retry::{Run, Window};
use super::reworded::reworded;
use super::seen::Seen;
use super::session::{self, Session, Sessions, is_of_a_tool, order};
use super::summarise::Tally;
use super::{LOOK_AHEAD, LOOK_BACK};
use crate::call::{Attempt, Day, SessionGrade, Sighting, UnixNanos};
use crate::figures::{DayFigures, RetryClass, UnjudgedReason};

/// What a day is judged under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// Whether sessions are inferred where nothing names them: grade D.
    pub infer_sessions: bool,
    /// When the day was first covered; calls that arrived later are late.
    pub first_covered: Option<UnixNanos>,
}

/// A retry: what shows it, and what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The witness, by its place among all calls.
    pub witness: u32,
    /// What it was.
    pub class: RetryClass,
    /// Whether it is confirmed only for want of arguments to test `paging` or `sweep` with.
    pub is_untested: bool,
}

/// What was found about one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// Its session among all sessions; none for grade E.
    pub session: Option<u32>,
    /// Whether it counts in the rate.
    pub standing: Standing,
    /// Its retry, where it was retried.
    pub retry: Option<Retry>,
    /// Whether it repeats an earlier call.
    pub is_repeat: bool,
    /// Its chain among all chains; none where it is alone.
    pub chain: Option<u32>,
    /// Whether it is the last call of its tool in its session.
    pub is_last_of_tool: bool,
    /// What was found about its recovery; none where there was nothing to look for.
    pub recovered: Option<Recovered>,
}

/// The calls of a day and its margins, with what was found about each.
#[derive(Debug)]
pub struct Judged {
    /// The day.
    pub day: Day,
    /// The calls, in order of (start, end, span, trace).
    pub calls: Vec<Call>,
    /// What was found about each, in the same order. Of calls in the margins nothing is found
    /// but their sessions.
    pub judgements: Vec<Judgement>,
    /// The sessions.
    pub sessions: Sessions,
    /// The chains that begin on the day.
    pub chains: Vec<Chain>,
    /// The calls of one tool in one session, for the sessions that have calls on the day.
    pub(super) runs: Vec<JudgedRun>,
    /// The places of the runs' calls, one run after the other.
    run_calls: Vec<u32>,
}

/// The calls of one tool in one session.
#[derive(Debug)]
pub(super) struct JudgedRun {
    /// The session, among all sessions.
    pub(super) session: u32,
    /// Its calls among all runs' calls.
    calls: Range<usize>,
    /// For each of the day's confirmed retries that shows it, which parameters were reworded.
    pub(super) reworded: Vec<Vec<NameId>>,
}

/// Judges a day from the sightings of the day and its margins, in any order. Sightings outside
/// [`LOOK_BACK`] and [`LOOK_AHEAD`] of the day are left out of account.
pub fn judge_day(day: Day, sightings: Vec<Sighting>) -> DayFigures {
    judge_day_under(Terms::default(), day, sightings)
}

/// Judges a day as [`judge_day`] does, under other terms than the usual.
pub fn judge_day_under(terms: Terms, day: Day, sightings: Vec<Sighting>) -> DayFigures {
    judge_day_with(terms, day, sightings, Vec::new(), Declared::default())
}

/// Judges a day as [`judge_day_under`] does, with the client spans that may be below its calls and
/// with what is declared of tools.
pub fn judge_day_with(
    terms: Terms,
    day: Day,
    sightings: Vec<Sighting>,
    attempts: Vec<Attempt>,
    declared: Declared,
) -> DayFigures {
    let mut names = Names::declaring(declared);
    let calls = fold_day_with(day, sightings, attempts, &mut names);
    let judged = judge_calls(terms, day, calls, &names);
    let mut tally = Tally::new(day, terms);
    tally.add(&judged, &names);
    tally.figures(&names)
}

/// The calls that the sightings of a day and its margins are of, in no particular order.
pub fn fold_day(day: Day, sightings: Vec<Sighting>, names: &mut Names) -> Vec<Call> {
    fold_day_with(day, sightings, Vec::new(), names)
}

/// The same with the client spans that may be below those calls.
pub fn fold_day_with(
    day: Day,
    sightings: Vec<Sighting>,
    attempts: Vec<Attempt>,
    names: &mut Names,
) -> Vec<Call> {
    let shared = Mutex::new(std::mem::take(names));
    let mut namer = Namer::new(&shared);
    let seen: Vec<Seen> = sightings
        .into_iter()
        .filter(|sighting| is_near(day, sighting.start))
        .map(|sighting| Seen::new(&sighting, &mut namer))
        .collect();
    let attempts: Vec<_> = attempts
        .iter()
        .filter(|attempt| is_near(day, attempt.start))
        .map(|attempt| attempt.with_names(|name| namer.id(name)))
        .collect();
    *names = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    let calls = fold(&seen, &attempts, names);
    By::BOTH.into_iter().fold(calls, |calls, by| join(calls, by, names))
}

/// Whether a sighting that starts then can touch the day's figures.
pub(super) fn is_near(day: Day, start: UnixNanos) -> bool {
    start >= day.start().saturating_sub(LOOK_BACK) && start < day.end().saturating_add(LOOK_AHEAD)
}

/// Judges calls, folded already, in any order.
pub fn judge_calls(terms: Terms, day: Day, mut calls: Vec<Call>, names: &Names) -> Judged {
    calls.sort_unstable_by_key(order);
    judge_as_they_come(terms, day, calls, names)
}

/// Judges calls and leaves them in the order in which they come, on which no judgement depends.
pub(super) fn judge_as_they_come(
    terms: Terms,
    day: Day,
    mut calls: Vec<Call>,
    names: &Names,
) -> Judged {
    let last = day.end().saturating_add(chain::LOOK_AHEAD);
    calls.retain(|call| call.start <= last);
    let mut tool_terms = ToolTerms::new(names);
    tool_terms.apply(&mut calls);
    let sessions = session::find(&mut calls, names.unknown(), terms.infer_sessions);
    let nothing = |call: &Call| Judgement {
        session: None,
        standing: if is_of_a_tool(call) {
            standing(call, SessionGrade::E, true, false, false)
        } else {
            Standing::OfNoTool
        },
        retry: None,
        is_repeat: false,
        chain: None,
        is_last_of_tool: false,
        recovered: None,
    };
    let judgements = calls.iter().map(nothing).collect();
    let (chains, runs, run_calls) = (Vec::new(), Vec::new(), Vec::new());
    let mut judged = Judged { day, calls, judgements, sessions, chains, runs, run_calls };
    let all = std::mem::take(&mut judged.sessions.all);
    let mut by_tool = Vec::new();
    for (ordinal, session) in (0_u32..).zip(&all) {
        judged.judge_session(ordinal, session, &mut by_tool);
        judged.judge_recovery(session, &mut tool_terms);
    }
    judged.sessions.all = all;
    judged
}

/// A call's tool, its place in its session, and its place among all calls.
type ByTool = ((NameId, Option<NameId>), u32, u32);

impl Judged {
    /// Whether a call belongs to the day: it starts on it.
    pub fn is_of_day(&self, call: &Call) -> bool {
        call.start >= self.day.start() && call.start < self.day.end()
    }

    pub(super) fn call(&self, at: u32) -> Option<&Call> {
        self.calls.get(at as usize)
    }

    /// The calls of a run, in order, by their places among all calls.
    pub(super) fn calls_of(&self, run: &JudgedRun) -> &[u32] {
        self.run_calls.get(run.calls.clone()).unwrap_or_default()
    }

    fn judge_session(&mut self, ordinal: u32, session: &Session, by_tool: &mut Vec<ByTool>) {
        let of_session = || session.calls.iter().filter_map(|at| Some((*at, self.call(*at)?)));
        by_tool.clear();
        if of_session().any(|(_, call)| self.is_of_day(call)) {
            let in_order = (0..).zip(of_session()).filter(|(_, (_, call))| is_of_a_tool(call));
            by_tool.extend(in_order.map(|(n, (at, call))| ((call.service, call.tool), n, at)));
            by_tool.sort_unstable();
        }
        for at in &session.calls {
            if let Some(judgement) = self.judgements.get_mut(*at as usize) {
                judgement.session = Some(ordinal);
            }
        }
        for run in by_tool.chunk_by(|a, b| a.0 == b.0) {
            let first = self.run_calls.len();
            self.run_calls.extend(run.iter().map(|(_, _, at)| *at));
            let calls = first..self.run_calls.len();
            let run = JudgedRun { session: ordinal, calls, reworded: Vec::new() };
            let run = self.judge_run(session.grade, run);
            self.runs.push(run);
        }
    }

    /// Looks for what followed a session's uncertain calls.
    fn judge_recovery(&mut self, session: &Session, terms: &mut ToolTerms<'_>) {
        let is_near = |call: &Call| call.is_uncertain() || call.recovery.is_some();
        let of_session = || session.calls.iter().filter_map(|at| Some((*at, self.call(*at)?)));
        if !of_session().any(|(_, call)| is_near(call)) {
            return;
        }
        let calls: Vec<(u32, &Call)> = of_session().collect();
        let found = recovery::judge(&calls, &|call| self.is_of_day(call), terms);
        for (at, recovered) in found {
            if let Some(judgement) = self.judgements.get_mut(at as usize) {
                judgement.recovered = Some(recovered);
            }
        }
    }

    /// Judges the calls of one tool in one session, which are in order.
    fn judge_run(&mut self, grade: SessionGrade, mut judged: JudgedRun) -> JudgedRun {
        let is_placed = |at: &u32| self.call(*at).is_some_and(|call| call.is_time_known);
        let at: Vec<u32> = self.calls_of(&judged).iter().copied().filter(is_placed).collect();
        if let [alone] = *at
            && judged.calls.len() == 1
        {
            self.judge_alone(grade, alone);
            return judged;
        }
        let run = Run::new(self.calls_of(&judged).iter().filter_map(|at| self.call(*at)));
        let starts = chain::starts(&run);
        let (findings, kinds) = judge_placed(&run, &starts, grade);
        let is_of_day = |at: usize| run.calls.get(at).is_some_and(|call| self.is_of_day(call));
        judged.reworded = reworded_in(&run, &findings, is_of_day);
        for (place, finding) in at.iter().zip(&findings) {
            if let Some(judgement) = self.judgements.get_mut(*place as usize) {
                judgement.standing = finding.standing;
                judgement.is_repeat = finding.is_repeat;
                judgement.retry = finding.retry.and_then(|found| {
                    let witness = *at.get(found.witness)?;
                    Some(Retry { witness, class: found.class, is_untested: found.is_untested })
                });
            }
        }
        if let Some(last) = at.last().and_then(|last| self.judgements.get_mut(*last as usize)) {
            last.is_last_of_tool = true;
        }
        let ends = starts.iter().copied().skip(1).chain([at.len()]);
        for ((start, end), kind) in starts.iter().copied().zip(ends).zip(kinds) {
            self.add_chain(at.get(start..end).unwrap_or_default(), kind);
        }
        judged
    }

    /// Judges a call that has no other of its tool in its session: nothing can follow it.
    fn judge_alone(&mut self, grade: SessionGrade, at: u32) {
        let Some(call) = self.calls.get(at as usize) else { return };
        let standing = standing(call, grade, !call.args.is_empty(), false, false);
        if let Some(judgement) = self.judgements.get_mut(at as usize) {
            judgement.standing = standing;
            judgement.is_last_of_tool = true;
        }
    }

    /// Keeps a chain of two or more calls, where its first call is one of the day's.
    fn add_chain(&mut self, calls: &[u32], kind: ChainKind) {
        let (Some(first), Some(last)) = (calls.first(), calls.last()) else { return };
        let is_of_day = self.call(*first).is_some_and(|call| self.is_of_day(call));
        if calls.len() < 2 || !is_of_day {
            return;
        }
        let ordinal = u32::try_from(self.chains.len()).ok();
        for at in calls {
            if let Some(judgement) = self.judgements.get_mut(*at as usize) {
                judgement.chain = ordinal;
            }
        }
        self.chains.push(Chain { first: *first, last: *last, kind });
    }
}

/// Which parameters the day's confirmed retries changed, for each that shows it.
fn reworded_in(
    run: &Run<'_>,
    findings: &[Finding],
    is_of_day: impl Fn(usize) -> bool,
) -> Vec<Vec<NameId>> {
    let args = |at: usize| run.args.get(at).copied().flatten();
    let of_day = findings.iter().enumerate().filter(|(at, _)| is_of_day(*at));
    let confirmed = of_day.filter_map(|(at, finding)| Some((at, finding.confirmed()?)));
    confirmed.filter_map(|(at, retry)| reworded(args(at)?, args(retry.witness)?)).collect()
}

/// What was found about one call of a run.
struct Finding {
    standing: Standing,
    retry: Option<Classified>,
    is_repeat: bool,
}

impl Finding {
    fn confirmed(&self) -> Option<Classified> {
        self.retry.filter(|retry| !retry.class.is_look_alike())
    }
}

fn judge_placed(
    run: &Run<'_>,
    starts: &[usize],
    grade: SessionGrade,
) -> (Vec<Finding>, Vec<ChainKind>) {
    let windows = run.windows();
    let sweeps = Sweeps::find(run, starts);
    let judge = |(at, (call, window)): (usize, (&&Call, &Window))| {
        let retry = window.first_different.and_then(|first| classify(run, &sweeps, at, first));
        let has_args = run.args.get(at).is_some_and(Option::is_some);
        Finding {
            standing: standing(call, grade, has_args, retry.is_some(), window.has_unknown),
            retry,
            is_repeat: window.is_repeat,
        }
    };
    let findings: Vec<Finding> = run.calls.iter().zip(&windows).enumerate().map(judge).collect();
    let ends = starts.iter().copied().skip(1).chain([run.calls.len()]);
    let kinds = starts.iter().copied().zip(ends).map(|(start, end)| {
        let of_chain = findings.get(start..end).unwrap_or_default();
        let has_confirmed = of_chain.iter().any(|finding| finding.confirmed().is_some());
        chain::kind(run, start, end, has_confirmed)
    });
    let kinds = kinds.collect();
    (findings, kinds)
}

impl Standing {
    /// Why the call is not judged; none where it is, or where it is of no tool.
    pub const fn reason(self) -> Option<UnjudgedReason> {
        match self {
            Self::Unjudged(reason) => Some(reason),
            Self::Judged | Self::OfNoTool => None,
        }
    }
}
