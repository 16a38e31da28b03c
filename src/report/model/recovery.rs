//! Recovery of uncertain calls: on each tool's page, and the page over all tools.

use std::fmt::Write;

use super::facts::Facts;
use super::figures_text::Term;
use super::findings::{self, FindingText};
use super::frame::Frame;
use super::table;
use crate::call::{Outcome, Stage, ToolKey};
use crate::figures::counts::Word;
use crate::figures::format::{count, counted, decimal, milliseconds, share, share_in_column};
use crate::figures::rate::as_float;
use crate::figures::{Counts, Figures, Followed, TimeoutFate};
use crate::report::chart::{Ribbon, ribbons};
use crate::report::names;

/// What a page says of recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryText {
    /// What followed uncertain calls; none where there were none.
    pub flow: Option<Flow>,
    /// The figures that are known.
    pub terms: Vec<Term>,
    /// Downstream attempts by what was asked, the most first.
    pub dependencies: Vec<DependencyRow>,
    /// The figures that are not known, and what would add them.
    pub missing: Vec<MissingRow>,
}

/// What followed uncertain calls, as a flow and as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// How many calls were uncertain, in words.
    pub title: String,
    /// The height of the picture.
    pub height: u32,
    /// The height of the bar that all of them are.
    pub all: u32,
    /// What followed, the worst first.
    pub rows: Vec<FlowRow>,
}

/// One way in which it went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowRow {
    /// What followed, in words.
    pub label: &'static str,
    /// What that means.
    pub meaning: &'static str,
    /// How many calls.
    pub count: String,
    /// Their share.
    pub share: String,
    /// Whether it is the bad news.
    pub is_bad: bool,
    /// Its place in the picture.
    pub ribbon: Ribbon,
}

/// Attempts at one dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyRow {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Attempts.
    pub attempts: String,
    /// Failed ones.
    pub failed: String,
    /// Timed-out ones.
    pub timed_out: String,
    /// How long one took on average.
    pub mean: String,
}

/// A figure that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRow {
    /// The figure, in words.
    pub figure: String,
    /// Why it is not known.
    pub reason: &'static str,
    /// What would add it.
    pub carrier: &'static str,
}

/// What the page over all tools says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryPage {
    /// The frame.
    pub frame: Frame,
    /// All tools together.
    pub recovery: RecoveryText,
    /// The tools of which anything is known, those that were done twice first.
    pub tools: Vec<RecoveryRow>,
    /// How many more there are.
    pub further: usize,
    /// What to change.
    pub findings: Vec<FindingText>,
}

/// A tool's recovery in one row; none where a figure is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryRow {
    /// Its name.
    pub name: String,
    /// Its service, where there are several.
    pub beneath: Option<String>,
    /// The slug of its page.
    pub slug: String,
    /// Uncertain calls.
    pub uncertain: String,
    /// Uncertain calls that were checked.
    pub checked: Option<String>,
    /// Unsafe replays.
    pub unsafe_replays: Option<String>,
    /// Duplicate-key hits.
    pub hits: Option<String>,
    /// Key conflicts.
    pub conflicts: Option<String>,
    /// Possible double writes.
    pub doubles: Option<String>,
    /// Amplification.
    pub amplification: Option<String>,
    /// Unknown outcomes that stayed open.
    pub open: Option<String>,
}

/// The page over all tools.
pub fn recovery_page(facts: &Facts<'_>) -> RecoveryPage {
    let known = facts.now.tools.iter().filter(|(_, tool)| !tool.all.recovery.is_nothing());
    let mut tools: Vec<(&ToolKey, &Figures)> = known.map(|(key, tool)| (key, &tool.all)).collect();
    tools.sort_by_key(|(key, figures)| {
        let recovery = &figures.recovery;
        let twice = recovery.unsafe_replays.saturating_add(recovery.possible_double_writes);
        (std::cmp::Reverse((twice, recovery.uncertain)), *key)
    });
    let further = tools.len().saturating_sub(table::ROWS);
    RecoveryPage {
        frame: Frame::top(facts, "Recovery").with_twin("recovery.md"),
        recovery: RecoveryText::of(&facts.now.overall),
        tools: tools
            .iter()
            .take(table::ROWS)
            .map(|(key, figures)| row(facts, key, figures))
            .collect(),
        further,
        findings: findings::of_recovery(facts),
    }
}

fn row(facts: &Facts<'_>, key: &ToolKey, figures: &Figures) -> RecoveryRow {
    let known = figures.known_recovery();
    let cell = |value: Option<u64>| value.map(count);
    let open = known.unknown_outcomes.zip(known.unknown_resolved);
    RecoveryRow {
        name: names::shown(key.tool.as_str()),
        beneath: facts.service(key).map(|service| names::shown(service.as_str())),
        slug: facts.tool_slug(key),
        uncertain: count(figures.recovery.uncertain),
        checked: cell(known.status_checked),
        unsafe_replays: cell(known.unsafe_replays),
        hits: cell(known.duplicate_key_hits),
        conflicts: cell(known.key_conflicts),
        doubles: cell(known.possible_double_writes),
        amplification: known.amplification.map(decimal),
        open: cell(open.map(|(unknown, resolved)| unknown.saturating_sub(resolved))),
    }
}

impl RecoveryRow {
    /// The figures after the uncertain calls, in the order in which they are shown.
    pub const fn cells(&self) -> [&Option<String>; 7] {
        [
            &self.checked,
            &self.unsafe_replays,
            &self.doubles,
            &self.hits,
            &self.conflicts,
            &self.open,
            &self.amplification,
        ]
    }
}

impl RecoveryText {
    /// What these figures say.
    pub fn of(figures: &Figures) -> Self {
        Self {
            flow: Flow::of(figures),
            terms: terms(figures),
            dependencies: dependencies(figures),
            missing: figures
                .missing_recovery()
                .into_iter()
                .map(|gone| MissingRow {
                    figure: figure_words(gone.figure).to_owned(),
                    reason: gone.reason,
                    carrier: gone.carrier,
                })
                .collect(),
        }
    }

    /// Whether nothing at all is known.
    pub const fn is_nothing(&self) -> bool {
        self.terms.is_empty() && self.flow.is_none() && self.dependencies.is_empty()
    }
}

impl Flow {
    /// Whether it parts: one ribbon alone is no picture.
    pub fn is_drawn(&self) -> bool {
        self.rows.iter().filter(|row| row.ribbon.height > 0).count() > 1
    }

    fn of(figures: &Figures) -> Option<Self> {
        let followed = figures.known_recovery().followed?;
        let counts: Vec<u64> = followed.iter().map(|(_, times)| times).collect();
        let total = followed.total();
        let (ribbons, all, height) = ribbons(&counts);
        let rows = followed.iter().zip(ribbons).map(|((word, times), ribbon)| FlowRow {
            label: followed_words(word),
            meaning: followed_meaning(word),
            count: count(times),
            share: share_in_column(times, total).unwrap_or_default(),
            is_bad: word == Followed::ReplayedUnsafely,
            ribbon,
        });
        let title = format!(
            "What followed {} that timed out or ended unknown",
            counted(total, "call", "calls")
        );
        Some(Self { title, height, all, rows: rows.collect() })
    }
}

const fn followed_words(word: Followed) -> &'static str {
    match word {
        Followed::ReplayedUnsafely => "replayed unsafely",
        Followed::CheckedKnown => "checked and known",
        Followed::CheckedUnknown => "checked and unknown",
        Followed::ReplayedSafely => "replayed safely",
        Followed::ReplayedUntold => "replayed, kind not told",
        Followed::GivenUp => "given up",
    }
}

const fn followed_meaning(word: Followed) -> &'static str {
    match word {
        Followed::ReplayedUnsafely => {
            "a write without a shared key was sent again before anyone asked for its status"
        }
        Followed::CheckedKnown => "the status tool told what had become of it",
        Followed::CheckedUnknown => "the status tool was asked and could not tell",
        Followed::ReplayedSafely => "sent again where doing it twice does no more than once",
        Followed::ReplayedUntold => "sent again, and nothing tells whether it writes",
        Followed::GivenUp => "neither asked for nor sent again within 10\u{a0}minutes",
    }
}

/// A figure's name in words.
fn figure_words(figure: &str) -> &'static str {
    match figure {
        "timeouts_by_stage" => "Timeouts by stage",
        "timeout_fate" => "Fate of timed-out calls",
        "followed" => "What followed",
        "status_checked" => "Status checked",
        "never_checked" => "Never checked",
        "unsafe_replays" => "Unsafe replays",
        "duplicate_key_hits" => "Duplicate-key hits",
        "key_conflicts" => "Key conflicts",
        "possible_double_writes" => "Possible double writes",
        "amplification" => "Retry amplification",
        "unknown_outcomes" => "Unknown outcomes",
        _ => "Unknown outcomes resolved",
    }
}

fn term(term: &'static str, value: impl Into<String>, note: impl Into<String>) -> Term {
    Term { term, value: value.into(), before: String::new(), note: note.into() }
}

fn terms(figures: &Figures) -> Vec<Term> {
    let (recovery, known) = (&figures.recovery, figures.known_recovery());
    let timeouts = figures.outcomes.get(Outcome::Timeout);
    let of = |part: u64, whole: u64, what: &str| match share(part, whole) {
        Some(share) => format!("{share} of {what}"),
        None => String::new(),
    };
    let mut terms = Vec::new();
    if let Some((stages, untold)) = &known.timeouts_by_stage {
        let mut note = words(stages);
        if *untold > 0 {
            // Writing to a text cannot fail.
            write!(note, "; {} without a stage", count(*untold)).ok();
        }
        terms.push(term("Timeouts by stage", count(timeouts), note));
    }
    if let Some(fate) = &known.timeout_fate {
        let fates =
            fate.iter().map(|(word, times)| format!("{} {}", count(times), fate_words(word)));
        let note = fates.collect::<Vec<_>>().join(", ");
        terms.push(term("Fate of timed-out calls", count(fate.total()), note));
    }
    if let (Some(checked), Some(never)) = (known.status_checked, known.never_checked) {
        let note = format!("within 10\u{a0}minutes; {} never", count(never));
        terms.push(term("Status checked", count(checked), note));
    }
    if let Some(replays) = known.unsafe_replays {
        let note = "writes sent again before any status check";
        terms.push(term("Unsafe replays", count(replays), note));
    }
    if let Some(hits) = known.duplicate_key_hits {
        let note = of(hits, recovery.keyed, "calls with a key");
        terms.push(term("Duplicate-key hits", count(hits), note));
    }
    if let Some(conflicts) = known.key_conflicts {
        let note = of(conflicts, recovery.keyed, "calls with a key");
        terms.push(term("Key conflicts", count(conflicts), note));
    }
    if let Some(doubles) = known.possible_double_writes {
        let note = "without a key, same arguments, ok twice within 10\u{a0}minutes";
        terms.push(term("Possible double writes", count(doubles), note));
    }
    if let Some(amplified) = known.amplification {
        let note = format!(
            "{} attempts a call × {} calls a retry chain",
            decimal(recovery.attempts_per_call().unwrap_or(0.0)),
            decimal(1.0 + figures.extra_attempts_mean().unwrap_or(0.0)),
        );
        terms.push(term("Retry amplification", decimal(amplified), note));
    }
    if let (Some(unknown), Some(resolved)) = (known.unknown_outcomes, known.unknown_resolved) {
        let note = format!(
            "of {}; {} resolved",
            counted(recovery.writes, "write", "writes"),
            count(resolved)
        );
        terms.push(term("Unknown outcomes", count(unknown), note));
    }
    if recovery.budgeted > 0 {
        let waited = recovery.spent_ms.get(Stage::Queue);
        let note = format!(
            "of the time budget, over {}; {} on average",
            counted(recovery.budgeted, "call", "calls"),
            milliseconds(as_float(recovery.budget_ms) / as_float(recovery.budgeted)),
        );
        let value = share(waited, recovery.budget_ms).unwrap_or_else(|| "none".to_owned());
        terms.push(term("Spent in a queue", value, note));
    }
    terms
}

const fn fate_words(fate: TimeoutFate) -> &'static str {
    match fate {
        TimeoutFate::AnswerLost => "answered, and the answer was lost",
        TimeoutFate::Failed => "failed",
        TimeoutFate::Unknown => "never arrived or unknown",
    }
}

/// Words with their counts, those that were not seen left out.
fn words<W: Word>(counts: &Counts<W>) -> String {
    let seen = counts.iter().filter(|(_, times)| *times > 0);
    let seen = seen.map(|(word, times)| format!("{} {}", count(times), word.text()));
    seen.collect::<Vec<_>>().join(", ")
}

fn dependencies(figures: &Figures) -> Vec<DependencyRow> {
    let mut all: Vec<_> = figures.recovery.dependencies.iter().collect();
    all.sort_by(|(a, x), (b, y)| y.attempts.cmp(&x.attempts).then_with(|| a.cmp(b)));
    let row =
        |(dependency, counts): (&crate::figures::Dependency, &crate::figures::DependencyCounts)| {
            DependencyRow {
                name: names::shown(dependency.name.as_str()),
                kind: dependency.kind.word(),
                attempts: count(counts.attempts),
                failed: count(counts.failed),
                timed_out: count(counts.timed_out),
                mean: counts
                    .mean()
                    .map_or_else(String::new, |mean| milliseconds(as_float(mean.as_nanos()) / 1e6)),
            }
        };
    all.into_iter().take(12).map(row).collect()
}
