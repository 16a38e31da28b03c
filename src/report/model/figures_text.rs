//! A tool's or a client's figures as a list of terms and values, and the small tables beneath.

use std::collections::BTreeSet;

use super::retries;
use crate::call::{Name, Outcome};
use crate::figures::finding::SESSIONS_TO_NAME;
use crate::figures::format::{
    bytes, count, counted, decimal, milliseconds, share, share_in_column,
};
use crate::figures::{Figures, Histogram, UnjudgedReason};
use crate::report::chart;
use crate::report::names;

/// A term, its value, and what the value rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// What it is.
    pub term: &'static str,
    /// Its value.
    pub value: String,
    /// Its value in the period before; empty where there is none.
    pub before: String,
    /// What the value rests on; empty where nothing needs to be said.
    pub note: String,
}

fn term(term: &'static str, value: impl Into<String>, note: impl Into<String>) -> Term {
    Term { term, value: value.into(), before: String::new(), note: note.into() }
}

/// The figures that every tool and client page lists, with those of the period before where
/// there was a call in it.
pub fn terms(figures: &Figures, before: Option<&Figures>) -> Vec<Term> {
    let mut terms = of_period(figures);
    if let Some(before) = before.filter(|before| before.calls > 0) {
        let earlier = of_period(before);
        for term in &mut terms {
            let same = earlier.iter().find(|one| one.term == term.term);
            term.before = same.map_or_else(String::new, |one| one.value.clone());
        }
    }
    terms
}

/// The size of a tool's description and schemas.
pub fn schema_size(size: u64) -> Term {
    let size = bytes(crate::figures::rate::as_float(size));
    term("Schema size", size, "its description and schemas, as clients are sent them")
}

fn of_period(figures: &Figures) -> Vec<Term> {
    let mut terms = vec![term(
        "Calls",
        count(figures.calls),
        match figures.calls - figures.judged.min(figures.calls) {
            0 => "all judged".to_owned(),
            rest => format!("{} judged, {} not", count(figures.judged), count(rest)),
        },
    )];
    terms.extend(again(figures));
    terms.push(empties(figures));
    terms.push(match figures.last_words {
        0 => term("Last word failed", "unknown", "no session is known"),
        sessions => term(
            "Last word failed",
            count(figures.last_word_failed),
            format!("of {}", counted(sessions, "session", "sessions")),
        ),
    });
    terms.extend(latency(figures));
    terms.push(match figures.result_bytes_mean() {
        Some(mean) => term(
            "Result size",
            bytes(mean),
            format!(
                "mean; p95 {}; {} known",
                figures.result_sizes.percentile(95).map_or_else(String::new, bytes),
                counted(figures.result_sizes.total(), "size", "sizes"),
            ),
        ),
        None => term("Result size", "unknown", "no size was sent"),
    });
    terms
}

/// What came after calls; unknown where no call could be compared with another one.
fn again(figures: &Figures) -> [Term; 4] {
    let Some(retried) = retries::retried(figures) else {
        let names = ["Retried within 30\u{a0}s", "Repeats", "Extra attempts", "Abandoned chains"];
        return names.map(|name| term(name, "unknown", "no call could be judged"));
    };
    let extra = match figures.extra_attempts_mean() {
        Some(mean) => term(
            "Extra attempts",
            decimal(mean),
            format!(
                "mean over {} that ended usable",
                counted(figures.usable_chains, "retry chain", "retry chains")
            ),
        ),
        None => term("Extra attempts", "none", "no retry chain ended usable"),
    };
    [
        term(
            "Retried within 30\u{a0}s",
            retried,
            share_of(figures.retried, figures.calls, "of calls"),
        ),
        term(
            "Repeats",
            count(figures.repeats),
            "same arguments again: paging, polling, a lost answer",
        ),
        extra,
        term(
            "Abandoned chains",
            count(figures.abandoned_chains),
            match figures.retry_chains {
                0 => "there was no retry chain".to_owned(),
                chains => format!("of {}", counted(chains, "retry chain", "retry chains")),
            },
        ),
    ]
}

fn empties(figures: &Figures) -> Term {
    let ok = figures.outcomes.get(Outcome::Ok);
    if figures.emptiness_known == 0 {
        return term("Empty answers", "unknown", "emptiness was never told");
    }
    term(
        "Empty answers",
        count(figures.empty),
        format!(
            "of {} whose emptiness is known; {} reworded, {} accepted",
            counted(
                figures.emptiness_known.min(ok.max(figures.emptiness_known)),
                "good answer",
                "good answers"
            ),
            count(figures.empty_reworded),
            count(figures.empty_accepted),
        ),
    )
}

fn latency(figures: &Figures) -> Option<Term> {
    let at = |percent| figures.latency.percentile(percent).map(|nanos| milliseconds(nanos / 1e6));
    Some(term("Latency p50", at(50)?, format!("p95 {}, p99 {}", at(95)?, at(99)?)))
}

fn share_of(part: u64, whole: u64, of: &str) -> String {
    share(part, whole).map_or_else(String::new, |share| format!("{share} {of}"))
}

/// A word, its count and its share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountRow {
    /// What is counted, in words.
    pub label: String,
    /// How many.
    pub count: String,
    /// Their share of all.
    pub share: String,
}

/// How the calls ended; only what was seen.
pub fn outcomes(figures: &Figures) -> Vec<CountRow> {
    let total = figures.outcomes.total();
    figures
        .outcomes
        .iter()
        .filter(|(_, times)| *times > 0)
        .map(|(outcome, times)| CountRow {
            label: outcome_words(outcome).to_owned(),
            count: count(times),
            share: share_in_column(times, total).unwrap_or_default(),
        })
        .collect()
}

/// An outcome in words.
pub const fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::BadArgs => "arguments refused",
        Outcome::UnknownTool => "unknown tool",
        Outcome::ToolError => "the tool said it failed",
        Outcome::Crashed => "crashed",
        Outcome::Timeout => "timed out",
        Outcome::Cancelled => "cancelled",
        Outcome::Error => "failed, kind not told",
    }
}

/// Why calls were not judged; only reasons that were met.
pub fn unjudged(figures: &Figures) -> Vec<CountRow> {
    let words = |reason: UnjudgedReason| super::rate_text::reason_words(reason);
    figures
        .unjudged
        .iter()
        .filter(|(_, times)| *times > 0)
        .map(|(reason, times)| CountRow {
            label: words(reason).to_owned(),
            count: count(times),
            share: share_in_column(times, figures.calls).unwrap_or_default(),
        })
        .collect()
}

/// Which parameters were reworded; a name is shown only if enough sessions had it, and a tool saw
/// it in enough of them.
pub fn parameters(figures: &Figures, nameable: &BTreeSet<&Name>) -> Vec<CountRow> {
    let mut shown: Vec<_> = figures
        .reworded
        .iter()
        .filter(|(_, count)| count.sessions >= SESSIONS_TO_NAME && count.retries > 0)
        .filter(|(name, _)| nameable.contains(name))
        .collect();
    shown.sort_by(|a, b| b.1.retries.cmp(&a.1.retries).then_with(|| a.0.cmp(b.0)));
    shown
        .into_iter()
        .take(12)
        .map(|(name, times)| CountRow {
            label: names::shown(name.as_str()),
            count: count(times.retries),
            share: share_in_column(times.retries, figures.reworded_known).unwrap_or_default(),
        })
        .collect()
}

/// A histogram as columns to draw and rows to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistogramText {
    /// The columns.
    pub columns: Vec<HistogramColumn>,
    /// The width of all columns together, in user units.
    pub width: u64,
    /// What it shows, in words.
    pub title: String,
    /// The lowest and the highest bound, for the axis.
    pub ends: [String; 2],
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistogramColumn {
    /// Its left end.
    pub x: u64,
    /// Its top.
    pub y: u64,
    /// Its height.
    pub height: u64,
    /// The upper bound of what it counts: `up to 23 ms`.
    pub upper: String,
    /// How many it counts.
    pub count: String,
}

/// The height of a histogram in user units.
const HEIGHT: u64 = 100;
/// The distance from column to column.
const STEP: u64 = 14;

/// The latency in half doublings; none where no call was timed.
pub fn latency_histogram(histogram: &Histogram) -> Option<HistogramText> {
    let columns = chart::columns(histogram);
    let upper = |nanos: f64| milliseconds(nanos / 1e6);
    let ends =
        [upper(columns.first()?.upper / std::f64::consts::SQRT_2), upper(columns.last()?.upper)];
    let at = |percent| histogram.percentile(percent).map_or_else(String::new, upper);
    let drawn = (0_u64..).zip(&columns).map(|(position, column)| {
        let height = column.height * HEIGHT / 1000;
        HistogramColumn {
            x: position * STEP,
            y: HEIGHT - height,
            height,
            upper: upper(column.upper),
            count: count(column.count),
        }
    });
    Some(HistogramText {
        width: columns.len() as u64 * STEP,
        title: format!("p50 {}, p95 {}, p99 {}", at(50), at(95), at(99)),
        ends,
        columns: drawn.collect(),
    })
}
