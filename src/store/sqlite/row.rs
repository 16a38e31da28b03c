//! The packed form of sightings, version 1 (`docs/data-model.md`, "Packed rows"): how it is
//! written.
//! `unpack` reads it.
//!
//! One BLOB holds the sightings of one batch. Names stand in it as numbers of the day file's
//! dictionary; times as distances from the batch's own. A checksum beside the BLOB tells
//! damage; even so, unpacking takes any bytes without panicking.

use super::name_code::{Numberer, put_name};
use super::wire::{put_delta, put_varint};
use crate::call::{
    ArgsForm, Arguments, CallDuration, ClientName, Confidence, Emptiness, Name, Outcome,
    SessionClaim, Sighting, SpanKind, UnixNanos,
};

/// The first byte of every BLOB.
pub(super) const FORMAT: u8 = 1;

// Which parts of a row follow.
pub(super) const HAS_PARENT: u64 = 1;
pub(super) const HAS_CONVERSATION: u64 = 1 << 1;
pub(super) const HAS_TRANSPORT: u64 = 1 << 2;
pub(super) const IS_TIME_KNOWN: u64 = 1 << 3;
pub(super) const IS_LOW_CONFIDENCE: u64 = 1 << 4;
pub(super) const HAS_RESULT_BYTES: u64 = 1 << 5;
pub(super) const HAS_ARGUMENTS: u64 = 1 << 6;
pub(super) const HAS_CALL_ID: u64 = 1 << 7;
pub(super) const HAS_REQUEST_ID: u64 = 1 << 8;
pub(super) const IS_SAMPLED: u64 = 1 << 9;
pub(super) const IS_LABEL: u64 = 1 << 10;
pub(super) const ALL_FLAGS: u64 = (1 << 11) - 1;

// Which parts of the arguments follow, above the three bits of the form.
pub(super) const HAS_EXACT: u8 = 1 << 3;
pub(super) const HAS_CORE: u8 = 1 << 4;
pub(super) const HAS_POS: u8 = 1 << 5;
pub(super) const HIDES: u8 = 1 << 6;

// What shares a byte must fit into its bits.
const _: () = assert!(SpanKind::ALL.len() <= 8 && Outcome::ALL.len() <= 8);
const _: () = assert!(Emptiness::ALL.len() <= 4 && ArgsForm::ALL.len() <= 8);

/// Rows of one batch in packed form, with what a reader must know to pass them over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) bytes: Vec<u8>,
    pub(super) min_start: UnixNanos,
    pub(super) max_start: UnixNanos,
    /// The latest arrival among the rows.
    pub(super) received: UnixNanos,
}

/// The packed form of no sightings, for a batch that holds other rows.
pub(super) fn pack_none(min_start: UnixNanos, max_start: UnixNanos, received: UnixNanos) -> Packed {
    let mut bytes = vec![FORMAT];
    put_varint(&mut bytes, min_start.get());
    put_varint(&mut bytes, received.get());
    Packed { bytes, min_start, max_start, received }
}

/// Packs sightings; none for no sightings. An `end` before its `start` is packed as `start`.
pub(super) fn pack(rows: &[&Sighting], number: &mut Numberer<'_>) -> Option<Packed> {
    let base_received = rows.first()?.received;
    let min_start = rows.iter().map(|row| row.start).min()?;
    let max_start = rows.iter().map(|row| row.start).max()?;
    let received = rows.iter().map(|row| row.received).max()?;
    let mut out = Vec::with_capacity(rows.len().saturating_mul(112));
    out.push(FORMAT);
    put_varint(&mut out, min_start.get());
    put_varint(&mut out, base_received.get());
    let mut packer = Packer { out, number };
    for row in rows {
        packer.put_row(row, min_start, base_received);
    }
    Some(Packed { bytes: packer.out, min_start, max_start, received })
}

struct Packer<'a, 'b> {
    out: Vec<u8>,
    number: &'a mut Numberer<'b>,
}

impl Packer<'_, '_> {
    fn put_row(&mut self, row: &Sighting, min_start: UnixNanos, base_received: UnixNanos) {
        put_varint(&mut self.out, flags_of(row));
        let words = row.kind.index() | row.outcome.index() << 3 | row.emptiness.index() << 6;
        self.out.push(words);
        self.out.extend(row.trace_id.as_bytes());
        self.out.extend(row.span_id.as_bytes());
        if let Some(parent) = row.parent_span_id {
            self.out.extend(parent.as_bytes());
        }
        self.put_name(Some(&row.scope));
        self.put_name(Some(&row.dialect));
        self.put_name(row.emitter.as_ref());
        self.put_name(row.service.as_ref());
        self.put_name(row.tool.as_ref());
        self.put_name(row.client.as_ref().map(ClientName::name));
        self.put_name(row.client_version.as_ref());
        match row.session {
            Some(SessionClaim::Conversation(key) | SessionClaim::Transport(key)) => {
                self.out.extend(key.as_bytes());
            }
            None => {}
        }
        put_varint(&mut self.out, nanos_since(row.start, min_start));
        put_varint(&mut self.out, nanos_since(row.end, row.start));
        put_delta(&mut self.out, row.received.get(), base_received.get());
        if let Some(bytes) = row.result_bytes {
            put_varint(&mut self.out, bytes);
        }
        if let Some(arguments) = &row.arguments {
            self.put_arguments(arguments);
        }
        for key in [row.call_id, row.request_id].into_iter().flatten() {
            self.out.extend(key.as_bytes());
        }
    }

    fn put_name(&mut self, name: Option<&Name>) {
        put_name(&mut self.out, name, self.number);
    }

    fn put_arguments(&mut self, arguments: &Arguments) {
        let Arguments { form, source, hash, exact, core, pos, hides, prints } = arguments;
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        self.out.push(
            form.index()
                | flag(exact.is_some(), HAS_EXACT)
                | flag(core.is_some(), HAS_CORE)
                | flag(pos.is_some(), HAS_POS)
                | flag(*hides, HIDES),
        );
        self.put_name(Some(source));
        for hash in [Some(hash), exact.as_ref(), core.as_ref(), pos.as_ref()].into_iter().flatten()
        {
            self.out.extend(hash.as_bytes());
        }
        put_varint(&mut self.out, u64::try_from(prints.len()).unwrap_or(u64::MAX));
        for print in prints {
            self.put_name(Some(&print.name));
            self.out.extend(print.print);
        }
    }
}

fn flags_of(row: &Sighting) -> u64 {
    let flag = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
    let session = match row.session {
        Some(SessionClaim::Conversation(_)) => HAS_CONVERSATION,
        Some(SessionClaim::Transport(_)) => HAS_TRANSPORT,
        None => 0,
    };
    session
        | flag(row.parent_span_id.is_some(), HAS_PARENT)
        | flag(row.is_time_known, IS_TIME_KNOWN)
        | flag(row.confidence == Confidence::Low, IS_LOW_CONFIDENCE)
        | flag(row.result_bytes.is_some(), HAS_RESULT_BYTES)
        | flag(row.arguments.is_some(), HAS_ARGUMENTS)
        | flag(row.call_id.is_some(), HAS_CALL_ID)
        | flag(row.request_id.is_some(), HAS_REQUEST_ID)
        | flag(row.is_sampled, IS_SAMPLED)
        | flag(row.is_label, IS_LABEL)
}

fn nanos_since(later: UnixNanos, earlier: UnixNanos) -> u64 {
    later.since(earlier).map_or(0, CallDuration::as_nanos)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::arbitrary::sighting;
    use crate::store::sqlite::unpack::{NameReader, unpack};
    use crate::store::sqlite::wire::Damaged;

    fn unpacked(bytes: &[u8], names: &[Option<Name>]) -> Result<Vec<Sighting>, Damaged> {
        let mut rows = Vec::new();
        let mut names = NameReader { numbered: names, in_full: &mut Name::clone };
        let count =
            unpack(bytes, Vec::new(), &mut names, &mut |row| rows.push(Sighting::from(row)))?;
        assert_eq!(count, rows.len() as u64);
        Ok(rows)
    }

    /// A dictionary that takes `room` names.
    fn packed(rows: &[Sighting], room: usize) -> (Packed, Vec<Option<Name>>) {
        let mut names: Vec<Option<Name>> = Vec::new();
        let rows: Vec<&Sighting> = rows.iter().collect();
        let packed = pack(&rows, &mut |name| {
            let known = names.iter().position(|known| known.as_ref() == Some(name));
            let position = known.or_else(|| {
                (names.len() < room).then(|| {
                    names.push(Some(name.clone()));
                    names.len() - 1
                })
            })?;
            u64::try_from(position + 1).ok()
        });
        (packed.unwrap(), names)
    }

    proptest! {
        #[test]
        fn unpacking_gives_back_what_was_packed(
            rows in prop::collection::vec(sighting(), 1..20),
            room in prop::sample::select(vec![0, 3, 1000]),
        ) {
            let (packed, names) = packed(&rows, room);
            let without: Vec<Sighting> =
                rows.into_iter().map(|row| Sighting { recovery: None, ..row }).collect();
            prop_assert_eq!(unpacked(&packed.bytes, &names), Ok(without));
        }

        #[test]
        fn damaged_bytes_never_panic(
            rows in prop::collection::vec(sighting(), 1..4),
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let (packed, names) = packed(&rows, 4);
            let mut bytes = packed.bytes;
            for (at, byte) in damage {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            // Ending is all that is asked: most damage is told by the checksum beside the BLOB.
            let whole = unpacked(&bytes, &names).map_or(0, |rows| rows.len());
            bytes.truncate(cut.index(bytes.len() + 1));
            let short = unpacked(&bytes, &names).map_or(0, |rows| rows.len());
            prop_assert!(whole <= bytes.len().max(packed_len(&rows)) && short <= bytes.len());
        }

        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut versioned = vec![FORMAT];
            versioned.extend(&bytes);
            prop_assert!(unpacked(&versioned, &[]).map_or(0, |rows| rows.len()) <= bytes.len());
        }
    }

    fn packed_len(rows: &[Sighting]) -> usize {
        packed(rows, 4).0.bytes.len()
    }

    #[test]
    fn a_plain_row_has_the_documented_length() {
        let mut row = crate::call::arbitrary::plain_sighting();
        row.client_version = None;
        let (packed, names) = packed(std::slice::from_ref(&row), 100);
        // Head: 1 version, 9 start, 9 received. Row: 1 flags, 1 words, 16 + 8 + 8 ids, 7 names,
        // 16 session, 1 start, 5 duration (1.5 s), 1 received, 2 size (300),
        // 1 + 1 + 6 + 1 arguments with their source, hash and no prints.
        assert_eq!(packed.bytes.len(), 19 + 75);
        assert_eq!(names.len(), 6); // the emitter is the service
        assert_eq!(packed.min_start, row.start);
    }

    #[test]
    fn no_rows_make_no_blob() {
        assert_eq!(pack(&[], &mut |_name| None), None);
    }

    #[test]
    fn another_format_is_refused() {
        let (mut packed, names) = packed(&[crate::call::arbitrary::plain_sighting()], 100);
        packed.bytes[0] = 2;
        assert_eq!(unpacked(&packed.bytes, &names), Err(Damaged));
    }
}
