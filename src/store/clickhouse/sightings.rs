//! Reading sightings, row by row.

use std::collections::HashMap;

use super::engine::Engine;
use super::json::Row;
use super::sighting_row::SightingRow;
use crate::call::{Day, Name, UnixNanos};
use crate::store::error::StoreError;
use crate::store::stored::StoredSighting;

/// Names that a reader remembers; further ones are made anew each time, so that a sender with ever
/// new names costs time and not memory.
const MAX_NAMES: usize = 65_536;

/// What a reader makes of names, each asked for once.
pub(super) struct Names<'n, N> {
    known: HashMap<Box<str>, N>,
    name: &'n mut dyn FnMut(&Name) -> N,
}

impl<'n, N: Clone> Names<'n, N> {
    /// None known yet.
    pub(super) fn new(name: &'n mut dyn FnMut(&Name) -> N) -> Self {
        Self { known: HashMap::new(), name }
    }

    /// What is made of the name `text`.
    pub(super) fn of(&mut self, text: &str) -> N {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let made = (self.name)(&Name::cut(text));
        if self.known.len() < MAX_NAMES {
            self.known.insert(text.into(), made.clone());
        }
        made
    }
}

/// Hands every sighting of `day` that starts in `[from, to)` to `visit`, in no order.
pub(super) fn read<N: Clone>(
    engine: &Engine,
    day: Day,
    (from, to): (UnixNanos, UnixNanos),
    name: &mut dyn FnMut(&Name) -> N,
    visit: &mut dyn FnMut(StoredSighting<'_, N>),
) -> Result<(), StoreError> {
    let mut names = Names::new(name);
    let query = format!("SELECT ?fields FROM sightings {}", of_day(day, from, to));
    let visit = |row: SightingRow<'_>| row.visit(&mut |text| names.of(text), visit);
    engine.each::<SightingRow<'_>>(&query, visit)
}

/// The rows of a day that start in `[from, to)`.
pub(super) fn of_day(day: Day, from: UnixNanos, to: UnixNanos) -> String {
    let (day, from, to) = (day.number(), from.get(), to.get());
    format!("WHERE day = {day} AND start >= {from} AND start < {to}")
}

/// The days that have sightings or attempts, ascending.
pub(super) fn days(engine: &Engine) -> Result<Vec<Day>, StoreError> {
    let query = "SELECT day FROM (SELECT day FROM sightings GROUP BY day
         UNION DISTINCT SELECT day FROM attempts GROUP BY day) ORDER BY day";
    let day = |mut row: Row| {
        let number = row.number().and_then(|number| u32::try_from(number).ok());
        number.and_then(Day::from_number).ok_or_else(|| engine.damaged("day"))
    };
    engine.rows(query)?.into_iter().map(day).collect()
}
