//! The points in which a dialect can fall short, and when it does.

use super::examine::DialectCounts;
use super::remedies::{Remedy, remedy};
use crate::call::SessionGrade;
use crate::call::outcome::words;

words! {
    /// What calls can lack, the gravest first.
    Point {
        /// No hash of the arguments: such calls are not judged.
        ArgsHash = "args_hash",
        /// No session: such calls are not judged.
        NoSession = "no_session",
        /// The sender kept a part of its spans only.
        Sampled = "sampled",
        /// Good outcomes that hide failures.
        LowConfidence = "low_confidence",
        /// It is not known whether good answers were empty.
        Emptiness = "emptiness",
        /// No session but the trace.
        OnlyTrace = "only_trace",
        /// Arguments that were cut or redacted before they were hashed.
        ArgsHidden = "args_hidden",
        /// Calls that came more than once.
        Twice = "twice",
    }
}

/// One call in so many may lack something before it is worth a word. Marks of sampling and
/// hidden failures are always worth one.
const TOLERATED: u64 = 20;

/// What a dialect's calls lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortfall {
    /// The point.
    pub point: Point,
    /// How many calls lack it.
    pub lacking: u64,
    /// Of how many.
    pub of: u64,
    /// What would mend it.
    pub remedy: Remedy,
}

/// In what a dialect falls short.
pub(super) fn shortfalls(dialect: &str, counts: &DialectCounts) -> Vec<Shortfall> {
    let found = Point::ALL.iter().filter_map(|point| {
        let (lacking, of, tolerated) = lacking(*point, counts);
        let falls_short = lacking > 0 && lacking.saturating_mul(tolerated) > of;
        let remedy = remedy(dialect, *point);
        falls_short.then_some(Shortfall { point: *point, lacking, of, remedy })
    });
    found.collect()
}

/// How many calls lack it, of how many, and one in how many may.
const fn never(lacking: u64, of: u64) -> (u64, u64, u64) {
    (lacking, of, u64::MAX)
}

fn lacking(point: Point, counts: &DialectCounts) -> (u64, u64, u64) {
    let calls = counts.calls;
    match point {
        Point::ArgsHash => (counts.without_arguments, calls, TOLERATED),
        Point::NoSession => (counts.grades_in_trace.get(SessionGrade::E), calls, TOLERATED),
        Point::OnlyTrace => (counts.grades_in_trace.get(SessionGrade::C), calls, TOLERATED),
        Point::Sampled => never(counts.sampled, calls),
        Point::LowConfidence => never(counts.low_confidence, counts.ok),
        Point::Emptiness => (counts.without_emptiness, counts.ok, TOLERATED),
        Point::ArgsHidden => (counts.args_hidden, calls, TOLERATED),
        Point::Twice => (counts.duplicates, calls, TOLERATED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_twenty_may_lack_something_and_marks_are_always_told() {
        let mut counts = DialectCounts { calls: 100, ok: 80, ..DialectCounts::default() };
        assert_eq!(shortfalls("fastmcp", &counts), []);
        counts.without_arguments = 5;
        counts.without_emptiness = 4;
        assert_eq!(shortfalls("fastmcp", &counts), []);
        counts.without_arguments = 6;
        counts.without_emptiness = 5;
        counts.sampled = 1;
        counts.low_confidence = 1;
        let found: Vec<_> = shortfalls("fastmcp", &counts)
            .into_iter()
            .map(|short| (short.point, short.lacking, short.of))
            .collect();
        let expected = [
            (Point::ArgsHash, 6, 100),
            (Point::Sampled, 1, 100),
            (Point::LowConfidence, 1, 80),
            (Point::Emptiness, 5, 80),
        ];
        assert_eq!(found, expected);
    }
}
