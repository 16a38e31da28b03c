//! The figures of one tool and client as the numbers of one row, and back.

use crate::call::{Outcome, SessionGrade};
use crate::figures::counts::Word;
use crate::figures::{Counts, Figures, Histogram, RetryClass, UnjudgedReason};

/// The numbers of a row of `day_figures`, in the order of its columns after the keys.
pub(super) fn numbers(figures: &Figures) -> Vec<u64> {
    // Every field is named, so that a new figure cannot be forgotten here.
    let Figures {
        calls,
        sessions,
        grades,
        judged,
        unjudged,
        outcomes,
        ok_low_confidence,
        sampled,
        unknown_tool_calls,
        empty,
        emptiness_known,
        empty_accepted,
        empty_reworded,
        retried,
        retry_classes,
        unclassified,
        repeats,
        first_call_successes,
        confirmed_first_call_successes,
        retry_chains,
        usable_chains,
        extra_attempts,
        abandoned_chains,
        last_word_failed,
        last_words,
        latency,
        result_sizes,
        result_bytes,
        reworded: _, // rows of its own
        reworded_known,
        recovery: _, // tables of its own
    } = figures;
    let scalars = [
        calls,
        judged,
        ok_low_confidence,
        sampled,
        unknown_tool_calls,
        empty,
        emptiness_known,
        empty_accepted,
        empty_reworded,
        retried,
        unclassified,
        repeats,
        first_call_successes,
        confirmed_first_call_successes,
        retry_chains,
        usable_chains,
        extra_attempts,
        abandoned_chains,
        last_word_failed,
        last_words,
        result_bytes,
        reworded_known,
        sessions,
    ];
    let mut numbers: Vec<u64> = scalars.into_iter().copied().collect();
    numbers.extend(counts(grades));
    numbers.extend(counts(unjudged));
    numbers.extend(counts(outcomes));
    numbers.extend(counts(retry_classes));
    numbers.extend([latency.zeros(), result_sizes.zeros()]);
    numbers
}

/// The figures in a row's numbers, which must be as many as [`numbers`] gives.
/// Histogram buckets and reworded parameters stand in tables of their own.
pub(super) fn figures(numbers: impl IntoIterator<Item = u64>) -> Figures {
    let mut numbers = numbers.into_iter();
    let mut next = || numbers.next().unwrap_or_default();
    // Fields are evaluated in the order in which they stand here: the order of the columns.
    Figures {
        calls: next(),
        judged: next(),
        ok_low_confidence: next(),
        sampled: next(),
        unknown_tool_calls: next(),
        empty: next(),
        emptiness_known: next(),
        empty_accepted: next(),
        empty_reworded: next(),
        retried: next(),
        unclassified: next(),
        repeats: next(),
        first_call_successes: next(),
        confirmed_first_call_successes: next(),
        retry_chains: next(),
        usable_chains: next(),
        extra_attempts: next(),
        abandoned_chains: next(),
        last_word_failed: next(),
        last_words: next(),
        result_bytes: next(),
        reworded_known: next(),
        sessions: next(),
        grades: counted::<SessionGrade>(&mut next),
        unjudged: counted::<UnjudgedReason>(&mut next),
        outcomes: counted::<Outcome>(&mut next),
        retry_classes: counted::<RetryClass>(&mut next),
        latency: zeros(next()),
        result_sizes: zeros(next()),
        reworded: std::collections::BTreeMap::new(),
        recovery: crate::figures::RecoveryFigures::default(),
    }
}

/// The counts of a closed set of words, in the set's order.
pub(super) fn counts<W: Word>(counts: &Counts<W>) -> impl Iterator<Item = u64> {
    counts.iter().map(|(_word, times)| times)
}

/// Counts from as many numbers as the set has words.
pub(super) fn counted<W: Word>(next: &mut dyn FnMut() -> u64) -> Counts<W> {
    let mut counts = Counts::default();
    for word in W::VALUES {
        counts.add(*word, next());
    }
    counts
}

fn zeros(times: u64) -> Histogram {
    let mut histogram = Histogram::default();
    histogram.add_zeros(times);
    histogram
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::columns::{DAY_FIGURES, DAY_FIGURES_KEYS};

    fn prefixed<W: Word>(prefix: &str) -> Vec<String> {
        W::VALUES.iter().map(|word| format!("{prefix}_{}", word.text())).collect()
    }

    #[test]
    fn the_columns_of_counts_are_named_after_their_words() {
        let words = [
            prefixed::<SessionGrade>("grade"),
            prefixed::<UnjudgedReason>("unjudged"),
            prefixed::<Outcome>("outcome"),
            prefixed::<RetryClass>("retry"),
        ]
        .concat();
        let columns = DAY_FIGURES.columns;
        let first = columns.iter().position(|column| *column == "grade_a").unwrap();
        assert_eq!(columns[first..columns.len() - 2], words);
    }

    #[test]
    fn every_number_has_a_column() {
        let columns = DAY_FIGURES.columns.len() - DAY_FIGURES_KEYS;
        assert_eq!(numbers(&Figures::default()).len(), columns);
    }

    #[test]
    fn each_number_lands_under_its_own_name() {
        // The n-th number after the keys is n, so a value tells the column that it came from.
        let figures = figures(1..);
        let value = |name: &str| {
            let columns = DAY_FIGURES.columns.iter().skip(DAY_FIGURES_KEYS);
            let found = columns.zip(1_u64..).find(|(column, _)| **column == name);
            found.unwrap().1
        };
        assert_eq!(figures.calls, value("calls"));
        assert_eq!(figures.empty_accepted, value("empty_accepted"));
        assert_eq!(figures.retried, value("retried"));
        assert_eq!(figures.last_words, value("last_words"));
        assert_eq!(figures.reworded_known, value("reworded_known"));
        assert_eq!(figures.sessions, value("sessions"));
        assert_eq!(figures.grades.get(SessionGrade::C), value("grade_c"));
        assert_eq!(figures.unjudged.get(UnjudgedReason::NoTime), value("unjudged_no_time"));
        assert_eq!(figures.outcomes.get(Outcome::Crashed), value("outcome_crashed"));
        assert_eq!(figures.retry_classes.get(RetryClass::AfterOk), value("retry_after_ok"));
        assert_eq!(figures.result_sizes.zeros(), value("result_size_zeros"));
        let again: Vec<u64> = (1..).take(numbers(&figures).len()).collect();
        assert_eq!(numbers(&figures), again);
    }
}
