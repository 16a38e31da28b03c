//! How a call ended, and whether its answer held anything (METHOD section 4).

/// Declares a closed set of words with one stable name each, used in columns, JSON and pages.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Every value, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable word for this value.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value that this word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.word() == word)
            }

            /// The value's position in [`Self::ALL`], and its stored byte.
            pub const fn index(self) -> u8 {
                self as u8
            }

            /// The value stored as this byte.
            pub fn from_index(index: u8) -> Option<Self> {
                Self::ALL.get(usize::from(index)).copied()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// How a call ended. A failure is never guessed into a finer kind than telemetry tells.
    Outcome {
        /// It answered without saying that it failed.
        Ok = "ok",
        /// The arguments were refused before the tool's own code ran.
        BadArgs = "bad_args",
        /// The model asked for a tool that is not there; never a call of that tool.
        UnknownTool = "unknown_tool",
        /// The tool ran and said that it failed.
        ToolError = "tool_error",
        /// The tool threw.
        Crashed = "crashed",
        /// Nobody waited for the answer any longer.
        Timeout = "timeout",
        /// It was called off.
        Cancelled = "cancelled",
        /// It failed, and the kind was not told.
        Error = "error",
    }
}

words! {
    /// Whether the answer held anything.
    Emptiness {
        /// The answer is known to hold nothing.
        Yes = "yes",
        /// The answer is known to hold something.
        No = "no",
        /// Not told and not visible; treated as not empty.
        Unknown = "unknown",
    }
}

words! {
    /// How far an `ok` can be believed: some instrumentations hide failures.
    Confidence {
        /// This instrumentation tells failures.
        High = "high",
        /// This instrumentation is known to hide failures.
        Low = "low",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_and_index_leads_back_to_its_value() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_word(outcome.word()), Some(*outcome));
            assert_eq!(Outcome::from_index(outcome.index()), Some(*outcome));
        }
        assert_eq!(Outcome::from_word("OK"), None);
        assert_eq!(Outcome::from_index(8), None);
    }
}
