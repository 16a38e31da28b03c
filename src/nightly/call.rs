//! A call, folded from all its sightings, as the night judges it (METHOD sections 1 and 8).

use std::num::NonZeroU64;

use smallvec::SmallVec;

use super::call_recovery::CallRecovery;
use super::names::NameId;
use super::seen::Args;
use crate::call::{
    BusinessOutcome, CallDuration, Confidence, Emptiness, OperationKind, Outcome, SessionKey,
    SpanId, SpanKind, TraceId, UnixNanos,
};

/// One call. Names are numbers of the night's [`Names`](super::Names).
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not exclude each other")]
pub struct Call {
    /// The outermost sighting's trace.
    pub trace_id: TraceId,
    /// The outermost sighting's span.
    pub span_id: SpanId,
    /// Whether that span has a parent.
    pub has_parent: bool,
    /// Whether its trace holds another call.
    pub has_company: bool,
    /// Who offers the tool.
    pub service: NameId,
    /// The tool's name; none where no sighting names it.
    pub tool: Option<NameId>,
    /// The client, `unknown` among them.
    pub client: NameId,
    /// The client's version.
    pub client_version: Option<NameId>,
    /// The conversation that the outermost sighting with one names: grade A.
    pub conversation: Option<SessionKey>,
    /// The transport's session that the outermost sighting with one names: grade B.
    pub transport: Option<SessionKey>,
    /// When it started.
    pub start: UnixNanos,
    /// When it ended.
    pub end: UnixNanos,
    /// Whether the telemetry told the start.
    pub is_time_known: bool,
    /// Duration for latency; none where it is not known.
    pub latency: Option<CallDuration>,
    /// How it ended.
    pub outcome: Outcome,
    /// How far an `ok` can be believed.
    pub confidence: Confidence,
    /// Whether the answer held anything; never yes where the outcome is not ok.
    pub emptiness: Emptiness,
    /// The result's size.
    pub result_bytes: Option<u64>,
    /// The outermost sighting's dialect.
    pub dialect: NameId,
    /// Whether any sighting carries a sampling mark.
    pub is_sampled: bool,
    /// What its sightings and what lies below it tell of recovery; none for most calls.
    pub recovery: Option<Box<CallRecovery>>,
    /// Whether nothing is known of it but what a label says: it is no call.
    pub is_label: bool,
    /// When the first of its sightings was received.
    pub received: UnixNanos,
    /// Its sightings, doubles among them.
    pub sightings: u32,
    /// The doubles among those.
    pub duplicates: u32,
    /// Fingerprints, the outermost sighting's first, one per layer.
    pub(super) args: SmallVec<[Args; 1]>,
    /// What may join it with a call of another trace.
    pub(super) joint: Joint,
}

/// What is needed to join calls of different traces (METHOD section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not exclude each other")]
pub(super) struct Joint {
    /// Session and request id, mixed into one number.
    pub(super) request: Option<NonZeroU64>,
    /// Session and tool call id, mixed into one number.
    pub(super) call: Option<NonZeroU64>,
    /// The outermost sighting's kind and scope.
    pub(super) outer: (SpanKind, NameId),
    /// Whether a server's sighting is among the sightings.
    pub(super) has_server: bool,
    /// Whether a service was told, not fallen back to.
    pub(super) is_service_told: bool,
    /// Whether a sighting tells the client.
    pub(super) is_client_told: bool,
    /// Whether a sighting names the class of the failure.
    pub(super) is_class_named: bool,
}

impl Call {
    /// Whether it ended well.
    pub const fn is_ok(&self) -> bool {
        matches!(self.outcome, Outcome::Ok)
    }

    /// Whether it ended well and its answer is known to hold nothing.
    pub const fn is_empty(&self) -> bool {
        self.is_ok() && matches!(self.emptiness, Emptiness::Yes)
    }

    /// Whether it ended well and its answer is not known to hold nothing.
    pub const fn is_usable(&self) -> bool {
        self.is_ok() && !matches!(self.emptiness, Emptiness::Yes)
    }

    /// What calling its tool does, where that is known.
    pub fn kind(&self) -> Option<OperationKind> {
        self.recovery.as_ref().and_then(|recovery| recovery.told.kind)
    }

    /// What became of its business operation, where that is told.
    pub fn business_outcome(&self) -> Option<BusinessOutcome> {
        self.recovery.as_ref().and_then(|recovery| recovery.told.business_outcome)
    }

    /// Whether it timed out, be it for its caller alone, or its business outcome is unknown
    /// (METHOD section 11).
    pub fn is_uncertain(&self) -> bool {
        matches!(self.outcome, Outcome::Timeout)
            || self.recovery.as_ref().is_some_and(|recovery| recovery.fate.is_some())
            || self.business_outcome() == Some(BusinessOutcome::Unknown)
    }

    /// Whether it asked for a tool that is not there.
    pub const fn is_of_unknown_tool(&self) -> bool {
        matches!(self.outcome, Outcome::UnknownTool)
    }
}
