//! The finding about a tool that is offered and that nothing calls.

use super::{Finding, FindingRule, Severity};
use crate::call::ToolKey;
use crate::figures::format::{bytes, counted};
use crate::figures::rate::{FEW_CALLS, as_float};
use crate::figures::sentence::Sentence;

/// A tool that is offered and was not called on `days` covered days, while `others` calls went
/// to tools beside it; none where those are too few to say that it is passed over.
pub fn never_called(
    tool: &ToolKey,
    days: u64,
    others: u64,
    schema_bytes: Option<u64>,
) -> Option<Finding> {
    if others < FEW_CALLS || days == 0 {
        return None;
    }
    let sentence = Sentence::new().name(&tool.tool).say(format!(
        " is offered and was not called on {}, while {} to other tools.{}",
        counted(days, "covered day", "covered days"),
        counted(others, "call went", "calls went"),
        schema_bytes.map_or_else(String::new, |size| {
            format!(" Clients that list the tools are sent {} for it.", bytes(as_float(size)))
        }),
    ));
    let advice =
        Sentence::words("Say in its description when it is the right one, or stop offering it.");
    Some(Finding {
        severity: Severity::Note,
        rule: FindingRule::NeverCalled,
        tool: tool.clone(),
        client: None,
        count: others,
        sentence,
        advice,
    })
}
