//! Which client spans are below which sighting (METHOD section 11).

use std::collections::{HashMap, HashSet};

use super::dedupe::Node;
use crate::call::{Attempt, SpanId};
use crate::nightly::names::NameId;
use crate::nightly::seen::Seen;

/// Client spans that are looked at in one trace, the first ones: a bound on the work that one
/// trace can cause.
const MAX_ATTEMPTS: usize = 1024;

/// The client spans below each sighting, by its span.
#[derive(Debug, Default)]
pub(super) struct Below<'a>(HashMap<SpanId, Vec<&'a Attempt<NameId>>>);

impl<'a> Below<'a> {
    /// Finds the sighting that each client span of one trace is below: the one that is its parent.
    /// Where another span lies between them, which nobody keeps, it is the innermost sighting of
    /// the same program that holds its time, where there is exactly one. A client span below
    /// another is a part of it.
    pub(super) fn of(mut attempts: Vec<&'a Attempt<NameId>>, nodes: &[Node<'_>]) -> Self {
        let mut below = Self::default();
        if attempts.is_empty() {
            return below;
        }
        attempts.sort_by_key(|attempt| (attempt.start, attempt.end, attempt.span_id));
        attempts.truncate(MAX_ATTEMPTS);
        // The same span again is the same attempt.
        let mut known: HashSet<SpanId> = HashSet::new();
        attempts.retain(|attempt| known.insert(attempt.span_id));
        for attempt in attempts {
            if known.contains(&attempt.parent_span_id) {
                continue;
            }
            if let Some(seen) = parent(attempt, nodes).filter(|seen| may_ask(seen)) {
                below.0.entry(seen.span_id).or_default().push(attempt);
            }
        }
        below
    }

    /// The client spans below the call of these sightings. Where a server saw the call, only what
    /// is below a server's sighting: what an agent sends is the call itself on its way.
    pub(super) fn call(&self, nodes: &[&Node<'_>]) -> Vec<&'a Attempt<NameId>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let is_served = nodes.iter().any(|node| node.seen.is_server());
        let of = |node: &&Node<'_>| self.0.get(&node.seen.span_id).cloned().unwrap_or_default();
        let mut found = Vec::new();
        let mut has_server = false;
        for node in nodes {
            // Inward from the first server's sighting everything is the server's.
            has_server |= node.seen.is_server();
            if has_server || !is_served {
                found.extend(of(node));
            }
        }
        found
    }
}

/// A client's sighting asks the tool itself, by whatever carries the protocol.
const fn may_ask(seen: &Seen) -> bool {
    seen.is_server() || seen.is_internal()
}

fn parent<'n>(attempt: &Attempt<NameId>, nodes: &[Node<'n>]) -> Option<&'n Seen> {
    let seen = || nodes.iter().map(|node| node.seen);
    if let Some(parent) = seen().find(|seen| seen.span_id == attempt.parent_span_id) {
        return Some(parent);
    }
    let holds = |seen: &&Seen| {
        seen.emitter.is_some()
            && seen.emitter == attempt.emitter
            && may_ask(seen)
            && seen.start <= attempt.start
            && attempt.end <= seen.end
    };
    let innermost =
        seen().filter(holds).max_by_key(|seen| (seen.start, std::cmp::Reverse(seen.end)))?;
    // Two that lie in parallel, or that cannot be told apart, are two candidates.
    let is_around = |other: &Seen| other.holds(innermost) && !innermost.holds(other);
    let is_inmost =
        seen().filter(holds).all(|other| other.span_id == innermost.span_id || is_around(other));
    is_inmost.then_some(innermost)
}
