//! `figures.csv`: one row for everything, one per tool, per client, and per client of a tool.
//!
//! The columns are METHOD section 13's names. Names come from telemetry: one that a spreadsheet
//! would take for a formula gets an apostrophe before it.

use std::io::{self, Write};

use super::model::Facts;
use crate::figures::counts::Word;
use crate::figures::{Counts, Figures, Rate, RetryClass};

/// Writes the file, with a header line.
///
/// # Errors
/// Where the writer fails.
pub fn write(facts: &Facts<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut out = csv::WriterBuilder::new().from_writer(out);
    out.write_record(header())?;
    out.write_record(row(["overall", "", "", ""], &facts.now.overall))?;
    for (key, tool) in &facts.now.tools {
        let (service, name) = (key.service.as_str(), key.tool.as_str());
        out.write_record(row(["tool", service, name, ""], &tool.all))?;
        for (client, packed) in &tool.clients {
            let figures = packed.figures();
            out.write_record(row(["tool_client", service, name, client.as_str()], &figures))?;
        }
    }
    for (client, figures) in &facts.now.clients {
        out.write_record(row(["client", "", "", client.as_str()], figures))?;
    }
    out.flush()
}

fn header() -> Vec<String> {
    let fixed = ["of", "service", "tool", "client", "calls", "judged"];
    let rates = |name: &str| ["", "_low", "_high"].map(|end| format!("{name}{end}"));
    let mut header: Vec<String> = fixed.map(str::to_owned).into();
    header.push("first_call_successes".to_owned());
    header.extend(rates("first_call_success"));
    header.push("confirmed_first_call_successes".to_owned());
    header.extend(rates("confirmed_first_call_success"));
    header.push("retried".to_owned());
    header.extend(RetryClass::ALL.iter().map(|class| class.word().to_owned()));
    let rest = [
        "repeats",
        "empty",
        "emptiness_known",
        "retry_chains",
        "extra_attempts_mean",
        "abandoned_chains",
        "latency_ms_p50",
        "latency_ms_p95",
        "latency_ms_p99",
        "result_bytes_mean",
    ];
    header.extend(rest.map(str::to_owned));
    header.extend(RECOVERY.map(str::to_owned));
    header.extend(crate::call::Outcome::ALL.iter().map(|word| format!("outcome_{word}")));
    header
}

fn row(names: [&str; 4], figures: &Figures) -> Vec<String> {
    let mut row: Vec<String> = names.map(guarded).into();
    row.extend([figures.calls.to_string(), figures.judged.to_string()]);
    row.push(figures.first_call_successes.to_string());
    row.extend(rate(figures.first_call_success()));
    row.push(figures.confirmed_first_call_successes.to_string());
    row.extend(rate(figures.confirmed_first_call_success()));
    row.push(figures.retried.to_string());
    row.extend(counts(&figures.retry_classes));
    let whole = [figures.repeats, figures.empty, figures.emptiness_known, figures.retry_chains];
    row.extend(whole.map(|value| value.to_string()));
    row.push(number(figures.extra_attempts_mean(), 6));
    row.push(figures.abandoned_chains.to_string());
    let latency = [50, 95, 99].map(|percent| figures.latency.percentile(percent));
    row.extend(latency.map(|nanos| number(nanos.map(|nanos| nanos / 1e6), 3)));
    row.push(number(figures.result_bytes_mean(), 3));
    row.extend(recovery(figures));
    row.extend(counts(&figures.outcomes));
    row
}

const RECOVERY: [&str; 11] = [
    "uncertain",
    "status_checked",
    "never_checked",
    "unsafe_replays",
    "keyed_calls",
    "duplicate_key_hits",
    "key_conflicts",
    "possible_double_writes",
    "amplification",
    "unknown_outcomes",
    "unknown_resolved",
];

/// The figures of recovery; nothing at all where one is not known.
fn recovery(figures: &Figures) -> [String; 11] {
    let (counted, known) = (&figures.recovery, figures.known_recovery());
    let cell = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    [
        cell(Some(counted.uncertain)),
        cell(known.status_checked),
        cell(known.never_checked),
        cell(known.unsafe_replays),
        cell(Some(counted.keyed)),
        cell(known.duplicate_key_hits),
        cell(known.key_conflicts),
        cell(known.possible_double_writes),
        number(known.amplification, 6),
        cell(known.unknown_outcomes),
        cell(known.unknown_resolved),
    ]
}

/// A rate and its bounds; nothing at all where there is none, for null is not zero.
fn rate(rate: Option<Rate>) -> [String; 3] {
    let Some(rate) = rate else { return Default::default() };
    let interval = rate.interval();
    [rate.fraction(), interval.low, interval.high].map(|value| number(Some(value), 6))
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(String::new, |value| format!("{value:.decimals$}"))
}

fn counts<W: Word>(counts: &Counts<W>) -> impl Iterator<Item = String> + '_ {
    counts.iter().map(|(_, times)| times.to_string())
}

/// A text that no spreadsheet takes for a formula.
fn guarded(text: &str) -> String {
    // Spreadsheets look past blanks, and some past a byte order mark.
    let first = text.trim_start_matches([' ', '\u{feff}', '\u{a0}']).chars().next();
    let is_risky = matches!(first, Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '\0'))
        || matches!(first, Some('＝' | '＋' | '－' | '＠'));
    if is_risky { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_guarded() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\u{feff}=1", "＝1", "\0=1"] {
            assert_eq!(guarded(text), format!("'{text}"));
        }
        for text in ["search_orders", "", "a=b", "'x"] {
            assert_eq!(guarded(text), text);
        }
    }

    #[test]
    fn every_row_is_as_long_as_the_header() {
        assert_eq!(row(["tool", "s", "t", ""], &Figures::default()).len(), header().len());
    }

    #[test]
    fn a_rate_that_is_unknown_is_an_empty_cell() {
        assert_eq!(rate(None), [const { String::new() }; 3]);
        assert_eq!(rate(Rate::of(0, 10)).first().unwrap(), "0.000000");
    }
}
