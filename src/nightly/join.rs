//! Calls of different traces that are one call (METHOD section 8): only on the same real session,
//! tool, request or call id, and overlapping time.
//!
//! It is what remains to do where a client and a server both told what they saw and no trace
//! context went from one to the other.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::num::NonZeroU64;

use super::call::{Call, Joint};
use super::names::{NameId, Names};
use super::tool_name::may_be_one_tool;
use crate::call::{CallDuration, Confidence, Emptiness, Outcome, SpanKind};

/// How many calls with one key before one are looked at: a bound on the work that one session
/// can cause.
const LOOK_BACK: usize = 256;

/// How far beyond each other's time two sightings of one tool call id may lie: a log record is
/// written a moment after what it tells of, and says only in whole milliseconds how long that took.
const MOMENT: CallDuration = CallDuration::from_secs(1);

/// Which of the two ids a round of joining goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The JSON-RPC request id.
    Request,
    /// The model's tool call id.
    Call,
}

impl By {
    /// Both, in the order in which they are gone by.
    pub(super) const BOTH: [Self; 2] = [Self::Request, Self::Call];

    /// How far beyond each other's time two sightings that share the id may lie.
    const fn slack(self) -> CallDuration {
        match self {
            Self::Request => CallDuration::from_secs(0),
            Self::Call => MOMENT,
        }
    }

    /// Session and id of a call, mixed into one number; none where either is missing.
    pub(super) const fn key(self, joint: &Joint) -> Option<NonZeroU64> {
        match self {
            Self::Request => joint.request,
            Self::Call => joint.call,
        }
    }
}

/// Joins the calls that share a key, one to one in order of start.
pub(super) fn join(calls: Vec<Call>, by: By, names: &Names) -> Vec<Call> {
    let mut layers = Layers::default();
    layers.note(&calls);
    if !layers.may_meet(by) {
        return calls;
    }
    let mut buckets: HashMap<NonZeroU64, Vec<usize>> = HashMap::new();
    for (at, call) in calls.iter().enumerate() {
        if let Some(key) = by.key(&call.joint) {
            buckets.entry(key).or_default().push(at);
        }
    }
    let mut joined = Joined { calls: calls.into_iter().map(Some).collect(), taken: HashMap::new() };
    let mut buckets: Vec<Vec<usize>> = buckets.into_values().filter(|b| b.len() > 1).collect();
    buckets.sort_unstable();
    for mut bucket in buckets {
        bucket.sort_by_key(|at| joined.order(*at));
        for (position, inner) in bucket.iter().copied().enumerate() {
            let before = bucket.get(position.saturating_sub(LOOK_BACK)..position);
            let mut before = before.unwrap_or_default().iter().copied();
            if let Some(outer) = before.find(|outer| joined.may_join(*outer, inner, by, names)) {
                joined.join(outer, inner);
            }
        }
    }
    joined.calls.into_iter().flatten().collect()
}

/// From which layers the calls that have a key were seen. A call can only be seen twice from two.
#[derive(Debug, Default)]
struct Layers {
    first: [Option<(SpanKind, NameId)>; 2],
    has_two: [bool; 2],
}

impl Layers {
    /// Notes the layers of these calls.
    fn note(&mut self, calls: &[Call]) {
        let sides = By::BOTH.into_iter().zip(self.first.iter_mut().zip(&mut self.has_two));
        for (by, (first, has_two)) in sides {
            for call in calls.iter().filter(|call| by.key(&call.joint).is_some()) {
                *has_two |= first.is_some_and(|first| first != call.joint.outer);
                *first = Some(call.joint.outer);
            }
        }
    }

    /// Whether calls that share a key may be one.
    const fn may_meet(&self, by: By) -> bool {
        let [request, call] = self.has_two;
        match by {
            By::Request => request,
            By::Call => call,
        }
    }
}

type Order = (bool, u8, u64, Reverse<u64>, [u8; 16], [u8; 8]);

struct Joined {
    calls: Vec<Option<Call>>,
    /// The layers that a call was joined with.
    taken: HashMap<usize, Vec<(SpanKind, NameId)>>,
}

impl Joined {
    /// The calling side first, and a call before what only names it; clocks of two programs are not
    /// compared where kinds tell it.
    fn order(&self, at: usize) -> Option<Order> {
        let call = self.calls.get(at)?.as_ref()?;
        let serves = matches!(call.joint.outer.0, SpanKind::Server | SpanKind::Consumer);
        let (trace, span) = (*call.trace_id.as_bytes(), *call.span_id.as_bytes());
        Some((
            call.is_label,
            u8::from(serves),
            call.start.get(),
            Reverse(call.end.get()),
            trace,
            span,
        ))
    }

    fn may_join(&self, outer: usize, inner: usize, by: By, names: &Names) -> bool {
        let (Some(Some(a)), Some(Some(b))) = (self.calls.get(outer), self.calls.get(inner)) else {
            return false;
        };
        let is_one_tool = match (a.tool, b.tool) {
            (Some(x), Some(y)) => x == y || may_be_one_tool(names.text(x), names.text(y)),
            _ => true,
        };
        let is_taken = self.taken.get(&outer).is_some_and(|t| t.contains(&b.joint.outer));
        is_one_tool
            && a.trace_id != b.trace_id
            && a.joint.outer != b.joint.outer
            && !is_taken
            && a.start <= b.end.saturating_add(by.slack())
            && b.start <= a.end.saturating_add(by.slack())
    }

    fn join(&mut self, outer: usize, inner: usize) {
        let Some(inner) = self.calls.get_mut(inner).and_then(Option::take) else { return };
        self.taken.entry(outer).or_default().push(inner.joint.outer);
        if let Some(Some(outer)) = self.calls.get_mut(outer) {
            outer.absorb(&inner);
        }
    }
}

impl Call {
    /// Takes in what an inner call's sightings say, as folding within a trace would have.
    fn absorb(&mut self, inner: &Self) {
        self.take_identity(inner);
        self.absorb_recovery(inner);
        if inner.joint.is_class_named || self.is_ok() {
            self.outcome = inner.outcome;
        }
        self.joint.is_class_named |= inner.joint.is_class_named;
        if inner.joint.has_server {
            self.latency = inner.latency;
        }
        self.joint.has_server |= inner.joint.has_server;
        if inner.confidence == Confidence::High {
            self.confidence = Confidence::High;
        }
        if self.emptiness == Emptiness::Unknown {
            self.emptiness = inner.emptiness;
        }
        if self.outcome != Outcome::Ok && self.emptiness == Emptiness::Yes {
            self.emptiness = Emptiness::Unknown;
        }
        self.result_bytes = self.result_bytes.or(inner.result_bytes);
        self.is_sampled |= inner.is_sampled;
        self.received = self.received.min(inner.received);
        self.sightings = self.sightings.saturating_add(inner.sightings);
        self.duplicates = self.duplicates.saturating_add(inner.duplicates);
        for more in &inner.args {
            if self.args.iter().all(|other| other.layer != more.layer) {
                self.args.push(more.clone());
            }
        }
    }

    /// Tool, service, client and session.
    fn take_identity(&mut self, inner: &Self) {
        let is_inner_nearer = inner.joint.has_server || !self.joint.has_server;
        if inner.tool.is_some() && (is_inner_nearer || self.tool.is_none()) {
            self.tool = inner.tool;
        }
        if inner.joint.is_service_told && (is_inner_nearer || !self.joint.is_service_told) {
            self.service = inner.service;
        }
        self.joint.is_service_told |= inner.joint.is_service_told;
        if inner.joint.is_client_told && !self.joint.is_client_told {
            self.client = inner.client;
            self.client_version = inner.client_version;
            self.joint.is_client_told = true;
        }
        self.conversation = self.conversation.or(inner.conversation);
        self.transport = self.transport.or(inner.transport);
    }
}
