//! Downstream attempts in packed form, version 1 (`docs/data-model.md`, "Attempts").
//!
//! Like the sightings' packed form: names as numbers of the dictionary, times as distances. The
//! last four bytes are the CRC-32 of those before.

use super::name_code::{LastName, Numberer, put_name};
use super::unpack::NameReader;
use super::wire::{Bytes, Damaged, put_varint, seal, unseal};
use crate::call::{Attempt, AttemptEnd, AttemptKind, CallDuration, SpanId, TraceId, UnixNanos};

/// The first byte of every BLOB.
const FORMAT: u8 = 1;

/// Packs attempts; none for none.
pub(super) fn pack(attempts: &[&Attempt], number: &mut Numberer<'_>) -> Option<Vec<u8>> {
    let min_start = attempts.iter().map(|attempt| attempt.start).min()?;
    let (mut emitters, mut dependencies) = (LastName::default(), LastName::default());
    let mut out = Vec::with_capacity(attempts.len().saturating_mul(56));
    out.push(FORMAT);
    put_varint(&mut out, min_start.get());
    for attempt in attempts {
        out.push(attempt.kind.index() | attempt.ended.index() << 4);
        out.extend(attempt.trace_id.as_bytes());
        out.extend(attempt.span_id.as_bytes());
        out.extend(attempt.parent_span_id.as_bytes());
        let emitter = attempt.emitter.as_ref();
        put_name(&mut out, emitter, &mut |name| emitters.number(name, number));
        let dependency = Some(&attempt.dependency);
        put_name(&mut out, dependency, &mut |name| dependencies.number(name, number));
        out.extend(attempt.operation);
        let after = attempt.start.since(min_start).map_or(0, CallDuration::as_nanos);
        put_varint(&mut out, after);
        put_varint(&mut out, attempt.duration().as_nanos());
        put_varint(&mut out, u64::from(attempt.resends));
    }
    Some(seal(out))
}

/// Unpacks every attempt of one BLOB.
pub(super) fn unpack<N: Clone>(
    bytes: &[u8],
    names: &mut NameReader<'_, N>,
) -> Result<Vec<Attempt<N>>, Damaged> {
    let mut bytes = Bytes(unseal(bytes)?);
    if bytes.byte()? != FORMAT {
        return Err(Damaged);
    }
    let min_start = bytes.varint()?;
    let mut attempts = Vec::new();
    while !bytes.is_empty() {
        attempts.push(take(&mut bytes, names, min_start)?);
    }
    Ok(attempts)
}

fn take<N: Clone>(
    bytes: &mut Bytes<'_>,
    names: &mut NameReader<'_, N>,
    min_start: u64,
) -> Result<Attempt<N>, Damaged> {
    let words = bytes.byte()?;
    let trace_id = TraceId::from_bytes(&bytes.array::<16>()?).ok_or(Damaged)?;
    let span_id = SpanId::from_bytes(&bytes.array::<8>()?).ok_or(Damaged)?;
    let parent_span_id = SpanId::from_bytes(&bytes.array::<8>()?).ok_or(Damaged)?;
    let emitter = names.take(bytes)?;
    let dependency = names.take(bytes)?.ok_or(Damaged)?;
    let operation = bytes.array()?;
    let start = min_start.checked_add(bytes.varint()?).ok_or(Damaged)?;
    let end = start.checked_add(bytes.varint()?).ok_or(Damaged)?;
    Ok(Attempt {
        trace_id,
        span_id,
        parent_span_id,
        emitter,
        kind: AttemptKind::from_index(words & 15).ok_or(Damaged)?,
        dependency,
        operation,
        start: UnixNanos::new(start),
        end: UnixNanos::new(end),
        ended: AttemptEnd::from_index(words >> 4).ok_or(Damaged)?,
        resends: u32::try_from(bytes.varint()?).map_err(|_error| Damaged)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::Name;
    use crate::call::arbitrary::attempt;

    proptest! {
        #[test]
        fn unpacking_gives_back_what_was_packed(
            attempts in prop::collection::vec(attempt(), 1..20),
        ) {
            let mut names: Vec<Option<Name>> = Vec::new();
            let borrowed: Vec<&Attempt> = attempts.iter().collect();
            let packed = pack(&borrowed, &mut |name| {
                names.push(Some(name.clone()));
                u64::try_from(names.len()).ok()
            });
            let mut reader = NameReader { numbered: &names, in_full: &mut Name::clone };
            prop_assert_eq!(unpack(&packed.unwrap(), &mut reader), Ok(attempts));
        }

        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            let mut versioned = vec![FORMAT];
            versioned.extend(&bytes);
            let mut reader = NameReader { numbered: &[], in_full: &mut Name::clone };
            prop_assert_eq!(unpack(&versioned, &mut reader), Err(Damaged));
            let found = unpack(&seal(versioned), &mut reader).map_or(0, |attempts| attempts.len());
            prop_assert!(found <= bytes.len());
        }
    }
}
