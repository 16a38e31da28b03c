//! What is kept of a call's arguments: fingerprints, never the arguments (METHOD section 3).

use std::fmt;

use super::ids::Name;
use super::outcome::words;

/// The first twelve lowercase hex characters, six bytes, of a SHA-256 over arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgsHash([u8; 6]);

impl ArgsHash {
    /// A hash from its six bytes.
    pub const fn from_bytes(bytes: [u8; 6]) -> Self {
        Self(bytes)
    }

    /// The six bytes.
    pub const fn as_bytes(&self) -> &[u8; 6] {
        &self.0
    }
}

impl fmt::Display for ArgsHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ArgsHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArgsHash({self})")
    }
}

words! {
    /// What was hashed. Hashes compare only within one form (METHOD section 8).
    ArgsForm {
        /// The RFC 8785 text of the whole arguments.
        Json = "json",
        /// Complete text that is not JSON, byte for byte.
        Raw = "raw",
        /// Text that was cut on its way; equal ones prove nothing.
        Cut = "cut",
        /// An object rebuilt from flattened keys.
        Flat = "flat",
        /// An object whose keys the sender lower-cased.
        LowerKeys = "lower_keys",
        /// A hash that came with the telemetry.
        Given = "given",
        /// The arguments with long texts inside cut by the sender, and their true size.
        Lossy = "lossy",
    }
}

/// A keyed print of one top-level parameter: it answers "which parameter did the model change?"
/// and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgumentPrint {
    /// The parameter's name.
    pub name: Name,
    /// Four bytes of HMAC-SHA-256 under this installation's secret of the canonical value.
    pub print: [u8; 4],
}

/// What is kept of one call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// What was hashed.
    pub form: ArgsForm,
    /// Who hashed and what it was taken from: instrumentation scope, attribute and algorithm.
    /// Hashes compare only within one source.
    pub source: Name,
    /// The args_hash.
    pub hash: ArgsHash,
    /// The same with integers beyond 2^53 digit for digit and without parameters that are ignored,
    /// where that differs: what compares.
    pub exact: Option<ArgsHash>,
    /// The hash without paging parameters, where there are any.
    pub core: Option<ArgsHash>,
    /// The hash of the position parameters alone, where there are any.
    pub pos: Option<ArgsHash>,
    /// Whether a redaction mark or a cut inside may hide a difference.
    pub hides: bool,
    /// Prints of the top-level parameters, sorted by name, at most 32; empty where not taken.
    pub prints: Vec<ArgumentPrint>,
}

words! {
    /// How two calls' arguments compare. An unknown is never called same or different.
    Comparison {
        /// The same arguments.
        Same = "same",
        /// Different arguments.
        Different = "different",
        /// It cannot be told.
        Unknown = "unknown",
    }
}

impl Arguments {
    /// Compares two calls' arguments (METHOD section 3, args-hash.md section 7).
    pub fn compare(a: Option<&Self>, b: Option<&Self>) -> Comparison {
        let (Some(a), Some(b)) = (a, b) else {
            return Comparison::Unknown;
        };
        if a.form != b.form || a.source != b.source {
            return Comparison::Unknown;
        }
        if a.exact.unwrap_or(a.hash) != b.exact.unwrap_or(b.hash) {
            return Comparison::Different;
        }
        if a.form == ArgsForm::Cut || a.hides || b.hides {
            return Comparison::Unknown;
        }
        Comparison::Same
    }

    /// Whether only the position changed: `core` equal and `pos` different, where an absent
    /// `pos` counts as different from a present one (METHOD section 7, `paging`). Where a
    /// redaction or a cut may hide a difference, an equal `core` proves nothing.
    pub fn is_page_turn(a: &Self, b: &Self) -> bool {
        let core = |args: &Self| args.core.or(args.exact).unwrap_or(args.hash);
        a.form == b.form
            && a.form != ArgsForm::Cut
            && a.source == b.source
            && !a.hides
            && !b.hides
            && core(a) == core(b)
            && a.pos != b.pos
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(form: ArgsForm, hash: u8) -> Arguments {
        Arguments {
            form,
            source: Name::cut("scope attribute jcs1"),
            hash: ArgsHash::from_bytes([hash; 6]),
            exact: None,
            core: None,
            pos: None,
            hides: false,
            prints: Vec::new(),
        }
    }

    fn compare(a: &Arguments, b: &Arguments) -> Comparison {
        assert_eq!(Arguments::compare(Some(a), Some(b)), Arguments::compare(Some(b), Some(a)));
        Arguments::compare(Some(a), Some(b))
    }

    #[test]
    fn only_what_can_be_compared_is_same_or_different() {
        let one = arguments(ArgsForm::Json, 1);
        assert_eq!(compare(&one, &arguments(ArgsForm::Json, 1)), Comparison::Same);
        assert_eq!(compare(&one, &arguments(ArgsForm::Json, 2)), Comparison::Different);
        assert_eq!(compare(&one, &arguments(ArgsForm::Raw, 1)), Comparison::Unknown);
        let elsewhere = Arguments { source: Name::cut("another"), ..one.clone() };
        assert_eq!(compare(&one, &elsewhere), Comparison::Unknown);
        assert_eq!(Arguments::compare(Some(&one), None), Comparison::Unknown);
        assert_eq!(Arguments::compare(None, None), Comparison::Unknown);
    }

    #[test]
    fn what_hides_a_difference_is_never_the_same() {
        let hides = Arguments { hides: true, ..arguments(ArgsForm::Json, 1) };
        assert_eq!(compare(&hides, &arguments(ArgsForm::Json, 1)), Comparison::Unknown);
        assert_eq!(compare(&hides, &arguments(ArgsForm::Json, 2)), Comparison::Different);
        let cut = arguments(ArgsForm::Cut, 1);
        assert_eq!(compare(&cut, &cut), Comparison::Unknown);
        assert_eq!(compare(&cut, &arguments(ArgsForm::Cut, 2)), Comparison::Different);
    }

    #[test]
    fn integers_beyond_doubles_compare_digit_for_digit() {
        let exact = |exact: u8| Arguments {
            exact: Some(ArgsHash::from_bytes([exact; 6])),
            ..arguments(ArgsForm::Json, 1)
        };
        assert_eq!(compare(&exact(3), &exact(3)), Comparison::Same);
        assert_eq!(compare(&exact(3), &exact(4)), Comparison::Different);
        assert_eq!(compare(&exact(3), &arguments(ArgsForm::Json, 1)), Comparison::Different);
    }

    #[test]
    fn a_page_turn_keeps_the_core_and_changes_the_position() {
        let page = |core: Option<u8>, pos: Option<u8>| Arguments {
            core: core.map(|hash| ArgsHash::from_bytes([hash; 6])),
            pos: pos.map(|hash| ArgsHash::from_bytes([hash; 6])),
            ..arguments(ArgsForm::Json, 1)
        };
        // A first page without paging parameters is its own core.
        assert!(Arguments::is_page_turn(&page(None, None), &page(Some(1), Some(9))));
        assert!(Arguments::is_page_turn(&page(Some(5), Some(8)), &page(Some(5), Some(9))));
        assert!(!Arguments::is_page_turn(&page(Some(5), Some(8)), &page(Some(6), Some(9))));
        assert!(!Arguments::is_page_turn(&page(Some(5), None), &page(Some(5), None)));
        // What hides a difference may hide one in the core.
        let hiding = Arguments { hides: true, ..page(Some(5), Some(8)) };
        assert!(!Arguments::is_page_turn(&hiding, &page(Some(5), Some(9))));
        let cut = |pos| Arguments { form: ArgsForm::Cut, ..page(Some(5), Some(pos)) };
        assert!(!Arguments::is_page_turn(&cut(8), &cut(9)));
    }
}
