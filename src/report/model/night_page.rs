//! A night's page: the figures of one covered day; and the list of all nights.
//!
//! A night's page speaks of its day alone, not of the range that the report is of: while its day
//! is not run again it keeps its bytes from one report to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::facts::Facts;
use super::frame::{Frame, Night};
use super::rate_text::{RateText, shown_before};
use super::retries::{self, Retries};
use super::table::ToolLabel;
use super::tool_page::{PartFigures, PartRow, part};
use crate::call::{Day, ToolKey};
use crate::figures::format::{count, counted};
use crate::report::night::{NightFigures, NightRow};
use crate::report::{dates, names, slug};

/// What a night's page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NightPage {
    /// The frame.
    pub frame: Frame,
    /// The day.
    pub night: Night,
    /// The day in words.
    pub day: String,
    /// The covered day before, where it has a page.
    pub before: Option<Night>,
    /// The covered day after, where it has a page.
    pub after: Option<Night>,
    /// Whether the day was run again.
    pub is_restated: bool,
    /// What was released on it.
    pub release: Option<String>,
    /// First-call success.
    pub first_call: RateText,
    /// As it was shown before the day was run again; none where it was not, or is equal.
    pub shown_before: Option<String>,
    /// Confirmed.
    pub confirmed: RateText,
    /// Calls.
    pub calls: String,
    /// What the retries were.
    pub retries: Retries,
    /// By tool, those that need attention most.
    pub tools: Vec<PartRow>,
    /// How many tools were called, where the page does not show them all.
    pub tools_called: Option<usize>,
    /// By client.
    pub clients: Vec<PartRow>,
}

/// The page of a night; `nights` are all that have a page, older ones that an earlier report
/// left included.
pub fn night_page(
    nights: &BTreeSet<Day>,
    (day, figures): (Day, &NightFigures),
    release: Option<String>,
) -> NightPage {
    let before = nights.range(..day).next_back().copied();
    let after = nights.range((Bound::Excluded(day), Bound::Unbounded)).next().copied();
    let all = figures.all.counts();
    let services: BTreeSet<_> = figures.tools.iter().map(|row| &row.key.service).collect();
    let label = |key: &ToolKey| ToolLabel {
        name: names::shown(key.tool.as_str()),
        service: (services.len() > 1).then(|| names::shown(key.service.as_str())),
        slug: slug::of_tool(key),
    };
    NightPage {
        frame: Frame::of_night(day),
        night: Night::of(day),
        day: dates::long(day),
        before: before.map(Night::of),
        after: after.map(Night::of),
        is_restated: figures.restated.is_some(),
        release,
        shown_before: figures.restated.and_then(|shown| shown_before(&shown, &all)),
        first_call: RateText::first_call(&all),
        confirmed: RateText::confirmed(&all),
        calls: counted(all.calls, "call", "calls"),
        retries: Retries::of(&all),
        tools: figures
            .tools
            .iter()
            .map(|row| {
                let label = label(&row.key);
                part((label.name, label.service, label.slug), &figures_of(row), None)
            })
            .collect(),
        tools_called: (figures.tools_called > figures.tools.len()).then_some(figures.tools_called),
        clients: figures
            .clients
            .iter()
            .map(|row| {
                let name = names::shown(row.key.as_str());
                part((name, None, slug::of_client(&row.key)), &figures_of(row), None)
            })
            .collect(),
    }
}

fn figures_of<K: Ord + Clone>(row: &NightRow<K>) -> PartFigures {
    PartFigures { counts: row.counts(), p95: row.p95() }
}

/// What the list of nights says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NightList {
    /// The frame.
    pub frame: Frame,
    /// The nights of which this report knows the figures, the newest first.
    pub nights: Vec<NightLine>,
    /// Nights whose pages earlier reports left, by month, the newest first.
    pub earlier: Vec<Month>,
}

/// One night.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NightLine {
    /// The night.
    pub night: Night,
    /// The day in words.
    pub day: String,
    /// First-call success.
    pub first_call: RateText,
    /// Confirmed.
    pub confirmed: RateText,
    /// Calls.
    pub calls: String,
    /// Retries; none where they cannot be told.
    pub retried: Option<String>,
    /// Whether the day was run again.
    pub is_restated: bool,
    /// What was released on it.
    pub release: Option<String>,
}

/// The nights of one month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Month {
    /// The month in words.
    pub name: String,
    /// Its nights, ascending.
    pub nights: Vec<Night>,
}

/// The list of all nights that have a page.
pub fn night_list(facts: &Facts<'_>, nights: &BTreeSet<Day>) -> NightList {
    let mut earlier: BTreeMap<String, Month> = BTreeMap::new();
    for day in nights.iter().filter(|day| facts.night(**day).is_none()) {
        let (key, name) = dates::month(*day);
        let month = earlier.entry(key).or_insert_with(|| Month { name, nights: Vec::new() });
        month.nights.push(Night::of(*day));
    }
    let line = |(day, figures): (&Day, &NightFigures)| {
        let all = figures.all.counts();
        NightLine {
            night: Night::of(*day),
            day: dates::short_with_year(*day),
            first_call: RateText::first_call(&all),
            confirmed: RateText::confirmed(&all),
            calls: count(all.calls),
            retried: retries::retried(&all),
            is_restated: figures.restated.is_some(),
            release: facts.release(*day),
        }
    };
    NightList {
        frame: Frame::below(facts, "Nights"),
        nights: facts.input.nights.iter().rev().map(line).collect(),
        earlier: earlier.into_values().rev().collect(),
    }
}
