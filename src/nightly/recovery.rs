//! What followed uncertain calls, and what writes did twice (METHOD section 11).
//!
//! Works on one session at a time. A call is followed for ten minutes, from start to start, as
//! everything is; equal starts are not "after".

use super::call::Call;
use super::declared::ToolTerms;
use super::names::NameId;
use super::retry::{Run, RunLayer};
use super::seen::Layer;
use super::session::is_of_a_tool;
use super::stretch::Stretch;
use crate::call::{
    BusinessOutcome, CallDuration, Comparison, KeyPrint, KeyStatus, OperationKind, Outcome,
    UnixNanos,
};
use crate::figures::Followed;

/// How long a call is followed.
const FOLLOWED_FOR: CallDuration = CallDuration::from_secs(10 * 60);
/// How many calls that may answer a question are looked at: a bound on the work that one session
/// can cause.
const LOOK: usize = 256;

/// What was found about one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not exclude each other")]
pub struct Recovered {
    /// What followed it, where it is uncertain.
    pub followed: Option<Followed>,
    /// The tool that tells what became of it, where it is uncertain and one is known.
    pub status_tool: Option<NameId>,
    /// Whether that answered afterwards.
    pub is_checked: bool,
    /// Whether what is unknown of it became known.
    pub is_resolved: bool,
    /// Whether its key had come with other arguments.
    pub is_key_conflict: bool,
    /// Whether it may have done again what an earlier call had done.
    pub is_double_write: bool,
}

/// Looks for what followed a session's uncertain calls that start in `counted`. Answers what was
/// found, by the calls' places among all.
pub(super) fn judge_session(
    session: &super::session::Session,
    all: &[Call],
    counted: Stretch,
    layers: &dyn Fn(&Call) -> RunLayer,
    terms: &mut ToolTerms<'_>,
) -> Vec<(u32, Recovered)> {
    let of_session = || session.calls.iter().filter_map(|at| Some((*at, all.get(*at as usize)?)));
    if !of_session().any(|(_, call)| call.is_uncertain() || call.recovery.is_some()) {
        return Vec::new();
    }
    let calls: Vec<(u32, &Call)> = of_session().collect();
    judge(&calls, &|call| counted.holds(call.start), layers, terms)
}

/// Judges the calls of one session, which are in order; `is_of_day` tells which of them count.
fn judge(
    calls: &[(u32, &Call)],
    is_of_day: &dyn Fn(&Call) -> bool,
    layers: &dyn Fn(&Call) -> RunLayer,
    terms: &mut ToolTerms<'_>,
) -> Vec<(u32, Recovered)> {
    let of_day = |call: &Call| is_of_day(call) && (call.is_uncertain() || call.recovery.is_some());
    if !calls.iter().any(|(_, call)| of_day(call)) {
        return Vec::new();
    }
    let session = Session::new(calls);
    let mut found = Vec::new();
    for placed in session.by_tool() {
        // Most tools of most sessions have nothing to look for.
        let Some(first) = placed.first().filter(|_| placed.iter().any(|of| of_day(of.call))) else {
            continue;
        };
        let run = ToolRun::new(placed, layers(first.call));
        let doubles = run.double_writes();
        for (at, of_tool) in run.placed.iter().enumerate().filter(|(_, of)| of_day(of.call)) {
            let status = session.status(of_tool.call, first.tool, terms);
            let mut recovered = run.judge(at, &status);
            recovered.is_double_write = doubles.binary_search(&at).is_ok();
            found.push((of_tool.place, recovered));
        }
    }
    found
}

type Tool = (NameId, NameId);

/// A call that has a place in its session.
struct Placed<'a> {
    tool: Tool,
    /// Its place among all calls.
    place: u32,
    call: &'a Call,
}

/// The calls of a session that have a place in it, by tool and within it in order.
struct Session<'a>(Vec<Placed<'a>>);

impl<'a> Session<'a> {
    fn new(calls: &[(u32, &'a Call)]) -> Self {
        let placed = calls.iter().filter_map(|(place, call)| {
            let tool = call.tool.filter(|_| call.is_time_known && is_of_a_tool(call))?;
            Some(Placed { tool: (call.service, tool), place: *place, call })
        });
        let mut placed: Vec<Placed<'a>> = placed.collect();
        placed.sort_by_key(|of| of.tool);
        Self(placed)
    }

    fn by_tool(&self) -> impl Iterator<Item = &[Placed<'a>]> {
        self.0.chunk_by(|a, b| a.tool == b.tool)
    }

    /// What the status tools said after `call`, as far as it is about the same operation.
    fn status(&self, call: &Call, tool: Tool, terms: &mut ToolTerms<'_>) -> Status<'a> {
        let tools = if call.is_uncertain() { terms.status_tools(call) } else { Vec::new() };
        let mut answers: Vec<&'a Call> = Vec::new();
        for status in &tools {
            let status = (tool.0, *status);
            let first =
                self.0.partition_point(|of| (of.tool, of.call.start) <= (status, call.start));
            let of_tool = self.0.get(first..).unwrap_or_default().iter();
            let after = of_tool.take_while(|of| of.tool == status).take(LOOK);
            let in_time = after.map(|of| of.call).take_while(|other| is_followed(call, other));
            answers.extend(in_time.filter(|other| is_of_one_operation(call, other)));
        }
        answers.sort_by_key(|call| super::session::order(call));
        Status { tool: tools.first().copied(), answers }
    }
}

/// What the status tools of a call's tool said after it, in order.
struct Status<'a> {
    tool: Option<NameId>,
    answers: Vec<&'a Call>,
}

impl Status<'_> {
    /// When it was first answered.
    fn checked(&self) -> Option<UnixNanos> {
        self.answers.iter().find(|answer| answer.is_ok()).map(|answer| answer.start)
    }

    /// Whether an answer tells what became of the operation.
    fn is_telling(&self) -> bool {
        let tells = |answer: &&Call| answer.business_outcome() != Some(BusinessOutcome::Unknown);
        self.answers.iter().filter(|answer| answer.is_ok()).any(tells)
    }
}

fn is_followed(call: &Call, by: &Call) -> bool {
    by.start > call.start && by.start <= call.start.saturating_add(FOLLOWED_FOR)
}

/// Whether two calls may be about one operation: their handles do not contradict.
fn is_of_one_operation(a: &Call, b: &Call) -> bool {
    match (handle(a), handle(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

fn handle(call: &Call) -> Option<KeyPrint> {
    call.recovery.as_ref().and_then(|recovery| recovery.told.handle)
}

fn key(call: &Call) -> Option<KeyPrint> {
    call.recovery.as_ref().and_then(|recovery| recovery.told.key)
}

fn have_one_key(a: &Call, b: &Call) -> bool {
    key(a).is_some() && key(a) == key(b)
}

/// Whether the server says that the call may be sent again as it is.
fn is_retry_safe(call: &Call) -> bool {
    call.recovery.as_ref().is_some_and(|recovery| recovery.told.is_retry_safe == Some(true))
}

/// The calls of one tool in one session.
struct ToolRun<'a> {
    placed: &'a [Placed<'a>],
    run: Run<'a>,
    /// Places by arguments and then in order; of arguments that hide nothing.
    by_args: Vec<(Layer, [u8; 6], usize)>,
    /// Places by key and then in order.
    by_key: Vec<(KeyPrint, usize)>,
}

impl<'a> ToolRun<'a> {
    fn new(placed: &'a [Placed<'a>], layer: RunLayer) -> Self {
        let mut run = Run::default();
        run.take(placed.iter().map(|of| of.call), layer);
        let shown = run.args.iter().enumerate().filter_map(|(at, args)| {
            let args = args.filter(|args| !args.hides)?;
            Some((args.layer, args.value, at))
        });
        let mut by_args: Vec<_> = shown.collect();
        by_args.sort_unstable();
        let keyed = run.calls.iter().enumerate();
        let mut by_key: Vec<_> = keyed.filter_map(|(at, call)| Some((key(call)?, at))).collect();
        by_key.sort_unstable();
        Self { placed, run, by_args, by_key }
    }

    fn call(&self, at: usize) -> Option<&'a Call> {
        self.run.calls.get(at).copied()
    }

    /// The calls with the same arguments that follow the one at `at`, in order.
    fn same_args(&self, at: usize) -> impl Iterator<Item = &'a Call> {
        let args = self.run.args.get(at).copied().flatten().filter(|args| !args.hides);
        let wanted = args.map(|args| (args.layer, args.value));
        let first = wanted.map_or(self.by_args.len(), |(layer, value)| {
            self.by_args.partition_point(|placed| *placed <= (layer, value, at))
        });
        let after = self.by_args.get(first..).unwrap_or_default().iter();
        let same = after.take_while(move |placed| Some((placed.0, placed.1)) == wanted);
        self.following(at, same.map(|placed| placed.2))
    }

    /// The calls with the same key that follow the one at `at`, in order.
    fn same_key(&self, at: usize) -> impl Iterator<Item = &'a Call> {
        let wanted = self.call(at).and_then(key);
        let first = wanted.map_or(self.by_key.len(), |key| {
            self.by_key.partition_point(|placed| *placed <= (key, at))
        });
        let after = self.by_key.get(first..).unwrap_or_default().iter();
        let same = after.take_while(move |placed| Some(placed.0) == wanted);
        self.following(at, same.map(|placed| placed.1))
    }

    fn following(
        &self,
        at: usize,
        places: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = &'a Call> {
        let call = self.call(at);
        let calls = places.take(LOOK).filter_map(|place| self.call(place));
        calls
            .skip_while(move |other| call.is_some_and(|call| other.start <= call.start))
            .take_while(move |other| call.is_some_and(|call| is_followed(call, other)))
    }

    fn judge(&self, at: usize, status: &Status<'_>) -> Recovered {
        let Some(call) = self.call(at) else { return Recovered::default() };
        let followed = call.is_uncertain().then(|| self.followed(at, call, status));
        Recovered {
            followed,
            status_tool: status.tool,
            is_checked: followed.is_some() && status.checked().is_some(),
            is_resolved: self.is_resolved(at, call, status),
            is_key_conflict: self.is_key_conflict(at, call),
            is_double_write: false,
        }
    }

    fn followed(&self, at: usize, call: &Call, status: &Status<'_>) -> Followed {
        if self.is_replayed_unsafely(at, call, status) {
            return Followed::ReplayedUnsafely;
        }
        if status.is_telling() {
            return Followed::CheckedKnown;
        }
        if !status.answers.is_empty() {
            return Followed::CheckedUnknown;
        }
        let replay = self.same_args(at).next();
        let keyed = self.same_key(at).next();
        if replay.is_none() && keyed.is_none() {
            return Followed::GivenUp;
        }
        // A write that was sent again under another key would have been unsafe.
        if call.kind().is_some() || keyed.is_some() || is_retry_safe(call) {
            Followed::ReplayedSafely
        } else {
            Followed::ReplayedUntold
        }
    }

    /// A non-idempotent write that is sent again before any status check. The same key makes it
    /// one operation, and so does the server's word that it may be sent again.
    fn is_replayed_unsafely(&self, at: usize, call: &Call, status: &Status<'_>) -> bool {
        if call.kind() != Some(OperationKind::Write) || is_retry_safe(call) {
            return false;
        }
        let replay = self.same_args(at).find(|other| !have_one_key(call, other));
        replay.is_some_and(|replay| status.checked().is_none_or(|checked| checked >= replay.start))
    }

    /// Whether what is unknown of a write becomes known: by a status check, or by the answer to
    /// the same operation.
    fn is_resolved(&self, at: usize, call: &Call, status: &Status<'_>) -> bool {
        let is_write =
            matches!(call.kind(), Some(OperationKind::Write | OperationKind::IdempotentWrite));
        if !is_write || call.business_outcome() != Some(BusinessOutcome::Unknown) {
            return false;
        }
        let is_known = |other: &Call| {
            let told = other.business_outcome();
            told.is_some_and(|outcome| outcome != BusinessOutcome::Unknown)
        };
        status.is_telling() || self.same_args(at).any(is_known) || self.same_key(at).any(is_known)
    }

    /// Whether the server says so, or the key came first with arguments that are different.
    fn is_key_conflict(&self, at: usize, call: &Call) -> bool {
        let Some(told) = call.recovery.as_ref().map(|recovery| &recovery.told) else {
            return false;
        };
        let Some(key) = told.key else {
            return told.key_status == Some(KeyStatus::Conflict);
        };
        let first = self.by_key.partition_point(|placed| placed.0 < key);
        let is_other = |first: &(KeyPrint, usize)| {
            first.1 < at && self.run.compare(first.1, at) == Comparison::Different
        };
        told.key_status == Some(KeyStatus::Conflict) || self.by_key.get(first).is_some_and(is_other)
    }

    /// Non-idempotent writes without a key that did again, within ten minutes, what an earlier
    /// one with the same arguments had done.
    fn double_writes(&self) -> Vec<usize> {
        let is_write = |call: &Call| {
            call.kind() == Some(OperationKind::Write)
                && key(call).is_none()
                && call.outcome == Outcome::Ok
        };
        let writes = self.by_args.iter().filter(|placed| self.call(placed.2).is_some_and(is_write));
        let writes: Vec<_> = writes.collect();
        let mut found = Vec::new();
        for same in writes.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (mut before, mut latest): (Option<UnixNanos>, Option<UnixNanos>) = (None, None);
            for (_, _, at) in same {
                let Some(call) = self.call(*at) else { continue };
                if latest.is_some_and(|latest| latest < call.start) {
                    before = latest;
                }
                latest = Some(call.start);
                if before.is_some_and(|before| call.start <= before.saturating_add(FOLLOWED_FOR)) {
                    found.push(*at);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
