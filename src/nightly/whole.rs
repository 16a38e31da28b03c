//! A whole day at once, in memory: what the parts must add up to.

use super::call::Call;
use super::declared::Declared;
use super::fold::fold;
use super::join::{By, join};
use super::judge::{Terms, is_near, judge_calls};
use super::names::{NameId, Names};
use super::seen::Seen;
use super::summarise::Tally;
use crate::call::{Attempt, Day, Sighting};
use crate::figures::DayFigures;

/// Judges a day from the sightings of the day and its margins, in any order. Sightings outside
/// [`LOOK_BACK`](super::LOOK_BACK) and [`LOOK_AHEAD`](super::LOOK_AHEAD) of the day are left out of
/// account.
pub fn judge_day(day: Day, sightings: Vec<Sighting>) -> DayFigures {
    judge_day_under(Terms::default(), day, sightings)
}

/// Judges a day as [`judge_day`] does, under other terms than the usual.
pub fn judge_day_under(terms: Terms, day: Day, sightings: Vec<Sighting>) -> DayFigures {
    judge_day_with(terms, day, sightings, Vec::new(), Declared::default())
}

/// Judges a day as [`judge_day_under`] does, with the client spans that may be below its calls and
/// with what is declared of tools.
pub fn judge_day_with(
    terms: Terms,
    day: Day,
    sightings: Vec<Sighting>,
    attempts: Vec<Attempt>,
    declared: Declared,
) -> DayFigures {
    let mut names = Names::declaring(declared);
    let calls = fold_day_with(day, sightings, attempts, &mut names);
    let judged = judge_calls(terms, day, calls, &names);
    let mut tally = Tally::new(day, terms);
    tally.add(&judged, &names);
    tally.figures(&names)
}

/// The calls that the sightings of a day and its margins are of, in no particular order.
pub fn fold_day(day: Day, sightings: Vec<Sighting>, names: &mut Names) -> Vec<Call> {
    fold_day_with(day, sightings, Vec::new(), names)
}

/// The same with the client spans that may be below those calls.
pub fn fold_day_with(
    day: Day,
    sightings: Vec<Sighting>,
    attempts: Vec<Attempt>,
    names: &mut Names,
) -> Vec<Call> {
    let near = sightings.into_iter().filter(|sighting| is_near(day, sighting.start));
    let seen: Vec<Seen> = near.map(|sighting| Seen::of(&sighting, names)).collect();
    let attempts: Vec<Attempt<NameId>> = attempts
        .into_iter()
        .filter(|attempt| is_near(day, attempt.start))
        .map(|attempt| attempt.with_names(|name| names.id(name)))
        .collect();
    let calls = fold(&seen, &attempts, names);
    By::BOTH.into_iter().fold(calls, |calls, by| join(calls, by, names))
}
