//! The two rules under which a rate is told; rates are compared only under one.

use super::rate::Rate;
use super::tool_client::Figures;
use super::{RULE_EVIDENCE, RULE_WINDOW};

/// A rule that says which calls were not right the first time (METHOD sections 5 to 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Every retry counts: `window-30s`.
    Window,
    /// Look-alikes are set aside: `window-30s+evidence/1`.
    #[default]
    Confirmed,
}

impl Rule {
    /// The id, as reports print it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Window => RULE_WINDOW,
            Self::Confirmed => RULE_EVIDENCE,
        }
    }

    /// The rule with this id.
    pub fn of_id(id: &str) -> Option<Self> {
        [Self::Window, Self::Confirmed].into_iter().find(|rule| rule.id() == id)
    }

    /// What its rate is called.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Window => "first-call success",
            Self::Confirmed => "confirmed first-call success",
        }
    }

    /// The rate of these figures; none where no call was judged.
    pub fn rate(self, figures: &Figures) -> Option<Rate> {
        match self {
            Self::Window => figures.first_call_success(),
            Self::Confirmed => figures.confirmed_first_call_success(),
        }
    }
}
