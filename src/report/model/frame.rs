//! What stands on every page: what it is of, by which rules, and what it cannot see.

use super::facts::Facts;
use crate::call::Day;
use crate::figures::format::counted;
use crate::figures::{RULE_EVIDENCE, RULE_WINDOW};
use crate::report::dates;

/// What the figures cannot see (METHOD section 12), printed on every page.
pub const LIMITS: &str = "A model that gives up leaves no trace here; a retry in a new session \
    is not visible; a switch to another tool is a pair, not a retry; tools slower than 30\u{a0}s \
    cannot be retried within the window. So the retry rate is a floor for what the rule looks \
    for, and the look-alikes say how much of it is something else.";

/// The frame of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The page's title.
    pub title: String,
    /// The way to the site's top: empty, or `../`.
    pub root: &'static str,
    /// The last covered day: `As of 29 November 2026`, or that there is none.
    pub as_of: String,
    /// The range and how much of it is covered.
    pub range: String,
    /// The id of the window rule.
    pub rule: &'static str,
    /// The id of the rule with its classes.
    pub evidence: &'static str,
    /// What the figures cannot see.
    pub limits: &'static str,
    /// The page's Markdown twin, from the top; none where it has none.
    pub twin: Option<String>,
}

/// A night's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Night {
    /// The day as `2026-11-29`.
    pub day: String,
    /// The day as `29 Nov`.
    pub short: String,
}

impl Night {
    /// The page of the night that covered `day`.
    pub fn of(day: Day) -> Self {
        Self { day: day.to_string(), short: dates::short(day) }
    }
}

impl Frame {
    /// The frame of a page at the site's top.
    pub fn top(facts: &Facts<'_>, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            root: "",
            as_of: facts.dates.as_of.map_or_else(
                || "No day covered yet".to_owned(),
                |day| format!("As of {}", dates::long(day)),
            ),
            range: range(facts),
            rule: RULE_WINDOW,
            evidence: RULE_EVIDENCE,
            limits: LIMITS,
            twin: None,
        }
    }

    /// The frame of a page one folder down.
    pub fn below(facts: &Facts<'_>, title: impl Into<String>) -> Self {
        Self { root: "../", ..Self::top(facts, title) }
    }

    /// The frame of a night's page, which speaks of its day alone.
    pub fn of_night(day: Day) -> Self {
        Self {
            title: dates::long(day),
            root: "../",
            as_of: "One covered day".to_owned(),
            range: dates::long(day),
            rule: RULE_WINDOW,
            evidence: RULE_EVIDENCE,
            limits: LIMITS,
            twin: None,
        }
    }

    /// The frame with the page's Markdown twin.
    pub fn with_twin(self, twin: impl Into<String>) -> Self {
        Self { twin: Some(twin.into()), ..self }
    }
}

fn range(facts: &Facts<'_>) -> String {
    let (from, to) = (facts.dates.from, facts.dates.to);
    let covered = facts.now.covered.len() as u64;
    let asked = u64::from(to.number().saturating_sub(from.number())) + 1;
    let days = if covered == asked {
        format!("{} covered", counted(covered, "day", "days"))
    } else {
        format!("{covered} of {} covered", counted(asked, "day", "days"))
    };
    format!("{}, {days}", dates::range(from, to))
}
