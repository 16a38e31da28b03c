//! What the folded call says, of all that its sightings say (METHOD section 8).

use std::num::NonZeroU64;

use smallvec::SmallVec;

use super::below::Below;
use super::dedupe::Node;
use crate::call::{CallKey, Confidence, Emptiness, Outcome, SessionClaim, SessionKey};
use crate::nightly::call::{Call, Joint};
use crate::nightly::call_recovery;
use crate::nightly::names::NameId;
use crate::nightly::seen::{Args, Seen};

/// The call that these sightings are of, the outermost first; there is at least one.
pub(super) fn call(nodes: &[&Node<'_>], below: &Below<'_>) -> Call {
    // A label has no say in what another sighting tells: it goes last.
    let is_mixed = nodes.iter().any(|n| n.seen.is_label) && nodes.iter().any(|n| !n.seen.is_label);
    if is_mixed {
        let (labels, mut nodes): (Vec<_>, Vec<_>) =
            nodes.iter().copied().partition(|node| node.seen.is_label);
        nodes.extend(labels);
        return merged(&nodes, below);
    }
    merged(nodes, below)
}

fn merged(nodes: &[&Node<'_>], below: &Below<'_>) -> Call {
    let Some(first) = nodes.first() else { unreachable!("a call without sightings") };
    let outermost = first.seen;
    let all = || nodes.iter().map(|node| node.seen);
    let timed = all().find(|seen| seen.is_time_known).unwrap_or(outermost);
    let server = all().rev().find(|seen| seen.is_server());
    let lasting = server.unwrap_or(outermost);
    let outcome = worst(all());
    let (service, is_service_told) = service(nodes);
    let told_client = all().find(|seen| seen.client.is_some());
    let client = told_client.and_then(|seen| seen.client).or_else(|| client_by_emitter(nodes));
    Call {
        trace_id: outermost.trace_id,
        span_id: outermost.span_id,
        has_parent: outermost.parent.is_some(),
        has_company: false,
        service,
        tool: tool(nodes),
        client: client.unwrap_or(NameId::UNKNOWN),
        client_version: told_client.and_then(|seen| seen.client_version),
        conversation: all().find_map(conversation),
        transport: all().find_map(transport),
        start: timed.start,
        end: timed.end,
        is_time_known: timed.is_time_known,
        latency: lasting.is_time_known.then(|| lasting.duration()),
        outcome,
        confidence: confidence(all()),
        emptiness: emptiness(outcome, all()),
        result_bytes: all().find_map(|seen| seen.result_bytes),
        dialect: outermost.dialect,
        is_sampled: all().any(|seen| seen.is_sampled),
        recovery: call_recovery::of_call(all(), &below.call(nodes)),
        is_label: outermost.is_label,
        received: nodes.iter().map(|node| node.received).min().unwrap_or(first.received),
        sightings: nodes.iter().fold(0, |sum, node| sum.saturating_add(node.copies)),
        duplicates: nodes.iter().fold(0, |sum, node| sum.saturating_add(node.copies - 1)),
        args: arguments(all()),
        joint: Joint {
            request: joint_key(all().rev(), |seen| seen.request_id),
            call: joint_key(all(), |seen| seen.call_id),
            outer: (outermost.kind, outermost.scope),
            has_server: server.is_some(),
            is_service_told,
            is_client_told: told_client.is_some(),
            is_class_named: is_class(outcome),
        },
    }
}

/// Whether an outcome names the class of a failure.
pub(in crate::nightly) const fn is_class(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Ok | Outcome::Error)
}

/// The worst outcome of all: any failure before ok, its class from the innermost sighting that
/// names one.
fn worst<'a>(seen: impl DoubleEndedIterator<Item = &'a Seen> + Clone) -> Outcome {
    let named = seen.clone().rev().map(|seen| seen.outcome).find(|outcome| is_class(*outcome));
    let mut outcomes = seen.map(|seen| seen.outcome);
    named.unwrap_or_else(|| outcomes.find(|o| *o != Outcome::Ok).unwrap_or(Outcome::Ok))
}

/// An ok is believed as soon as one instrumentation that tells failures saw the call.
fn confidence<'a>(mut seen: impl Iterator<Item = &'a Seen>) -> Confidence {
    if seen.any(|seen| seen.confidence == Confidence::High) {
        Confidence::High
    } else {
        Confidence::Low
    }
}

/// What the outermost sighting that knows says: the answer as the model got it.
fn emptiness<'a>(outcome: Outcome, seen: impl Iterator<Item = &'a Seen>) -> Emptiness {
    let known = seen.map(|seen| seen.emptiness).find(|emptiness| *emptiness != Emptiness::Unknown);
    match known {
        Some(Emptiness::Yes) if outcome != Outcome::Ok => Emptiness::Unknown,
        Some(known) => known,
        None => Emptiness::Unknown,
    }
}

/// The unprefixed name: the innermost server's, else the innermost that names the tool.
fn tool(nodes: &[&Node<'_>]) -> Option<NameId> {
    let named = || nodes.iter().rev().map(|node| node.seen).filter(|seen| seen.tool.is_some());
    let server = named().find(|seen| seen.is_server());
    server.or_else(|| named().next()).and_then(|seen| seen.tool)
}

/// Who offers the tool, and whether telemetry says so: what the innermost server tells, else the
/// innermost of the others that tells it, else the program that the innermost server's span came
/// from. An agent offers its own functions: where there is no server, the emitter of the
/// outermost span that is INTERNAL or of the plain vocabulary; else `unknown`.
fn service(nodes: &[&Node<'_>]) -> (NameId, bool) {
    let inward = || nodes.iter().map(|node| node.seen);
    let outward = || inward().rev();
    let told = outward()
        .filter(|seen| seen.is_server())
        .find_map(|seen| seen.service)
        .or_else(|| outward().find_map(|seen| seen.service))
        .or_else(|| outward().filter(|seen| seen.is_server()).find_map(|seen| seen.emitter));
    let own = || {
        let is_own = |seen: &&Seen| seen.is_internal() || seen.dialect == NameId::PLAIN;
        inward().filter(is_own).find_map(|seen| seen.emitter)
    };
    let service = told.or_else(own).unwrap_or(NameId::UNKNOWN);
    (service, told.is_some())
}

/// The client, where no sighting tells it (dialects 11.6): the program that sent the outermost
/// span, where that is the calling side. It is the calling side if it is a CLIENT or INTERNAL
/// span, not of the plain vocabulary (which servers write), and, if INTERNAL, not of a program
/// that is known to serve this call. A lone SERVER span says nothing of the client.
fn client_by_emitter(nodes: &[&Node<'_>]) -> Option<NameId> {
    let outermost = nodes.first()?.seen;
    let emitter = outermost.emitter?;
    if outermost.is_server() || outermost.dialect == NameId::PLAIN {
        return None;
    }
    let serves = |seen: &Seen| {
        seen.service == Some(emitter) || (seen.is_server() && seen.emitter == Some(emitter))
    };
    let is_serving = outermost.is_internal() && nodes.iter().any(|node| serves(node.seen));
    (!is_serving).then_some(emitter)
}

/// One entry per layer, the outermost sighting's first.
fn arguments<'a>(seen: impl Iterator<Item = &'a Seen>) -> SmallVec<[Args; 1]> {
    let mut kept = SmallVec::new();
    for args in seen.filter_map(|seen| seen.args.as_ref()) {
        if kept.iter().all(|other: &Args| other.layer != args.layer) {
            kept.push(args.clone());
        }
    }
    kept
}

const fn conversation(seen: &Seen) -> Option<SessionKey> {
    match seen.session {
        Some(SessionClaim::Conversation(key)) => Some(key),
        _ => None,
    }
}

const fn transport(seen: &Seen) -> Option<SessionKey> {
    match seen.session {
        Some(SessionClaim::Transport(key)) => Some(key),
        _ => None,
    }
}

/// Session and id of the first sighting that has both, mixed into one number. Both are digests,
/// so equal numbers are equal pairs for all that matters here: tool and time must agree as well.
pub(super) fn joint_key<'a>(
    mut seen: impl Iterator<Item = &'a Seen>,
    id: impl Fn(&Seen) -> Option<CallKey>,
) -> Option<NonZeroU64> {
    seen.find_map(|seen| {
        let (session, id) = (seen.session?, id(seen)?);
        let (grade, key) = match session {
            SessionClaim::Conversation(key) => (1, key),
            SessionClaim::Transport(key) => (2, key),
        };
        let session = u64::from_le_bytes(*key.as_bytes().first_chunk()?);
        let id = u64::from_le_bytes(*id.as_bytes());
        NonZeroU64::new(session.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(grade) ^ id)
    })
}
