//! What had to be mended in a span, gathered while it is reduced.

use std::collections::BTreeSet;

use crate::call::{Name, Repair};

/// Repairs so far, each once.
#[derive(Debug, Default)]
pub(super) struct Repairs(BTreeSet<Repair>);

impl Repairs {
    /// Notes a repair.
    pub(super) fn note(&mut self, repair: Repair) {
        self.0.insert(repair);
    }

    /// A kept name, cut where it is longer than the limit.
    pub(super) fn name(&mut self, text: &str) -> Name {
        Name::exact(text).unwrap_or_else(|| {
            self.note(Repair::NameCut);
            Name::cut(text)
        })
    }

    /// The repairs in the order of [`Repair::ALL`].
    pub(super) fn into_vec(self) -> Vec<Repair> {
        self.0.into_iter().collect()
    }
}
