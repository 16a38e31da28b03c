//! Sightings become calls: seen twice, counted once (METHOD section 8).
//!
//! One trace at a time. The same span again is dropped; what remains is linked by parents, then
//! by shared ids, then as doubles of two instrumentations, and last by time where links are
//! missing. Spans that are no tool calls are not kept, so a chain of parents may have holes.

mod alone;
mod below;
mod dedupe;
mod forest;
mod ids;
mod merge;
mod time;

use std::collections::HashMap;

pub(super) use alone::alone;
use below::Below;
use dedupe::{Node, drop_doubles};
use forest::Forest;

use super::call::Call;
use super::names::{NameId, Names};
use super::seen::Seen;
use super::tool_name::may_be_one_tool;
use crate::call::{Attempt, TraceId};

/// Folds the sightings of any number of traces, in any order, with the client spans that may be
/// below them.
pub(super) fn fold(sightings: &[Seen], attempts: &[Attempt<NameId>], names: &Names) -> Vec<Call> {
    // Sorted by reference: a sighting is large.
    let mut by_trace: Vec<(TraceId, usize)> =
        sightings.iter().enumerate().map(|(at, seen)| (seen.trace_id, at)).collect();
    by_trace.sort_unstable();
    let mut by_trace_attempts: HashMap<TraceId, Vec<&Attempt<NameId>>> = HashMap::new();
    for attempt in attempts {
        by_trace_attempts.entry(attempt.trace_id).or_default().push(attempt);
    }
    let mut calls = Vec::with_capacity(sightings.len());
    for trace in by_trace.chunk_by(|a, b| a.0 == b.0) {
        let of_trace = || trace.iter().filter_map(|(_, at)| sightings.get(*at));
        let beside = of_trace().next().and_then(|seen| by_trace_attempts.get(&seen.trace_id));
        let beside = || beside.cloned().unwrap_or_default();
        if let (Some(alone), 1) = (of_trace().next(), trace.len()) {
            let node = Node::once(alone);
            let below = Below::of(beside(), &[node]);
            calls.push(merge::call(&[&node], &below));
        } else {
            fold_trace(of_trace().collect(), beside(), names, &mut calls);
        }
    }
    calls
}

/// Folds one trace's sightings into `calls`.
fn fold_trace(
    trace: Vec<&Seen>,
    attempts: Vec<&Attempt<NameId>>,
    names: &Names,
    calls: &mut Vec<Call>,
) {
    let first = calls.len();
    let nodes = drop_doubles(trace, names);
    let below = Below::of(attempts, &nodes);
    if let [outer, inner] = nodes.as_slice()
        && is_a_pair(outer.seen, inner.seen, names)
    {
        calls.push(merge::call(&[outer, inner], &below));
        return;
    }
    let mut forest = Forest::new(&nodes, names);
    forest.link_by_parents();
    ids::join(&mut forest);
    time::join_doubles(&mut forest, false);
    time::join_unlinked(&mut forest);
    time::join_doubles(&mut forest, true);
    time::join_gateways(&mut forest);
    forest.each_group(|members| calls.push(merge::call(members, &below)));
    let made = calls.get_mut(first..).unwrap_or_default();
    if made.iter().filter(|call| !call.is_label).count() > 1 {
        for call in made {
            call.has_company = true;
        }
    }
}

/// Whether the second sighting's parent is the first and nothing keeps them apart: the shape that
/// most traces have, told without growing a forest.
fn is_a_pair(outer: &Seen, inner: &Seen, names: &Names) -> bool {
    let is_one_tool = match (outer.tool, inner.tool) {
        (Some(a), Some(b)) => a == b || may_be_one_tool(names.text(a), names.text(b)),
        _ => true,
    };
    let are_two_ids =
        outer.call_id.is_some() && inner.call_id.is_some() && outer.call_id != inner.call_id;
    inner.parent == Some(outer.span_id)
        && outer.parent != Some(inner.span_id)
        && is_one_tool
        && !are_two_ids
}

#[cfg(test)]
mod labels_tests;
#[cfg(test)]
pub(super) mod shapes_tests;
#[cfg(test)]
pub(super) mod tests;
