//! Sightings of one trace that belong together by time, where links are missing.

use std::collections::{BTreeMap, VecDeque};

use super::forest::{Forest, arguments_differ, layer_of, views_agree, views_differ};
use crate::call::{CallDuration, SpanKind};
use crate::nightly::seen::Seen;

/// How far the starts of exact doubles lie apart at most (METHOD section 8).
const DOUBLES_APART: CallDuration = CallDuration::from_millis(50);
/// How many sightings before one are looked at for its double or its gateway's other side:
/// a bound on the work that one trace can cause.
const LOOK_BACK: usize = 1024;
/// How many trees a search for another seat looks at: a bound likewise.
const MAX_MOVES: usize = 256;

/// Joins exact doubles of two instrumentations, wherever they stand in the trace: two scopes, the
/// same tool, arguments equal or unknown on one side, starts within 50 ms, overlapping. Those
/// with equal arguments go first.
///
/// Those of one side of one program are joined before sightings are seated by time, which finds
/// the side that serves a call better; the `others`, whose clocks may differ, after it.
pub(super) fn join_doubles(forest: &mut Forest<'_>, others: bool) {
    for must_agree in [true, false] {
        for late in 0..forest.len() {
            let seen = forest.seen(late);
            let earliest = seen.start.saturating_sub(DOUBLES_APART);
            let double = (0..late)
                .rev()
                .take(LOOK_BACK)
                .take_while(|early| forest.seen(*early).start >= earliest)
                .filter(|early| others || are_of_one_side(forest.seen(*early), seen))
                .filter(|early| are_doubles(forest, *early, late, must_agree))
                .last();
            if let Some(early) = double {
                forest.join(early, late);
            }
        }
    }
}

fn are_of_one_side(a: &Seen, b: &Seen) -> bool {
    a.emitter == b.emitter && a.is_server() == b.is_server()
}

fn are_doubles(forest: &Forest<'_>, early: usize, late: usize, must_agree: bool) -> bool {
    let (a, b) = (forest.seen(early), forest.seen(late));
    // Two servers are two programs, not two instrumentations of one.
    let are_two_servers = a.is_server() && b.is_server() && a.emitter != b.emitter;
    a.scope != b.scope
        && !are_two_servers
        && a.overlaps(b)
        && if must_agree { views_agree(a, b) } else { !views_differ(a, b) }
        && (forest.is_root(early) || forest.is_root(late))
        && forest.may_join(forest.root(early), forest.root(late))
}

/// Hangs every sighting whose parent is not kept under one in whose time it lies and that comes
/// from another layer, one to one in order of start. Where that order would leave one without a
/// seat, those seated before it move on to other free seats that also hold them.
pub(super) fn join_unlinked(forest: &mut Forest<'_>) {
    // The roots whose time overlaps, directly or through others, and those not over yet.
    let (mut cluster, mut open): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for node in 0..forest.len() {
        if !forest.is_root(node) {
            continue;
        }
        let start = forest.seen(node).start;
        open.retain(|root| forest.seen(*root).end >= start);
        if open.is_empty() {
            cluster.clear();
        }
        if !forest.has_link(node) && !open.is_empty() {
            if let Some(root) = first_seat(forest, &open, node) {
                seat(forest, node, root);
            } else {
                let before = cluster.len().saturating_sub(MAX_MOVES);
                seat_by_moving(forest, cluster.get(before..).unwrap_or_default(), node);
            }
        }
        if forest.is_root(node) {
            cluster.push(node);
            open.push(node);
        }
    }
}

/// The first tree with a free seat: one whose every sighting holds `node` before one whose
/// outermost does.
fn first_seat(forest: &Forest<'_>, open: &[usize], node: usize) -> Option<usize> {
    let seen = forest.seen(node);
    let is_free = |root: &usize| may_hold(forest, *root, node) && forest.may_join(*root, node);
    let mut second = None;
    for root in open.iter().copied().filter(is_free) {
        let is_within_all = forest
            .shared_time(root)
            .is_some_and(|(start, end)| start <= seen.start && seen.end <= end);
        if is_within_all {
            return Some(root);
        }
        second = second.or(Some(root));
    }
    second
}

/// Whether the tree `root` may hold `node` by time, its seat free or not.
fn may_hold(forest: &Forest<'_>, root: usize, node: usize) -> bool {
    let (outer, inner) = (forest.seen(root), forest.seen(node));
    let is_root_before = forest.is_root(root) && root < node;
    // A server holds what its own program does, or a server behind it; another program's side
    // of the call that lies within its time is another call's.
    let is_strange = outer.is_server() && !inner.is_server() && outer.emitter != inner.emitter;
    // Of one kind and scope they are parallel calls, be it of two services that each have the
    // tool: nothing but a link tells that one called the other.
    let are_parallel = (outer.kind, outer.scope) == (inner.kind, inner.scope);
    is_root_before
        && outer.holds(inner)
        && !is_strange
        && !are_parallel
        && !arguments_differ(outer, inner)
        && forest.is_alike(root, node)
}

/// Hangs `node` under the innermost sighting of the tree `root` that holds it.
fn seat(forest: &mut Forest<'_>, node: usize, root: usize) {
    let seen = forest.seen(node);
    let holders = forest.members(root).iter().copied();
    let innermost = holders.filter(|at| *at < node && forest.seen(*at).holds(seen)).max();
    forest.attach(node, innermost.unwrap_or(root), true);
}

/// Finds a chain of moves that frees a seat for `node`: breadth first over the trees that could
/// hold it, then over those that could hold the ones seated there.
fn seat_by_moving(forest: &mut Forest<'_>, cluster: &[usize], node: usize) {
    let mut reached_by: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([node]);
    while let Some(mover) = queue.pop_front() {
        for root in cluster.iter().copied() {
            if reached_by.contains_key(&root) || !could_move(forest, root, mover) {
                continue;
            }
            let layer = layer_of(forest.seen(mover));
            if !forest.has_layer(root, layer) {
                reached_by.insert(root, mover);
                return move_along(forest, &reached_by, root, node);
            }
            if let Some(seated) = forest.movable(root, layer) {
                reached_by.insert(root, mover);
                queue.push_back(seated);
            }
        }
    }
}

fn could_move(forest: &Forest<'_>, root: usize, mover: usize) -> bool {
    forest.root(mover) != root && may_hold(forest, root, mover)
}

/// Carries the moves out, the last one first.
fn move_along(
    forest: &mut Forest<'_>,
    reached_by: &BTreeMap<usize, usize>,
    free: usize,
    node: usize,
) {
    let mut to = free;
    while let Some(mover) = reached_by.get(&to).copied() {
        let from = forest.root(mover);
        forest.detach(mover);
        if forest.may_join(to, mover) {
            seat(forest, mover, to);
        }
        if mover == node {
            return;
        }
        to = from;
    }
}

/// Joins the two sides of a gateway, wherever they stand in the trace: a SERVER and a CLIENT of
/// one program, the same tool, one within the other's time. What is left to do here are those
/// whose parent is kept and is another tool's.
pub(super) fn join_gateways(forest: &mut Forest<'_>) {
    for late in 0..forest.len() {
        let may_be_side =
            |at: usize| matches!(forest.seen(at).kind, SpanKind::Server | SpanKind::Client);
        if !forest.is_root(late) || !forest.has_link(late) || !may_be_side(late) {
            continue;
        }
        let other = (0..late).rev().take(LOOK_BACK).find(|early| {
            are_gateway_sides(forest.seen(*early), forest.seen(late))
                && forest.may_join(forest.root(*early), late)
        });
        if let Some(early) = other {
            forest.join(early, late);
        }
    }
}

fn are_gateway_sides(a: &Seen, b: &Seen) -> bool {
    let are_both_sides = matches!(
        (a.kind, b.kind),
        (SpanKind::Server, SpanKind::Client) | (SpanKind::Client, SpanKind::Server)
    );
    are_both_sides && a.emitter.is_some() && a.emitter == b.emitter && (a.holds(b) || b.holds(a))
}
