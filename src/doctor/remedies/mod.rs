//! What would mend a shortfall: two lines of configuration or code, by dialect. All of it is
//! data, a file for each family of instrumentations as in `recognise`.

mod agents;
mod coding_agents;
mod gateways;
mod general;
mod mcp;
mod products;
mod python;
mod semconv;

use super::point::Point;
pub(super) use general::{NO_TOOL_CALLS, ONLY_METRICS, refusal};

/// Two lines that mend something, and where they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remedy {
    /// Where the lines go: `shell`, `Python`, `TypeScript`, a file's name.
    pub place: &'static str,
    /// The lines.
    pub lines: [&'static str; 2],
}

impl Remedy {
    const fn new(place: &'static str, first: &'static str, second: &'static str) -> Self {
        Self { place, lines: [first, second] }
    }
}

/// What mends the shortfalls of some dialects that share their settings.
#[derive(Debug, Clone, Copy)]
struct Remedies {
    /// The dialects' stable names.
    dialects: &'static [&'static str],
    /// Calls have no hash of their arguments.
    arguments: Remedy,
    /// It is not known whether answers were empty.
    result: Remedy,
    /// Calls have no session, or only their trace.
    session: Remedy,
    /// Failures are hidden; none where this dialect tells them.
    failure: Option<Remedy>,
    /// Spans carry sampling marks.
    sampling: Remedy,
    /// Arguments were cut or redacted.
    hidden: Remedy,
    /// Calls come more than once.
    twice: Remedy,
}

impl Remedies {
    /// What holds for most.
    const BASE: Self = Self {
        dialects: &[],
        arguments: general::ARGUMENTS,
        result: general::RESULT,
        session: general::SESSION,
        failure: None,
        sampling: general::SAMPLING,
        hidden: general::HIDDEN,
        twice: general::TWICE,
    };

    const fn of(&self, point: Point) -> Remedy {
        match point {
            Point::ArgsHash => self.arguments,
            Point::Emptiness => self.result,
            Point::NoSession | Point::OnlyTrace => self.session,
            Point::LowConfidence => match self.failure {
                Some(remedy) => remedy,
                None => general::FAILURE,
            },
            Point::Sampled => self.sampling,
            Point::ArgsHidden => self.hidden,
            Point::Twice => self.twice,
        }
    }
}

/// Every family's remedies.
const FAMILIES: &[&[Remedies]] = &[
    mcp::REMEDIES,
    gateways::REMEDIES,
    coding_agents::REMEDIES,
    agents::REMEDIES,
    python::REMEDIES,
    products::REMEDIES,
    semconv::REMEDIES,
];

fn find(dialect: &str) -> Option<&'static Remedies> {
    FAMILIES.iter().flat_map(|family| family.iter()).find(|each| each.dialects.contains(&dialect))
}

/// What mends a dialect's shortfall. A dialect of a newer firstcall gets what holds for most.
pub(super) fn remedy(dialect: &str, point: Point) -> Remedy {
    find(dialect).unwrap_or(&Remedies::BASE).of(point)
}

/// Whether there is a remedy of the dialect's own where it hides failures.
pub fn tells_what_mends_hidden_failures(dialect: &str) -> bool {
    find(dialect).is_some_and(|remedies| remedies.failure.is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::figures::Refusal;
    use crate::recognise::dialect_names;

    #[test]
    fn every_dialect_has_remedies_and_no_remedy_is_of_a_dialect_that_is_none() {
        let known: BTreeSet<&str> = dialect_names().collect();
        let mut found = BTreeSet::new();
        for remedies in FAMILIES.iter().flat_map(|family| family.iter()) {
            for dialect in remedies.dialects {
                assert!(found.insert(*dialect), "{dialect} has two");
            }
        }
        assert_eq!(found, known);
    }

    #[test]
    fn every_remedy_is_two_lines_that_fit_the_screen() {
        let of_dialects = dialect_names()
            .flat_map(|dialect| Point::ALL.iter().map(move |point| remedy(dialect, *point)));
        let of_others = Point::ALL.iter().map(|point| remedy("a_newer_dialect", *point));
        let of_refusals = Refusal::ALL.iter().map(|reason| refusal(*reason));
        let all = of_dialects.chain(of_others).chain(of_refusals);
        for remedy in all.chain([NO_TOOL_CALLS, ONLY_METRICS]) {
            assert!(!remedy.place.is_empty() && remedy.place.len() < 40, "{remedy:?}");
            for line in remedy.lines {
                assert!(!line.trim().is_empty() && line.chars().count() <= 74, "{line}");
                assert!(line.chars().all(|c| !c.is_control()), "{line}");
            }
        }
    }
}
