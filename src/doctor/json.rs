//! The diagnosis as JSON; docs/doctor.md tells every field.

use serde_json::{Map, Value, json};

use super::point::Shortfall;
use super::remedies::{NO_TOOL_CALLS, ONLY_METRICS, Remedy, refusal};
use super::{Diagnosis, DialectReport, ServiceReport, SourceReport};
use crate::call::{Name, SessionGrade, UnixNanos};
use crate::figures::{Counts, Refusal, SourceCounts};

/// The document's version; it grows when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// The document, with `around` in it: what is known of the program that receives.
pub fn json(diagnosis: &Diagnosis, around: Map<String, Value>) -> Value {
    let refused = diagnosis.refused();
    let mut document = json!({
        "schema_version": SCHEMA_VERSION,
        "hours": diagnosis.hours,
        "since": time(diagnosis.since),
        "until": time(diagnosis.until),
        "has_arrived": !diagnosis.is_empty(),
        "services": diagnosis.services.iter().map(service).collect::<Vec<_>>(),
        "others": counts(&diagnosis.others),
        "refused": refused
            .iter()
            .filter(|(_, times)| *times > 0)
            .map(|(reason, times)| json!({
                "reason": reason.word(),
                "calls": times,
                "remedy": remedy(&refusal(reason)),
            }))
            .collect::<Vec<_>>(),
        "examined": { "calls": diagnosis.examined.read, "of": diagnosis.examined.there },
        "damage": diagnosis.damage,
    });
    if let Some(document) = document.as_object_mut() {
        document.extend(around);
    }
    document
}

/// RFC 3339, in seconds.
fn time(instant: UnixNanos) -> String {
    let seconds = instant.get() / 1_000_000_000 % 86_400;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}Z", instant.day())
}

fn service(service: &ServiceReport) -> Value {
    let lacks_calls = !service.has_calls() && service.seen() > 0;
    let no_calls = if service.has_metrics_only() { ONLY_METRICS } else { NO_TOOL_CALLS };
    json!({
        "service": service.name.as_str(),
        "seen": service.seen(),
        "calls": service.calls(),
        "remedy": lacks_calls.then(|| remedy(&no_calls)),
        "sources": service.sources.iter().map(source).collect::<Vec<_>>(),
    })
}

fn source(source: &SourceReport) -> Value {
    let mut object = counts(&source.counts);
    if let Some(object) = object.as_object_mut() {
        object.insert("scope".to_owned(), source.scope.as_str().into());
        object.insert("kind".to_owned(), source.kind.word().into());
        object.insert("ordinary".to_owned(), source.ordinary().into());
        let dialects: Vec<_> = source.dialects.iter().map(dialect).collect();
        object.insert("dialects".to_owned(), dialects.into());
    }
    object
}

fn counts(counts: &SourceCounts) -> Value {
    json!({
        "seen": counts.seen,
        "recognised": counts.calls() + counts.refused.total(),
        "kept": words(counts.kept.iter()),
        "not_calls": words(counts.not_calls.iter()),
        "refused": refusals(&counts.refused),
    })
}

fn words<'c>(counts: impl Iterator<Item = (&'c Name, &'c u64)>) -> Map<String, Value> {
    counts.map(|(word, times)| (word.as_str().to_owned(), (*times).into())).collect()
}

fn refusals(counts: &Counts<Refusal>) -> Map<String, Value> {
    let found = counts.iter().filter(|(_, times)| *times > 0);
    found.map(|(reason, times)| (reason.word().to_owned(), times.into())).collect()
}

fn dialect(report: &DialectReport) -> Value {
    let DialectReport { dialect, counts, shortfalls } = report;
    json!({
        "dialect": dialect.as_str(),
        "calls": counts.calls,
        "duplicates": counts.duplicates,
        "args_hash": counts.args_hash,
        "args_hash_in_trace": counts.calls - counts.without_arguments,
        "args_hidden": counts.args_hidden,
        "ok": counts.ok,
        "emptiness_known": counts.emptiness_known,
        "emptiness_known_in_trace": counts.ok - counts.without_emptiness,
        "low_confidence": counts.low_confidence,
        "sessions": sessions(&counts.grades),
        "sessions_in_trace": sessions(&counts.grades_in_trace),
        "sampled": counts.sampled,
        "shortfalls": shortfalls.iter().map(shortfall).collect::<Vec<_>>(),
    })
}

/// Calls by grade; D is decided at night.
fn sessions(grades: &Counts<SessionGrade>) -> Map<String, Value> {
    let found = grades.iter().filter(|(grade, _)| *grade != SessionGrade::D);
    found.map(|(grade, calls)| (grade.word().to_owned(), calls.into())).collect()
}

fn shortfall(short: &Shortfall) -> Value {
    json!({
        "point": short.point.word(),
        "lacking": short.lacking,
        "of": short.of,
        "remedy": remedy(&short.remedy),
    })
}

fn remedy(remedy: &Remedy) -> Value {
    json!({ "place": remedy.place, "lines": remedy.lines })
}
