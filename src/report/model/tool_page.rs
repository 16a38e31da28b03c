//! A tool's page.

use super::facts::Facts;
use super::figures_text::{self, CountRow, HistogramText, Term};
use super::findings::{self, FindingText};
use super::frame::{Frame, Night};
use super::grid::ClientLabel;
use super::history::{ByDay, Histories};
use super::overview::{PairRow, pairs};
use super::rate_text::{ChangeText, RateText};
use super::recovery::RecoveryText;
use super::retries::Retries;
use super::table::{self, Status};
use crate::call::ToolKey;
use crate::figures::Figures;
use crate::figures::format::{count, milliseconds};
use crate::report::chart::Sparkline;
use crate::report::input::ShownBefore;
use crate::report::names;

/// What a tool's page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPage {
    /// The frame.
    pub frame: Frame,
    /// The tool's whole name.
    pub name: String,
    /// Its service.
    pub service: String,
    /// The slug of its page.
    pub slug: String,
    /// The figures.
    pub figures: SubjectFigures,
    /// By client, the most that was not right the first time first.
    pub clients: Vec<PartRow>,
    /// Tools that come before and after it.
    pub pairs: Vec<PairRow>,
    /// Recovery of its uncertain calls.
    pub recovery: RecoveryText,
}

/// The figures that a tool's and a client's page share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectFigures {
    /// How it does.
    pub status: Status,
    /// First-call success.
    pub first_call: RateText,
    /// What became of it.
    pub change: ChangeText,
    /// Confirmed first-call success.
    pub confirmed: RateText,
    /// What became of that.
    pub confirmed_change: ChangeText,
    /// The last 30 days.
    pub line: Sparkline,
    /// The covered days of those, the newest first.
    pub days: Vec<SubjectDay>,
    /// The period before, in words.
    pub against: Option<String>,
    /// First-call success as it was shown before days were run again; none where it is equal.
    pub shown_before: Option<RateText>,
    /// Calls, retries, chains, empties, latency.
    pub terms: Vec<Term>,
    /// What the retries were.
    pub retries: Retries,
    /// Which parameters were reworded.
    pub parameters: Vec<CountRow>,
    /// How many retries those shares are of.
    pub parameters_of: String,
    /// How the calls ended.
    pub outcomes: Vec<CountRow>,
    /// Why calls were not judged.
    pub unjudged: Vec<CountRow>,
    /// How long they took.
    pub latency: Option<HistogramText>,
    /// What to do.
    pub findings: Vec<FindingText>,
}

/// A day of a tool or a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectDay {
    /// The night's page.
    pub night: Night,
    /// First-call success.
    pub first_call: RateText,
    /// Calls.
    pub calls: String,
    /// Retries.
    pub retried: String,
}

/// A part of a tool's or a client's figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRow {
    /// The name as it is shown.
    pub name: String,
    /// What stands beneath the name: a tool's service.
    pub beneath: Option<String>,
    /// The slug of its page.
    pub slug: String,
    /// First-call success.
    pub first_call: RateText,
    /// What became of it.
    pub change: ChangeText,
    /// Confirmed.
    pub confirmed: RateText,
    /// Calls.
    pub calls: String,
    /// Retries.
    pub retried: String,
    /// The latency that 95 % of calls stay under.
    pub p95: Option<String>,
    /// How it does.
    pub status: Status,
}

/// The page of a tool.
pub fn tool_page(facts: &Facts<'_>, histories: &Histories, key: &ToolKey) -> ToolPage {
    let figures = facts.tool(key);
    let slug = facts.tool_slug(key);
    let shown = facts.shown_before.as_ref().and_then(|earlier| earlier.tools.get(key));
    let parts = SubjectParts {
        figures,
        before: facts.tool_before(key),
        shown_before: shown,
        line: table::line_of_days(facts, histories.tool(key), LINE),
        days: days(facts, histories.tool(key)),
        findings: findings::of_tool(facts, key),
    };
    ToolPage {
        frame: Frame::below(facts, names::shown(key.tool.as_str()))
            .with_twin(format!("tools/{slug}.md")),
        name: names::shown_whole(key.tool.as_str()),
        service: names::shown(key.service.as_str()),
        figures: subject(facts, parts),
        clients: clients(facts, key),
        pairs: pairs(facts, |pair| pair.first == *key || pair.next == *key)
            .into_iter()
            .take(12)
            .collect(),
        recovery: RecoveryText::of(figures),
        slug,
    }
}

/// The size of the line on a page of its own.
pub const LINE: (u32, u32) = (360, 84);

/// What the shared figures are made from.
pub struct SubjectParts<'p> {
    /// The figures of the range.
    pub figures: &'p Figures,
    /// Those of the period before.
    pub before: Option<&'p Figures>,
    /// The headline as shown before days were run again, where that is kept.
    pub shown_before: Option<&'p ShownBefore>,
    /// The last 30 days.
    pub line: Sparkline,
    /// The covered days of those.
    pub days: Vec<SubjectDay>,
    /// The findings.
    pub findings: Vec<FindingText>,
}

/// The figures that a tool's and a client's page share.
pub fn subject(facts: &Facts<'_>, parts: SubjectParts<'_>) -> SubjectFigures {
    let figures = parts.figures;
    let first_call = RateText::first_call(figures);
    SubjectFigures {
        status: Status::of(figures),
        change: ChangeText::first_call(figures, parts.before),
        confirmed: RateText::confirmed(figures),
        confirmed_change: ChangeText::confirmed(figures, parts.before),
        line: parts.line,
        days: parts.days,
        against: table::against(facts),
        shown_before: parts
            .shown_before
            .map(RateText::shown_before)
            .filter(|shown| *shown != first_call),
        first_call,
        terms: if figures.calls == 0 { Vec::new() } else { figures_text::terms(figures) },
        retries: Retries::of(figures),
        parameters: figures_text::parameters(figures),
        parameters_of: count(figures.reworded_known),
        outcomes: figures_text::outcomes(figures),
        unjudged: figures_text::unjudged(figures),
        latency: figures_text::latency_histogram(&figures.latency),
        findings: parts.findings,
    }
}

/// The covered days that hold figures of the subject, the newest first.
pub fn days(facts: &Facts<'_>, by_day: &ByDay) -> Vec<SubjectDay> {
    let not_called = Figures::default();
    let covered = facts.input.history.iter().rev();
    covered
        .map(|covered| {
            let figures = by_day.get(&covered.day).unwrap_or(&not_called);
            SubjectDay {
                night: Night::of(covered.day),
                first_call: RateText::first_call(figures),
                calls: count(figures.calls),
                retried: count(figures.retried),
            }
        })
        .collect()
}

fn clients(facts: &Facts<'_>, key: &ToolKey) -> Vec<PartRow> {
    let Some(tool) = facts.now.tools.get(key) else { return Vec::new() };
    let mut parts: Vec<_> = tool.clients.iter().collect();
    parts.sort_by_key(|(client, figures)| (table::need(figures), (*client).clone()));
    parts
        .into_iter()
        .map(|(client, figures)| {
            let label = ClientLabel::of(facts, client);
            part((label.name, None, label.slug), figures, facts.cell_before(key, client))
        })
        .collect()
}

/// The row of a part.
pub fn part(
    (name, beneath, slug): (String, Option<String>, String),
    figures: &Figures,
    before: Option<&Figures>,
) -> PartRow {
    PartRow {
        name,
        beneath,
        slug,
        first_call: RateText::first_call(figures),
        change: ChangeText::first_call(figures, before),
        confirmed: RateText::confirmed(figures),
        calls: count(figures.calls),
        retried: count(figures.retried),
        p95: figures.latency.percentile(95).map(|nanos| milliseconds(nanos / 1e6)),
        status: Status::of(figures),
    }
}
