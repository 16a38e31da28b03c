//! Leads a pass through the engine: the statements in order, what is streamed between them, and the
//! check of the result. Nothing is published here.

use std::path::PathBuf;

use super::answer::{Cells, QUESTIONS, nothing, settle_reworded};
use super::call_row::CallRow;
use super::check::{Mismatch, check};
use super::statements::{FOLD, INFERRED, JUDGE, PREFIX, Slice, Statements, TABLES};
use super::{recovery, shared};
use crate::call::{Day, Name, UnixNanos};
use crate::figures::DayFigures;
use crate::nightly::declared::Declared;
use crate::nightly::judge::Terms;
use crate::nightly::names::Names;
use crate::nightly::pass::NightlyError;
use crate::nightly::reworded::MAX_NAMES;
use crate::store::PassEngine;

/// How many sightings a slice of a day has, about: what one sort or one table of a hash join holds.
const SLICE: u64 = 4_000_000;
/// Into how many slices a day is divided at most; each is a part of every insert.
const MAX_SLICES: u64 = 64;

/// How often a day is begun at most. A sighting that a receiver with a slow clock adds between two
/// statements looks as if it had been there before; then the fold does not add up.
const ATTEMPTS: u32 = 3;

/// What a pass works with.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) engine: &'a PassEngine,
    pub(super) statements: Statements,
    pub(super) day: Day,
    pub(super) terms: Terms,
    /// Where parts of a large day wait.
    pub(super) scratch: PathBuf,
}

/// What a day is made from.
#[derive(Debug)]
pub struct Question<'a> {
    /// The day.
    pub day: Day,
    /// What it is judged under.
    pub terms: Terms,
    /// What is declared of tools, and what servers are known to offer.
    pub declared: Declared,
    /// The folder in which parts of a large day wait.
    pub scratch: PathBuf,
    /// Tells the tables of this pass from those of another.
    pub token: &'a str,
    /// How many slices; none for as many as the day needs.
    pub slices: Option<u64>,
}

/// A day's figures by the engine, and how many sightings they were made from; `judging` is told
/// their number before they are judged. Tables that earlier passes left behind are removed first, so
/// no two passes may run at a time.
pub fn figures(
    engine: &PassEngine,
    question: Question<'_>,
    judging: &mut dyn FnMut(u64),
) -> Result<(DayFigures, u64), NightlyError> {
    let Question { day, terms, declared, scratch, token, slices } = question;
    let of_day = Statements::new(day, terms, token);
    let mut work = Work { engine, statements: of_day.clone(), day, terms, scratch };
    let mut attempts = 1;
    loop {
        work.drop_tables(PREFIX)?;
        work.statements = of_day.clone();
        let last_received = UnixNanos::new(work.count(LAST_RECEIVED)?);
        work.statements = of_day.clone().until(last_received);
        let near = work.count(NEAR)?;
        let found = work.figures(near, declared.clone(), slices, judging);
        let has_grown = matches!(found, Err(NightlyError::Mismatch(_)))
            && attempts < ATTEMPTS
            && work.count(NEAR)? != near;
        // Where the pass failed, its error tells more than one about what it leaves behind, which
        // the next pass removes.
        let dropped = work.drop_tables(&work.statements.table(""));
        if has_grown {
            attempts += 1;
            continue;
        }
        let figures = found?;
        dropped?;
        return Ok((figures, near));
    }
}

impl Work<'_> {
    fn figures(
        &self,
        near: u64,
        declared: Declared,
        slices: Option<u64>,
        judging: &mut dyn FnMut(u64),
    ) -> Result<DayFigures, NightlyError> {
        let of = slices.unwrap_or(near.div_ceil(SLICE)).clamp(1, MAX_SLICES);
        let whole = Slice { number: 0, of };
        for statement in TABLES.into_iter().chain(FOLD) {
            self.run(statement, whole)?;
        }
        let mut names = Names::declaring(declared);
        let streamed = shared::fold(self, &mut names)?;
        self.check_fold(near, streamed)?;
        recovery::learn_names(self, &mut names)?;
        recovery::put_terms(self, &names)?;
        let calls = self.count(
            "SELECT count() FROM pass_calls WHERE start >= {day_start} AND start < {day_end}",
        )?;
        if self.terms.infer_sessions {
            self.run(INFERRED, whole)?;
        }
        judging(near);
        let (mut figures, mut followed) = (nothing(self.day), recovery::Found::default());
        for number in 0..of {
            self.add_slice(Slice { number, of }, &mut figures)?;
            followed.add(self, &names)?;
        }
        followed.put_into(&mut figures, &names);
        figures.tools.values_mut().for_each(|figures| settle_reworded(figures, MAX_NAMES));
        check(&figures, calls)?;
        Ok(figures)
    }

    /// Every sighting must have become a call, a part of one, or one of those left out.
    fn check_fold(&self, near: u64, streamed: shared::Streamed) -> Result<(), NightlyError> {
        let rows = self.one_row("SELECT count(), sum(sightings) FROM pass_calls")?;
        let (calls, sightings) = two_numbers(rows)?;
        let lone = self.one_row(LONE)?;
        let (lone, after) = two_numbers(lone)?;
        Mismatch::unless_equal("calls folded", calls, lone + streamed.calls)?;
        let told = sightings + streamed.left_out + after;
        Mismatch::unless_equal("sightings folded", told, near)?;
        Mismatch::unless_equal("sightings streamed", streamed.sightings, near - lone - after)?;
        Ok(())
    }

    fn add_slice(&self, slice: Slice, figures: &mut DayFigures) -> Result<(), NightlyError> {
        for (table, statement) in JUDGE {
            self.drop_table(&self.statements.table(table.trim_start_matches(PREFIX)))?;
            self.run(statement, slice)?;
        }
        for (question, take) in QUESTIONS {
            let question = self.statements.text(question, slice);
            for row in self.engine.rows(&question)? {
                take(figures, &mut Cells::of(row)).ok_or(NightlyError::Answer)?;
            }
        }
        Ok(())
    }

    fn run(&self, statement: &str, slice: Slice) -> Result<(), NightlyError> {
        let text = self.statements.text(statement, slice);
        Ok(self.engine.execute(&text)?)
    }

    fn one_row(&self, query: &str) -> Result<Cells, NightlyError> {
        let text = self.statements.text(query, Slice { number: 0, of: 1 });
        let rows = self.engine.rows(&text)?;
        rows.into_iter().next().map(Cells::of).ok_or(NightlyError::Answer)
    }

    fn count(&self, query: &str) -> Result<u64, NightlyError> {
        self.one_row(query)?.number().ok_or(NightlyError::Answer)
    }

    /// The names that a query answers, one in each row.
    pub(super) fn names(&self, query: &str) -> Result<Vec<Name>, NightlyError> {
        let text = self.statements.text(query, Slice { number: 0, of: 1 });
        let rows = self.engine.rows(&text)?;
        rows.into_iter().map(|row| Cells::of(row).name().ok_or(NightlyError::Answer)).collect()
    }

    /// Adds calls, and empties the list.
    pub(super) fn add(&self, rows: &mut Vec<CallRow>) -> Result<(), NightlyError> {
        let added = self.engine.add(&self.statements.table("calls"), rows);
        rows.clear();
        Ok(added?)
    }

    /// Removes the tables whose names begin so.
    fn drop_tables(&self, prefix: &str) -> Result<(), NightlyError> {
        let query = format!(
            "SELECT name FROM system.tables
             WHERE database = currentDatabase() AND startsWith(name, '{prefix}')"
        );
        for row in self.engine.rows(&query)? {
            let name = Cells::of(row).name().ok_or(NightlyError::Answer)?;
            self.drop_table(name.as_str())?;
        }
        Ok(())
    }

    fn drop_table(&self, name: &str) -> Result<(), NightlyError> {
        Ok(self.engine.execute(&format!("DROP TABLE IF EXISTS {name} SYNC"))?)
    }
}

/// When the last of the day's sightings and attempts was received.
const LAST_RECEIVED: &str = "SELECT greatest(
        (SELECT max(received) FROM sightings WHERE {near}),
        (SELECT max(received) FROM attempts WHERE {near}))";
/// How many sightings the day and its margins have.
const NEAR: &str = "SELECT count() FROM sightings
    WHERE {near}";
/// How many of them are a call each, and how many would be one after the margin.
const LONE: &str = "SELECT countIf(start <= {last_start}), countIf(start > {last_start})
    FROM sightings
    WHERE {near}
        AND trace_id NOT IN (SELECT trace FROM pass_traces WHERE is_shared)";

fn two_numbers(mut row: Cells) -> Result<(u64, u64), NightlyError> {
    row.number().zip(row.number()).ok_or(NightlyError::Answer)
}
