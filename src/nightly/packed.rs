//! Calls as bytes, for the parts of a day that wait on disk while others are
//! worked on. Written and read within one pass by one program: no version, no promise.
//!
//! Small, for every byte is written and read again for each call of a day: what is closed or
//! optional shares one word of flags, names take two bytes, and distances in time only the bytes
//! that they fill.

use std::num::NonZeroU64;

use smallvec::SmallVec;

use super::bytes::{In, Out, Word, are_short};
use super::call::{Call, Joint};
use super::fold::alone;
use super::names::NameId;
use super::packed_sighting::span_id;
use super::seen::Seen;
use crate::call::{
    CallDuration, Confidence, Emptiness, Outcome, SessionKey, SpanKind, TraceId, UnixNanos,
};

/// What can wait as bytes. What waits as an item of its own begins with its rank among those of
/// its key, eight bytes, lowest first: the instant of its start.
pub(super) trait Packed: Sized {
    /// Appends the value.
    fn pack(&self, out: &mut Out);
    /// Takes a value off the front; none where the bytes are no such value.
    fn unpack(from: &mut In<'_>) -> Option<Self>;
}

/// What can be made of bytes that wait.
pub(super) trait Unpack: Sized {
    /// Takes a value off the front; none where the bytes are no such value.
    fn unpack_from(from: &mut In<'_>) -> Option<Self>;
}

/// What waits as bytes that become a `T`.
pub(super) trait PackAs<T> {
    /// Appends the value.
    fn pack_as(&self, out: &mut Out);
}

impl<T: Packed> Unpack for T {
    fn unpack_from(from: &mut In<'_>) -> Option<Self> {
        Self::unpack(from)
    }
}

impl<T: Packed> PackAs<T> for T {
    fn pack_as(&self, out: &mut Out) {
        self.pack(out);
    }
}

/// How many bits the position of a closed set's word takes.
pub(super) const SMALL: u32 = 4;

/// The latency as it nearly always is: the time from start to end.
const LATENCY_IS_DURATION: u8 = 1;
const LATENCY_FOLLOWS: u8 = 2;

/// The bit in the four bytes after the start that tells a folded call from a sighting that waits
/// as one.
const IS_FOLDED: u32 = 1 << 30;

impl Packed for Call {
    fn pack(&self, out: &mut Out) {
        out.put(self.start.get().to_le_bytes());
        let is_once = self.sightings == 1 && self.duplicates == 0;
        let latency = match self.latency {
            None => 0,
            Some(latency) if Some(latency) == self.end.since(self.start) => LATENCY_IS_DURATION,
            Some(_) => LATENCY_FOLLOWS,
        };
        let mut word = Word::default();
        word.put(self.outcome.index(), SMALL);
        word.put(self.emptiness.index(), 2);
        word.put(self.confidence.index(), 1);
        word.put(latency, 2);
        word.flag(self.is_time_known);
        word.flag(self.is_sampled);
        word.flag(self.is_label);
        word.flag(self.has_parent);
        word.flag(self.has_company);
        word.flag(self.conversation.is_some());
        word.flag(self.transport.is_some());
        word.flag(self.result_bytes.is_some());
        word.flag(is_once);
        word.flag(self.recovery.is_some());
        self.joint.put_word(&mut word);
        let names = [
            Some(self.service),
            Some(self.client),
            Some(self.dialect),
            Some(self.joint.outer.1),
            self.tool,
            self.client_version,
        ];
        let are_short = are_short(&names);
        word.flag(are_short);
        word.flag(true); // IS_FOLDED
        word.write(out);
        out.put(*self.trace_id.as_bytes());
        out.put(*self.span_id.as_bytes());
        out.names(names, are_short);
        out.optional(self.conversation.map(|key| *key.as_bytes()));
        out.optional(self.transport.map(|key| *key.as_bytes()));
        out.distance(self.end, self.start);
        out.distance(self.received, self.start);
        if let Some(latency) = self.latency.filter(|_| latency == LATENCY_FOLLOWS) {
            out.short(latency.as_nanos());
        }
        if let Some(bytes) = self.result_bytes {
            out.short(bytes);
        }
        if !is_once {
            out.short(u64::from(self.sightings));
            out.short(u64::from(self.duplicates));
        }
        self.joint.put(out);
        self.args.pack(out);
        if let Some(recovery) = &self.recovery {
            recovery.pack(out);
        }
    }

    fn unpack(from: &mut In<'_>) -> Option<Self> {
        let word = from.0.first_chunk::<12>()?.last_chunk::<4>()?;
        if u32::from_le_bytes(*word) & IS_FOLDED == 0 {
            return Seen::unpack_from(from).map(alone);
        }
        let start = UnixNanos::new(u64::from_le_bytes(from.take()?));
        let mut word = Word::read(from)?;
        let outcome = Outcome::from_index(word.take(SMALL))?;
        let emptiness = Emptiness::from_index(word.take(2))?;
        let confidence = Confidence::from_index(word.take(1))?;
        let latency = word.take(2);
        let is_time_known = word.is_set();
        let is_sampled = word.is_set();
        let is_label = word.is_set();
        let has_parent = word.is_set();
        let has_company = word.is_set();
        let has_conversation = word.is_set();
        let has_transport = word.is_set();
        let has_result_bytes = word.is_set();
        let is_once = word.is_set();
        let has_recovery = word.is_set();
        let mut joint_word = word.split(Joint::BITS);
        let are_names_short = word.is_set();
        let trace_id = TraceId::from_bytes(&from.take::<16>()?)?;
        let span_id = span_id(from.take()?)?;
        let [service, client, dialect, scope, tool, client_version] =
            from.names(are_names_short)?;
        let (service, client, dialect) = (service?, client?, dialect?);
        let conversation =
            from.optional(has_conversation, |key| Some(SessionKey::from_bytes(key)))?;
        let transport = from.optional(has_transport, |key| Some(SessionKey::from_bytes(key)))?;
        let end = from.distance(start)?;
        let received = from.distance(start)?;
        let latency = match latency {
            LATENCY_IS_DURATION => end.since(start),
            LATENCY_FOLLOWS => Some(CallDuration::from_nanos(from.short()?)),
            _ => None,
        };
        let result_bytes = from.optional_short(has_result_bytes)?;
        let [sightings, duplicates] = if is_once { [1, 0] } else { [from.short()?, from.short()?] };
        let joint = Joint::take(&mut joint_word, scope?, from)?;
        Some(Self {
            trace_id,
            span_id,
            has_parent,
            has_company,
            service,
            tool,
            client,
            client_version,
            conversation,
            transport,
            start,
            end,
            is_time_known,
            latency,
            outcome,
            confidence,
            emptiness,
            result_bytes,
            dialect,
            is_sampled,
            is_label,
            received,
            sightings: u32::try_from(sightings).ok()?,
            duplicates: u32::try_from(duplicates).ok()?,
            args: SmallVec::unpack(from)?,
            recovery: if has_recovery { Some(Packed::unpack(from)?) } else { None },
            joint,
        })
    }
}

impl Joint {
    /// How many bits it has in a call's word.
    const BITS: u32 = SMALL + 6;

    fn put_word(&self, word: &mut Word) {
        word.put(self.outer.0.index(), SMALL);
        word.flag(self.request.is_some());
        word.flag(self.call.is_some());
        word.flag(self.has_server);
        word.flag(self.is_service_told);
        word.flag(self.is_client_told);
        word.flag(self.is_class_named);
    }

    fn put(&self, out: &mut Out) {
        out.optional(self.request.map(|key| key.get().to_le_bytes()));
        out.optional(self.call.map(|key| key.get().to_le_bytes()));
    }

    fn take(word: &mut Word, scope: NameId, from: &mut In<'_>) -> Option<Self> {
        let key = |bytes| NonZeroU64::new(u64::from_le_bytes(bytes));
        let kind = SpanKind::from_index(word.take(SMALL))?;
        let (has_request, has_call) = (word.is_set(), word.is_set());
        Some(Self {
            outer: (kind, scope),
            request: from.optional(has_request, key)?,
            call: from.optional(has_call, key)?,
            has_server: word.is_set(),
            is_service_told: word.is_set(),
            is_client_told: word.is_set(),
            is_class_named: word.is_set(),
        })
    }
}

impl Packed for u64 {
    fn pack(&self, out: &mut Out) {
        out.put(self.to_le_bytes());
    }

    fn unpack(from: &mut In<'_>) -> Option<Self> {
        from.take().map(Self::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::arbitrary::sighting;
    use crate::nightly::fold::fold;
    use crate::nightly::names::Names;
    use crate::store::StoredSighting;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            sightings in prop::collection::vec(sighting(), 1..4),
            many in any::<bool>(),
        ) {
            let mut names = Names::new();
            if many {
                // Numbers beyond two bytes.
                (0..70_000).for_each(|n| {
                    names.id(&crate::call::Name::cut(&n.to_string()));
                });
            }
            let seen: Vec<Seen> = sightings.iter().map(|s| Seen::of(s, &mut names)).collect();
            let mut out = Out::default();
            for sighting in &sightings {
                let told = sighting.recovery.as_ref();
                let told = told.map(|told| told.with_name(|name| names.id(name)));
                let (mut name, mut prints) = (|name: &_| names.id(name), Vec::new());
                let stored = StoredSighting::of(sighting, &mut name, &mut prints);
                let stored = StoredSighting { recovery: told.as_ref(), ..stored };
                PackAs::<Call>::pack_as(&stored, &mut out);
            }
            let once = out.written().to_vec();
            out.append(&once);
            let calls = fold(&seen, &[], &names);
            for call in &calls {
                call.pack(&mut out);
            }
            let mut from = In(out.written());
            for seen in &seen {
                prop_assert_eq!(&Seen::unpack_from(&mut from).unwrap(), seen);
            }
            for seen in seen {
                prop_assert_eq!(Call::unpack(&mut from), Some(alone(seen)));
            }
            for call in calls {
                prop_assert_eq!(Call::unpack(&mut from), Some(call));
            }
            prop_assert!(from.0.is_empty());
            prop_assert_eq!(Call::unpack(&mut from), None);
        }
    }
}
