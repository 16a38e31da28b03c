//! Names of one request that were made before: its spans repeat a few names over and over.

use crate::call::Name;

/// Names that are remembered; looking through more would take longer than making one.
const REMEMBERED: usize = 16;

/// The first names of a request, shared among all that have them.
#[derive(Debug, Default)]
pub struct NameCache(Vec<Name>);

impl NameCache {
    /// The name `text`, cut to what is kept of a name.
    pub(super) fn cut(&mut self, text: &str) -> Name {
        if let Some(known) = self.0.iter().find(|known| known.as_str() == text) {
            return known.clone();
        }
        let name = Name::cut(text);
        if self.0.len() < REMEMBERED {
            self.0.push(name.clone());
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_its_text_whether_it_is_remembered_or_not() {
        let mut names = NameCache::default();
        for number in (0..40).chain(0..40) {
            let text = format!("host-{number}");
            assert_eq!(names.cut(&text).as_str(), text);
        }
        let long = "x".repeat(2000);
        assert_eq!(names.cut(&long), Name::cut(&long));
        assert!(names.0.len() == REMEMBERED);
    }
}
