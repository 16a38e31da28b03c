//! Argument prints: which parameter did the model change? (METHOD section 3)

use super::canonical_json::Canonical;
use super::keys::{Keys, first};
use crate::call::{ArgumentPrint, Name};

/// How many parameters of a call are printed.
pub(super) const MAX_PRINTS: usize = 32;

/// Prints of the top object's members, sorted by name. A parameter whose name is longer than
/// any name that is kept has none.
pub(super) fn prints(arguments: &Canonical, keys: &Keys) -> Vec<ArgumentPrint> {
    let mut names: Vec<_> = arguments
        .members()
        .filter_map(|member| Some((Name::exact(member.key)?, member.value)))
        .collect();
    names.sort_by(|(a, _), (b, _)| a.cmp(b));
    names
        .into_iter()
        .take(MAX_PRINTS)
        .map(|(name, value)| ArgumentPrint { name, print: first(keys.mac(&[value.as_bytes()])) })
        .collect()
}
