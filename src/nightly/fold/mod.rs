//! Sightings become calls: seen twice, counted once (METHOD section 8).
//!
//! One trace at a time. The same span again is dropped; what remains is linked by parents, then
//! by shared ids, then as doubles of two instrumentations, and last by time where links are
//! missing. Spans that are no tool calls are not kept, so a chain of parents may have holes.

mod dedupe;
mod forest;
mod ids;
mod merge;
mod time;

use dedupe::{Node, drop_doubles};
use forest::Forest;

use super::call::Call;
use super::names::Names;
use super::seen::Seen;

/// Folds the sightings of any number of traces, in any order.
pub(super) fn fold(mut sightings: Vec<Seen>, names: &Names) -> Vec<Call> {
    sightings.sort_unstable_by_key(|seen| seen.trace_id);
    let mut calls = Vec::with_capacity(sightings.len());
    let mut trace: Vec<Seen> = Vec::new();
    for seen in sightings {
        if trace.first().is_some_and(|first| first.trace_id != seen.trace_id) {
            fold_trace(&mut trace, names, &mut calls);
        }
        trace.push(seen);
    }
    fold_trace(&mut trace, names, &mut calls);
    calls
}

/// Folds one trace's sightings into `calls` and leaves `trace` empty.
fn fold_trace(trace: &mut Vec<Seen>, names: &Names, calls: &mut Vec<Call>) {
    let first = calls.len();
    if let [_] = trace.as_slice() {
        let node = trace.pop().map(|seen| Node { seen, copies: 1 });
        calls.extend(node.map(|node| merge::call(&[&node], names)));
        return;
    }
    let nodes = drop_doubles(trace, names);
    let mut forest = Forest::new(&nodes, names);
    forest.link_by_parents();
    ids::join(&mut forest);
    time::join_doubles(&mut forest, false);
    time::join_unlinked(&mut forest);
    time::join_doubles(&mut forest, true);
    time::join_gateways(&mut forest);
    forest.each_group(|members| calls.push(merge::call(members, names)));
    let made = calls.get_mut(first..).unwrap_or_default();
    if made.len() > 1 {
        for call in made {
            call.has_company = true;
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
