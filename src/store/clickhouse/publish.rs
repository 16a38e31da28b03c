//! Publishing a day: its figures are written under a new version, and then one row of `days` names
//! that version. Until that row is there the old figures stand, whole.

use serde_json::{Value, json};

use super::coverage::{self, DAYS, Publication, RESTATEMENTS};
use super::engine::Engine;
use super::figure_rows::{self, kept};
use super::lease::DatabaseLease;
use super::read_days::{self, PAIRS, SESSIONS, UNKNOWN_TOOLS};
use crate::call::{Day, UnixNanos};
use crate::figures::DayFigures;
use crate::store::coverage::{headlines, shows_the_same};
use crate::store::error::StoreError;
use crate::store::figure_numbers;
use crate::store::watermark::Watermark;

/// The tables that a version has rows in.
const BY_VERSION: [&str; 4] = ["day_figures", "day_pairs", "day_sessions", "day_unknown_tools"];

/// Publishes a day in place of what was `shown` (METHOD section 10).
pub(super) fn publish(
    engine: &Engine,
    lease: &DatabaseLease,
    shown: Option<Publication>,
    figures: &DayFigures,
    (covered_at, watermark): (UnixNanos, &Watermark),
) -> Result<(), StoreError> {
    let publication = lease.next_number();
    let mut version = publication;
    let (mut first_covered, mut restated_at) = (covered_at, None);
    if let Some(shown) = &shown {
        (first_covered, restated_at) = (shown.covered.covered_at, shown.covered.restated_at);
        let before = read_days::of(engine, shown)?;
        if shows_the_same(&before, figures) {
            version = shown.version;
        } else {
            restated_at = Some(covered_at);
            restate(engine, publication, &before, covered_at)?;
        }
    }
    if version == publication {
        insert(engine, version, figures)?;
    }
    // Whoever took the pass over in the meantime may have published the day already.
    lease.check()?;
    let quality = &figures.quality;
    let row = vec![
        json!(figures.day.to_string()),
        json!(publication),
        json!(version),
        json!(first_covered.get()),
        json!(watermark.to_string()),
        json!(restated_at.map(UnixNanos::get)),
        json!(kept(quality.sightings)),
        json!(kept(quality.duplicates)),
        json!(kept(quality.folded)),
        json!(kept(quality.late)),
        json!(kept(quality.sampled)),
        json!(kept(quality.unnamed)),
    ];
    engine.insert("days", &DAYS, &[row], &engine.token())?;
    if let Some(shown) = shown.filter(|shown| shown.version != version) {
        forget_before(engine, figures.day, shown.version);
    }
    Ok(())
}

/// Adds the figures under a version that nothing names yet.
fn insert(engine: &Engine, version: u64, figures: &DayFigures) -> Result<(), StoreError> {
    let day = json!(figures.day.to_string());
    let begin = || vec![day.clone(), json!(version)];
    let row = |keys: Vec<Value>| begin().into_iter().chain(keys).collect::<Vec<Value>>();
    let add = |table: &str, columns: &[&str], rows: Vec<Vec<Value>>| {
        engine.insert(table, columns, &rows, &engine.token())
    };
    let columns = figure_rows::columns();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let tools = figures.tools.iter();
    let tools = tools.map(|(key, of)| figure_rows::row(figures.day, version, key, of)).collect();
    add("day_figures", &columns, tools)?;
    let pairs = figures.pairs.iter().map(|(pair, times)| {
        let [first, next] = [&pair.first, &pair.next];
        row(vec![
            json!(first.service.as_str()),
            json!(first.tool.as_str()),
            json!(next.service.as_str()),
            json!(next.tool.as_str()),
            json!(kept(*times)),
        ])
    });
    add("day_pairs", &PAIRS, pairs.collect())?;
    let sessions = figures.sessions.iter().map(|(client, counts)| {
        let numbers = [counts.single_call, counts.shared].into_iter();
        let numbers = numbers.chain(figure_numbers::counts(&counts.sessions));
        let client = std::iter::once(json!(client.as_str()));
        row(client.chain(numbers.map(|number| json!(kept(number)))).collect())
    });
    add("day_sessions", &SESSIONS, sessions.collect())?;
    let unknown = figures.unknown_tool_calls.iter();
    let unknown =
        unknown.map(|(client, calls)| row(vec![json!(client.as_str()), json!(kept(*calls))]));
    add("day_unknown_tools", &UNKNOWN_TOOLS, unknown.collect())
}

/// Keeps the headline figures that were shown until now, for the publication that changes them.
fn restate(
    engine: &Engine,
    publication: u64,
    shown: &DayFigures,
    at: UnixNanos,
) -> Result<(), StoreError> {
    let row = |(tool, headline): (&crate::call::ToolKey, crate::store::coverage::Headline)| {
        vec![
            json!(shown.day.to_string()),
            json!(publication),
            json!(at.get()),
            json!(tool.service.as_str()),
            json!(tool.tool.as_str()),
            json!(kept(headline.judged)),
            json!(kept(headline.first_call_successes)),
            json!(kept(headline.confirmed_first_call_successes)),
            json!(kept(headline.retried)),
        ]
    };
    let rows: Vec<Vec<Value>> = headlines(shown).into_iter().map(row).collect();
    engine.insert("restatements", &RESTATEMENTS, &rows, &engine.token())
}

/// Removes the day's versions before `shown`, which somebody may still be reading. What stays
/// behind where that fails is never read, and goes the next time.
fn forget_before(engine: &Engine, day: Day, shown: u64) {
    for table in BY_VERSION {
        let statement = format!(
            "ALTER TABLE {table} DELETE WHERE day = toDate32('{day}') AND version < {shown}"
        );
        if let Err(error) = engine.execute(&statement) {
            tracing::debug!(%error, %day, "old figures of a restated day stay for now");
        }
    }
}

/// The publication of a covered day that may be published anew; none where it is not covered.
pub(super) fn shown(
    engine: &Engine,
    installation: u64,
    day: Day,
) -> Result<Option<Publication>, StoreError> {
    let Some(shown) = coverage::of(engine, day)? else { return Ok(None) };
    let is_closed = super::erased::read(engine)?.is_closed(day);
    let now = super::watermark::read(engine, installation, day)?;
    if is_closed || !now.holds_own_of(&shown.covered.watermark) {
        return Err(StoreError::SightingsGone { day });
    }
    Ok(Some(shown))
}
