//! Arrival counts: gathered in memory, written every few seconds by day and emitter.
//!
//! They feed the data-quality strip. A crash may lose the last few seconds of them, so that
//! requests without tool calls cost no sync.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row};

use super::batch::Batch;
use super::columns::ARRIVALS;
use super::database::to_sql;
use super::imports::ImportedBook;
use super::rows::{count, name};
use super::source_hours::HourBook;
use crate::call::{Day, Name, Repair};
use crate::figures::counts::Word;
use crate::figures::{ArrivalCounts, Counts, Refusal};

/// Pairs of day and emitter that memory holds; further emitters are counted as unnamed.
const MAX_PENDING: usize = 10_000;

/// Counts that are not written yet, and what is written with them.
#[derive(Debug, Default)]
pub(super) struct ArrivalBook {
    days: BTreeMap<(Day, Name), ArrivalCounts>,
    hours: HourBook,
    imported: ImportedBook,
}

impl ArrivalBook {
    /// Adds a batch's counts.
    pub(super) fn add(&mut self, batch: &Batch) {
        let day = batch.received.day().min(Day::MAX);
        for (emitter, counts) in &batch.counts {
            self.add_emitter(day, emitter, counts);
        }
        self.hours.add(batch.received, &batch.sources);
        self.imported.add(batch);
    }

    /// Adds another book's counts.
    pub(super) fn merge(&mut self, other: &Self) {
        for ((day, emitter), counts) in &other.days {
            self.add_emitter(*day, emitter, counts);
        }
        self.hours.merge(&other.hours);
        self.imported.merge(&other.imported);
    }

    fn add_emitter(&mut self, day: Day, emitter: &Name, counts: &ArrivalCounts) {
        let key = (day, emitter.clone());
        let has_room = self.days.len() < MAX_PENDING || self.days.contains_key(&key);
        let key = if has_room { key } else { (day, Name::cut("")) };
        self.days.entry(key).or_default().merge(counts);
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.days.is_empty() && self.hours.is_empty() && self.imported.is_empty()
    }

    /// Adds the counts to those in the file, all or none.
    pub(super) fn save(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let transaction = connection.transaction()?;
        {
            // A sum never leaves the integers, whatever was counted before.
            let add = "ON CONFLICT DO UPDATE SET times = min(times, ?) + excluded.times";
            let mut insert = transaction.prepare_cached(&format!("{} {add}", ARRIVALS.insert()))?;
            for ((day, emitter), counts) in &self.days {
                let day = day.to_string();
                for (what, word, times) in entries(counts) {
                    let times = to_sql(times);
                    let room = i64::MAX - times;
                    insert.execute((&day, emitter.as_str(), what, word, times, room))?;
                }
            }
        }
        self.hours.save(&transaction)?;
        self.imported.save(&transaction)?;
        transaction.commit()
    }
}

/// Counts as rows: what was counted, of which word, how often. Zeros are left out.
fn entries(counts: &ArrivalCounts) -> impl Iterator<Item = (&'static str, &str, u64)> {
    let ArrivalCounts { requests, spans, log_records, kept, not_calls, refused, repaired } = counts;
    let mut entries =
        vec![("requests", "", *requests), ("spans", "", *spans), ("log_records", "", *log_records)];
    entries.extend(kept.iter().map(|(name, times)| ("kept", name.as_str(), *times)));
    entries.extend(not_calls.iter().map(|(name, times)| ("not_calls", name.as_str(), *times)));
    entries.extend(refused.iter().map(|(word, times)| ("refused", word.text(), times)));
    entries.extend(repaired.iter().map(|(word, times)| ("repaired", word.text(), times)));
    entries.into_iter().filter(|(_, _, times)| *times > 0)
}

/// The counts of the days from `from` to `to`, both included, by emitter.
pub(super) fn read(
    connection: &Connection,
    from: Day,
    to: Day,
) -> rusqlite::Result<BTreeMap<Name, ArrivalCounts>> {
    let mut select = connection.prepare(&ARRIVALS.select("WHERE day BETWEEN ?1 AND ?2"))?;
    let mut rows = select.query([from.to_string(), to.to_string()])?;
    let mut arrivals: BTreeMap<Name, ArrivalCounts> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        add_row(arrivals.entry(name(row, 1)?).or_default(), row)?;
    }
    Ok(arrivals)
}

fn add_row(counts: &mut ArrivalCounts, row: &Row<'_>) -> rusqlite::Result<()> {
    let (what, word, times) = (name(row, 2)?, name(row, 3)?, count(row, 4)?);
    let add = |to: &mut u64| *to = to.saturating_add(times);
    match what.as_str() {
        "requests" => add(&mut counts.requests),
        "spans" => add(&mut counts.spans),
        "log_records" => add(&mut counts.log_records),
        "kept" => add(counts.kept.entry(word).or_default()),
        "not_calls" => add(counts.not_calls.entry(word).or_default()),
        "refused" => add_word::<Refusal>(&mut counts.refused, &word, times),
        "repaired" => add_word::<Repair>(&mut counts.repaired, &word, times),
        // Written by a firstcall that counts more than this one.
        _ => {}
    }
    Ok(())
}

fn add_word<W: Word>(counts: &mut Counts<W>, word: &Name, times: u64) {
    if let Some(found) = W::VALUES.iter().find(|value| value.text() == word.as_str()) {
        counts.add(*found, times);
    }
}
