//! The tool table: one row per tool, by what needs attention.

use super::facts::Facts;
use super::rate_text::{ChangeText, RateText};
use super::retries;
use crate::call::{Day, ToolKey};
use crate::figures::finding::top_parameter;
use crate::figures::format::{count, decimal, milliseconds};
use crate::figures::{Band, Figures, Rate};
use crate::report::chart::{self, Mark, Sparkline};
use crate::report::lines::ByDay;
use crate::report::{dates, names};

/// A tool's name, service and page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLabel {
    /// The name as it is shown.
    pub name: String,
    /// The service, where the report holds several.
    pub service: Option<String>,
    /// The slug of its page.
    pub slug: String,
}

impl ToolLabel {
    /// The label of a tool.
    pub fn of(facts: &Facts<'_>, key: &ToolKey) -> Self {
        Self {
            name: names::shown(key.tool.as_str()),
            service: facts.service(key).map(|service| names::shown(service.as_str())),
            slug: facts.tool_slug(key),
        }
    }
}

/// How a tool or client does, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The word.
    pub word: &'static str,
    /// Its class in the style sheet.
    pub style: &'static str,
    /// What qualifies it; empty where nothing does.
    pub note: &'static str,
}

impl Status {
    /// The status of these figures.
    pub fn of(figures: &Figures) -> Self {
        let plain = |word, style| Self { word, style, note: "" };
        let Some(rate) = figures.first_call_success() else {
            return if figures.calls == 0 {
                plain("not called", "calm")
            } else {
                plain("not judged", "calm")
            };
        };
        if rate.is_few() {
            return plain("few calls", "calm");
        }
        let confirmed = figures.confirmed_first_call_success().map(Rate::band);
        let is_look_alike = confirmed.is_some_and(|confirmed| confirmed < rate.band())
            && figures.look_alikes() * 2 > figures.retried;
        let note = if is_look_alike { "mostly look\u{2011}alikes" } else { "" };
        let style = match rate.band() {
            Band::Healthy => "calm",
            Band::Friction => "some",
            Band::Low => "low",
            Band::Severe => "severe",
        };
        Self { word: rate.band().word(), style, note }
    }
}

/// The status of a tool that is offered and that nothing calls.
pub const NEVER_CALLED: Status = Status { word: "never called", style: "calm", note: "" };

impl Status {
    /// The status of a tool, which may be one that is offered and that nothing calls.
    pub fn of_tool(facts: &Facts<'_>, key: &ToolKey) -> Self {
        if facts.is_never_called(key) {
            return NEVER_CALLED;
        }
        Self::of(facts.tool(key))
    }
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRow {
    /// The tool.
    pub tool: ToolLabel,
    /// First-call success.
    pub first_call: RateText,
    /// What became of it.
    pub change: ChangeText,
    /// Its last 30 days.
    pub days: Sparkline,
    /// Confirmed first-call success.
    pub confirmed: RateText,
    /// Mean extra attempts.
    pub extra_attempts: Option<String>,
    /// All calls.
    pub calls: String,
    /// What most retries were.
    pub mostly: Option<&'static str>,
    /// The parameter that is reworded most.
    pub parameter: Option<String>,
    /// The latency that 95 % of calls stay under.
    pub p95: Option<String>,
    /// How it does.
    pub status: Status,
}

/// The most rows of one table on pages that are not split; a page stays within its budget, and
/// what it leaves out stands on pages of its own.
pub const ROWS: usize = 200;

/// The rows that such a page shows.
pub fn first_rows<T>(rows: &[T]) -> &[T] {
    rows.get(..ROWS).unwrap_or(rows)
}

/// The size of a line in a table row.
const LINE: (u32, u32) = (104, 24);

/// The tools of the range and those that were called shortly before, by what needs attention:
/// the worst band first, within it the most calls that were not right the first time.
pub fn tools_by_need(facts: &Facts<'_>) -> Vec<ToolKey> {
    let mut keys: Vec<ToolKey> = facts.tools.keys().cloned().collect();
    keys.sort_by_cached_key(|key| {
        let figures = facts.tool(key);
        (need(figures), std::cmp::Reverse(figures.calls), key.clone())
    });
    keys
}

/// A rank by what needs attention, the most first.
pub fn need(figures: &Figures) -> (u8, std::cmp::Reverse<u64>) {
    let rank = match figures.first_call_success() {
        Some(rate) if rate.is_few() => 5,
        Some(rate) => match rate.band() {
            Band::Severe => 0,
            Band::Low => 1,
            Band::Friction => 2,
            Band::Healthy => 4,
        },
        None if figures.calls > 0 => 3,
        None => 6,
    };
    (rank, std::cmp::Reverse(figures.judged - figures.first_call_successes.min(figures.judged)))
}

/// The rows of these tools; their lines share one scale.
pub fn rows(facts: &Facts<'_>, keys: &[ToolKey]) -> Vec<ToolRow> {
    let rates = |key: &ToolKey| rates_of_days(facts, facts.input.lines.tool(key));
    let rates: Vec<Vec<Option<Rate>>> = keys.iter().map(rates).collect();
    let floor = chart::common_floor(
        rates.iter().flatten().filter_map(|rate: &Option<Rate>| rate.map(Rate::fraction)),
    );
    keys.iter()
        .zip(&rates)
        .map(|(key, rates)| {
            let figures = facts.tool(key);
            ToolRow {
                tool: ToolLabel::of(facts, key),
                first_call: RateText::first_call(figures),
                change: ChangeText::first_call(figures, facts.tool_before(key)),
                days: Sparkline {
                    twin: "The tool's page has the same numbers as a table.",
                    ..line(rates, LINE, floor)
                },
                confirmed: RateText::confirmed(figures),
                extra_attempts: figures.extra_attempts_mean().map(decimal),
                calls: count(figures.calls),
                mostly: retries::mostly(figures),
                parameter: top_parameter(figures).map(|(name, _)| names::shown(name.as_str())),
                p95: figures.latency.percentile(95).map(|nanos| milliseconds(nanos / 1e6)),
                status: Status::of_tool(facts, key),
            }
        })
        .collect()
}

/// The fewest judged calls that a day needs to be a point of a line: fewer swing between all
/// and nothing.
pub const CALLS_PER_POINT: u64 = 5;

/// The rate of each day of the charts that is a point of a line.
fn rates_of_days(facts: &Facts<'_>, by_day: &ByDay) -> Vec<Option<Rate>> {
    let rate = |day| by_day.get(day).and_then(|counts| counts.first_call_success());
    facts.history_days().map(|day| rate(day).filter(is_point)).collect()
}

fn is_point(rate: &Rate) -> bool {
    rate.judged() >= CALLS_PER_POINT
}

/// The line of a whole report over the last 30 days.
pub fn history_line(facts: &Facts<'_>, size: (u32, u32)) -> Sparkline {
    let rate = |day| facts.night(day).and_then(|night| night.all.counts().first_call_success());
    with_marks(facts, line_of_rates(facts.history_days().map(rate), size))
}

/// The line of a tool or a client over the last 30 days.
pub fn line_of_days(facts: &Facts<'_>, by_day: &ByDay, size: (u32, u32)) -> Sparkline {
    with_marks(facts, line_of_rates(rates_of_days(facts, by_day).into_iter(), size))
}

/// The line with the releases of its days.
fn with_marks(facts: &Facts<'_>, line: Sparkline) -> Sparkline {
    let days: Vec<_> = facts.history_days().collect();
    let mark = |(position, day): (usize, &Day)| {
        let name = facts.release(*day)?;
        let x = chart::x_of(position, days.len(), line.width);
        Some(Mark { x, day: dates::short(*day), name })
    };
    let marks = days.iter().enumerate().filter_map(mark).collect();
    Sparkline { marks, ..line }
}

fn line_of_rates(rates: impl Iterator<Item = Option<Rate>>, size: (u32, u32)) -> Sparkline {
    let rates: Vec<_> = rates.map(|rate| rate.filter(is_point)).collect();
    let floor = chart::common_floor(rates.iter().flatten().map(|rate| rate.fraction()));
    line(&rates, size, floor)
}

fn line(rates: &[Option<Rate>], size: (u32, u32), floor: f64) -> Sparkline {
    let values: Vec<_> = rates.iter().map(|rate| rate.map(Rate::fraction)).collect();
    let mut line = chart::sparkline(&values, size, floor);
    let known: Vec<Rate> = rates.iter().flatten().copied().collect();
    line.title = match (known.first(), known.last()) {
        (Some(first), Some(last)) => format!(
            "30 days, {} to {} percent, {} of them unknown",
            crate::figures::format::rate_number(*first),
            crate::figures::format::rate_number(*last),
            rates.len() - known.len(),
        ),
        _ => "no day of the last 30 is known".to_owned(),
    };
    line.is_alarming =
        known.last().is_some_and(|rate| matches!(rate.band(), Band::Low | Band::Severe));
    line
}

/// The period before, as a table's caption names it.
pub fn against(facts: &Facts<'_>) -> Option<String> {
    facts.previous_period().map(|(from, to)| dates::range_beside(from, to, facts.dates.to))
}
