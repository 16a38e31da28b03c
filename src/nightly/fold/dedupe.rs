//! The same span again is the same sighting (METHOD section 8).

use std::cmp::{Ordering, Reverse};

use crate::call::{SpanKind, UnixNanos};
use crate::nightly::names::Names;
use crate::nightly::seen::Seen;

/// A sighting, how often it came, and when first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a> {
    pub(super) seen: &'a Seen,
    pub(super) received: UnixNanos,
    pub(super) copies: u32,
}

impl<'a> Node<'a> {
    /// A sighting that came once.
    pub(super) const fn once(seen: &'a Seen) -> Self {
        Self { seen, received: seen.received, copies: 1 }
    }
}

/// Drops the doubles of one trace. The rest is in order of start, where an outer sighting comes
/// before one that lies within its time.
pub(super) fn drop_doubles<'a>(mut trace: Vec<&'a Seen>, names: &Names) -> Vec<Node<'a>> {
    trace.sort_by(|a, b| a.span_id.cmp(&b.span_id).then_with(|| by_content(a, b, names)));
    let mut nodes: Vec<Node<'a>> = Vec::with_capacity(trace.len());
    for seen in trace {
        match nodes.last_mut() {
            Some(last) if last.seen.span_id == seen.span_id => {
                last.received = last.received.min(seen.received);
                last.copies = last.copies.saturating_add(1);
            }
            _ => nodes.push(Node::once(seen)),
        }
    }
    nodes.sort_by(|a, b| in_order(a.seen, b.seen, names));
    nodes
}

/// Order of start; where starts are equal, the longer one and the one nearer to the model first.
fn in_order(a: &Seen, b: &Seen, names: &Names) -> Ordering {
    let key = |seen: &Seen| (seen.start, Reverse(seen.end), distance(seen.kind));
    let texts = |seen: &Seen| (names.text_of(Some(seen.scope)), names.text_of(seen.emitter));
    key(a)
        .cmp(&key(b))
        .then_with(|| texts(a).cmp(&texts(b)))
        .then_with(|| a.span_id.cmp(&b.span_id))
}

/// How far from the model a kind of span stands, where nothing else tells.
const fn distance(kind: SpanKind) -> u8 {
    match kind {
        SpanKind::Internal | SpanKind::Unspecified => 0,
        SpanKind::Client | SpanKind::Producer => 1,
        SpanKind::Server | SpanKind::Consumer => 2,
    }
}

/// An order over everything that a sighting says, so that of two that contradict each other the
/// same one holds whatever the order of arrival. The one that ended last comes first: a span that
/// was exported twice was complete the second time.
fn by_content(a: &Seen, b: &Seen, names: &Names) -> Ordering {
    let times = |s: &Seen| (Reverse(s.end), s.start, Reverse(s.is_time_known));
    let answer = |s: &Seen| {
        let told = (s.outcome, s.confidence, s.emptiness, s.result_bytes);
        (told, s.session, s.call_id, s.request_id, (s.is_sampled, s.is_label))
    };
    let place = |s: &Seen| (s.kind, s.parent);
    times(a)
        .cmp(&times(b))
        .then_with(|| names_of(a, names).cmp(&names_of(b, names)))
        .then_with(|| place(a).cmp(&place(b)))
        .then_with(|| answer(a).cmp(&answer(b)))
        .then_with(|| arguments_of(a, names).cmp(&arguments_of(b, names)))
        .then_with(|| recovery_of(a, names).cmp(&recovery_of(b, names)))
}

fn recovery_of<'a>(seen: &Seen, names: &'a Names) -> impl Ord + use<'a> {
    seen.recovery.as_ref().map(|told| {
        let words = (told.kind, told.stage, told.key_status, told.business_outcome);
        let rest = (told.attempts, told.budget, told.key, told.handle, told.is_retry_safe);
        (words, names.text_of(told.dependency), rest)
    })
}

fn names_of<'a>(seen: &Seen, names: &'a Names) -> [Option<&'a str>; 7] {
    [
        Some(seen.scope),
        Some(seen.dialect),
        seen.emitter,
        seen.service,
        seen.tool,
        seen.client,
        seen.client_version,
    ]
    .map(|name| names.text_of(name))
}

fn arguments_of<'a>(seen: &Seen, names: &'a Names) -> impl Ord + use<'a> {
    seen.args.as_ref().map(|args| {
        let prints: Vec<(&str, [u8; 4])> =
            args.prints.iter().map(|print| (names.text(print.name), print.print)).collect();
        let from = (names.text(args.layer.source), args.layer.form);
        (from, args.value, args.core, args.pos, args.hides, prints)
    })
}
