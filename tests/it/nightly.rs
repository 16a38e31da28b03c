//! The pass's rules against an independent, slow, obviously right twin (METHOD sections 1 to 9 and
//! 11).

pub(crate) mod histories;
pub(crate) mod oracle;

use std::collections::BTreeMap;

use firstcall::call::{ClientName, Name, OperationKind, Sighting};
use firstcall::figures::{DayFigures, Figures, QualityCounts};
use firstcall::nightly::{Terms, judge_day, judge_day_with};
use proptest::prelude::*;

/// What the oracle does not say: which calls came after their day was covered, and calls that
/// nothing names.
pub(crate) fn comparable(mut figures: DayFigures) -> DayFigures {
    figures.quality = QualityCounts { late: 0, unnamed: 0, ..figures.quality };
    figures
}

/// The fields in which two figures differ, in words short enough to read.
fn differences(mine: &Figures, book: &Figures) -> Vec<String> {
    let lines = |figures: &Figures| -> Vec<String> {
        let text = format!("{figures:?}");
        text.split(", ").map(str::to_owned).collect()
    };
    let (mine, book) = (lines(mine), lines(book));
    let pairs = mine.iter().zip(&book).filter(|(mine, book)| mine != book);
    pairs.map(|(mine, book)| format!("{mine}, by the book {book}")).collect()
}

/// A history as one line a sighting, times in milliseconds since the day's start.
pub(crate) fn shown(sightings: &[Sighting]) -> String {
    let start = i128::from(histories::day().start().get());
    let mut lines: Vec<(i128, String)> = sightings
        .iter()
        .map(|s| {
            let from = i128::from(s.start.get()) - start;
            let line = format!(
                "\n{from} ns +{}: {:?} {} of {:?} by {:?}, session {:?}, args {:?}, {} {} span {:?} parent {:?}",
                s.end.get() - s.start.get(),
                s.kind,
                s.tool.as_ref().map_or("-", Name::as_str),
                s.service.as_ref().map(Name::as_str),
                s.client.as_ref().map(ClientName::as_str),
                s.session,
                s.arguments.as_ref().map(|a| (a.form, a.hash, a.hides)),
                s.outcome,
                s.emptiness,
                s.span_id,
                s.parent_span_id,
            );
            (from, line)
        })
        .collect();
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}

fn assert_same(
    mine: DayFigures,
    book: DayFigures,
    history: &[Sighting],
) -> Result<(), TestCaseError> {
    let (mine, book) = (comparable(mine), comparable(book));
    for (key, figures) in &book.tools {
        let found = mine.tools.get(key).cloned().unwrap_or_default();
        let differences = differences(&found, figures);
        prop_assert!(differences.is_empty(), "{key:?}: {differences:#?}{}", shown(history));
    }
    prop_assert_eq!(&mine.pairs, &book.pairs, "{}", shown(history));
    prop_assert_eq!(&mine.sessions, &book.sessions, "{}", shown(history));
    prop_assert_eq!(&mine, &book, "{}", shown(history));
    Ok(())
}

/// A history that a failure does not print twice: [`shown`] says it shorter.
#[derive(Clone)]
struct Hidden(Vec<Sighting>);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} sightings", self.0.len())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fast_equals_the_book_in_every_figure(Hidden(sightings) in histories::history().prop_map(Hidden)) {
        let day = histories::day();
        assert_same(judge_day(day, sightings.clone()), oracle::figures(day, &sightings), &sightings)?;
    }

    #[test]
    fn the_order_of_arrival_does_not_matter(
        (one, other) in histories::history().prop_flat_map(|one| {
            (Just(one.clone()), Just(one).prop_shuffle())
        }),
    ) {
        let day = histories::day();
        prop_assert_eq!(judge_day(day, one), judge_day(day, other));
    }

    #[test]
    fn fast_equals_the_book_about_recovery(
        (Hidden(sightings), attempts) in
            histories::uncertain_history().prop_map(|(one, other)| (Hidden(one), other)),
        is_declared in any::<bool>(),
    ) {
        let day = histories::day();
        let mut beside = oracle::recovery::Beside { attempts, ..Default::default() };
        if is_declared {
            beside.kinds.insert("create_order".to_owned(), OperationKind::Write);
            beside.status_tools.insert("search".to_owned(), "get_order_status".to_owned());
        }
        let (terms, declared) = (Terms::default(), beside.declared());
        let mine =
            judge_day_with(terms, day, sightings.clone(), beside.attempts.clone(), declared);
        let book = oracle::figures_beside(day, &sightings, &beside);
        assert_same(mine, book, &sightings)?;
    }

    #[test]
    fn what_must_add_up_adds_up(sightings in histories::history()) {
        let figures = judge_day(histories::day(), sightings);
        for mine in figures.tools.values() {
            prop_assert_eq!(mine.judged + mine.unjudged.total(), mine.calls);
            prop_assert_eq!(mine.retry_classes.total(), mine.retried);
            prop_assert_eq!(mine.outcomes.total(), mine.calls);
            prop_assert_eq!(mine.grades.total(), mine.calls);
            prop_assert_eq!(mine.usable_chains + mine.abandoned_chains, mine.retry_chains);
            prop_assert_eq!(mine.recovery.followed.total(), mine.recovery.uncertain);
            prop_assert!(mine.recovery.unknown_resolved <= mine.recovery.unknown_outcomes);
            prop_assert!(mine.first_call_successes <= mine.confirmed_first_call_successes);
            prop_assert!(mine.confirmed_first_call_successes <= mine.judged);
        }
    }
}

/// A twin that is never exercised proves nothing: the generator must reach every class, reason,
/// grade and outcome, and both sides of midnight.
#[test]
fn the_generated_histories_reach_every_word() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..3000 {
        let sightings = histories::history().new_tree(&mut runner).unwrap().current();
        let figures = oracle::figures(histories::day(), &sightings);
        for mine in figures.tools.values() {
            let classes = mine.retry_classes.iter().map(|(word, n)| (word.to_string(), n));
            let reasons = mine.unjudged.iter().map(|(word, n)| (word.to_string(), n));
            let grades = mine.grades.iter().map(|(word, n)| (format!("grade {word}"), n));
            let outcomes = mine.outcomes.iter().map(|(word, n)| (format!("outcome {word}"), n));
            for (word, n) in classes.chain(reasons).chain(grades).chain(outcomes) {
                *seen.entry(word).or_default() += n;
            }
            for (word, n) in [
                ("repeats", mine.repeats),
                ("usable chains", mine.usable_chains),
                ("abandoned chains", mine.abandoned_chains),
                ("empty accepted", mine.empty_accepted),
                ("empty reworded", mine.empty_reworded),
                ("last word failed", mine.last_word_failed),
            ] {
                *seen.entry(word.to_owned()).or_default() += n;
            }
        }
        *seen.entry("pairs".to_owned()).or_default() += figures.pairs.values().sum::<u64>();
    }
    // Grade D only on request; a call without a start is a matter of reduction; an unknown tool
    // is no call of a tool.
    let out_of_reach = ["grade d", "no_time", "outcome unknown_tool"];
    let missing: Vec<&String> = seen
        .iter()
        .filter(|(word, n)| **n < 5 && !out_of_reach.contains(&word.as_str()))
        .map(|(word, _)| word)
        .collect();
    assert!(missing.is_empty(), "never generated: {missing:?} in {seen:?}");
}

/// The same of recovery: every figure that the oracle can count is reached.
#[test]
fn the_generated_histories_reach_every_word_of_recovery() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..4000 {
        let tree = histories::uncertain_history().new_tree(&mut runner).unwrap();
        let (sightings, attempts) = tree.current();
        let beside = oracle::recovery::Beside { attempts, ..Default::default() };
        let figures = oracle::figures_beside(histories::day(), &sightings, &beside);
        for mine in figures.tools.values().map(|mine| &mine.recovery) {
            let stages = mine.timeouts_by_stage.iter().map(|(word, n)| (word.to_string(), n));
            let fates = mine.timeout_fate.iter().map(|(word, n)| (format!("fate {word}"), n));
            let followed = mine.followed.iter().map(|(word, n)| (format!("then {word}"), n));
            for (word, n) in stages.chain(fates).chain(followed) {
                *seen.entry(word).or_default() += n;
            }
            for (word, n) in [
                ("checked", mine.status_checked),
                ("never checked", mine.never_checked),
                ("hits", mine.duplicate_key_hits),
                ("conflicts", mine.key_conflicts),
                ("double writes", mine.possible_double_writes),
                ("attempts", mine.attempts),
                ("unknown", mine.unknown_outcomes),
                ("resolved", mine.unknown_resolved),
                ("budgets", mine.budgeted),
                ("dependencies", mine.dependencies.len() as u64),
            ] {
                *seen.entry(word.to_owned()).or_default() += n;
            }
        }
    }
    // Every planned call is seen by its server.
    let missing: Vec<&String> = seen
        .iter()
        .filter(|(word, n)| **n < 5 && *word != "fate unknown")
        .map(|(word, _)| word)
        .collect();
    assert!(missing.is_empty(), "never generated: {missing:?} in {seen:?}");
}
