//! Sightings and calls as bytes, for the parts of a day that wait on disk while others are
//! worked on. Written and read within one pass by one program: no version, no promise.

use std::num::NonZeroU64;

use super::call::{Call, Joint};
use super::call_recovery::{CallRecovery, Downstream};
use super::few::Few;
use super::names::NameId;
use super::seen::{Args, Layer, Print, Seen};
use crate::call::{
    ArgsForm, Attempt, AttemptEnd, AttemptKind, BusinessOutcome, CallDuration, CallKey, Confidence,
    Emptiness, KeyPrint, KeyStatus, OperationKind, Outcome, Recovery, SessionClaim, SessionKey,
    SpanId, SpanKind, Stage, TimeBudget, TraceId, UnixNanos,
};
use crate::figures::{DependencyCounts, TimeoutFate};

/// What can wait as bytes. What waits as an item of its own begins with its rank among those of
/// its key, eight bytes, lowest first: the instant of its start.
pub(super) trait Packed: Sized {
    /// Appends the value.
    fn pack(&self, out: &mut Vec<u8>);
    /// Takes a value off the front; none where the bytes are no such value.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

fn take<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = from.split_first_chunk::<N>()?;
    *from = rest;
    Some(*first)
}

fn byte(from: &mut &[u8]) -> Option<u8> {
    take::<1>(from).map(|[byte]| byte)
}

macro_rules! packed_number {
    ($($number:ty),+) => {$(
        impl Packed for $number {
            fn pack(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn unpack(from: &mut &[u8]) -> Option<Self> {
                take(from).map(Self::from_le_bytes)
            }
        }
    )+};
}
packed_number!(u32, u64);

macro_rules! packed_word {
    ($($word:ty),+ $(,)?) => {$(
        impl Packed for $word {
            fn pack(&self, out: &mut Vec<u8>) {
                out.push(self.index());
            }
            fn unpack(from: &mut &[u8]) -> Option<Self> {
                Self::from_index(byte(from)?)
            }
        }
    )+};
}
packed_word!(
    ArgsForm,
    AttemptEnd,
    AttemptKind,
    BusinessOutcome,
    Confidence,
    Emptiness,
    KeyStatus,
    OperationKind,
    Outcome,
    SpanKind,
    Stage,
    TimeoutFate,
);

macro_rules! packed_bytes {
    ($($name:ty: $make:expr),+ $(,)?) => {$(
        impl Packed for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(self.as_bytes());
            }
            fn unpack(from: &mut &[u8]) -> Option<Self> {
                take(from).and_then($make)
            }
        }
    )+};
}
packed_bytes!(
    TraceId: |bytes: [u8; 16]| TraceId::from_bytes(&bytes),
    SpanId: |bytes: [u8; 8]| SpanId::from_bytes(&bytes),
    SessionKey: |bytes| Some(SessionKey::from_bytes(bytes)),
    CallKey: |bytes| Some(CallKey::from_bytes(bytes)),
    KeyPrint: |bytes| Some(KeyPrint::from_bytes(bytes)),
);

impl Packed for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        byte(from).map(|byte| byte != 0)
    }
}

impl<const N: usize> Packed for [u8; N] {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        take(from)
    }
}

impl<T: Packed> Packed for Box<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        T::pack(self, out);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        T::unpack(from).map(Self::new)
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        u32::try_from(self.len()).unwrap_or(u32::MAX).pack(out);
        for value in self {
            value.pack(out);
        }
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let count = u32::unpack(from)?;
        (0..count).map(|_| T::unpack(from)).collect()
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.pack(out);
        }
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        match byte(from)? {
            0 => Some(None),
            _ => T::unpack(from).map(Some),
        }
    }
}

impl<T: Packed, const N: usize> Packed for Few<T, N> {
    fn pack(&self, out: &mut Vec<u8>) {
        // At most 32 parameters have a print, and few layers see one call.
        out.push(u8::try_from(self.len()).unwrap_or(u8::MAX));
        self.iter().take(usize::from(u8::MAX)).for_each(|value| value.pack(out));
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let count = byte(from)?;
        let mut values = Self::default();
        for _ in 0..count {
            values.push(T::unpack(from)?);
        }
        Some(values)
    }
}

impl Packed for NonZeroU64 {
    fn pack(&self, out: &mut Vec<u8>) {
        self.get().pack(out);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Self::new(u64::unpack(from)?)
    }
}

impl Packed for NameId {
    fn pack(&self, out: &mut Vec<u8>) {
        self.get().pack(out);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Self::new(u32::unpack(from)?)
    }
}

impl Packed for UnixNanos {
    fn pack(&self, out: &mut Vec<u8>) {
        self.get().pack(out);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        u64::unpack(from).map(Self::new)
    }
}

impl Packed for CallDuration {
    fn pack(&self, out: &mut Vec<u8>) {
        self.as_nanos().pack(out);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        u64::unpack(from).map(Self::from_nanos)
    }
}

impl Packed for SessionClaim {
    fn pack(&self, out: &mut Vec<u8>) {
        let (grade, key) = match self {
            Self::Conversation(key) => (0, key),
            Self::Transport(key) => (1, key),
        };
        out.push(grade);
        key.pack(out);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        match byte(from)? {
            0 => SessionKey::unpack(from).map(Self::Conversation),
            _ => SessionKey::unpack(from).map(Self::Transport),
        }
    }
}

impl Packed for Print {
    fn pack(&self, out: &mut Vec<u8>) {
        self.name.pack(out);
        out.extend_from_slice(&self.print);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(Self { name: NameId::unpack(from)?, print: take(from)? })
    }
}

/// Packs the fields of a record one after the other and takes them off in the same order.
macro_rules! packed_record {
    ($record:ident { $($field:ident),+ $(,)? }) => {
        impl Packed for $record {
            fn pack(&self, out: &mut Vec<u8>) {
                $(self.$field.pack(out);)+
            }
            fn unpack(from: &mut &[u8]) -> Option<Self> {
                $(let $field = Packed::unpack(from)?;)+
                Some(Self { $($field),+ })
            }
        }
    };
}

/// What calls tell of recovery: its own small records.
type Told = Recovery<NameId>;
type Below = Attempt<NameId>;
type ByDependency = (AttemptKind, NameId, DependencyCounts);

impl Packed for ByDependency {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
        self.2.pack(out);
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some((Packed::unpack(from)?, Packed::unpack(from)?, Packed::unpack(from)?))
    }
}

impl Packed for TimeBudget {
    fn pack(&self, out: &mut Vec<u8>) {
        self.total_ms.pack(out);
        for spent in &self.spent_ms {
            spent.pack(out);
        }
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let total_ms = Packed::unpack(from)?;
        let mut spent_ms = [None; 5];
        for spent in &mut spent_ms {
            *spent = Packed::unpack(from)?;
        }
        Some(Self { total_ms, spent_ms })
    }
}

packed_record!(DependencyCounts { attempts, failed, timed_out, nanos });
packed_record!(Downstream { most, by });
packed_record!(CallRecovery { told, fate, downstream });
packed_record!(Told {
    kind,
    dependency,
    attempts,
    stage,
    budget,
    key,
    key_status,
    business_outcome,
    handle,
    is_retry_safe,
});
packed_record!(Below {
    trace_id,
    span_id,
    parent_span_id,
    emitter,
    kind,
    dependency,
    operation,
    start,
    end,
    ended,
    resends,
});
packed_record!(Layer { source, form });
packed_record!(Args { layer, value, core, pos, hides, is_empty_object, prints });
packed_record!(Seen {
    start,
    trace_id,
    span_id,
    parent,
    kind,
    scope,
    dialect,
    emitter,
    service,
    tool,
    client,
    client_version,
    session,
    end,
    is_time_known,
    outcome,
    confidence,
    emptiness,
    result_bytes,
    call_id,
    request_id,
    is_sampled,
    is_label,
    received,
    args,
    recovery,
});
packed_record!(Call {
    start,
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
    end,
    is_time_known,
    latency,
    outcome,
    confidence,
    emptiness,
    result_bytes,
    dialect,
    is_sampled,
    recovery,
    is_label,
    received,
    sightings,
    duplicates,
    args,
    joint,
});

impl Packed for Joint {
    fn pack(&self, out: &mut Vec<u8>) {
        self.request.pack(out);
        self.call.pack(out);
        self.outer.0.pack(out);
        self.outer.1.pack(out);
        for flag in
            [self.has_server, self.is_service_told, self.is_client_told, self.is_class_named]
        {
            flag.pack(out);
        }
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(Self {
            request: Packed::unpack(from)?,
            call: Packed::unpack(from)?,
            outer: (SpanKind::unpack(from)?, NameId::unpack(from)?),
            has_server: bool::unpack(from)?,
            is_service_told: bool::unpack(from)?,
            is_client_told: bool::unpack(from)?,
            is_class_named: bool::unpack(from)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::arbitrary::sighting;
    use crate::nightly::fold::fold;
    use crate::nightly::names::Names;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(sightings in prop::collection::vec(sighting(), 1..4)) {
            let mut names = Names::new();
            let seen: Vec<Seen> = sightings.iter().map(|s| Seen::of(s, &mut names)).collect();
            let mut bytes = Vec::new();
            for seen in &seen {
                seen.pack(&mut bytes);
            }
            let calls = fold(&seen, &[], &names);
            for call in &calls {
                call.pack(&mut bytes);
            }
            let mut from = bytes.as_slice();
            for seen in seen {
                prop_assert_eq!(Seen::unpack(&mut from), Some(seen));
            }
            for call in calls {
                prop_assert_eq!(Call::unpack(&mut from), Some(call));
            }
            prop_assert!(from.is_empty());
            prop_assert_eq!(Call::unpack(&mut from), None);
        }
    }
}
