//! What reducing needs beside the span: the time, the keys, the limits, the configuration.

use super::keys::Keys;
use crate::call::{CallDuration, ToolRules, UnixNanos};

/// Everything but the span that a sighting depends on.
#[derive(Debug, Clone, Copy)]
pub struct ReduceContext<'a> {
    /// When the request arrived.
    pub now: UnixNanos,
    /// What prints and keyed hashes are made under.
    pub keys: &'a Keys,
    /// What is refused and what is derived.
    pub limits: &'a ReduceLimits,
    /// Which parameters turn a page, tool by tool, where the configuration declares it.
    pub paging: &'a PagingRules,
    /// What an empty answer looks like, tool by tool, where the configuration declares it.
    pub empties: &'a ToolRules<EmptyDeclaration>,
    /// Attributes that name a conversation, beside the known ones; asked before them.
    pub conversation_attributes: &'a [String],
}

/// What is refused, and what is derived from arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReduceLimits {
    /// How far in the future a start may lie.
    pub max_future: CallDuration,
    /// How many days in the past a start may lie.
    pub max_past_days: u32,
    /// Whether argument prints are taken.
    pub prints: bool,
    /// Whether stored hashes are keyed under the installation's secret.
    pub keyed_hashes: bool,
}

impl Default for ReduceLimits {
    fn default() -> Self {
        Self {
            max_future: CallDuration::from_secs(3600),
            max_past_days: 400,
            prints: true,
            keyed_hashes: false,
        }
    }
}

/// Declared paging parameters by tool name. A tool's declaration replaces the known names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagingRules {
    /// The declarations.
    pub tools: ToolRules<PagingDeclaration>,
}

/// What an empty answer of one tool looks like, beside those that METHOD section 4 names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmptyDeclaration {
    /// Whole answers that mean that nothing was found.
    pub texts: Vec<String>,
    /// Top-level fields of which all that are there hold nothing or zero in an empty answer.
    pub fields: Vec<String>,
}

/// One tool's paging parameters, by their top-level names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagingDeclaration {
    /// Parameters that say where in the answer to go on.
    pub position: Vec<String>,
    /// Parameters that say how much to answer at once.
    pub size: Vec<String>,
    /// Parameters that say nothing about what is asked for.
    pub ignore: Vec<String>,
}
