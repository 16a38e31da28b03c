//! Which days' sightings are no longer needed (METHOD sections 3 and 10).

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::pass::{NightlyError, due};
use crate::call::{CallDuration, Day, UnixNanos};
use crate::clock::Clock;
use crate::store::Store;

const DAY_SECONDS: u64 = 86_400;

/// Erases the sightings, and with them the hashes and prints, of the days that can no longer be
/// restated, as of `clock` (METHOD sections 3 and 10); returns those days, ascending. Figures
/// stay. To be called after a pass: what was not covered, or received more since, is kept.
pub fn erase(
    store: &Store,
    restate_days: NonZeroU32,
    clock: &dyn Clock,
) -> Result<Vec<Day>, NightlyError> {
    let now = clock.now();
    let lease = store.begin_pass(now, &format!("process {}", std::process::id()))?;
    let due = due(store, now.day())?;
    let coverage = store.coverage()?;
    let covered = coverage.into_iter().map(|covered| (covered.day, covered.covered_at)).collect();
    let sighted = store.sighting_days()?;
    let days = erasable(now, restate_days, &sighted, &due, &covered);
    // A kill may have left files of days that are noted as erased.
    let erased = store.erased_days()?;
    let leftovers = sighted.iter().copied().filter(|day| erased.contains(*day));
    for day in leftovers.chain(days.iter().copied()) {
        store.erase_sightings(&lease, day, now)?;
    }
    Ok(days)
}

/// The days whose sightings can go, ascending. A day can be restated for `restate_days` after it
/// was first covered. Its sightings also feed its neighbours through their margins, so they go
/// once that time is over for all three; the day before may be one that has no sightings and was
/// never covered. A day that is due keeps its own and its neighbours' sightings.
///
/// `covered` tells when each covered day was first covered.
fn erasable(
    now: UnixNanos,
    restate_days: NonZeroU32,
    sighted: &[Day],
    due: &[Day],
    covered: &BTreeMap<Day, UnixNanos>,
) -> Vec<Day> {
    let keep = CallDuration::from_secs(u64::from(restate_days.get()).saturating_mul(DAY_SECONDS));
    let is_over = |day: Day| {
        covered.get(&day).is_some_and(|at| at.saturating_add(keep) <= now) && !due.contains(&day)
    };
    let is_absent = |day: Day| !covered.contains_key(&day) && !sighted.contains(&day);
    let is_erasable = |day: &Day| {
        let before = day.minus(1);
        is_over(*day) && is_over(day.plus(1)) && (is_over(before) || is_absent(before))
    };
    sighted.iter().copied().filter(is_erasable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        format!("2026-11-{text}").parse().unwrap()
    }

    /// Two o'clock on that day.
    fn at(text: &str) -> UnixNanos {
        day(text).start().saturating_add(CallDuration::from_secs(7200))
    }

    /// Days 10 to 14, each covered in the night after it.
    fn covered() -> BTreeMap<Day, UnixNanos> {
        let nights = [("10", "11"), ("11", "12"), ("12", "13"), ("13", "14"), ("14", "15")];
        nights.into_iter().map(|(of, night)| (day(of), at(night))).collect()
    }

    fn erased(now: UnixNanos, due: &[Day], covered: &BTreeMap<Day, UnixNanos>) -> Vec<Day> {
        let sighted = [day("10"), day("11"), day("12"), day("13"), day("14")];
        erasable(now, NonZeroU32::new(7).unwrap(), &sighted, due, covered)
    }

    #[test]
    fn a_day_goes_when_it_and_the_day_after_were_covered_seven_days_ago() {
        // Day 10 was covered on the 11th, day 11 on the 12th: on the 19th both are a week old.
        assert_eq!(erased(at("18"), &[], &covered()), []);
        assert_eq!(erased(at("19"), &[], &covered()), [day("10")]);
        let a_moment_before = UnixNanos::new(at("19").get() - 1);
        assert_eq!(erased(a_moment_before, &[], &covered()), []);
        assert_eq!(erased(at("20"), &[], &covered()), [day("10"), day("11")]);
        // Day 14's day after was never covered.
        let all_but_last = [day("10"), day("11"), day("12"), day("13")];
        assert_eq!(erased(at("30"), &[], &covered()), all_but_last);
    }

    #[test]
    fn a_day_that_is_due_keeps_itself_and_both_neighbours() {
        assert_eq!(erased(at("30"), &[day("12")], &covered()), [day("10")]);
    }

    #[test]
    fn a_day_before_that_has_sightings_and_no_figures_keeps_them() {
        let mut covered = covered();
        covered.remove(&day("10"));
        assert_eq!(erased(at("30"), &[], &covered), [day("12"), day("13")]);
    }

    #[test]
    fn a_day_that_was_imported_late_has_its_week_from_then_on() {
        let mut covered = covered();
        covered.insert(day("12"), at("25"));
        assert_eq!(erased(at("30"), &[], &covered), [day("10")]);
    }
}
