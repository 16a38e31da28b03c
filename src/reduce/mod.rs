//! Reduce: a recognised span or log record becomes a sighting; arguments and results end here.
//!
//! A borrowed span, or a log record as one, its dialect and a context come in; a [`Sighting`] goes
//! out, with what had to be mended, or a [`Refusal`]. What is read of arguments, results and the
//! texts of errors is read in memory only: nothing of it is in a sighting, an error or any Debug
//! output.

mod arguments;
mod attempt;
pub mod canonical_json;
mod context;
mod error_text;
mod given;
pub mod hash;
mod identity;
mod keys;
mod marks;
mod material;
mod messages;
mod name_cache;
mod outcome;
mod paging;
mod parties;
mod prints;
mod recovery;
mod repairs;
mod result;
mod sampling;
mod session;
mod times;
mod tool;
mod tool_message;
mod wrappers;

pub use attempt::attempt;
pub use context::{EmptyDeclaration, PagingDeclaration, PagingRules, ReduceContext, ReduceLimits};
pub use keys::Keys;
pub use name_cache::NameCache;

use crate::call::{CallKey, Name, Repair, Sighting, SpanId};
use crate::figures::Refusal;
use crate::otlp::{ResourceView, ScopeView, SpanView};
use crate::recognise::{Key, Recognised, Seen};
use identity::OfLog;
use repairs::Repairs;

/// A sighting, and what had to be mended to make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// What the span says of its call.
    pub sighting: Sighting,
    /// What was mended, each once, in the order of [`Repair::ALL`].
    pub repairs: Vec<Repair>,
}

/// Where the model's id for a call is.
const CALL_IDS: &[Key] = &[
    Key::GenAiToolCallId,
    Key::GenAiToolCallIdOld,
    Key::ToolCallId,
    Key::ToolCallIdDotted,
    Key::AiToolCallId,
    Key::ToolUseId,
    Key::ToolId,
    Key::CallId,
];
/// Where the JSON-RPC request's id is.
const REQUEST_IDS: &[Key] = &[Key::JsonrpcRequestId, Key::McpRequestId, Key::RpcJsonrpcRequestId];
/// Texts that stand in the place of an id that is not known.
const NO_IDS: &[&str] = &["unknown", "<not specified>", "None", "null", "N/A"];

/// Reduces a recognised span, or a log record as one, to what is kept.
///
/// Refused are: a trace or span id of zeros or of the wrong length, a plain span without a
/// tool's name, a tool's name longer than [`Name::MAX_BYTES`], a start too far in the future or
/// in the past. A bad parent id is no parent.
pub fn reduce(
    recognised: &Recognised,
    span: &SpanView<'_>,
    scope: &ScopeView<'_>,
    resource: &ResourceView<'_>,
    context: &ReduceContext<'_>,
) -> Result<Reduced, Refusal> {
    let rules = recognised.rules;
    let seen = Seen::new(span, scope, resource);
    let mut repairs = Repairs::default();
    let is_log = rules.log_time.is_some();
    let own_ids = if is_log { None } else { Some(identity::of_span(span)?) };
    let tool = tool::tool(&seen, rules.tool);
    if tool.is_none() && rules.needs_tool_name {
        return Err(Refusal::NoToolName);
    }
    let tool = tool.map(|name| Name::exact(&name).ok_or(Refusal::ToolNameTooLong)).transpose()?;
    let times = times::times(&seen, rules, context, &mut repairs)?;
    if span.is_utf8_repaired {
        repairs.note(Repair::InvalidUtf8);
    }
    if seen.has_repeated_key {
        repairs.note(Repair::DuplicateKey);
    }
    let side = rules.side.of(span.kind);
    let declared = tool.as_ref().and_then(|tool| context.empties.get(tool.as_str()));
    let result = result::look(&seen, rules, declared);
    let outcome = outcome::outcome(&seen, rules, &result);
    let (client, client_version) = parties::client(&seen, rules, side, &mut repairs);
    let arguments = arguments::arguments(&seen, rules, tool.as_ref().map(Name::as_str), context);
    let session = session::claim(&seen, rules, context);
    let call_id = id(&seen, CALL_IDS);
    let (trace_id, span_id) = own_ids.unwrap_or_else(|| {
        let (tool, arguments) = (tool.as_ref(), arguments.as_ref());
        OfLog { span, scope, session, call_id, tool, arguments, times: &times }.ids()
    });
    let sighting = Sighting {
        trace_id,
        span_id,
        parent_span_id: SpanId::from_bytes(&span.parent_span_id),
        kind: span.kind,
        scope: repairs.name(&scope.name),
        dialect: Name::cut(rules.name),
        emitter: seen.emitter().map(|name| repairs.name(name)),
        service: parties::service(&seen, rules, side, &mut repairs),
        arguments,
        tool,
        client,
        client_version,
        session,
        start: times.start,
        end: times.end,
        is_time_known: times.is_known,
        outcome,
        confidence: (rules.confidence)(&seen),
        emptiness: result.emptiness(outcome),
        result_bytes: result.bytes,
        call_id,
        request_id: id(&seen, REQUEST_IDS),
        is_sampled: sampling::is_sampled(&seen),
        recovery: recovery::recovery(&seen, context.keys, &mut repairs),
        is_label: rules.is_label,
        received: context.now,
    };
    Ok(Reduced { sighting, repairs: repairs.into_vec() })
}

/// The digest of the first id under `keys` that is one.
fn id(seen: &Seen<'_>, keys: &[Key]) -> Option<CallKey> {
    let ids = keys.iter().filter_map(|key| seen.word(*key));
    ids.into_iter().find(|id| !NO_IDS.contains(&id.trim())).map(|id| CallKey::of(&id))
}
