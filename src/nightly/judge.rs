//! Calls are judged: sessions in order, then retries, classes, chains and pairs.
//!
//! Pure. The calls of the day are judged; those of its margins are only what they are seen beside.

use std::ops::Range;

use super::call::Call;
use super::chain::{self, Chain, ChainKind};
use super::declared::ToolTerms;
use super::facts::Facts;
use super::first_call::{Standing, standing};
use super::look_alike::{Classified, Sweeps, classify};
use super::names::{NameId, Names};
use super::recovery::{self, Recovered};
use super::retry::{Run, RunLayer, Window};
use super::reworded::reworded;
use super::session::{self, Session, Sessions, is_of_a_tool, order};
use super::stretch::Stretch;
use super::{LOOK_AHEAD, LOOK_BACK};
use crate::call::{Day, SessionGrade, UnixNanos};
use crate::figures::RetryClass;

/// What a day is judged under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// Whether sessions are inferred where nothing names them: grade D.
    pub infer_sessions: bool,
    /// When the day was first covered; calls that arrived later are late.
    pub first_covered: Option<UnixNanos>,
}

impl Terms {
    /// The usual terms, but for whether sessions are inferred.
    pub const fn inferring(infer_sessions: bool) -> Self {
        Self { infer_sessions, first_covered: None }
    }
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
    /// What of the day is judged here: all of it, but for a giant's slices.
    counted: Stretch,
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
    /// The parameters that the runs' retries reworded, likewise.
    reworded: Vec<NameId>,
}

/// The calls of one tool in one session.
#[derive(Debug)]
pub(super) struct JudgedRun {
    /// The session, among all sessions.
    pub(super) session: u32,
    /// Its calls among all runs' calls.
    calls: Range<usize>,
    /// The day's confirmed retries that show which parameters they reworded.
    pub(super) reworded_known: u64,
    /// Those parameters, once for each such retry, among all runs'.
    reworded: Range<usize>,
}

/// Whether a sighting that starts then can touch the day's figures.
pub(super) fn is_near(day: Day, start: UnixNanos) -> bool {
    start >= day.start().saturating_sub(LOOK_BACK) && start < day.end().saturating_add(LOOK_AHEAD)
}

/// Whether a call is one that the day's calls are judged beside: not too late, and none of which
/// there is a label alone. That says nothing: of Claude Code it is a call that was refused.
pub(super) fn is_judged_beside(day: Day, call: &Call) -> bool {
    call.start <= day.end().saturating_add(chain::LOOK_AHEAD) && !call.is_label
}

/// Judges calls, folded already, in any order.
pub fn judge_calls(terms: Terms, day: Day, mut calls: Vec<Call>, names: &Names) -> Judged {
    calls.sort_unstable_by_key(order);
    judge_as_they_come(terms, day, calls, names)
}

/// Judges a giant's calls that start in `own`, beside those that start shortly before and after.
/// `facts` are known of all its calls; what a slice cannot know is left to
/// [`Carried`](super::carried::Carried).
pub(super) fn judge_slice(
    terms: Terms,
    day: Day,
    (own, facts): (Stretch, &Facts),
    mut calls: Vec<Call>,
    names: &Names,
) -> Judged {
    facts.settle(&mut calls);
    judge_within(terms, day, (own, Some(facts)), calls, names)
}

/// Judges calls and leaves them in the order in which they come, on which no judgement depends.
pub(super) fn judge_as_they_come(
    terms: Terms,
    day: Day,
    calls: Vec<Call>,
    names: &Names,
) -> Judged {
    judge_within(terms, day, (Stretch::of(day), None), calls, names)
}

fn judge_within(
    terms: Terms,
    day: Day,
    (own, facts): (Stretch, Option<&Facts>),
    mut calls: Vec<Call>,
    names: &Names,
) -> Judged {
    calls.retain(|call| is_judged_beside(day, call));
    let mut tool_terms = ToolTerms::new(names);
    tool_terms.apply(&mut calls);
    let infer = terms.infer_sessions;
    let sessions = session::find(&mut calls, NameId::UNKNOWN, infer, facts.is_some());
    let counted = own.within(Stretch::of(day));
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
    let mut judging = Judging {
        own,
        counted,
        facts,
        calls: &calls,
        judgements: calls.iter().map(nothing).collect(),
        chains: Vec::new(),
        runs: Vec::new(),
        run_calls: Vec::with_capacity(calls.len()),
        reworded: Vec::new(),
        work: Work::default(),
    };
    for (ordinal, session) in (0_u32..).zip(&sessions.all) {
        judging.session(ordinal, session);
        let layers = |first: &Call| layer_of_run(facts, first);
        let found = recovery::judge_session(session, &calls, counted, &layers, &mut tool_terms);
        for (at, recovered) in found {
            if let Some(judgement) = judging.judgements.get_mut(at as usize) {
                judgement.recovered = Some(recovered);
            }
        }
    }
    let Judging { judgements, chains, runs, run_calls, reworded, .. } = judging;
    Judged { day, counted, calls, judgements, sessions, chains, runs, run_calls, reworded }
}

/// The layer of the run that begins with `first`.
fn layer_of_run(facts: Option<&Facts>, first: &Call) -> RunLayer {
    facts.map_or(RunLayer::Asked, |facts| RunLayer::Known(facts.layer(first)))
}

/// A call's tool, its place in its session, and its place among all calls.
type ByTool = ((NameId, Option<NameId>), u32, u32);

impl Judged {
    /// Whether a call is counted: it starts on the day, and where only a slice is judged, in that.
    pub fn is_of_day(&self, call: &Call) -> bool {
        self.counted.holds(call.start)
    }

    pub(super) fn call(&self, at: u32) -> Option<&Call> {
        self.calls.get(at as usize)
    }

    /// The calls of a run, in order, by their places among all calls.
    pub(super) fn calls_of(&self, run: &JudgedRun) -> &[u32] {
        self.run_calls.get(run.calls.clone()).unwrap_or_default()
    }

    /// The parameters that a run's retries reworded, once for each retry.
    pub(super) fn reworded_of(&self, run: &JudgedRun) -> &[NameId] {
        self.reworded.get(run.reworded.clone()).unwrap_or_default()
    }
}

/// The judgements while they are made.
struct Judging<'a> {
    /// What is judged, and what of it is counted.
    own: Stretch,
    counted: Stretch,
    facts: Option<&'a Facts>,
    calls: &'a [Call],
    judgements: Vec<Judgement>,
    chains: Vec<Chain>,
    runs: Vec<JudgedRun>,
    run_calls: Vec<u32>,
    reworded: Vec<NameId>,
    work: Work<'a>,
}

/// What judging a run works with, kept from one run to the next.
#[derive(Default)]
struct Work<'a> {
    by_tool: Vec<ByTool>,
    run: Run<'a>,
    /// The places of the run's calls whose start is known.
    at: Vec<u32>,
    chains: Vec<Range<usize>>,
    sweeps: Sweeps,
    findings: Vec<Finding>,
}

impl<'a> Judging<'a> {
    fn call(&self, at: u32) -> Option<&'a Call> {
        self.calls.get(at as usize)
    }

    fn is_of_day(&self, call: &Call) -> bool {
        self.counted.holds(call.start)
    }

    fn session(&mut self, ordinal: u32, session: &Session) {
        let mut by_tool = std::mem::take(&mut self.work.by_tool);
        let of_session = || session.calls.iter().filter_map(|at| Some((*at, self.call(*at)?)));
        by_tool.clear();
        if of_session().any(|(_, call)| self.own.holds(call.start)) {
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
            let first_reworded = self.reworded.len();
            let reworded_known = match run {
                [(_, _, alone)] if self.call(*alone).is_some_and(|call| call.is_time_known) => {
                    self.alone(session.grade, *alone);
                    0
                }
                _ => self.run(session.grade, run),
            };
            let calls = first..self.run_calls.len();
            let reworded = first_reworded..self.reworded.len();
            self.runs.push(JudgedRun { session: ordinal, calls, reworded_known, reworded });
        }
        self.work.by_tool = by_tool;
    }

    /// Judges the calls of one tool in one session, which are in order. Answers how many of the
    /// day's confirmed retries show which parameters they reworded.
    fn run(&mut self, grade: SessionGrade, of_run: &[ByTool]) -> u64 {
        let mut work = std::mem::take(&mut self.work);
        let Work { run, at, chains, sweeps, findings, .. } = &mut work;
        let of_run = || of_run.iter().filter_map(|(_, _, at)| Some((*at, self.call(*at)?)));
        at.clear();
        at.extend(of_run().filter(|(_, call)| call.is_time_known).map(|(at, _)| at));
        let layer = of_run().next().map(|(_, first)| layer_of_run(self.facts, first));
        run.fill(of_run().map(|(_, call)| call), layer.unwrap_or_default());
        chain::chains(run, chains);
        sweeps.find(run, chains);
        find(run, sweeps, grade, findings);
        let mut reworded_known = 0;
        let args = |at: usize| run.args.get(at).copied().flatten();
        for (a, (call, finding)) in run.calls.iter().zip(&*findings).enumerate() {
            if let Some(retry) = finding.confirmed().filter(|_| self.is_of_day(call))
                && let (Some(a), Some(b)) = (args(a), args(retry.witness))
            {
                reworded_known += u64::from(reworded(a, b, &mut self.reworded));
            }
        }
        for (place, finding) in at.iter().zip(&*findings) {
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
        for chain in chains.iter().filter(|chain| chain.len() > 1) {
            let of_chain = findings.get(chain.clone()).unwrap_or_default();
            let has_confirmed = of_chain.iter().any(|finding| finding.confirmed().is_some());
            let kind = chain::kind(run, chain.clone(), has_confirmed);
            self.add_chain(at.get(chain.clone()).unwrap_or_default(), kind);
        }
        self.work = work;
        reworded_known
    }

    /// Judges a call that has no other of its tool in its session: nothing can follow it.
    fn alone(&mut self, grade: SessionGrade, at: u32) {
        let Some(call) = self.call(at) else { return };
        let standing = standing(call, grade, !call.args.is_empty(), false, false);
        if let Some(judgement) = self.judgements.get_mut(at as usize) {
            judgement.standing = standing;
            judgement.is_last_of_tool = true;
        }
    }

    /// Keeps a chain of two or more calls, where its first call is one of the day's.
    fn add_chain(&mut self, calls: &[u32], kind: ChainKind) {
        let (Some(first), Some(last)) = (calls.first(), calls.last()) else { return };
        if !self.call(*first).is_some_and(|call| self.is_of_day(call)) {
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

/// Finds what there is to find about each call of a run.
fn find(run: &Run<'_>, sweeps: &Sweeps, grade: SessionGrade, findings: &mut Vec<Finding>) {
    let judge = |(at, (call, window)): (usize, (&&Call, &Window))| {
        let retry = window.first_different.and_then(|first| classify(run, sweeps, at, first));
        let has_args = run.args.get(at).is_some_and(Option::is_some);
        Finding {
            standing: standing(call, grade, has_args, retry.is_some(), window.has_unknown),
            retry,
            is_repeat: window.is_repeat,
        }
    };
    findings.clear();
    findings.extend(run.calls.iter().zip(&run.windows).enumerate().map(judge));
}
