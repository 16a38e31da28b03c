//! What must add up before figures that an engine counted are published.

use crate::figures::{DayFigures, Figures};

/// Two counts that must be one and are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the engine's figures do not add up: {what} are {found} and must be {expected}")]
pub struct Mismatch {
    /// What was counted.
    pub what: &'static str,
    /// How many there must be.
    pub expected: u64,
    /// How many there are.
    pub found: u64,
}

impl Mismatch {
    /// None where the two are equal.
    pub(super) const fn unless_equal(
        what: &'static str,
        found: u64,
        expected: u64,
    ) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self { what, expected, found }) }
    }
}

/// Holds a day's figures against themselves and against the count of its calls.
pub(super) fn check(day: &DayFigures, calls: u64) -> Result<(), Mismatch> {
    let of_tools: u64 = day.tools.values().map(|figures| figures.calls).sum();
    let of_no_tool: u64 = day.unknown_tool_calls.values().sum();
    let counted = of_tools + of_no_tool + day.quality.unnamed;
    Mismatch::unless_equal("the calls counted", counted, calls)?;
    let told = day.quality.duplicates + day.quality.folded + calls;
    Mismatch::unless_equal("sightings of calls", told, day.quality.sightings)?;
    day.tools.values().try_for_each(check_tool)
}

fn check_tool(of: &Figures) -> Result<(), Mismatch> {
    let equal = Mismatch::unless_equal;
    equal("calls judged and not judged", of.judged + of.unjudged.total(), of.calls)?;
    equal("calls by outcome", of.outcomes.total(), of.calls)?;
    equal("calls by grade of session", of.grades.total(), of.calls)?;
    equal("retries by class", of.retry_classes.total(), of.retried)?;
    equal("chains by end", of.usable_chains + of.abandoned_chains, of.retry_chains)?;
    equal("uncertain calls by what followed", of.recovery.followed.total(), of.recovery.uncertain)?;
    let confirmed_or_not = of.confirmed_first_call_successes.max(of.first_call_successes);
    equal("confirmed successes", of.confirmed_first_call_successes, confirmed_or_not)?;
    equal("judged calls", of.judged.max(confirmed_or_not), of.judged)?;
    equal("calls with a latency", of.latency.total().max(of.calls), of.calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{ClientName, Name, Outcome, SessionGrade, ToolKey};
    use crate::figures::{QualityCounts, RetryClass, UnjudgedReason};
    use crate::nightly::engine::answer::nothing;

    /// Three calls of one tool, one of them not judged and one retried, and one of a tool that is
    /// not there.
    fn sound() -> DayFigures {
        let mut figures = Figures { calls: 3, judged: 2, retried: 1, ..Figures::default() };
        figures.unjudged.add(UnjudgedReason::NoSession, 1);
        figures.outcomes.add(Outcome::Ok, 3);
        figures.grades.add(SessionGrade::A, 3);
        figures.retry_classes.add(RetryClass::AfterOk, 1);
        figures.first_call_successes = 1;
        figures.confirmed_first_call_successes = 1;
        figures.latency.record(7);
        let tool = ToolKey { service: Name::cut("orders"), tool: Name::cut("search") };
        let mut day = nothing("2026-11-29".parse().unwrap());
        day.tools.insert((tool, ClientName::unknown()), figures);
        day.unknown_tool_calls.insert(ClientName::unknown(), 1);
        day.quality = QualityCounts { sightings: 6, duplicates: 1, folded: 1, ..day.quality };
        day
    }

    fn spoilt(spoil: impl Fn(&mut DayFigures, &mut Figures)) -> Result<(), Mismatch> {
        let mut day = sound();
        let (key, mut figures) = day.tools.pop_first().unwrap();
        spoil(&mut day, &mut figures);
        day.tools.insert(key, figures);
        check(&day, 4)
    }

    #[test]
    fn figures_that_add_up_pass() {
        assert_eq!(spoilt(|_, _| {}), Ok(()));
        let lost = Mismatch { what: "the calls counted", expected: 5, found: 4 };
        assert_eq!(check(&sound(), 5), Err(lost));
    }

    #[test]
    fn every_sum_that_does_not_add_up_is_refused() {
        let what = |spoil: fn(&mut DayFigures, &mut Figures)| spoilt(spoil).unwrap_err().what;
        let found = [
            what(|_, of| of.calls += 1),
            what(|day, _| day.quality.unnamed += 1),
            what(|day, _| day.quality.sightings += 1),
            what(|_, of| of.judged += 1),
            what(|_, of| of.outcomes.add(Outcome::Error, 1)),
            what(|_, of| of.grades.add(SessionGrade::B, 1)),
            what(|_, of| of.retried += 1),
            what(|_, of| of.usable_chains += 1),
            what(|_, of| of.recovery.uncertain += 1),
            what(|_, of| of.first_call_successes += 1),
            what(|_, of| of.confirmed_first_call_successes += 2),
            what(|_, of| (0..3).for_each(|_| of.latency.record(7))),
        ];
        let expected = [
            "the calls counted",
            "the calls counted",
            "sightings of calls",
            "calls judged and not judged",
            "calls by outcome",
            "calls by grade of session",
            "retries by class",
            "chains by end",
            "uncertain calls by what followed",
            "confirmed successes",
            "judged calls",
            "calls with a latency",
        ];
        assert_eq!(found, expected);
    }
}
