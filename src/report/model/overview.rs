//! The overview: the verdict, the headline, the grid, the findings, the tools.

use super::facts::{Facts, Standing};
use super::findings::{self, FindingText};
use super::frame::Frame;
use super::grid::{self, Grid};
use super::quality::{StripItem, strip};
use super::rate_text::{ChangeText, RateText};
use super::retries::Retries;
use super::table::{self, ToolLabel, ToolRow};
use super::tool_page::{self, SubjectDay};
use super::verdict::{Verdict, verdict};
use crate::figures::format::{count, share_in_column};
use crate::report::chart::Sparkline;

/// The most findings on the overview; all of them have a page of their own.
const FINDINGS: usize = 8;
/// The most pairs that are shown.
const PAIRS: usize = 12;
/// The most tools in the overview's table; the rest follow on the tool pages.
pub const TOOLS: usize = 200;

/// What the overview says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The frame.
    pub frame: Frame,
    /// The verdict.
    pub verdict: Verdict,
    /// The data-quality strip; empty where nothing is covered.
    pub strip: Vec<StripItem>,
    /// What casts doubt on the verdict, in words; none where nothing does.
    pub doubt: Option<String>,
    /// The headline figures; none where nothing was judged.
    pub headline: Option<Headline>,
    /// What the retries were.
    pub retries: Retries,
    /// The tool by client grid.
    pub grid: Grid,
    /// The first findings.
    pub findings: Vec<FindingText>,
    /// How many findings there are beyond those.
    pub more_findings: usize,
    /// Tools that follow each other.
    pub pairs: Vec<PairRow>,
    /// The tools.
    pub tools: Vec<ToolRow>,
    /// How many tools there are beyond those.
    pub more_tools: usize,
    /// The period before, in words; none where there is none.
    pub against: Option<String>,
}

/// First-call success of all calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// By the window rule.
    pub first_call: RateText,
    /// What became of it.
    pub change: ChangeText,
    /// Confirmed.
    pub confirmed: RateText,
    /// What became of that.
    pub confirmed_change: ChangeText,
    /// The last 30 days.
    pub line: Sparkline,
    /// The covered days of those, the newest first.
    pub days: Vec<SubjectDay>,
}

/// A pair of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairRow {
    /// The tool called first.
    pub first: ToolLabel,
    /// The tool called next.
    pub next: ToolLabel,
    /// How often.
    pub times: String,
    /// The share of the first tool's calls.
    pub share: String,
}

/// What the overview says of these facts.
pub fn overview(facts: &Facts<'_>) -> Overview {
    let strip = strip(facts);
    let all = findings::all(facts);
    let keys = table::tools_by_need(facts);
    let shown = keys.get(..TOOLS.min(keys.len())).unwrap_or_default();
    Overview {
        frame: Frame::top(facts, "First-call success").with_twin("README.md"),
        verdict: verdict(facts),
        // Where there is no rate, there is nothing to read with care.
        doubt: doubt(&strip).filter(|_| facts.standing != Standing::NoneJudged),
        strip,
        headline: headline(facts),
        retries: Retries::of(&facts.now.overall),
        grid: grid::grid(facts),
        more_findings: all.len().saturating_sub(FINDINGS),
        findings: all.into_iter().take(FINDINGS).collect(),
        pairs: pairs(facts, |_| true).into_iter().take(PAIRS).collect(),
        tools: table::rows(facts, shown),
        more_tools: keys.len() - shown.len(),
        against: table::against(facts),
    }
}

fn headline(facts: &Facts<'_>) -> Option<Headline> {
    if !matches!(facts.standing, Standing::Judged | Standing::FewCalls) {
        return None;
    }
    let now = &facts.now.overall;
    let before = facts.previous_period().map(|_| &facts.before.overall);
    Some(Headline {
        first_call: RateText::first_call(now),
        change: ChangeText::first_call(now, before),
        confirmed: RateText::confirmed(now),
        confirmed_change: ChangeText::confirmed(now, before),
        line: table::history_line(facts, (260, 64)),
        days: days(facts),
    })
}

/// Why the verdict is to be read with care; none where it stands.
fn doubt(strip: &[StripItem]) -> Option<String> {
    let doubts: Vec<&str> = strip.iter().filter_map(|item| item.doubt.as_deref()).collect();
    (!doubts.is_empty()).then(|| doubts.join("; "))
}

/// All calls of each covered day of the charts, the newest first.
fn days(facts: &Facts<'_>) -> Vec<SubjectDay> {
    facts
        .history()
        .map(|(day, night)| tool_page::subject_day(facts, day, &night.all.counts()))
        .collect()
}

/// The pairs that `pick` takes, the most frequent first.
pub fn pairs(facts: &Facts<'_>, pick: impl Fn(&crate::figures::PairKey) -> bool) -> Vec<PairRow> {
    let mut pairs: Vec<_> = facts.now.pairs.iter().filter(|(pair, _)| pick(pair)).collect();
    pairs.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    pairs
        .into_iter()
        .map(|(pair, times)| PairRow {
            first: ToolLabel::of(facts, &pair.first),
            next: ToolLabel::of(facts, &pair.next),
            times: count(*times),
            share: share_in_column(*times, facts.tool(&pair.first).calls).unwrap_or_default(),
        })
        .collect()
}
