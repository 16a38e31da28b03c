//! What arrived hour by hour and source by source, in `firstcall.sqlite`.

use rusqlite::{Connection, OptionalExtension, Transaction};

use super::database::to_sql;
use super::rows::{count, name};
use crate::call::UnixNanos;
use crate::figures::{RecordKind, SourceKey, Sources};
use crate::store::columns::{SOURCE_HOURS, SOURCES};
use crate::store::source_hours::{Hour, HourBook, KEPT_HOURS, add_row, entries, hour_of};

/// Sources that are told apart in the file; further ones are counted together until the hours of
/// older ones are forgotten.
const MAX_SOURCES: i64 = 2000;

/// The source of all that are not told apart. SQLite numbers rows from one.
const OTHERS: i64 = 0;

/// Adds the counts to those in the file, and forgets those of long ago.
pub(super) fn save(book: &HourBook, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if let Some((last, _)) = book.0.last_key_value() {
        forget(transaction, last.saturating_sub(KEPT_HOURS))?;
    }
    let add = "ON CONFLICT DO UPDATE SET times = min(times, ?) + excluded.times";
    let insert = format!("{} {add}", SOURCE_HOURS.insert());
    let mut insert = transaction.prepare_cached(&insert)?;
    for (hour, sources) in &book.0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::database;

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
        super::save(&book, &transaction).unwrap();
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
