//! Names as small numbers, so that a night's calls stay small and compare quickly.
//!
//! The numbers depend on the order in which names were first met. No figure may: wherever a
//! choice depends on a name, its text decides.

use std::collections::HashMap;
use std::num::NonZeroU32;

use super::declared::Declared;
use crate::call::Name;

/// A name's number within one [`Names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(NonZeroU32);

impl NameId {
    /// The number of what telemetry does not name: every night's first.
    pub(super) const UNKNOWN: Self = Self(NonZeroU32::MIN);
    /// The number of the plain dialect: every night's second.
    pub(super) const PLAIN: Self = Self(NonZeroU32::MIN.saturating_add(1));

    /// The stored form.
    pub(super) const fn get(self) -> u32 {
        self.0.get()
    }

    /// A number from its stored form; none for zero.
    pub(super) const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }
}

/// The names of one night.
#[derive(Debug)]
pub struct Names {
    by_text: HashMap<Name, NameId>,
    texts: Vec<Name>,
    declared: Declared,
}

/// The dialect of spans that follow firstcall's own plain vocabulary.
pub(super) const PLAIN: &str = "plain";
/// What stands for a service or client that nothing tells.
pub(super) const UNKNOWN: &str = "unknown";

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}

impl Names {
    /// The names that every night knows.
    pub fn new() -> Self {
        let mut names =
            Self { by_text: HashMap::new(), texts: Vec::new(), declared: Declared::default() };
        // In this order, for their numbers are constants.
        for known in [UNKNOWN, PLAIN] {
            names.id(&Name::cut(known));
        }
        names
    }

    /// The names of a night with what is declared of the tools among them.
    pub fn declaring(declared: Declared) -> Self {
        let mut names = Self::new();
        // What is declared may be asked for where nobody has called it.
        for name in declared.names() {
            names.id(&name);
        }
        names.declared = declared;
        names
    }

    /// What is declared of tools.
    pub(super) const fn declared(&self) -> &Declared {
        &self.declared
    }

    /// The number of the name with this text; none where it was not met.
    pub(super) fn find(&self, text: &str) -> Option<NameId> {
        self.by_text.get(&Name::exact(text)?).copied()
    }

    /// The number of `name`, given to it now if it has none yet.
    pub fn id(&mut self, name: &Name) -> NameId {
        if let Some(id) = self.by_text.get(name) {
            return *id;
        }
        self.texts.push(name.clone());
        let number = u32::try_from(self.texts.len()).ok().and_then(NonZeroU32::new);
        let id = NameId(number.unwrap_or(NonZeroU32::MAX));
        self.by_text.insert(name.clone(), id);
        id
    }

    /// The name with this number.
    pub fn name(&self, id: NameId) -> Name {
        self.texts.get(index(id)).cloned().unwrap_or_else(|| Name::cut(UNKNOWN))
    }

    /// The text of the name with this number.
    pub fn text(&self, id: NameId) -> &str {
        self.texts.get(index(id)).map_or(UNKNOWN, Name::as_str)
    }

    /// The texts of two optional names, for orders that must not depend on arrival.
    pub(super) fn text_of(&self, id: Option<NameId>) -> Option<&str> {
        id.map(|id| self.text(id))
    }
}

const fn index(id: NameId) -> usize {
    id.get() as usize - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_has_one_number_however_it_is_allocated() {
        let mut names = Names::new();
        let id = names.id(&Name::cut("search"));
        assert_eq!(names.id(&Name::cut("search")), id);
        assert_ne!(names.id(&Name::cut("Search")), id);
        assert_eq!(names.text(id), "search");
        assert_eq!(names.name(id), Name::cut("search"));
        assert_eq!(names.text(NameId::UNKNOWN), UNKNOWN);
        assert_eq!(names.text(NameId::PLAIN), PLAIN);
    }
}
