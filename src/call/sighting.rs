//! A sighting: what one recognised span or log record says of a call (METHOD section 1).

use super::arguments::Arguments;
use super::ids::{CallKey, ClientName, Name, SpanId, TraceId};
use super::instant::UnixNanos;
use super::outcome::{Confidence, Emptiness, Outcome, words};
use super::recovery::Recovery;
use super::session::SessionClaim;

words! {
    /// A span's kind, as OTLP numbers it. UNSPECIFIED may be read as INTERNAL.
    SpanKind {
        /// Not told.
        Unspecified = "unspecified",
        /// An operation inside one program.
        Internal = "internal",
        /// The side that serves a request.
        Server = "server",
        /// The side that makes a request.
        Client = "client",
        /// The side that enqueues a message.
        Producer = "producer",
        /// The side that takes a message.
        Consumer = "consumer",
    }
}

words! {
    /// What had to be mended in a span before it could be kept. Counted, never guessed silently.
    Repair {
        /// `end` lay before `start`; it was set to `start`.
        EndBeforeStart = "end_before_start",
        /// There was no start; it was taken from the end, else from the time of arrival.
        NoStart = "no_start",
        /// A kept text held invalid UTF-8; U+FFFD stands in its place.
        InvalidUtf8 = "invalid_utf8",
        /// A kept name was longer than the limit and was cut.
        NameCut = "name_cut",
        /// A key that is read stood more than once; the last one holds.
        DuplicateKey = "duplicate_key",
    }
}

/// What one recognised span says of a call, reduced to what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The trace that the span belongs to.
    pub trace_id: TraceId,
    /// The span.
    pub span_id: SpanId,
    /// Its parent; none for a root.
    pub parent_span_id: Option<SpanId>,
    /// The span's kind.
    pub kind: SpanKind,
    /// The instrumentation scope's name.
    pub scope: Name,
    /// Which instrumentation's vocabulary was recognised: the dialect's stable name.
    pub dialect: Name,
    /// The resource's `service.name`: the program that sent the span.
    pub emitter: Option<Name>,
    /// Who offers the tool, where this span tells it.
    pub service: Option<Name>,
    /// The tool's name, byte for byte as sent; none where this span does not name it.
    pub tool: Option<Name>,
    /// The program whose model called, where this span tells it.
    pub client: Option<ClientName>,
    /// That program's version.
    pub client_version: Option<Name>,
    /// The session that the span itself names.
    pub session: Option<SessionClaim>,
    /// When the span started.
    pub start: UnixNanos,
    /// When it ended; never before `start`.
    pub end: UnixNanos,
    /// Whether the span told its start. A call without one is counted and never judged.
    pub is_time_known: bool,
    /// What is kept of the arguments; none where they were not visible.
    pub arguments: Option<Arguments>,
    /// How the span says that the call ended.
    pub outcome: Outcome,
    /// How far an `ok` of this instrumentation can be believed.
    pub confidence: Confidence,
    /// Whether the answer held anything.
    pub emptiness: Emptiness,
    /// The result's size in bytes, where told or visible.
    pub result_bytes: Option<u64>,
    /// The model's id for this call.
    pub call_id: Option<CallKey>,
    /// The JSON-RPC request id; unique within one connection only.
    pub request_id: Option<CallKey>,
    /// Whether the span carries a mark that its sender kept only a share of the spans.
    pub is_sampled: bool,
    /// What it tells of recovery; none for most calls.
    pub recovery: Option<Box<Recovery>>,
    /// Whether this only adds to a call that another sighting tells of, a name above all. Alone
    /// it is no call.
    pub is_label: bool,
    /// When firstcall received it.
    pub received: UnixNanos,
}
