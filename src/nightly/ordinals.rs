//! Numbers for sessions within one listing: a session's key is never shown.

use std::collections::HashMap;

/// Gives sessions numbers from 1 in the order in which they are first asked for. A session lies
/// in one part of the day, and parts number their sessions each for itself.
#[derive(Debug, Default)]
pub(super) struct Ordinals {
    given: u32,
    of_part: HashMap<u32, u32>,
}

impl Ordinals {
    /// Begins with the sessions of another part.
    pub(super) fn begin_part(&mut self) {
        self.of_part.clear();
    }

    /// The number of a part's session; none for none.
    pub(super) fn of(&mut self, session: Option<u32>) -> Option<u32> {
        let given = &mut self.given;
        session.map(|session| {
            *self.of_part.entry(session).or_insert_with(|| {
                *given = given.saturating_add(1);
                *given
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_numbered_as_they_come() {
        let mut ordinals = Ordinals::default();
        assert_eq!(ordinals.of(Some(7)), Some(1));
        assert_eq!(ordinals.of(Some(2)), Some(2));
        assert_eq!(ordinals.of(Some(7)), Some(1));
        assert_eq!(ordinals.of(None), None);
        ordinals.begin_part();
        assert_eq!(ordinals.of(Some(7)), Some(3));
    }
}
