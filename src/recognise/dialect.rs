//! What a dialect is: where one instrumentation's spans or log records say what.
//!
//! A family's file fills in a [`Dialect`] from [`Dialect::BASE`] and names it in the table of
//! [`super::DIALECTS`]. Reduce reads the places in their order; the first that tells wins.

use std::borrow::Cow;

use super::attribute_names::Key;
use super::not_a_call::NotACall;
use super::seen::Seen;
use crate::call::{Confidence, Outcome, SpanKind};

/// One instrumentation's vocabulary.
pub(crate) struct Dialect {
    /// The stable name, as it is counted and shown.
    pub(crate) name: &'static str,
    /// Whether a span speaks it. Asked in the table's order, only of spans that may be calls.
    pub(crate) test: fn(&Seen<'_>) -> bool,
    /// Why what speaks it is no call all the same.
    pub(crate) never: fn(&Seen<'_>) -> Option<NotACall>,
    /// For log records: what a record's time is the time of. None for spans.
    pub(crate) log_time: Option<LogTime>,
    /// Whether it only adds to a call that another span or record tells of.
    pub(crate) is_label: bool,
    /// Whose view of the call a span is.
    pub(crate) side: Side,
    /// Where the tool's name is.
    pub(crate) tool: &'static [ToolFrom],
    /// Who offers the tool, where this dialect has a place of its own for it.
    pub(crate) service: for<'v> fn(&Seen<'v>) -> Option<Cow<'v, str>>,
    /// Which program calls, where the sender is not asked.
    pub(crate) client: ClientFrom,
    /// Where the arguments are.
    pub(crate) arguments: &'static [ArgumentsFrom],
    /// Where the result is.
    pub(crate) result: &'static [ResultFrom],
    /// Whether `mcp.session.id` is a session here (dialects.md section 4).
    pub(crate) has_transport_session: bool,
    /// What this dialect alone knows of how the call ended; it beats every shared sign.
    pub(crate) told: fn(&Seen<'_>) -> Option<Outcome>,
    /// How far an ok can be believed.
    pub(crate) confidence: fn(&Seen<'_>) -> Confidence,
    /// Whether a span that names no tool is refused rather than kept for folding.
    pub(crate) needs_tool_name: bool,
}

/// What a log record's time is the time of. The other end is as far off as the call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogTime {
    /// The call's start.
    Start,
    /// The call's end.
    End,
}

/// Which program calls, where no attribute names it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClientFrom {
    /// The sender, by its `service.name` and `service.version`.
    Sender,
    /// One known program.
    Known(KnownClient),
}

/// A program that is known by its dialect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownClient {
    /// What it is called, whatever `service.name` its user has set.
    pub(crate) name: &'static str,
    /// How the `service.name`s of its other editions begin; these are clients of their own.
    pub(crate) editions: &'static [&'static str],
    /// Whether `service.version` is its own version.
    pub(crate) is_service_version_its_own: bool,
}

/// Whose view of a call a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The program that offers the tool.
    Server,
    /// The program that calls it, at the protocol.
    Client,
    /// The agent that lets its model call it.
    Agent,
    /// Not told: neither the service nor the client can be read from the sender's name.
    Untold,
    /// As the span's kind says: SERVER, CLIENT, else [`Side::Untold`].
    ByKind,
    /// As the span's kind says: SERVER, CLIENT, else [`Side::Agent`].
    ByKindElseAgent,
}

impl Side {
    /// The side, with the span's kind taken into account.
    pub(crate) const fn of(self, kind: SpanKind) -> Self {
        match (self, kind) {
            (Self::ByKind | Self::ByKindElseAgent, SpanKind::Server) => Self::Server,
            (Self::ByKind | Self::ByKindElseAgent, SpanKind::Client) => Self::Client,
            (Self::ByKind, _) => Self::Untold,
            (Self::ByKindElseAgent, _) => Self::Agent,
            (side, _) => side,
        }
    }
}

/// A place that may hold the tool's name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ToolFrom {
    /// An attribute.
    Key(Key),
    /// What follows this in the span's name.
    NameAfter(&'static str),
    /// What precedes this in the span's name.
    NameBefore(&'static str),
    /// The whole span name.
    Name,
    /// `.params.name` of the JSON-RPC request in an attribute.
    RequestIn(Key),
    /// An attribute, without the MCP server's name before it that another attribute tells:
    /// `mcp__notes__echo` is the tool `echo` of the server `notes`.
    Unprefixed(Key, Key),
    /// A member of the JSON object in an attribute.
    Member(Key, &'static str),
    /// An attribute that holds the hashes of server and tool: the tool's, shortened.
    HashedPart(Key),
    /// FastMCP's component key, `tool:name@version`.
    ComponentKey,
}

/// A place that may hold the arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArgumentsFrom {
    /// An attribute that holds just them.
    Key(Key),
    /// An attribute that may wrap them (args-hash.md section 7).
    Wrapped(Key),
    /// An attribute that holds just them, unless it holds their schema.
    NotASchema(Key),
    /// An attribute that holds `{}` as well where arguments are not sent.
    NotBare(Key),
    /// An attribute whose inner texts the sender cuts, and the arguments' true size.
    Lossy(Key, Key),
    /// One attribute per argument, flattened: what follows the prefix is the argument's path.
    Flattened(&'static str),
    /// One attribute per argument, its name lower-cased and its value JSON text.
    LowerKeys(&'static str),
    /// One attribute per argument, between a prefix and a suffix.
    Between(&'static str, &'static str),
    /// An attribute of an event.
    Event(&'static str, &'static str),
    /// The tool call among the messages in an attribute of an event.
    Messages(&'static str, &'static str),
}

/// A place that may hold the result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ResultFrom {
    /// An attribute.
    Key(Key),
    /// The first of these members of the JSON object in an attribute, else the whole.
    Member(Key, &'static [&'static str]),
    /// An attribute of an event.
    Event(&'static str, &'static str),
    /// The tool's response among the messages in an attribute of an event.
    Messages(&'static str, &'static str),
    /// How many parts the result had.
    Count(Key),
    /// What follows a line in a text, where an attribute does not tell that it was cut.
    After(Key, &'static str, Key),
    /// The size of a text.
    Size(Key),
    /// The size of an MCP result's content, as JSON, where an attribute stands; else of a text.
    ContentSize(Key, Key),
}

impl ResultFrom {
    /// The attribute that holds it, where one does.
    pub(crate) const fn key(self) -> Option<Key> {
        match self {
            Self::Key(key) | Self::Member(key, _) => Some(key),
            Self::Event(..)
            | Self::Count(_)
            | Self::After(..)
            | Self::Size(_)
            | Self::ContentSize(..)
            | Self::Messages(..) => None,
        }
    }
}

impl Dialect {
    /// What most dialects share.
    pub(crate) const BASE: Self = Self {
        name: "",
        test: |_seen| false,
        never: |_seen| None,
        log_time: None,
        is_label: false,
        side: Side::ByKindElseAgent,
        tool: TOOL_KEYS,
        service: |_seen| None,
        client: ClientFrom::Sender,
        arguments: &[ArgumentsFrom::Key(Key::GenAiToolCallArguments)],
        result: &[ResultFrom::Key(Key::GenAiToolCallResult)],
        has_transport_session: true,
        told: |_seen| None,
        confidence: |_seen| Confidence::High,
        needs_tool_name: false,
    };
}

/// The tool's name by the conventions of OpenTelemetry, then as the names of spans give it.
pub(crate) const TOOL_KEYS: &[ToolFrom] = &[
    ToolFrom::Key(Key::GenAiToolName),
    ToolFrom::Key(Key::McpToolName),
    ToolFrom::Key(Key::ToolName),
    ToolFrom::Key(Key::PlainToolName),
    ToolFrom::NameAfter("tools/call "),
    ToolFrom::NameAfter("execute_tool "),
    // AWS ADOT.
    ToolFrom::NameAfter("mcp tools/call "),
];
