//! What arrived, hour by hour and source by source: gathered in memory, written with the arrival
//! counts, kept for a week. Bounded however many sources come.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::columns::{SOURCE_HOURS, SOURCES};
use super::database::to_sql;
use super::rows::{count, name};
use crate::call::{CallDuration, Name, UnixNanos};
use crate::figures::counts::Word;
use crate::figures::{RecordKind, Refusal, SourceCounts, SourceKey, Sources};

/// Sources that are told apart in the file; further ones are counted together until the hours of
/// older ones are forgotten.
const MAX_SOURCES: i64 = 2000;

/// How many hours are kept.
const KEPT_HOURS: u64 = 8 * 24;

/// The source of all that are not told apart. SQLite numbers rows from one.
const OTHERS: i64 = 0;

/// An hour, counted from the epoch.
type Hour = u64;

const fn hour_of(instant: UnixNanos) -> Hour {
    instant.get() / CallDuration::from_secs(3600).as_nanos()
}

/// Counts that are not written yet.
#[derive(Debug, Default)]
pub(super) struct HourBook(BTreeMap<Hour, Sources>);

impl HourBook {
    /// Adds what arrived at `received`.
    pub(super) fn add(&mut self, received: UnixNanos, sources: &Sources) {
        if !sources.is_empty() {
            self.0.entry(hour_of(received)).or_default().merge(sources);
        }
    }

    /// Adds another book's counts.
    pub(super) fn merge(&mut self, other: &Self) {
        for (hour, sources) in &other.0 {
            self.0.entry(*hour).or_default().merge(sources);
        }
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the counts to those in the file, and forgets those of long ago.
    pub(super) fn save(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        if let Some((last, _)) = self.0.last_key_value() {
            forget(transaction, last.saturating_sub(KEPT_HOURS))?;
        }
        let add = "ON CONFLICT DO UPDATE SET times = min(times, ?) + excluded.times";
        let insert = format!("{} {add}", SOURCE_HOURS.insert());
        let mut insert = transaction.prepare_cached(&insert)?;
        for (hour, sources) in &self.0 {
            for (key, counts) in sources.iter() {
                let id = match key {
                    Some(key) => source_id(transaction, key)?,
                    None => OTHERS,
                };
                for (what, word, times) in entries(counts) {
                    let times = to_sql(times);
                    insert.execute((to_sql(*hour), id, what, word, times, i64::MAX - times))?;
                }
            }
        }
        Ok(())
    }
}

/// Removes the hours before `first`, and the sources that then have none.
fn forget(transaction: &Transaction<'_>, first: Hour) -> rusqlite::Result<()> {
    let gone = transaction
        .prepare_cached("DELETE FROM source_hours WHERE hour < ?1")?
        .execute([to_sql(first)])?;
    if gone > 0 {
        let kept = "SELECT source_id FROM source_hours";
        transaction.execute(&format!("DELETE FROM sources WHERE source_id NOT IN ({kept})"), [])?;
    }
    Ok(())
}

/// The number of a source in the file; a new one where there is room for it.
fn source_id(transaction: &Transaction<'_>, key: &SourceKey) -> rusqlite::Result<i64> {
    let SourceKey { emitter, scope, kind } = key;
    let values = (emitter.as_str(), scope.as_str(), kind.word());
    let found = transaction
        .prepare_cached(
            "SELECT source_id FROM sources WHERE emitter = ?1 AND scope = ?2 AND kind = ?3",
        )?
        .query_row(values, |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    let count: i64 = transaction.query_row("SELECT count(*) FROM sources", [], |row| row.get(0))?;
    if count >= MAX_SOURCES {
        return Ok(OTHERS);
    }
    transaction.execute(&SOURCES.insert(), (None::<i64>, values.0, values.1, values.2))?;
    Ok(transaction.last_insert_rowid())
}

/// Counts as rows: what was counted, of which word, how often. Zeros are left out.
fn entries(counts: &SourceCounts) -> impl Iterator<Item = (&'static str, &str, u64)> {
    let SourceCounts { seen, kept, not_calls, refused } = counts;
    let mut entries = vec![("seen", "", *seen)];
    entries.extend(kept.iter().map(|(name, times)| ("kept", name.as_str(), *times)));
    entries.extend(not_calls.iter().map(|(name, times)| ("not_calls", name.as_str(), *times)));
    entries.extend(refused.iter().map(|(word, times)| ("refused", word.text(), times)));
    entries.into_iter().filter(|(_, _, times)| *times > 0)
}

/// What arrived in the hours from that of `since` on.
pub(super) fn read(connection: &Connection, since: UnixNanos) -> rusqlite::Result<Sources> {
    let mut select = connection.prepare(
        "SELECT emitter, scope, kind, what, word, sum(times)
         FROM source_hours LEFT JOIN sources USING (source_id)
         WHERE hour >= ?1 GROUP BY source_id, what, word",
    )?;
    let mut rows = select.query([to_sql(hour_of(since))])?;
    let mut sources = Sources::default();
    while let Some(row) = rows.next()? {
        let kind: Option<String> = row.get(2)?;
        let counts = match kind.map(|kind| RecordKind::from_word(&kind)) {
            Some(Some(kind)) => {
                sources.of(SourceKey { emitter: name(row, 0)?, scope: name(row, 1)?, kind })
            }
            // Written by a firstcall that knows more kinds than this one.
            Some(None) => continue,
            None => sources.others(),
        };
        let (what, word, times) = (name(row, 3)?, name(row, 4)?, count(row, 5)?);
        add_row(counts, what.as_str(), word, times);
    }
    Ok(sources)
}

fn add_row(counts: &mut SourceCounts, what: &str, word: Name, times: u64) {
    let add = |to: &mut u64| *to = to.saturating_add(times);
    match what {
        "seen" => add(&mut counts.seen),
        "kept" => add(counts.kept.entry(word).or_default()),
        "not_calls" => add(counts.not_calls.entry(word).or_default()),
        "refused" => {
            if let Some(why) = Refusal::from_word(word.as_str()) {
                counts.refused.add(why, times);
            }
        }
        // Written by a firstcall that counts more than this one.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::database;

    const HOUR: u64 = 3600 * 1_000_000_000;

    fn at(hour: u64) -> UnixNanos {
        UnixNanos::new(hour * HOUR + 5)
    }

    fn one(emitter: &str, seen: u64) -> Sources {
        let mut sources = Sources::default();
        sources.of(SourceKey::new(emitter, "scope", RecordKind::Span)).seen = seen;
        sources
    }

    fn save(connection: &mut Connection, received: UnixNanos, sources: &Sources) {
        let mut book = HourBook::default();
        book.add(received, sources);
        let transaction = connection.transaction().unwrap();
        book.save(&transaction).unwrap();
        transaction.commit().unwrap();
    }

    fn open(folder: &tempfile::TempDir) -> Connection {
        database::open_or_make(&folder.path().join("main.sqlite"), &database::MAIN).unwrap()
    }

    #[test]
    fn hours_add_up_and_old_ones_go_with_their_sources() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = open(&folder);
        save(&mut connection, at(1000), &one("a", 1));
        save(&mut connection, at(1000), &one("a", 2));
        save(&mut connection, at(1001), &one("b", 4));
        let seen = |connection: &Connection, since| {
            let sources = read(connection, at(since)).unwrap();
            sources.iter().map(|(_, counts)| counts.seen).sum::<u64>()
        };
        assert_eq!((seen(&connection, 1000), seen(&connection, 1001)), (7, 4));
        save(&mut connection, at(1001 + KEPT_HOURS), &one("c", 8));
        assert_eq!(seen(&connection, 0), 12, "the hour of a is forgotten");
        let named: i64 =
            connection.query_row("SELECT count(*) FROM sources", [], |row| row.get(0)).unwrap();
        assert_eq!(named, 2);
    }

    #[test]
    fn sources_beyond_the_limit_of_the_file_are_counted_together() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = open(&folder);
        for part in 0..5 {
            let mut sources = Sources::default();
            for number in 0..500 {
                let emitter = format!("service {part} {number}");
                sources.of(SourceKey::new(&emitter, "", RecordKind::Span)).seen = 1;
            }
            save(&mut connection, at(7), &sources);
        }
        let named: i64 =
            connection.query_row("SELECT count(*) FROM sources", [], |row| row.get(0)).unwrap();
        assert_eq!(named, MAX_SOURCES);
        let others: i64 = connection
            .query_row("SELECT times FROM source_hours WHERE source_id = 0", [], |row| row.get(0))
            .unwrap();
        assert_eq!(others, 500);
    }
}
