//! A night's page: the figures of one covered day.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::facts::Facts;
use super::frame::{Frame, Night};
use super::grid::ClientLabel;
use super::rate_text::RateText;
use super::retries::Retries;
use super::table::{self, ToolLabel};
use super::tool_page::{PartRow, part};
use crate::call::Day;
use crate::figures::format::count;
use crate::figures::{DayFigures, RangeFigures};
use crate::report::dates;
use crate::report::input::ShownBefore;

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
    /// First-call success.
    pub first_call: RateText,
    /// As it was shown before the day was run again; none where it was not, or is equal.
    pub shown_before: Option<RateText>,
    /// Confirmed.
    pub confirmed: RateText,
    /// Calls.
    pub calls: String,
    /// What the retries were.
    pub retries: Retries,
    /// By tool.
    pub tools: Vec<PartRow>,
    /// By client.
    pub clients: Vec<PartRow>,
}

/// The covered days of which a page is made, ascending: those of the range, of the period
/// before it and of the charts.
pub fn nights<'f>(facts: &Facts<'f>) -> Vec<&'f DayFigures> {
    let input = facts.input;
    let mut days: Vec<_> = input.previous.iter().chain(&input.history).chain(&input.days).collect();
    days.sort_by_key(|day| day.day);
    days.dedup_by_key(|day| day.day);
    days
}

/// The page of a night; `nights` are all that have a page, older ones that an earlier report
/// left included.
pub fn night_page(facts: &Facts<'_>, nights: &BTreeSet<Day>, day: &DayFigures) -> NightPage {
    let before = nights.range(..day.day).next_back().copied();
    let after = nights.range((Bound::Excluded(day.day), Bound::Unbounded)).next().copied();
    let range = RangeFigures::of([day]);
    let first_call = RateText::first_call(&range.overall);
    let restated = facts.input.restated.get(&day.day);
    let mut tools: Vec<_> = range.tools.iter().collect();
    tools.sort_by_key(|(key, tool)| (table::need(&tool.all), (*key).clone()));
    let mut clients: Vec<_> = range.clients.iter().collect();
    clients.sort_by_key(|(client, figures)| (table::need(figures), (*client).clone()));
    NightPage {
        frame: Frame::below(facts, dates::long(day.day)),
        night: Night::of(day.day),
        day: dates::long(day.day),
        before: before.map(Night::of),
        after: after.map(Night::of),
        is_restated: restated.is_some(),
        shown_before: restated
            .map(|earlier| {
                let mut shown = ShownBefore::default();
                earlier.tools.values().for_each(|tool| shown.add(*tool));
                RateText::shown_before(&shown)
            })
            .filter(|shown| *shown != first_call),
        first_call,
        confirmed: RateText::confirmed(&range.overall),
        calls: count(range.overall.calls),
        retries: Retries::of(&range.overall),
        tools: tools
            .into_iter()
            .map(|(key, tool)| {
                let label = ToolLabel::of(facts, key);
                part((label.name, label.service, label.slug), &tool.all, None)
            })
            .collect(),
        clients: clients
            .into_iter()
            .map(|(client, figures)| {
                let label = ClientLabel::of(facts, client);
                part((label.name, None, label.slug), figures, None)
            })
            .collect(),
    }
}
