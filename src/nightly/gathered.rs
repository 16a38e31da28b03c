//! What a day is made of before it is folded: sightings, and the client spans that may be below
//! them. Both wait by trace, so that what belongs together is worked on together.

use super::bytes::{In, Out};
use super::names::NameId;
use super::packed::Packed;
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

/// The last byte of the four that follow the start: a sighting's flags leave its highest bit.
const ATTEMPT: [u8; 4] = [0, 0, 0, 0x80];

impl Packed for Gathered {
    fn pack(&self, out: &mut Out) {
        match self {
            Self::Seen(seen) => seen.pack(out),
            Self::Attempt(attempt) => {
                attempt.start.pack(out);
                out.put(ATTEMPT);
                attempt.pack(out);
            }
        }
    }

    fn unpack(from: &mut In<'_>) -> Option<Self> {
        let flags = from.0.first_chunk::<12>()?.last_chunk::<4>()?;
        if *flags != ATTEMPT {
            return Seen::unpack(from).map(Self::Seen);
        }
        from.take::<12>()?;
        Packed::unpack(from).map(Self::Attempt)
    }
}
