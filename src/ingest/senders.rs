//! Whose client spans are kept (METHOD section 11).
//!
//! Of a program that serves tool calls all are. Of one that has not sent a call yet the first ones
//! are, because a child often arrives before its parent; then none until it does. So programs that
//! have nothing to do with tools cost next to nothing, and a program's first call loses nothing.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::call::Name;

/// Client spans that are kept of a program before its first tool call.
const UNPROVEN: u32 = 1000;
/// Programs that are remembered; what others send is kept where a call of theirs is beside it.
const MAX_SENDERS: usize = 4096;

/// How many more client spans are kept of each program; none for those that serve tool calls.
#[derive(Debug, Default)]
pub(super) struct Senders(Mutex<HashMap<Name, Option<u32>>>);

/// What is kept of one program's client spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowance {
    /// All.
    All,
    /// This many more.
    Some(u32),
}

impl Senders {
    /// What is kept of `sender`'s client spans from here on.
    pub(super) fn allowance(&self, sender: &Name) -> Allowance {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(sender) {
            Some(None) => Allowance::All,
            Some(Some(left)) => Allowance::Some(*left),
            None if known.len() < MAX_SENDERS => Allowance::Some(UNPROVEN),
            None => Allowance::Some(0),
        }
    }

    /// Notes what is left to `sender`.
    pub(super) fn note(&self, sender: &Name, allowance: Allowance) {
        let left = match allowance {
            Allowance::All => None,
            Allowance::Some(UNPROVEN) => return,
            Allowance::Some(left) => Some(left),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = known.get_mut(sender) {
            // Another request may have brought a call meanwhile.
            *before = before.and(left);
        } else if known.len() < MAX_SENDERS {
            known.insert(sender.clone(), left);
        }
    }
}

impl Allowance {
    /// Takes one; false where nothing is left.
    pub(super) const fn take(&mut self) -> bool {
        match self {
            Self::All => true,
            Self::Some(0) => false,
            Self::Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_calls_is_kept_a_little_of_and_one_with_calls_all() {
        let senders = Senders::default();
        let (api, shop) = (Name::cut("api"), Name::cut("shop"));
        let mut allowance = senders.allowance(&api);
        let kept = (0..2000).filter(|_| allowance.take()).count();
        assert_eq!(kept, 1000);
        senders.note(&api, allowance);
        assert_eq!(senders.allowance(&api), Allowance::Some(0));
        senders.note(&api, Allowance::All);
        senders.note(&api, Allowance::Some(3));
        assert_eq!(senders.allowance(&api), Allowance::All);
        assert_eq!(senders.allowance(&shop), Allowance::Some(1000));
    }

    #[test]
    fn not_more_programs_are_remembered_than_memory_has_room_for() {
        let senders = Senders::default();
        for number in 0..5000 {
            senders.note(&Name::cut(&number.to_string()), Allowance::Some(0));
        }
        assert_eq!(senders.0.lock().unwrap().len(), MAX_SENDERS);
        assert_eq!(senders.allowance(&Name::cut("late")), Allowance::Some(0));
    }
}
