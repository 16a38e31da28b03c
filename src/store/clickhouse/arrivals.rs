//! Arrival counts: rows of every writer, added up by whoever reads.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::engine::Engine;
use super::figure_rows::kept;
use super::notes::hex;
use crate::call::{Day, Name, UnixNanos};
use crate::figures::{ArrivalCounts, RecordKind, SourceKey, Sources};
use crate::store::arrivals::{ArrivalBook, add_row, entries};
use crate::store::error::StoreError;
use crate::store::source_hours::{self, KEPT_HOURS, hour_of};

/// Sources that are told apart; further ones are counted together.
const MAX_SOURCES: usize = 2000;

/// The columns of `arrivals`.
pub(super) const COLUMNS: [&str; 9] =
    ["of", "day", "hour", "emitter", "scope", "kind", "what", "word", "times"];

/// The rows of a book: all in one insert, so that they are there together or not at all.
pub(super) fn rows(book: &ArrivalBook) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for ((day, emitter), counts) in &book.days {
        for (what, word, times) in entries(counts) {
            let keys = [json!("day"), json!(day.to_string()), json!(0), json!(emitter.as_str())];
            let what = [json!(""), json!(""), json!(what), json!(word), json!(kept(times))];
            rows.push(keys.into_iter().chain(what).collect());
        }
    }
    for (hour, sources) in &book.hours.0 {
        let day = UnixNanos::new(hour.saturating_mul(3_600_000_000_000)).day().to_string();
        for (key, counts) in sources.iter() {
            // The source of all that are not told apart has no kind.
            let (emitter, scope, kind) = key.map_or(("", "", ""), |key| {
                (key.emitter.as_str(), key.scope.as_str(), key.kind.word())
            });
            for (what, word, times) in source_hours::entries(counts) {
                let keys = [json!("hour"), json!(day), json!(hour), json!(emitter), json!(scope)];
                let what = [json!(kind), json!(what), json!(word), json!(kept(times))];
                rows.push(keys.into_iter().chain(what).collect());
            }
        }
    }
    if let Some(through) = book.imported.through {
        let day = through.day().to_string();
        for digest in &book.imported.digests {
            let word = hex(digest.as_bytes());
            let row = [json!("import"), json!(day), json!(0), json!(""), json!(""), json!("")];
            rows.push(row.into_iter().chain([json!("request"), json!(word), json!(1)]).collect());
        }
    }
    rows
}

/// The counts of the days from `from` to `to`, both included, by emitter.
pub(super) fn read(
    engine: &Engine,
    from: Day,
    to: Day,
) -> Result<BTreeMap<Name, ArrivalCounts>, StoreError> {
    let query = format!(
        "SELECT emitter, what, word, sum(times) FROM arrivals
         WHERE of = 'day' AND {} GROUP BY emitter, what, word",
        super::coverage::between(from, to)
    );
    let mut arrivals: BTreeMap<Name, ArrivalCounts> = BTreeMap::new();
    for row in engine.rows(&query)? {
        let mut row = row;
        let (emitter, what, word) = (row.name(), row.name(), row.name());
        let (Some(emitter), Some(what), Some(word), Some(times)) =
            (emitter, what, word, row.number())
        else {
            return Err(engine.damaged("arrivals"));
        };
        add_row(arrivals.entry(emitter).or_default(), what.as_str(), word, times);
    }
    Ok(arrivals)
}

/// What arrived in the hours from that of `since` on.
pub(super) fn sources(engine: &Engine, since: UnixNanos) -> Result<Sources, StoreError> {
    let query = format!(
        "SELECT emitter, scope, kind, what, word, sum(times) FROM arrivals
         WHERE of = 'hour' AND hour >= {} GROUP BY emitter, scope, kind, what, word
         ORDER BY sum(sum(times)) OVER (PARTITION BY emitter, scope, kind) DESC,
             emitter, scope, kind, what, word",
        hour_of(since)
    );
    let mut sources = Sources::default();
    let mut known = std::collections::BTreeSet::new();
    for row in engine.rows(&query)? {
        let mut row = row;
        let source = (row.name(), row.name(), row.text());
        let (Some(emitter), Some(scope), Some(kind)) = source else {
            return Err(engine.damaged("arrivals"));
        };
        let (Some(what), Some(word), Some(times)) = (row.name(), row.name(), row.number()) else {
            return Err(engine.damaged("arrivals"));
        };
        let counts = match (kind.as_str(), RecordKind::from_word(&kind)) {
            ("", _) => sources.others(),
            (_, Some(kind)) => {
                let key = SourceKey { emitter, scope, kind };
                if known.len() < MAX_SOURCES || known.contains(&key) {
                    known.insert(key.clone());
                    sources.of(key)
                } else {
                    sources.others()
                }
            }
            // Written by a firstcall that knows more kinds than this one.
            (_, None) => continue,
        };
        source_hours::add_row(counts, what.as_str(), word, times);
    }
    Ok(sources)
}

/// Removes hours of more than eight days ago, and imports from before `imports`. What stays where
/// that fails is not read, and goes the next time.
pub(super) fn forget(engine: &Engine, now: UnixNanos, imports: Day) -> Result<(), StoreError> {
    let hours = hour_of(now).saturating_sub(KEPT_HOURS);
    let old = format!(
        "(of = 'hour' AND hour < {hours}) OR (of = 'import' AND day < toDate32('{imports}'))"
    );
    let found = engine.rows(&format!("SELECT 1 FROM arrivals WHERE {old} LIMIT 1"))?;
    if found.is_empty() {
        return Ok(());
    }
    engine.execute(&format!("ALTER TABLE arrivals DELETE WHERE {old}"))
}
