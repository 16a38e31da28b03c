//! Sightings of one trace that share the tool call id or the JSON-RPC request id.

use std::collections::BTreeMap;

use super::forest::Forest;
use crate::call::CallKey;
use crate::nightly::seen::Seen;

/// How many sightings with one id before one are looked at: a bound on the work that one trace
/// can cause.
const LOOK_BACK: usize = 256;

/// Joins what shares an id. Models and connections give out small ids again, so within one trace
/// an id may stand for several calls: sightings that overlap in time go first, the others one to
/// one in order of start; and two sightings of one kind and scope are two calls.
pub(super) fn join(forest: &mut Forest<'_>) {
    join_by(forest, |seen| seen.call_id);
    join_by(forest, |seen| seen.request_id);
}

fn join_by(forest: &mut Forest<'_>, id: impl Fn(&Seen) -> Option<CallKey>) {
    let mut by_id: BTreeMap<CallKey, Vec<usize>> = BTreeMap::new();
    for node in 0..forest.len() {
        if let Some(id) = id(forest.seen(node)) {
            by_id.entry(id).or_default().push(node);
        }
    }
    for nodes in by_id.values() {
        let kinds = |node: &usize| (forest.seen(*node).kind, forest.seen(*node).scope);
        let mut all = nodes.iter().map(kinds);
        let first = all.next();
        if all.all(|kind| Some(kind) == first) {
            continue;
        }
        for must_overlap in [true, false] {
            join_bucket(forest, nodes, must_overlap);
        }
    }
}

fn join_bucket(forest: &mut Forest<'_>, nodes: &[usize], must_overlap: bool) {
    for (at, inner) in nodes.iter().copied().enumerate() {
        let seen = forest.seen(inner);
        let before = nodes.get(at.saturating_sub(LOOK_BACK)..at).unwrap_or_default();
        let outer = before.iter().copied().find(|outer| {
            let other = forest.seen(*outer);
            (other.kind, other.scope) != (seen.kind, seen.scope)
                && (!must_overlap || other.overlaps(seen))
                && forest.may_join(forest.root(*outer), forest.root(inner))
        });
        if let Some(outer) = outer {
            forest.join(outer, inner);
        }
    }
}
