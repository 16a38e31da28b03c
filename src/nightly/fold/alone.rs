//! The call of a sighting that is alone in its trace, with no client span beside it: most calls are
//! such. It is what [`merge`](super::merge) makes of one sighting, said for one.

use smallvec::SmallVec;

use super::merge;
use crate::call::{Emptiness, Outcome, SessionClaim};
use crate::nightly::call::{Call, Joint};
use crate::nightly::call_recovery;
use crate::nightly::names::NameId;
use crate::nightly::seen::Seen;

/// The call that this sighting alone is.
pub(in crate::nightly) fn alone(seen: Seen) -> Call {
    let is_server = seen.is_server();
    let told_service = seen.service.or_else(|| seen.emitter.filter(|_| is_server));
    let is_own = seen.is_internal() || seen.dialect == NameId::PLAIN;
    let own_service = seen.emitter.filter(|_| is_own);
    let is_calling = !is_server && seen.dialect != NameId::PLAIN;
    let is_serving = seen.is_internal() && seen.service == seen.emitter;
    let calling = seen.emitter.filter(|_| is_calling && !is_serving);
    let (conversation, transport) = match seen.session {
        Some(SessionClaim::Conversation(key)) => (Some(key), None),
        Some(SessionClaim::Transport(key)) => (None, Some(key)),
        None => (None, None),
    };
    let is_refuted = seen.emptiness == Emptiness::Yes && seen.outcome != Outcome::Ok;
    Call {
        trace_id: seen.trace_id,
        span_id: seen.span_id,
        has_parent: seen.parent.is_some(),
        has_company: false,
        service: told_service.or(own_service).unwrap_or(NameId::UNKNOWN),
        tool: seen.tool,
        client: seen.client.or(calling).unwrap_or(NameId::UNKNOWN),
        client_version: seen.client_version.filter(|_| seen.client.is_some()),
        conversation,
        transport,
        start: seen.start,
        end: seen.end,
        is_time_known: seen.is_time_known,
        latency: seen.is_time_known.then(|| seen.duration()),
        outcome: seen.outcome,
        confidence: seen.confidence,
        emptiness: if is_refuted { Emptiness::Unknown } else { seen.emptiness },
        result_bytes: seen.result_bytes,
        dialect: seen.dialect,
        is_sampled: seen.is_sampled,
        recovery: call_recovery::of_call(std::iter::once(&seen), &[]),
        is_label: seen.is_label,
        received: seen.received,
        sightings: 1,
        duplicates: 0,
        joint: Joint {
            request: merge::joint_key(std::iter::once(&seen), |seen| seen.request_id),
            call: merge::joint_key(std::iter::once(&seen), |seen| seen.call_id),
            outer: (seen.kind, seen.scope),
            has_server: is_server,
            is_service_told: told_service.is_some(),
            is_client_told: seen.client.is_some(),
            is_class_named: merge::is_class(seen.outcome),
        },
        args: SmallVec::from_iter(seen.args),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::below::Below;
    use super::super::dedupe::Node;
    use super::*;
    use crate::call::arbitrary::sighting;
    use crate::nightly::names::Names;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn it_is_what_merging_makes_of_one(
            sighting in sighting(),
            is_plain in any::<bool>(),
            is_one_program in any::<bool>(),
        ) {
            let mut seen = Seen::of(&sighting, &mut Names::new());
            if is_plain {
                seen.dialect = NameId::PLAIN;
            }
            if is_one_program {
                seen.service = seen.emitter;
            }
            let merged = merge::call(&[&Node::once(&seen)], &Below::default());
            prop_assert_eq!(alone(seen), merged);
        }
    }
}
