//! Which parameters a model changed when it asked again (METHOD section 3).

use std::collections::BTreeMap;

use super::names::{NameId, Names};
use super::seen::{Args, Print};
use crate::call::Name;
use crate::figures::RewordedCount;

/// How many parameter names are kept per tool and client: the first in byte order. A sender that
/// uses data as names can fill no more than that.
pub(super) const MAX_NAMES: usize = 1024;

/// What is counted per tool and client.
#[derive(Debug, Clone, Default)]
pub(super) struct Reworded {
    counts: BTreeMap<NameId, RewordedCount>,
    /// Names after this one in byte order are not counted: there were too many before it.
    last: Option<Name>,
}

/// Appends the parameters that were changed, added or removed to `found`, each once. Whether that
/// can be told.
pub(super) fn reworded(a: &Args, b: &Args, found: &mut Vec<NameId>) -> bool {
    if !a.shows_parameters() || !b.shows_parameters() {
        return false;
    }
    let first = found.len();
    for (these, others) in [(a, b), (b, a)] {
        let is_unlike = |print: &&Print| others.prints.iter().all(|one| one != *print);
        for print in these.prints.iter().filter(is_unlike) {
            if found.iter().skip(first).all(|name| *name != print.name) {
                found.push(print.name);
            }
        }
    }
    true
}

impl Reworded {
    /// Counts the parameters of confirmed retries.
    pub(super) fn add_retries(&mut self, parameters: &[NameId], names: &Names) {
        for parameter in parameters {
            self.count(*parameter, names, |count| count.retries += 1);
        }
    }

    /// Counts the parameters that one session's calls of the tool have.
    pub(super) fn add_session(&mut self, parameters: &[NameId], names: &Names) {
        for parameter in parameters {
            self.count(*parameter, names, |count| count.sessions += 1);
        }
    }

    fn count(&mut self, id: NameId, names: &Names, add: impl FnOnce(&mut RewordedCount)) {
        if let Some(count) = self.counts.get_mut(&id) {
            return add(count);
        }
        if self.last.as_ref().is_some_and(|last| names.text(id) > last.as_str()) {
            return;
        }
        add(self.counts.entry(id).or_default());
        if self.counts.len() > 2 * MAX_NAMES {
            self.trim(names);
        }
    }

    /// Keeps the first names in byte order. What is dropped once would be dropped in the end
    /// anyway, so what is kept is counted whole.
    fn trim(&mut self, names: &Names) {
        if self.counts.len() <= MAX_NAMES {
            return;
        }
        let mut by_text: Vec<NameId> = self.counts.keys().copied().collect();
        by_text.sort_unstable_by_key(|id| names.text(*id));
        by_text.truncate(MAX_NAMES);
        self.last = by_text.last().map(|id| names.name(*id));
        let counts = std::mem::take(&mut self.counts);
        let is_kept =
            |id: &NameId| self.last.as_ref().is_none_or(|last| names.text(*id) <= last.as_str());
        self.counts = counts.into_iter().filter(|(id, _)| is_kept(id)).collect();
    }

    /// Adds what was counted of other sessions.
    pub(super) fn merge(&mut self, other: Self, names: &Names) {
        for (id, count) in other.counts {
            let mine = self.counts.entry(id).or_default();
            mine.retries += count.retries;
            mine.sessions += count.sessions;
        }
        let both = [self.last.take(), other.last];
        self.last = both.into_iter().flatten().min();
        let last = self.last.clone();
        self.counts
            .retain(|id, _| last.as_ref().is_none_or(|last| names.text(*id) <= last.as_str()));
        self.trim(names);
    }

    /// The parameters that were reworded at all.
    pub(super) fn into_counts(mut self, names: &Names) -> BTreeMap<Name, RewordedCount> {
        self.trim(names);
        let reworded = self.counts.into_iter().filter(|(_, count)| count.retries > 0);
        reworded.map(|(id, count)| (names.name(id), count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{ArgsForm, ArgsHash};
    use crate::store::StoredArguments;

    fn args(names: &mut Names, parameters: &[(&str, u8)]) -> Args {
        let print = |(name, value): &(&str, u8)| (names.id(&Name::cut(name)), [*value; 4]);
        let prints: Vec<(NameId, [u8; 4])> = parameters.iter().map(print).collect();
        Args::new(&StoredArguments {
            form: ArgsForm::Json,
            source: names.id(&Name::cut("s")),
            hash: ArgsHash::from_bytes([9; 6]),
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: &prints,
        })
    }

    #[test]
    fn a_parameter_is_reworded_where_it_was_changed_added_or_removed() {
        let mut names = Names::new();
        let a = args(&mut names, &[("from", 1), ("query", 1), ("size", 1)]);
        let b = args(&mut names, &[("query", 2), ("size", 1), ("to", 1)]);
        let mut found = vec![names.id(&Name::cut("before"))];
        assert!(reworded(&a, &b, &mut found));
        let mut texts: Vec<&str> = found.iter().map(|id| names.text(*id)).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["before", "from", "query", "to"]);
    }

    #[test]
    fn without_prints_nothing_is_known() {
        let mut names = Names::new();
        let (a, b) = (args(&mut names, &[]), args(&mut names, &[("query", 2)]));
        let mut found = Vec::new();
        assert!(!reworded(&a, &b, &mut found));
        assert!(found.is_empty());
    }

    #[test]
    fn names_are_bounded_and_the_same_whatever_comes_first() {
        let mut names = Names::new();
        let ids: Vec<NameId> =
            (0..3000).map(|n| names.id(&Name::cut(&format!("{n:04}")))).collect();
        let backwards: Vec<NameId> = ids.iter().rev().copied().collect();
        let count = |order: &[NameId]| {
            let mut reworded = Reworded::default();
            reworded.add_session(order, &names);
            reworded.add_retries(order, &names);
            reworded.into_counts(&names)
        };
        let counts = count(&ids);
        assert_eq!(counts.len(), 1024);
        assert_eq!(counts, count(&backwards));
        let halves = ids.chunks(1500).map(|half| {
            let mut reworded = Reworded::default();
            reworded.add_retries(half, &names);
            reworded.add_session(half, &names);
            reworded
        });
        let mut whole = Reworded::default();
        halves.for_each(|half| whole.merge(half, &names));
        assert_eq!(whole.into_counts(&names), counts);
    }

    #[test]
    fn a_parameter_that_was_only_seen_is_not_shown() {
        let mut names = Names::new();
        let (seen, changed) = (names.id(&Name::cut("seen")), names.id(&Name::cut("changed")));
        let mut reworded = Reworded::default();
        reworded.add_session(&[seen, changed], &names);
        reworded.add_session(&[seen, changed], &names);
        reworded.add_retries(&[changed], &names);
        let expected = RewordedCount { retries: 1, sessions: 2 };
        assert_eq!(
            reworded.into_counts(&names),
            BTreeMap::from([(Name::cut("changed"), expected)])
        );
    }
}
