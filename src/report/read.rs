//! Reading a report's input from the store: days one at a time, each dropped once it is added.

use std::collections::BTreeMap;

use super::fold::Fold;
use super::input::{Dates, Range, ReportInput, RestatedDay, ShownBefore};
use crate::call::{ClientName, Day, ToolKey};
use crate::figures::{DayFigures, Figures};
use crate::store::{Store, StoreError, VisitDays};

/// Reads what a report of `range`, made on `today`, is made of.
pub fn read(store: &Store, range: Range, today: Day) -> Result<ReportInput, StoreError> {
    let coverage = store.coverage()?;
    let as_of = coverage.last().map(|covered| covered.day);
    let (from, to) = range.resolve(as_of, today);
    let dates = Dates { from, to, today, as_of };
    let first = dates.first_read();
    let is_covered = |day: &Day| coverage.iter().any(|covered| covered.day == *day);
    let has_calls_uncovered = store.sighting_days()?.iter().any(|day| !is_covered(day));
    let mut restated: BTreeMap<Day, RestatedDay> = coverage
        .iter()
        .filter(|covered| covered.restated_at.is_some())
        .filter(|covered| (first..=to).contains(&covered.day))
        .map(|covered| (covered.day, RestatedDay::default()))
        .collect();
    // Oldest first, so that what was shown last stays.
    for restatement in store.restatements(first, to)? {
        let tools = restatement.shown_before.into_iter().map(|(tool, shown)| {
            let shown = ShownBefore {
                judged: shown.judged,
                first_call_successes: shown.first_call_successes,
                confirmed_first_call_successes: shown.confirmed_first_call_successes,
                retried: shown.retried,
            };
            (tool, shown)
        });
        restated.insert(restatement.day, RestatedDay { tools: tools.collect() });
    }
    let mut fold = Fold::new(dates, restated);
    store.visit_days(first, to, &mut fold)?;
    let arrivals = store.arrival_counts(from, to)?;
    Ok(ReportInput { arrivals, has_calls_uncovered, ..fold.finish() })
}

impl VisitDays for Fold {
    fn tool(&mut self, day: Day, tool: ToolKey, client: ClientName, figures: Figures) {
        self.add(day, &tool, &client, figures);
    }

    fn rest(&mut self, rest: DayFigures) {
        self.close_day(&rest);
    }
}
