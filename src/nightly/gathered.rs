//! What a day is made of before it is folded: sightings, and the client spans that may be below
//! them. Both wait by trace, so that what belongs together is worked on together.

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

impl Packed for Gathered {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Seen(seen) => {
                out.push(0);
                seen.pack(out);
            }
            Self::Attempt(attempt) => {
                out.push(1);
                attempt.pack(out);
            }
        }
    }
    fn unpack(from: &mut &[u8]) -> Option<Self> {
        match <[u8; 1]>::unpack(from)? {
            [0] => Seen::unpack(from).map(Self::Seen),
            _ => Packed::unpack(from).map(Self::Attempt),
        }
    }
}
