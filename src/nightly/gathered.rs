//! What a day is made of before it is folded: sightings, and the client spans that may be below
//! them. Both wait by trace, so that what belongs together is worked on together.

use super::bytes::{In, Out};
use super::names::NameId;
use super::packed::{PackAs, Packed, Unpack};
use super::seen::Seen;
use crate::call::Attempt;

/// A sighting or a downstream attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Gathered {
    /// A sighting.
    Seen(Seen),
    /// A client span.
    Attempt(Attempt<NameId>),
}

impl Gathered {
    /// Takes the two apart and leaves nothing behind.
    pub(super) fn apart(gathered: &mut Vec<Self>) -> (Vec<Seen>, Vec<Attempt<NameId>>) {
        let (mut seen, mut attempts) = (Vec::with_capacity(gathered.len()), Vec::new());
        for one in gathered.drain(..) {
            match one {
                Self::Seen(sighting) => seen.push(sighting),
                Self::Attempt(attempt) => attempts.push(attempt),
            }
        }
        (seen, attempts)
    }
}

/// The four bytes that follow the start of an attempt: of a sighting's, the highest bit is not set.
const ATTEMPT: [u8; 4] = [0, 0, 0, 0x80];

impl PackAs<Gathered> for Attempt<NameId> {
    fn pack_as(&self, out: &mut Out) {
        self.start.pack(out);
        out.put(ATTEMPT);
        self.pack(out);
    }
}

impl Unpack for Gathered {
    fn unpack_from(from: &mut In<'_>) -> Option<Self> {
        let word = from.0.first_chunk::<12>()?.last_chunk::<4>()?;
        if *word != ATTEMPT {
            return Seen::unpack_from(from).map(Self::Seen);
        }
        from.take::<12>()?;
        Packed::unpack(from).map(Self::Attempt)
    }
}
