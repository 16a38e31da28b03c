//! Which parameters a model changed when it asked again (METHOD section 3).

use std::collections::{BTreeMap, BTreeSet};

use super::names::{NameId, Names};
use super::seen::{Args, Print};
use crate::call::Name;
use crate::figures::RewordedCount;

/// How many parameter names are kept per tool and client: the first in byte order. A sender that
/// uses data as names can fill no more than that.
const MAX_NAMES: usize = 1024;

/// What is counted per tool and client.
#[derive(Debug, Clone, Default)]
pub(super) struct Reworded {
    counts: BTreeMap<Name, RewordedCount>,
}

/// The parameters that were changed, added or removed; none where that cannot be told.
pub(super) fn reworded(a: &Args, b: &Args) -> Option<Vec<NameId>> {
    if !a.shows_parameters() || !b.shows_parameters() {
        return None;
    }
    let is_unlike = |print: &&Print, other: &Args| !other.prints.contains(print);
    let from_a = a.prints.iter().filter(|print| is_unlike(print, b));
    let from_b = b.prints.iter().filter(|print| is_unlike(print, a));
    let names: BTreeSet<NameId> = from_a.chain(from_b).map(|print| print.name).collect();
    Some(names.into_iter().collect())
}

/// The parameters that any of these arguments has.
pub(super) fn parameters<'a>(args: impl Iterator<Item = &'a Args>) -> Vec<NameId> {
    let mut seen: Vec<NameId> =
        args.flat_map(|args| args.prints.iter().map(|print| print.name)).collect();
    seen.sort_unstable();
    seen.dedup();
    seen
}

impl Reworded {
    /// Counts the parameters of one confirmed retry.
    pub(super) fn add_retry(&mut self, parameters: &[NameId], names: &Names) {
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
        let name = names.name(id);
        let is_past_all = self.counts.last_key_value().is_none_or(|(last, _)| *last < name);
        if self.counts.len() >= MAX_NAMES && is_past_all {
            return;
        }
        add(self.counts.entry(name).or_default());
        if self.counts.len() > MAX_NAMES {
            self.counts.pop_last();
        }
    }

    /// Adds what was counted of other sessions.
    pub(super) fn merge(&mut self, other: Self) {
        for (name, count) in other.counts {
            let mine = self.counts.entry(name).or_default();
            mine.retries += count.retries;
            mine.sessions += count.sessions;
        }
        while self.counts.len() > MAX_NAMES {
            self.counts.pop_last();
        }
    }

    /// The parameters that were reworded at all.
    pub(super) fn into_counts(self) -> BTreeMap<Name, RewordedCount> {
        self.counts.into_iter().filter(|(_, count)| count.retries > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{ArgsForm, ArgsHash, ArgumentPrint, Arguments};

    fn args(names: &mut Names, parameters: &[(&str, u8)]) -> Args {
        let print = |(name, value): &(&str, u8)| ArgumentPrint {
            name: Name::cut(name),
            print: [*value; 4],
        };
        let arguments = Arguments {
            form: ArgsForm::Json,
            source: Name::cut("s"),
            hash: ArgsHash::from_bytes([9; 6]),
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: parameters.iter().map(print).collect(),
        };
        Args::new(&arguments, names)
    }

    #[test]
    fn a_parameter_is_reworded_where_it_was_changed_added_or_removed() {
        let mut names = Names::new();
        let a = args(&mut names, &[("from", 1), ("query", 1), ("size", 1)]);
        let b = args(&mut names, &[("query", 2), ("size", 1), ("to", 1)]);
        let found = reworded(&a, &b).unwrap();
        let mut texts: Vec<&str> = found.iter().map(|id| names.text(*id)).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["from", "query", "to"]);
    }

    #[test]
    fn without_prints_nothing_is_known() {
        let mut names = Names::new();
        let (a, b) = (args(&mut names, &[]), args(&mut names, &[("query", 2)]));
        assert_eq!(reworded(&a, &b), None);
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
            reworded.add_retry(order, &names);
            reworded.into_counts()
        };
        let counts = count(&ids);
        assert_eq!(counts.len(), 1024);
        assert_eq!(counts, count(&backwards));
        let halves = ids.chunks(1500).map(|half| {
            let mut reworded = Reworded::default();
            reworded.add_retry(half, &names);
            reworded.add_session(half, &names);
            reworded
        });
        let mut whole = Reworded::default();
        halves.for_each(|half| whole.merge(half));
        assert_eq!(whole.into_counts(), counts);
    }

    #[test]
    fn a_parameter_that_was_only_seen_is_not_shown() {
        let mut names = Names::new();
        let (seen, changed) = (names.id(&Name::cut("seen")), names.id(&Name::cut("changed")));
        let mut reworded = Reworded::default();
        reworded.add_session(&[seen, changed], &names);
        reworded.add_session(&[seen, changed], &names);
        reworded.add_retry(&[changed], &names);
        let expected = RewordedCount { retries: 1, sessions: 2 };
        assert_eq!(reworded.into_counts(), BTreeMap::from([(Name::cut("changed"), expected)]));
    }
}
