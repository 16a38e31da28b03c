//! Pairs: a tool, then a different tool, the session's next call (METHOD section 9).

use super::call::Call;
use super::session::is_of_a_tool;
use crate::call::CallDuration;

/// How long after the first call's end the second may start.
const APART: CallDuration = CallDuration::from_secs(30);

/// The pairs among a session's calls, which are in order: each call with the next, where that is
/// of a different tool and started at most 30 s after this one's end.
///
/// Calls whose start is not known have no place in the order. A call of a tool that is not there
/// has one, and belongs to no pair.
pub(super) fn find<'a>(
    calls: impl Iterator<Item = &'a Call>,
) -> impl Iterator<Item = (&'a Call, &'a Call)> {
    let mut before: Option<&Call> = None;
    calls.filter(|call| call.is_time_known).filter_map(move |call| {
        let first = before.replace(call)?;
        let is_in_time = call.start <= first.end.saturating_add(APART);
        let are_two_tools = (first.service, first.tool) != (call.service, call.tool);
        let is_pair = is_in_time && are_two_tools && is_of_a_tool(first) && is_of_a_tool(call);
        is_pair.then_some((first, call))
    })
}
