//! The sightings of one trace as trees: one tree per call, the outermost sighting at its root.

#![expect(clippy::indexing_slicing, reason = "every index is one of this forest's own nodes")]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};

use super::dedupe::Node;
use crate::call::{CallKey, Comparison, SpanKind, UnixNanos};
use crate::nightly::names::{NameId, Names};
use crate::nightly::seen::{Args, Seen};
use crate::nightly::tool_name::may_be_one_tool;

/// Which instrumentation of which program saw a call from which side.
pub(super) type Layer = (SpanKind, NameId, Option<NameId>);

/// How many names of one call are compared: a bound on the work that one trace can cause.
const MAX_NAMES: usize = 16;

/// What joining two groups depends on.
#[derive(Debug, Clone)]
pub(super) struct Group {
    names: Vec<NameId>,
    layers: Vec<Layer>,
    call_id: Option<CallKey>,
    /// The time that all members share.
    pub(super) shared: (UnixNanos, UnixNanos),
}

/// The trees.
#[derive(Debug)]
pub(super) struct Forest<'a> {
    nodes: &'a [Node<'a>],
    names: &'a Names,
    /// The node that each node hangs under.
    parent: Vec<Option<usize>>,
    /// Whether it hangs there by time alone, and may be moved.
    by_time: Vec<bool>,
    /// Whether its parent span is among the nodes.
    has_link: Vec<bool>,
    root: Vec<usize>,
    groups: Vec<Option<Group>>,
    members: Vec<Vec<usize>>,
}

impl<'a> Forest<'a> {
    /// Every node alone.
    pub(super) fn new(nodes: &'a [Node<'a>], names: &'a Names) -> Self {
        let count = nodes.len();
        Self {
            nodes,
            names,
            parent: vec![None; count],
            by_time: vec![false; count],
            has_link: vec![false; count],
            root: (0..count).collect(),
            groups: nodes.iter().map(|node| Some(group_of(node.seen))).collect(),
            members: (0..count).map(|node| vec![node]).collect(),
        }
    }

    /// How many nodes there are. They are in order of start.
    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The sighting at a node.
    pub(super) fn seen(&self, node: usize) -> &'a Seen {
        self.nodes[node].seen
    }

    /// The root of a node's tree.
    pub(super) fn root(&self, node: usize) -> usize {
        self.root[node]
    }

    /// Whether a node is a root.
    pub(super) fn is_root(&self, node: usize) -> bool {
        self.root[node] == node
    }

    /// Whether a node's parent span is among the nodes.
    pub(super) fn has_link(&self, node: usize) -> bool {
        self.has_link[node]
    }

    /// The nodes of a root's tree, in no particular order.
    pub(super) fn members(&self, root: usize) -> &[usize] {
        &self.members[root]
    }

    /// The time that all nodes of a root's tree share.
    pub(super) fn shared_time(&self, root: usize) -> Option<(UnixNanos, UnixNanos)> {
        self.groups[root].as_ref().map(|group| group.shared)
    }

    /// Links every sighting to its parent, outermost first, where both may be of one tool.
    /// Another tool between two sightings of one tool keeps them apart: a tool that calls a tool
    /// is two calls.
    pub(super) fn link_by_parents(&mut self) {
        let by_span: HashMap<_, _> =
            self.nodes.iter().enumerate().map(|(at, node)| (node.seen.span_id, at)).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        let mut queue = VecDeque::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let parent = node.seen.parent.and_then(|span| by_span.get(&span)).copied();
            match parent.filter(|parent| *parent != at) {
                Some(parent) => {
                    self.has_link[at] = true;
                    children[parent].push(at);
                }
                None => queue.push_back(at),
            }
        }
        let mut is_done = vec![false; self.len()];
        let mut next = 0;
        loop {
            while let Some(at) = queue.pop_front() {
                is_done[at] = true;
                for child in children[at].iter().copied().filter(|child| !is_done[*child]) {
                    if self.is_child_of_one_tool(at, child) {
                        self.attach(child, at, false);
                    }
                    queue.push_back(child);
                }
            }
            // Only spans that are each other's ancestors are left, which no sound trace holds.
            while next < is_done.len() && is_done[next] {
                next += 1;
            }
            if next == is_done.len() {
                return;
            }
            queue.push_back(next);
        }
    }

    fn is_child_of_one_tool(&self, parent: usize, child: usize) -> bool {
        let (outer, inner) = (self.seen(parent), self.seen(child));
        let is_named_alike = match (outer.tool, inner.tool) {
            (Some(a), Some(b)) => self.is_one_tool(a, b),
            // An unnamed sighting goes by the name that its call has by now.
            (None, Some(b)) => self.groups[self.root[parent]].as_ref().is_none_or(|group| {
                group.names.is_empty() || group.names.iter().any(|a| self.is_one_tool(*a, b))
            }),
            (_, None) => true,
        };
        is_named_alike && !are_two_calls(outer.call_id, inner.call_id)
    }

    fn is_one_tool(&self, a: NameId, b: NameId) -> bool {
        a == b || may_be_one_tool(self.names.text(a), self.names.text(b))
    }

    /// Whether two trees may be one call: some names match, or one side has none; no layer has
    /// seen both, for that layer then saw two calls; and no two tool call ids contradict.
    pub(super) fn may_join(&self, a: usize, b: usize) -> bool {
        a != b && self.is_alike(a, b) && !self.do_clash(a, b)
    }

    /// The part of [`Forest::may_join`] that does not depend on layers.
    pub(super) fn is_alike(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.group_below(a), self.group_below(b)) else { return false };
        let are_named_alike = a.names.is_empty()
            || b.names.is_empty()
            || a.names.iter().any(|a| b.names.iter().any(|b| self.is_one_tool(*a, *b)));
        are_named_alike && !are_two_calls(a.call_id, b.call_id)
    }

    /// What the tree below a node depends on, be the node a root or not.
    fn group_below(&self, node: usize) -> Option<Cow<'_, Group>> {
        if let Some(group) = &self.groups[node] {
            return Some(Cow::Borrowed(group));
        }
        let of_tree = self.members[self.root[node]].iter().copied();
        let below: Vec<usize> = of_tree.filter(|member| self.is_below(*member, node)).collect();
        self.regroup(&below).map(Cow::Owned)
    }

    fn do_clash(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (&self.groups[a], &self.groups[b]) else { return true };
        a.layers.iter().any(|layer| b.layers.contains(layer))
    }

    /// Whether `layer` has seen the tree `root`.
    pub(super) fn has_layer(&self, root: usize, layer: Layer) -> bool {
        self.groups[root].as_ref().is_some_and(|group| group.layers.contains(&layer))
    }

    /// Joins the trees of two nodes; the later root comes to hang under the other tree's node.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (root_a, root_b) = (self.root[a], self.root[b]);
        if root_a < root_b {
            self.attach(root_b, a, false);
        } else {
            self.attach(root_a, b, false);
        }
    }

    /// Hangs the tree of the root `node` under `parent`.
    pub(super) fn attach(&mut self, node: usize, parent: usize, by_time: bool) {
        let to = self.root[parent];
        if self.root[node] != node || to == node {
            return;
        }
        self.parent[node] = Some(parent);
        self.by_time[node] = by_time;
        let moved = std::mem::take(&mut self.members[node]);
        for member in &moved {
            self.root[*member] = to;
        }
        self.members[to].extend(moved);
        if let Some(group) = self.groups[node].take()
            && let Some(into) = self.groups[to].as_mut()
        {
            into.absorb(&group);
        }
    }

    /// The member of `root`'s tree that hangs there by time alone and is of `layer`, where
    /// exactly one is.
    pub(super) fn movable(&self, root: usize, layer: Layer) -> Option<usize> {
        let mut of_layer =
            self.members[root].iter().copied().filter(|at| layer_of(self.seen(*at)) == layer);
        match (of_layer.next(), of_layer.next()) {
            (Some(only), None) if self.by_time[only] => Some(only),
            _ => None,
        }
    }

    /// Takes the tree below `node` off the tree that it hangs in.
    pub(super) fn detach(&mut self, node: usize) {
        let from = self.root[node];
        if from == node {
            return;
        }
        self.parent[node] = None;
        self.by_time[node] = false;
        let members = std::mem::take(&mut self.members[from]);
        let (below, rest): (Vec<usize>, Vec<usize>) =
            members.into_iter().partition(|member| self.is_below(*member, node));
        for member in &below {
            self.root[*member] = node;
        }
        self.groups[node] = self.regroup(&below);
        self.groups[from] = self.regroup(&rest);
        self.members[node] = below;
        self.members[from] = rest;
    }

    fn is_below(&self, member: usize, node: usize) -> bool {
        let mut at = Some(member);
        while let Some(current) = at {
            if current == node {
                return true;
            }
            at = self.parent[current];
        }
        false
    }

    fn regroup(&self, members: &[usize]) -> Option<Group> {
        let mut all: Option<Group> = None;
        for member in members {
            let group = group_of(self.seen(*member));
            match all.as_mut() {
                Some(all) => all.absorb(&group),
                None => all = Some(group),
            }
        }
        all
    }

    /// Hands every group's sightings to `visit`, the outermost first, in order of the roots.
    pub(super) fn each_group(&self, mut visit: impl FnMut(&[&Node<'a>])) {
        let mut groups: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (node, depth) in self.depths().into_iter().enumerate() {
            groups.entry(self.root[node]).or_default().push((depth, node));
        }
        for members in groups.values_mut() {
            members.sort_unstable();
            let members: Vec<&Node<'a>> =
                members.iter().map(|(_, node)| &self.nodes[*node]).collect();
            visit(&members);
        }
    }

    /// How many nodes each node hangs under.
    fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<Option<usize>> = vec![None; self.len()];
        let mut path = Vec::new();
        for node in 0..self.len() {
            let mut at = Some(node);
            while let Some(current) = at.filter(|at| depths[*at].is_none()) {
                path.push(current);
                at = self.parent[current];
            }
            let mut depth = at.and_then(|at| depths[at]).map_or(0, |above| above + 1);
            while let Some(current) = path.pop() {
                depths[current] = Some(depth);
                depth += 1;
            }
        }
        depths.into_iter().flatten().collect()
    }
}

impl Group {
    fn absorb(&mut self, other: &Self) {
        for name in &other.names {
            if self.names.len() < MAX_NAMES && !self.names.contains(name) {
                self.names.push(*name);
            }
        }
        for layer in &other.layers {
            if !self.layers.contains(layer) {
                self.layers.push(*layer);
            }
        }
        self.call_id = self.call_id.or(other.call_id);
        self.shared = (self.shared.0.max(other.shared.0), self.shared.1.min(other.shared.1));
    }
}

fn group_of(seen: &Seen) -> Group {
    Group {
        names: seen.tool.into_iter().collect(),
        layers: vec![layer_of(seen)],
        call_id: seen.call_id,
        shared: (seen.start, seen.end),
    }
}

/// The layer that a sighting comes from.
pub(super) const fn layer_of(seen: &Seen) -> Layer {
    (seen.kind, seen.scope, seen.emitter)
}

/// Whether both carry a tool call id of the model's and these differ.
fn are_two_calls(a: Option<CallKey>, b: Option<CallKey>) -> bool {
    a.is_some() && b.is_some() && a != b
}

/// Whether two sightings' arguments are known to differ, compared across layers where their
/// forms allow it: what is asked of two views of one call, never of two calls.
pub(super) fn views_differ(a: &Seen, b: &Seen) -> bool {
    match (&a.args, &b.args) {
        (Some(a), Some(b)) => a.layer.form == b.layer.form && a.value != b.value,
        _ => false,
    }
}

/// Whether two sightings' arguments are known to be equal, across layers likewise.
pub(super) fn views_agree(a: &Seen, b: &Seen) -> bool {
    match (&a.args, &b.args) {
        (Some(a), Some(b)) => a.layer.form == b.layer.form && a.value == b.value,
        _ => false,
    }
}

/// Whether two sightings' arguments are known to differ within one layer.
pub(super) fn arguments_differ(a: &Seen, b: &Seen) -> bool {
    Args::compare(a.args.as_ref(), b.args.as_ref()) == Comparison::Different
}
