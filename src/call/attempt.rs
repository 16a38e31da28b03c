//! A downstream attempt: what is kept of a client span below a tool call (METHOD section 11).

use super::ids::{Name, SpanId, TraceId};
use super::instant::{CallDuration, UnixNanos};
use super::outcome::words;

words! {
    /// What kind of dependency was asked.
    AttemptKind {
        /// Over HTTP.
        Http = "http",
        /// A remote procedure.
        Rpc = "rpc",
        /// A database.
        Database = "database",
    }
}

words! {
    /// How an attempt ended.
    AttemptEnd {
        /// It was answered.
        Answered = "answered",
        /// It failed.
        Failed = "failed",
        /// Nobody waited for the answer any longer.
        TimedOut = "timed_out",
    }
}

/// One client span of a program that also serves tool calls. Which call it belongs to, if any,
/// is found at night. `N` is how a name is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt<N = Name> {
    /// The trace.
    pub trace_id: TraceId,
    /// The span.
    pub span_id: SpanId,
    /// The span above it; one without any is below no call.
    pub parent_span_id: SpanId,
    /// The program that sent it.
    pub emitter: Option<N>,
    /// What kind of dependency was asked.
    pub kind: AttemptKind,
    /// Which one.
    pub dependency: N,
    /// What was asked of it: four bytes of SipHash-2-4 under this installation's secret.
    pub operation: [u8; 4],
    /// When it started.
    pub start: UnixNanos,
    /// When it ended; never before `start`.
    pub end: UnixNanos,
    /// How it ended.
    pub ended: AttemptEnd,
    /// How often the same request had been sent before, as the span tells.
    pub resends: u32,
}

impl<N> Attempt<N> {
    /// How long it took.
    pub fn duration(&self) -> CallDuration {
        self.end.since(self.start).unwrap_or(CallDuration::from_nanos(0))
    }

    /// The same with its names held otherwise.
    pub fn with_names<M>(&self, mut name: impl FnMut(&N) -> M) -> Attempt<M> {
        Attempt {
            trace_id: self.trace_id,
            span_id: self.span_id,
            parent_span_id: self.parent_span_id,
            emitter: self.emitter.as_ref().map(&mut name),
            kind: self.kind,
            dependency: name(&self.dependency),
            operation: self.operation,
            start: self.start,
            end: self.end,
            ended: self.ended,
            resends: self.resends,
        }
    }
}
