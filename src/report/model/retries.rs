//! What the retries were: from the seed rule to the confirmed ones, in counts that add up.

use crate::figures::format::{count, counted, plural, share_in_column};
use crate::figures::{Figures, RetryClass};
use crate::report::chart;

/// The retries by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retries {
    /// All retries by the window rule.
    pub all: String,
    /// Whether there are none.
    pub is_none: bool,
    /// Whether there were calls and none could be judged, so that no retry could be seen.
    pub is_unknown: bool,
    /// How many calls were retried, in a sentence.
    pub share: String,
    /// How many look like something else, in a sentence.
    pub look_alikes: String,
    /// How many are confirmed, in a sentence.
    pub confirmed: String,
    /// Confirmed ones for which loops and pages could not be told; none where all could.
    pub unclassified: Option<String>,
    /// All of them, then each class; the classes add up to all.
    pub rows: Vec<RetryRow>,
}

/// One class of retries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryRow {
    /// The class in words.
    pub label: &'static str,
    /// Its stable word; none for all retries.
    pub word: Option<&'static str>,
    /// How many.
    pub count: String,
    /// Their share of all retries.
    pub share: String,
    /// Which kind of bar it has.
    pub kind: BarKind,
    /// Where its bar begins, in thousandths.
    pub x: u64,
    /// How wide it is.
    pub width: u64,
}

/// Which kind of bar a class has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarKind {
    /// All retries.
    All,
    /// A look-alike.
    LookAlike,
    /// A confirmed retry.
    Confirmed,
}

impl BarKind {
    /// The bar's class in the style sheet.
    pub const fn style(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::LookAlike => "alike",
            Self::Confirmed => "sure",
        }
    }
}

impl Retries {
    /// The retries of these figures.
    pub fn of(figures: &Figures) -> Self {
        let total = figures.retry_classes.total();
        let counts: Vec<u64> = figures.retry_classes.iter().map(|(_, count)| count).collect();
        let all = RetryRow {
            label: "retries by the rule",
            word: None,
            count: count(total),
            share: String::new(),
            kind: BarKind::All,
            x: 0,
            width: if total > 0 { 1000 } else { 0 },
        };
        let classes =
            figures.retry_classes.iter().zip(chart::stack(&counts)).map(|((class, times), bar)| {
                RetryRow {
                    label: class_words(class),
                    word: Some(class.word()),
                    count: count(times),
                    share: share_in_column(times, total).unwrap_or_default(),
                    kind: if class.is_look_alike() {
                        BarKind::LookAlike
                    } else {
                        BarKind::Confirmed
                    },
                    x: bar.x,
                    width: bar.width,
                }
            });
        Self {
            all: count(total),
            is_none: total == 0,
            is_unknown: is_unknown(figures),
            share: share_words(figures),
            look_alikes: look_alikes_words(figures.look_alikes()),
            confirmed: match figures.confirmed_retries() {
                0 => "None is confirmed.".to_owned(),
                times => format!("{} confirmed.", counted(times, "is", "are")),
            },
            unclassified: (figures.unclassified > 0).then(|| count(figures.unclassified)),
            rows: std::iter::once(all).chain(classes).collect(),
        }
    }
}

/// Whether there were calls and none could be judged: then that no retry was seen says nothing.
fn is_unknown(figures: &Figures) -> bool {
    figures.calls > 0 && figures.judged == 0 && figures.retried == 0
}

/// How many of the calls were retried; none where it cannot be told.
pub fn retried(figures: &Figures) -> Option<String> {
    (figures.calls > 0 && !is_unknown(figures)).then(|| count(figures.retried))
}

fn share_words(figures: &Figures) -> String {
    let calls = counted(figures.calls, "call", "calls");
    match (figures.retried, figures.look_alikes()) {
        (0, _) if figures.calls == 1 => "The one call was not retried.".to_owned(),
        (0, _) => format!("None of the {calls} was retried."),
        (retried, look_alikes) => format!(
            "{} of {calls} {} retried; {}",
            count(retried),
            plural(retried, "was", "were"),
            match look_alikes {
                0 => "no retry looks like something else.".to_owned(),
                1 => "one of the retries looks like something else, and the confirmed rate leaves \
                      it out."
                    .to_owned(),
                some => format!(
                    "{} of the retries look like something else, and the confirmed rate leaves \
                     them out.",
                    count(some)
                ),
            },
        ),
    }
}

fn look_alikes_words(times: u64) -> String {
    match times {
        0 => "None looks like something else.".to_owned(),
        times => {
            let look = counted(times, "looks", "look");
            format!("{look} like something else: nobody reworded anything.")
        }
    }
}

/// A class of retries in words.
pub const fn class_words(class: RetryClass) -> &'static str {
    match class {
        RetryClass::FanOut => "parallel calls",
        RetryClass::Paging => "turning pages",
        RetryClass::Sweep => "loops over one parameter",
        RetryClass::AfterBadArgs => "after refused arguments",
        RetryClass::AfterFailure => "after another failure",
        RetryClass::AfterEmpty => "after an empty answer",
        RetryClass::AfterOk => "after a good answer",
    }
}

/// What most retries of a tool were, in two or three words; none where there are none.
pub fn mostly(figures: &Figures) -> Option<&'static str> {
    let total = figures.retry_classes.total();
    let (class, most) = figures
        .retry_classes
        .iter()
        .max_by_key(|(class, count)| (*count, std::cmp::Reverse(class.index())))?;
    // Of a handful of retries the greatest part means nothing.
    (total >= 10 && most * 3 >= total).then(|| class_words(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retried(calls: u64, judged: u64, classes: &[(RetryClass, u64)]) -> Figures {
        let mut figures = Figures { calls, judged, ..Figures::default() };
        for (class, times) in classes {
            figures.retried += times;
            figures.retry_classes.add(*class, *times);
        }
        figures
    }

    #[test]
    fn no_retry_one_and_several_read_well() {
        use RetryClass::{AfterOk, Sweep};
        let words = |figures: &Figures| {
            let Retries { share, look_alikes, confirmed, .. } = Retries::of(figures);
            [share, look_alikes, confirmed].map(|text| text.replace('\u{a0}', " "))
        };
        assert_eq!(words(&retried(1, 1, &[]))[0], "The one call was not retried.");
        assert_eq!(words(&retried(40, 40, &[]))[0], "None of the 40 calls was retried.");
        assert_eq!(
            words(&retried(40, 40, &[(AfterOk, 1)])),
            [
                "1 of 40 calls was retried; no retry looks like something else.",
                "None looks like something else.",
                "1 is confirmed.",
            ]
        );
        assert_eq!(
            words(&retried(1200, 1200, &[(Sweep, 1)])),
            [
                "1 of 1,200 calls was retried; one of the retries looks like something else, and \
                 the confirmed rate leaves it out.",
                "1 looks like something else: nobody reworded anything.",
                "None is confirmed.",
            ]
        );
        assert_eq!(
            words(&retried(40, 40, &[(Sweep, 4), (AfterOk, 5)])),
            [
                "9 of 40 calls were retried; 4 of the retries look like something else, and the \
                 confirmed rate leaves them out.",
                "4 look like something else: nobody reworded anything.",
                "5 are confirmed.",
            ]
        );
    }

    #[test]
    fn where_nothing_was_judged_no_retry_is_not_known_rather_than_zero() {
        let told = |figures: &Figures| (super::retried(figures), Retries::of(figures).is_unknown);
        assert_eq!(told(&retried(300, 0, &[])), (None, true));
        assert_eq!(told(&retried(300, 1, &[])), (Some("0".to_owned()), false));
        assert_eq!(told(&retried(0, 0, &[])), (None, false), "not called");
    }
}
