//! What calls tell of recovery as bytes, beside [`super::packed`]: few calls tell any, so what is
//! optional takes a byte of its own.

use super::bytes::{In, Out};
use super::call_recovery::{CallRecovery, Downstream};
use super::names::NameId;
use super::packed::Packed;
use crate::call::{
    Attempt, AttemptEnd, AttemptKind, BusinessOutcome, KeyPrint, KeyStatus, OperationKind,
    Recovery, SpanId, Stage, TimeBudget, TraceId, UnixNanos,
};
use crate::figures::{DependencyCounts, TimeoutFate};

macro_rules! packed_word {
    ($($word:ty),+ $(,)?) => {$(
        impl Packed for $word {
            fn pack(&self, out: &mut Out) {
                out.put([self.index()]);
            }
            fn unpack(from: &mut In<'_>) -> Option<Self> {
                Self::from_index(from.byte()?)
            }
        }
    )+};
}
packed_word!(
    AttemptEnd,
    AttemptKind,
    BusinessOutcome,
    KeyStatus,
    OperationKind,
    Stage,
    TimeoutFate,
);

macro_rules! packed_bytes {
    ($($name:ty: $make:expr),+ $(,)?) => {$(
        impl Packed for $name {
            fn pack(&self, out: &mut Out) {
                out.put(*self.as_bytes());
            }
            fn unpack(from: &mut In<'_>) -> Option<Self> {
                from.take().and_then($make)
            }
        }
    )+};
}
packed_bytes!(
    TraceId: |bytes: [u8; 16]| TraceId::from_bytes(&bytes),
    SpanId: |bytes: [u8; 8]| SpanId::from_bytes(&bytes),
    KeyPrint: |bytes| Some(KeyPrint::from_bytes(bytes)),
);

impl Packed for u32 {
    fn pack(&self, out: &mut Out) {
        out.put(self.to_le_bytes());
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        from.take().map(Self::from_le_bytes)
    }
}

impl Packed for bool {
    fn pack(&self, out: &mut Out) {
        out.put([u8::from(*self)]);
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        from.byte().map(|byte| byte != 0)
    }
}

impl<const N: usize> Packed for [u8; N] {
    fn pack(&self, out: &mut Out) {
        out.put(*self);
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        from.take()
    }
}

impl<T: Packed> Packed for Box<T> {
    fn pack(&self, out: &mut Out) {
        T::pack(self, out);
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        T::unpack(from).map(Self::new)
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, out: &mut Out) {
        u32::try_from(self.len()).unwrap_or(u32::MAX).pack(out);
        for value in self {
            value.pack(out);
        }
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        let count = u32::unpack(from)?;
        (0..count).map(|_| T::unpack(from)).collect()
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, out: &mut Out) {
        out.put([u8::from(self.is_some())]);
        if let Some(value) = self {
            value.pack(out);
        }
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(None),
            _ => T::unpack(from).map(Some),
        }
    }
}

impl Packed for NameId {
    fn pack(&self, out: &mut Out) {
        self.get().pack(out);
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        Self::new(u32::unpack(from)?)
    }
}

impl Packed for UnixNanos {
    fn pack(&self, out: &mut Out) {
        self.get().pack(out);
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        u64::unpack(from).map(Self::new)
    }
}

/// Packs the fields of a record one after the other and takes them off in the same order.
macro_rules! packed_record {
    ($record:ident { $($field:ident),+ $(,)? }) => {
        impl Packed for $record {
            fn pack(&self, out: &mut Out) {
                $(self.$field.pack(out);)+
            }
            fn unpack(from: &mut In<'_>) -> Option<Self> {
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
    fn pack(&self, out: &mut Out) {
        self.0.pack(out);
        self.1.pack(out);
        self.2.pack(out);
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
        Some((Packed::unpack(from)?, Packed::unpack(from)?, Packed::unpack(from)?))
    }
}

impl Packed for TimeBudget {
    fn pack(&self, out: &mut Out) {
        self.total_ms.pack(out);
        for spent in &self.spent_ms {
            spent.pack(out);
        }
    }
    fn unpack(from: &mut In<'_>) -> Option<Self> {
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
