//! What the retries were: from the seed rule to the confirmed ones, in counts that add up.

use crate::figures::format::{count, share_in_column};
use crate::figures::{Figures, RetryClass};
use crate::report::chart;

/// The retries by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retries {
    /// All retries by the window rule.
    pub all: String,
    /// Whether there are none.
    pub is_none: bool,
    /// How many look like something else.
    pub look_alikes: String,
    /// How many are confirmed.
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
            look_alikes: count(figures.look_alikes()),
            confirmed: count(figures.confirmed_retries()),
            unclassified: (figures.unclassified > 0).then(|| count(figures.unclassified)),
            rows: std::iter::once(all).chain(classes).collect(),
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
