//! The figures of one tool and client as a row of `day_figures`, and back.

use serde_json::{Value, json};

use super::json::Row;
use crate::call::{AttemptKind, ClientName, Day, ToolKey};
use crate::figures::{Dependency, DependencyCounts, Figures, Histogram, RewordedCount};
use crate::store::columns::{DAY_FIGURES, DAY_FIGURES_KEYS, DAY_RECOVERY};
use crate::store::{figure_numbers, recovery_numbers};

/// The columns of `day_figures`, in the order in which values stand in a row.
pub(super) fn columns() -> Vec<String> {
    let numbers = DAY_FIGURES.columns.iter().skip(DAY_FIGURES_KEYS);
    let recovery = DAY_RECOVERY.columns.iter().skip(recovery_numbers::KEYS);
    ["day", "version", "service", "tool", "client"]
        .into_iter()
        .chain(numbers.copied())
        .map(str::to_owned)
        .chain(recovery.map(|column| format!("recovery_{column}")))
        .chain(LISTS.map(str::to_owned))
        .collect()
}

/// What stands in lists, and the status tool.
const LISTS: [&str; 14] = [
    "status_tool",
    "latency_buckets",
    "latency_calls",
    "result_size_buckets",
    "result_size_calls",
    "reworded_parameters",
    "reworded_retries",
    "reworded_sessions",
    "dependency_kinds",
    "dependencies",
    "dependency_attempts",
    "dependency_failed",
    "dependency_timed_out",
    "dependency_nanos",
];

/// A count as every store keeps it: counts end at 2^63 - 1.
pub(super) fn kept(count: u64) -> u64 {
    count.min(i64::MAX.unsigned_abs())
}

/// The row of one tool and client.
pub(super) fn row(
    day: Day,
    version: u64,
    (tool, client): &(ToolKey, ClientName),
    figures: &Figures,
) -> Vec<Value> {
    let keys = [json!(tool.service.as_str()), json!(tool.tool.as_str()), json!(client.as_str())];
    let mut row = vec![json!(day.to_string()), json!(version)];
    row.extend(keys);
    row.extend(figure_numbers::numbers(figures).into_iter().map(|number| json!(kept(number))));
    let recovery = &figures.recovery;
    row.extend(recovery_numbers::numbers(recovery).into_iter().map(|number| json!(kept(number))));
    row.push(json!(recovery.status_tool.as_ref().map(crate::call::Name::as_str)));
    row.extend(buckets(&figures.latency));
    row.extend(buckets(&figures.result_sizes));
    let reworded = &figures.reworded;
    row.push(reworded.keys().map(|name| json!(name.as_str())).collect());
    row.push(reworded.values().map(|count| json!(kept(count.retries))).collect());
    row.push(reworded.values().map(|count| json!(kept(count.sessions))).collect());
    let dependencies = &recovery.dependencies;
    row.push(dependencies.keys().map(|of| json!(of.kind.word())).collect());
    row.push(dependencies.keys().map(|of| json!(of.name.as_str())).collect());
    for number in [
        |counts: &DependencyCounts| counts.attempts,
        |counts: &DependencyCounts| counts.failed,
        |counts: &DependencyCounts| counts.timed_out,
        |counts: &DependencyCounts| counts.nanos,
    ] {
        row.push(dependencies.values().map(|counts| json!(kept(number(counts)))).collect());
    }
    row
}

fn buckets(histogram: &Histogram) -> [Value; 2] {
    let buckets = histogram.buckets().map(|(bucket, _)| json!(bucket)).collect();
    [buckets, histogram.buckets().map(|(_, times)| json!(kept(times))).collect()]
}

/// Whose figures a row holds, and the figures; none where it is none that firstcall writes.
pub(super) fn figures(row: &mut Row) -> Option<(ToolKey, ClientName, Figures)> {
    let (tool, client) = (row.tool()?, row.client()?);
    let count = DAY_FIGURES.columns.len().checked_sub(DAY_FIGURES_KEYS)?;
    let numbers: Vec<u64> = (0..count).map(|_| row.number()).collect::<Option<_>>()?;
    let mut figures = figure_numbers::figures(numbers);
    let count = DAY_RECOVERY.columns.len().checked_sub(recovery_numbers::KEYS)?;
    let numbers: Vec<u64> = (0..count).map(|_| row.number()).collect::<Option<_>>()?;
    figures.recovery = recovery_numbers::figures(numbers);
    figures.recovery.status_tool = row.text_or_null()?.map(|text| crate::call::Name::cut(&text));
    add_buckets(&mut figures.latency, row)?;
    add_buckets(&mut figures.result_sizes, row)?;
    let (names, retries, sessions) = (row.names()?, row.numbers()?, row.numbers()?);
    let counts = retries.into_iter().zip(sessions);
    let counts = counts.map(|(retries, sessions)| RewordedCount { retries, sessions });
    figures.reworded = names.into_iter().zip(counts).collect();
    let (kinds, names) = (row.names()?, row.names()?);
    let lists = (row.numbers()?, row.numbers()?, row.numbers()?, row.numbers()?);
    let counts = lists.0.into_iter().zip(lists.1).zip(lists.2).zip(lists.3);
    let counts = counts.map(|(((attempts, failed), timed_out), nanos)| DependencyCounts {
        attempts,
        failed,
        timed_out,
        nanos,
    });
    for ((kind, name), counts) in kinds.into_iter().zip(names).zip(counts) {
        // A word that a later firstcall may write is left out.
        if let Some(kind) = AttemptKind::from_word(kind.as_str()) {
            figures.recovery.dependencies.insert(Dependency { kind, name }, counts);
        }
    }
    Some((tool, client, figures))
}

fn add_buckets(histogram: &mut Histogram, row: &mut Row) -> Option<()> {
    let (buckets, times) = (row.list()?, row.numbers()?);
    for (bucket, times) in buckets.iter().zip(times) {
        histogram.add(i32::try_from(bucket.as_i64()?).ok()?, times);
    }
    Some(())
}
