//! What the demo plays: tools, clients, conversations, and what METHOD makes of them.
//!
//! Everything here is data. The spans are sent from it, and the figures that the report must
//! show are summed from it, without the judge: each conversation states by hand what it counts
//! for, and a plan states how often it is held.

use crate::call::Outcome;
use crate::figures::{RetryClass, UnjudgedReason};

/// How many days are played before today; reports of the last seven compare with the seven
/// before.
pub const DAYS: usize = 14;

/// A tool of the played world.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tool {
    /// Who offers it.
    pub service: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How long each of its calls takes at the server, in milliseconds.
    pub lasts_ms: u64,
    /// What a good answer holds, as JSON text.
    pub answer: &'static str,
}

/// How a client's calls reach telemetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// The MCP conventions on both sides, arguments with the client, a conversation id; every
    /// call is a trace of its own.
    McpWithConversation,
    /// The MCP conventions on both sides, arguments with the client, the transport's session.
    McpWithTransportSession,
    /// The GenAI conventions below one agent turn, the MCP conventions at the server; the
    /// trace is all that holds the conversation together.
    GenAiTurn,
    /// The plain vocabulary, told by the server: a hash, no arguments.
    Plain,
    /// The plain vocabulary without a session and a client.
    PlainAlone,
    /// The MCP conventions at the server only: neither arguments nor results.
    McpServerOnly,
}

/// A program whose model calls tools.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Client {
    /// Its name as reports show it.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its `service.name` where it sends spans itself.
    pub program: &'static str,
}

/// One call within a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The tool called.
    pub tool: &'static Tool,
    /// When, in milliseconds from the conversation's start.
    pub at_ms: u64,
    /// The arguments as JSON text; none where the instrumentation does not tell them.
    pub arguments: Option<&'static str>,
    /// How it ends.
    pub outcome: Outcome,
    /// Whether an ok answer holds nothing.
    pub is_empty: bool,
}

impl Step {
    /// A call that gets a good answer.
    pub const fn call(tool: &'static Tool, at_ms: u64, arguments: &'static str) -> Self {
        let arguments = Some(arguments);
        Self { tool, at_ms, arguments, outcome: Outcome::Ok, is_empty: false }
    }

    /// The same, answered with nothing.
    pub const fn empty(mut self) -> Self {
        self.is_empty = true;
        self
    }

    /// The same, failed.
    pub const fn failed(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// The same, with its arguments not told.
    pub const fn untold(mut self) -> Self {
        self.arguments = None;
        self
    }
}

/// A conversation: its calls, and what they count for.
#[derive(Debug)]
pub struct Play {
    /// What happens in it.
    pub name: &'static str,
    /// When it starts: always at this second of the day, or where there is room.
    pub starts_at_s: Option<u64>,
    /// Its calls in order.
    pub steps: &'static [Step],
    /// What they count for, by tool, on the day of the start.
    pub counts: &'static [Counted],
    /// What they count for on the day after.
    pub counts_next_day: &'static [Counted],
}

/// What a conversation's calls of one tool count for, worked out by hand from METHOD.
#[derive(Debug)]
pub struct Counted {
    /// The tool.
    pub tool: &'static Tool,
    /// Calls by how they ended.
    pub outcomes: &'static [(Outcome, u64)],
    /// Ok calls with known emptiness.
    pub emptiness_known: u64,
    /// Ok calls whose answer held nothing.
    pub empty: u64,
    /// Calls that are not judged, by reason.
    pub unjudged: &'static [(UnjudgedReason, u64)],
    /// Retried calls by class.
    pub retries: &'static [(RetryClass, u64)],
    /// Calls with the same arguments as an earlier one.
    pub repeats: u64,
    /// Judged calls that were ok, not empty and not retried.
    pub first_call_successes: u64,
    /// Judged calls that were ok, not empty and no confirmed retry.
    pub confirmed_first_call_successes: u64,
    /// Retry chains that ended usable.
    pub usable_chains: u64,
    /// Their extra attempts.
    pub extra_attempts: u64,
    /// Retry chains that did not end usable.
    pub abandoned_chains: u64,
}

impl Counted {
    /// Nothing counted yet for `tool`.
    pub const fn of(tool: &'static Tool) -> Self {
        Self {
            tool,
            outcomes: &[],
            emptiness_known: 0,
            empty: 0,
            unjudged: &[],
            retries: &[],
            repeats: 0,
            first_call_successes: 0,
            confirmed_first_call_successes: 0,
            usable_chains: 0,
            extra_attempts: 0,
            abandoned_chains: 0,
        }
    }
}

/// How often a conversation is held by one client on each of the days.
#[derive(Debug)]
pub struct Plan {
    /// The conversation.
    pub play: &'static Play,
    /// Whose model holds it.
    pub client: &'static Client,
    /// How it reaches telemetry.
    pub wire: Wire,
    /// How often, in the first week.
    pub first_week: [u8; 7],
    /// How often, in the second week.
    pub second_week: [u8; 7],
    /// How often today.
    pub today: u8,
}

impl Plan {
    /// How often the conversation is held on day `day`, counted from the first; day
    /// [`DAYS`] is today.
    pub fn times(&self, day: usize) -> u64 {
        let all = self.first_week.iter().chain(&self.second_week).chain([&self.today]);
        all.copied().nth(day).map_or(0, u64::from)
    }
}
