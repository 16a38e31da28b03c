//! Rules about tools by their names, of which some are patterns.

/// What is declared of tools, by a name or a pattern: `*` stands for any text, `?` for one
/// character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRules<T> {
    /// The most specific pattern first.
    rules: Vec<(String, T)>,
}

impl<T> Default for ToolRules<T> {
    fn default() -> Self {
        Self { rules: Vec::new() }
    }
}

impl<T> FromIterator<(String, T)> for ToolRules<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(rules: I) -> Self {
        let mut rules: Vec<(String, T)> = rules.into_iter().collect();
        rules.sort_by(|(a, _), (b, _)| specificity(b).cmp(&specificity(a)).then_with(|| a.cmp(b)));
        Self { rules }
    }
}

/// A plain name before a pattern, then the one that spells out more.
fn specificity(pattern: &str) -> (bool, usize) {
    let wild = pattern.chars().filter(|letter| matches!(letter, '*' | '?')).count();
    (wild == 0, pattern.chars().count() - wild)
}

impl<T> ToolRules<T> {
    /// What is declared of `tool`: under its own name, else under the pattern that spells out the
    /// most of it.
    pub fn get(&self, tool: &str) -> Option<&T> {
        self.rules.iter().find(|(pattern, _)| matches(pattern, tool)).map(|(_, rule)| rule)
    }

    /// Whether nothing is declared.
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Every rule, the most specific pattern first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.rules.iter().map(|(pattern, rule)| (pattern.as_str(), rule))
    }
}

/// Whether `name` fits `pattern`. Takes at most as many steps as their lengths multiplied.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    // Where to go on after the last `*`, which then takes one character more.
    let mut again: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let (rest, mut after) = (pattern.clone(), name.clone());
        match (pattern.next(), after.next()) {
            (None, None) => return true,
            (Some('*'), _) => again = Some((rest, name.clone())),
            (Some('?'), Some(_)) => name = after,
            (Some(a), Some(b)) if a == b => name = after,
            _ => {
                let Some((star, mut from)) = again.take() else { return false };
                if from.next().is_none() {
                    return false;
                }
                (pattern, name) = (star, from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_they_do_for_files() {
        for (pattern, name) in [
            ("think", "think"),
            ("*", ""),
            ("*", "think"),
            ("get_*", "get_order"),
            ("*_order", "get_order"),
            ("get_*_status", "get_order_status"),
            ("*a*b*", "xxaxxbxx"),
            ("g?t", "get"),
            ("**", "x"),
            ("é?", "éü"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("think", "thinks"),
            ("think", "Think"),
            ("get_*", "got_order"),
            ("get_*_status", "get_status"),
            ("*a*b", "ab c"),
            ("g?t", "gt"),
            ("", "x"),
            ("?", ""),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn the_name_itself_wins_then_what_spells_out_more() {
        let rules: ToolRules<u8> = [("*", 1), ("get_*", 2), ("get_order", 3), ("get_?rde?", 4)]
            .map(|(pattern, rule)| (pattern.to_owned(), rule))
            .into_iter()
            .collect();
        let of = |tool| rules.get(tool).copied();
        assert_eq!(
            (of("get_order"), of("get_orde2"), of("get_x"), of("x")),
            (Some(3), Some(4), Some(2), Some(1))
        );
        assert_eq!(ToolRules::<u8>::default().get("x"), None);
    }
}
