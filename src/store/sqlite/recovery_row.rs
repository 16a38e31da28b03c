//! What the sightings of one batch tell of recovery, version 1 (`docs/data-model.md`, "Recovery").
//!
//! A column of its own beside the packed rows: most batches have none. Its last four bytes are
//! the CRC-32 of those before.

use super::name_code::{Numberer, put_name};
use super::unpack::NameReader;
use super::wire::{Bytes, Damaged, put_varint, seal, unseal};
use crate::call::{
    BusinessOutcome, KeyPrint, KeyStatus, OperationKind, Recovery, Sighting, Stage, TimeBudget,
};

/// The first byte of every BLOB.
const FORMAT: u8 = 1;

// Which parts follow.
const HAS_KIND: u64 = 1;
const HAS_ATTEMPTS: u64 = 1 << 1;
const HAS_STAGE: u64 = 1 << 2;
const HAS_BUDGET: u64 = 1 << 3;
const HAS_KEY: u64 = 1 << 4;
const HAS_KEY_STATUS: u64 = 1 << 5;
const HAS_BUSINESS_OUTCOME: u64 = 1 << 6;
const HAS_HANDLE: u64 = 1 << 7;
const IS_SAFETY_TOLD: u64 = 1 << 8;
const IS_RETRY_SAFE: u64 = 1 << 9;
const ALL_FLAGS: u64 = (1 << 10) - 1;

/// Packs what the rows tell; none where none of them tells anything.
pub(super) fn pack(rows: &[&Sighting], number: &mut Numberer<'_>) -> Option<Vec<u8>> {
    let mut out = vec![FORMAT];
    let mut next = 0_u64;
    for (at, row) in (0_u64..).zip(rows) {
        if let Some(recovery) = &row.recovery {
            put_varint(&mut out, at.saturating_sub(next));
            next = at.saturating_add(1);
            put(&mut out, recovery, number);
        }
    }
    (out.len() > 1).then(|| seal(out))
}

fn put(out: &mut Vec<u8>, recovery: &Recovery, number: &mut Numberer<'_>) {
    let Recovery {
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
    } = recovery;
    let flag = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
    put_varint(
        out,
        flag(kind.is_some(), HAS_KIND)
            | flag(attempts.is_some(), HAS_ATTEMPTS)
            | flag(stage.is_some(), HAS_STAGE)
            | flag(budget.is_some(), HAS_BUDGET)
            | flag(key.is_some(), HAS_KEY)
            | flag(key_status.is_some(), HAS_KEY_STATUS)
            | flag(business_outcome.is_some(), HAS_BUSINESS_OUTCOME)
            | flag(handle.is_some(), HAS_HANDLE)
            | flag(is_retry_safe.is_some(), IS_SAFETY_TOLD)
            | flag(*is_retry_safe == Some(true), IS_RETRY_SAFE),
    );
    put_name(out, dependency.as_ref(), number);
    out.extend(kind.map(OperationKind::index));
    if let Some(attempts) = attempts {
        put_varint(out, u64::from(*attempts));
    }
    out.extend(stage.map(Stage::index));
    if let Some(budget) = budget {
        // 0 stands for not told, others for the number less 1.
        for millis in [budget.total_ms].into_iter().chain(budget.spent_ms) {
            put_varint(out, millis.map_or(0, |millis| u64::from(millis) + 1));
        }
    }
    out.extend(key.iter().flat_map(KeyPrint::as_bytes));
    out.extend(key_status.map(KeyStatus::index));
    out.extend(business_outcome.map(BusinessOutcome::index));
    out.extend(handle.iter().flat_map(KeyPrint::as_bytes));
}

/// What a BLOB tells, by the places of the rows that it stands beside, ascending.
pub(super) fn unpack<N: Clone>(
    bytes: &[u8],
    names: &mut NameReader<'_, N>,
) -> Result<Vec<(u64, Recovery<N>)>, Damaged> {
    let mut bytes = Bytes(unseal(bytes)?);
    if bytes.byte()? != FORMAT {
        return Err(Damaged);
    }
    let (mut told, mut next) = (Vec::new(), 0_u64);
    while !bytes.is_empty() {
        let place = next.checked_add(bytes.varint()?).ok_or(Damaged)?;
        next = place.checked_add(1).ok_or(Damaged)?;
        told.push((place, take(&mut bytes, names)?));
    }
    Ok(told)
}

fn take<N: Clone>(
    bytes: &mut Bytes<'_>,
    names: &mut NameReader<'_, N>,
) -> Result<Recovery<N>, Damaged> {
    let flags = bytes.varint()?;
    if flags & !ALL_FLAGS != 0 {
        return Err(Damaged);
    }
    let has = |bit: u64| flags & bit != 0;
    // In the order in which they are written.
    Ok(Recovery {
        dependency: names.take(bytes)?,
        kind: word(bytes, has(HAS_KIND), OperationKind::from_index)?,
        attempts: has(HAS_ATTEMPTS).then(|| number(bytes)).transpose()?,
        stage: word(bytes, has(HAS_STAGE), Stage::from_index)?,
        budget: has(HAS_BUDGET).then(|| budget(bytes)).transpose()?,
        key: has(HAS_KEY).then(|| bytes.array().map(KeyPrint::from_bytes)).transpose()?,
        key_status: word(bytes, has(HAS_KEY_STATUS), KeyStatus::from_index)?,
        business_outcome: word(bytes, has(HAS_BUSINESS_OUTCOME), BusinessOutcome::from_index)?,
        handle: has(HAS_HANDLE).then(|| bytes.array().map(KeyPrint::from_bytes)).transpose()?,
        is_retry_safe: has(IS_SAFETY_TOLD).then_some(has(IS_RETRY_SAFE)),
    })
}

fn word<W>(
    bytes: &mut Bytes<'_>,
    is_there: bool,
    from_index: fn(u8) -> Option<W>,
) -> Result<Option<W>, Damaged> {
    is_there.then(|| from_index(bytes.byte()?).ok_or(Damaged)).transpose()
}

fn number(bytes: &mut Bytes<'_>) -> Result<u32, Damaged> {
    u32::try_from(bytes.varint()?).map_err(|_error| Damaged)
}

fn budget(bytes: &mut Bytes<'_>) -> Result<TimeBudget, Damaged> {
    let mut next = || match bytes.varint()? {
        0 => Ok(None),
        more => u32::try_from(more - 1).map(Some).map_err(|_error| Damaged),
    };
    let total_ms = next()?;
    Ok(TimeBudget { total_ms, spent_ms: [next()?, next()?, next()?, next()?, next()?] })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::Name;
    use crate::call::arbitrary::sighting;

    fn packed(rows: &[Sighting]) -> (Option<Vec<u8>>, Vec<Option<Name>>) {
        let mut names: Vec<Option<Name>> = Vec::new();
        let rows: Vec<&Sighting> = rows.iter().collect();
        let packed = pack(&rows, &mut |name| {
            names.push(Some(name.clone()));
            u64::try_from(names.len()).ok()
        });
        (packed, names)
    }

    proptest! {
        #[test]
        fn unpacking_gives_back_what_was_packed(
            rows in prop::collection::vec(sighting(), 1..20),
        ) {
            let (packed, names) = packed(&rows);
            let told = rows.iter().enumerate().filter_map(|(place, row)| {
                Some((place as u64, (**row.recovery.as_ref()?).clone()))
            });
            let told: Vec<(u64, Recovery)> = told.collect();
            let mut reader = NameReader { numbered: &names, in_full: &mut Name::clone };
            if let Some(packed) = packed {
                prop_assert_eq!(unpack(&packed, &mut reader), Ok(told));
            } else {
                prop_assert_eq!(told, []);
            }
        }

        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut versioned = vec![FORMAT];
            versioned.extend(&bytes);
            let mut reader = NameReader { numbered: &[], in_full: &mut Name::clone };
            prop_assert_eq!(unpack(&versioned, &mut reader), Err(Damaged));
            // With the right checksum it is told by its form alone.
            let found = unpack(&seal(versioned), &mut reader).map_or(0, |told| told.len());
            prop_assert!(found <= bytes.len());
        }
    }
}
