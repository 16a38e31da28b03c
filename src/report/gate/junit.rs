//! The checks as JUnit XML, which every continuous integration shows.

use askama::Template;

use super::{Check, Demand, Outcome};
use crate::figures::Rule;
use crate::report::html::render;

#[derive(Template)]
#[template(path = "xml/junit.xml")]
struct Junit {
    rule: &'static str,
    tests: usize,
    failures: usize,
    skipped: usize,
    cases: Vec<Case>,
}

struct Case {
    class: String,
    name: &'static str,
    line: String,
    outcome: CaseOutcome,
}

enum CaseOutcome {
    Passed,
    Failed,
    Skipped,
}

/// The document; the same checks make the same bytes.
pub fn junit(checks: &[Check], rule: Rule) -> String {
    let cases: Vec<Case> = checks.iter().map(|check| case(check, rule)).collect();
    let of = |wanted: fn(&CaseOutcome) -> bool| cases.iter().filter(|c| wanted(&c.outcome)).count();
    render(&Junit {
        rule: rule.id(),
        tests: cases.len(),
        failures: of(|outcome| matches!(outcome, CaseOutcome::Failed)),
        skipped: of(|outcome| matches!(outcome, CaseOutcome::Skipped)),
        cases,
    })
}

fn case(check: &Check, rule: Rule) -> Case {
    Case {
        class: xml_text(&check.subject.to_string()),
        name: match check.demand {
            Demand::Least(_) => "least rate",
            Demand::NoDrop => "no drop",
        },
        line: xml_text(&check.line(rule)),
        outcome: match check.outcome {
            Outcome::Met => CaseOutcome::Passed,
            Outcome::Below { .. } | Outcome::Fell(_) => CaseOutcome::Failed,
            Outcome::NotJudged(_) => CaseOutcome::Skipped,
        },
    }
}

/// The text without the two characters that XML 1.0 has no way to write; control characters
/// have been made visible before.
fn xml_text(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
