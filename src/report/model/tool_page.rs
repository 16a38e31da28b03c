//! A tool's page.

use super::facts::Facts;
use super::figures_text::{self, CountRow, HistogramText, Term};
use super::findings::{self, FindingText};
use super::frame::{Frame, Night};
use super::grid::ClientLabel;
use super::overview::{PairRow, pairs};
use super::rate_text::{ChangeText, RateText, shown_before};
use super::recovery::RecoveryText;
use super::retries::{self, Retries};
use super::table::{self, Status};
use crate::call::{ClientName, Day, ToolKey};
use crate::figures::format::{bytes, count, counted, milliseconds};
use crate::figures::rate::as_float;
use crate::figures::{Figures, PackedFigures};
use crate::report::chart::Sparkline;
use crate::report::input::ShownBefore;
use crate::report::lines::ByDay;
use crate::report::{dates, names};

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
    /// That the range has no call of it, and what is known beside; none of a tool that was called.
    pub not_called: Option<String>,
}

/// The figures that a tool's and a client's page share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectFigures {
    /// How it does.
    pub status: Status,
    /// Whether any call of it is known, in the range or on the days around it.
    pub is_called: bool,
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
    pub shown_before: Option<String>,
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
    /// What was released on it.
    pub release: Option<String>,
    /// First-call success.
    pub first_call: RateText,
    /// Calls.
    pub calls: String,
    /// Retries; none where they cannot be told.
    pub retried: Option<String>,
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
    /// Retries; none where they cannot be told.
    pub retried: Option<String>,
    /// The latency that 95 % of calls stay under.
    pub p95: Option<String>,
    /// How it does.
    pub status: Status,
}

/// The page of a tool.
pub fn tool_page(facts: &Facts<'_>, key: &ToolKey) -> ToolPage {
    let figures = facts.tool(key);
    let slug = facts.tool_slug(key);
    let shown = facts.shown_before.and_then(|earlier| earlier.tools.get(key));
    let parts = SubjectParts {
        figures,
        before: facts.tool_before(key),
        status: Status::of_tool(facts, key),
        schema_bytes: facts.offered.get(key).copied().flatten(),
        shown_before: shown,
        line: table::line_of_days(facts, facts.input.lines.tool(key), LINE),
        days: days(facts, facts.input.lines.tool(key)),
        findings: findings::of_tool(facts, key),
    };
    ToolPage {
        frame: Frame::below(facts, names::shown(key.tool.as_str()))
            .with_twin(format!("tools/{slug}.md")),
        name: names::shown_whole(key.tool.as_str()),
        service: if facts.is_never_called(key) && key.service.as_str().is_empty() {
            "service not declared".to_owned()
        } else {
            names::shown(key.service.as_str())
        },
        not_called: never_called(facts, key).or_else(|| {
            let days = facts.input.lines.tool(key);
            (figures.calls == 0).then(|| not_called("It was not called in this range.", days))
        }),
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

fn never_called(facts: &Facts<'_>, key: &ToolKey) -> Option<String> {
    let nights = &facts.input.nights;
    let (since, _) = nights.first_key_value().filter(|_| facts.is_never_called(key))?;
    let size = facts.offered.get(key).copied().flatten();
    Some(format!(
        "It is offered, and was not called on any of the {} since {}.{}",
        counted(nights.len() as u64, "covered day", "covered days"),
        dates::long(*since),
        size.map_or_else(String::new, |size| format!(
            " Its description and schemas take {}.",
            bytes(as_float(size))
        )),
    ))
}

/// What is said where the range has no call: so, and when the last one was.
pub fn not_called(words: &str, days: &ByDay) -> String {
    match days.last_called() {
        Some(day) => format!("{words} The last call was on {}.", dates::long(day)),
        None => words.to_owned(),
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
    /// How it does.
    pub status: Status,
    /// The size of what clients are sent of it, where that is known.
    pub schema_bytes: Option<u64>,
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
    SubjectFigures {
        is_called: parts.status != table::NEVER_CALLED,
        status: parts.status,
        change: ChangeText::first_call(figures, parts.before),
        confirmed: RateText::confirmed(figures),
        confirmed_change: ChangeText::confirmed(figures, parts.before),
        line: parts.line,
        days: parts.days,
        against: table::against(facts),
        shown_before: parts.shown_before.and_then(|shown| shown_before(shown, figures)),
        first_call: RateText::first_call(figures),
        terms: if figures.calls == 0 {
            Vec::new()
        } else {
            let mut terms = figures_text::terms(figures, parts.before);
            terms.extend(parts.schema_bytes.map(figures_text::schema_size));
            terms
        },
        retries: Retries::of(figures),
        parameters: figures_text::parameters(figures, &facts.nameable),
        parameters_of: count(figures.reworded_known),
        outcomes: figures_text::outcomes(figures),
        unjudged: figures_text::unjudged(figures),
        latency: figures_text::latency_histogram(&figures.latency),
        findings: parts.findings,
    }
}

/// The covered days that hold figures of the subject, the newest first.
pub fn days(facts: &Facts<'_>, by_day: &ByDay) -> Vec<SubjectDay> {
    let row = |day| subject_day(facts, day, &by_day.get(day).unwrap_or_default());
    facts.history().map(|(day, _)| row(day)).collect()
}

/// The row of one day.
pub fn subject_day(facts: &Facts<'_>, day: Day, figures: &Figures) -> SubjectDay {
    SubjectDay {
        night: Night::of(day),
        release: facts.release(day),
        first_call: RateText::first_call(figures),
        calls: count(figures.calls),
        retried: retries::retried(figures),
    }
}

fn clients(facts: &Facts<'_>, key: &ToolKey) -> Vec<PartRow> {
    let Some(tool) = facts.now.tools.get(key) else { return Vec::new() };
    let of_client = |(client, packed): (_, &PackedFigures)| {
        let figures = packed.figures();
        (table::need(&figures), client, PartFigures::of(&figures))
    };
    let mut parts: Vec<(_, &ClientName, _)> = tool.clients.iter().map(of_client).collect();
    parts.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    parts
        .into_iter()
        .map(|(_, client, figures)| {
            let label = ClientLabel::of(facts, client);
            let before = facts.cell_before(key, client);
            part((label.name, None, label.slug), &figures, before.as_ref())
        })
        .collect()
}

/// The figures of a part.
#[derive(Debug)]
pub struct PartFigures {
    /// Its counts.
    pub counts: Figures,
    /// The latency in nanoseconds that 95 % of its calls stay under.
    pub p95: Option<f64>,
}

impl PartFigures {
    /// What a row shows of these figures.
    pub fn of(figures: &Figures) -> Self {
        let counts = PackedFigures::of_counts(figures).counts();
        Self { counts, p95: figures.latency.percentile(95) }
    }
}

/// The row of a part.
pub fn part(
    (name, beneath, slug): (String, Option<String>, String),
    figures: &PartFigures,
    before: Option<&Figures>,
) -> PartRow {
    let counts = &figures.counts;
    PartRow {
        name,
        beneath,
        slug,
        first_call: RateText::first_call(counts),
        change: ChangeText::first_call(counts, before),
        confirmed: RateText::confirmed(counts),
        calls: count(counts.calls),
        retried: retries::retried(counts),
        p95: figures.p95.map(|nanos| milliseconds(nanos / 1e6)),
        status: Status::of(counts),
    }
}
