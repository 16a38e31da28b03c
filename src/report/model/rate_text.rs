//! Rates and their changes as pages show them. Null is not zero: what was not called, not
//! judged or called too seldom has its own words.

use crate::figures::format::{self, count};
use crate::figures::{Band, Change, Direction, Figures, Rate, UnjudgedReason};
use crate::report::input::ShownBefore;

/// A rate, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RateText {
    /// There was no call.
    NotCalled,
    /// There were calls, and none could be judged.
    NotJudged {
        /// How many calls.
        calls: String,
        /// The main reason, in words.
        why: &'static str,
    },
    /// Fewer calls were judged than a verdict needs.
    Few {
        /// How many.
        judged: String,
    },
    /// The rate.
    Known(KnownRate),
}

/// A rate that stands on enough calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRate {
    /// In percent with one decimal: `58.0`.
    pub number: String,
    /// In whole percent: `58`.
    pub whole: String,
    /// The 95 % interval: `54.7–61.2`.
    pub interval: String,
    /// The judged calls: `892`.
    pub judged: String,
    /// What it calls for.
    pub band: Band,
    /// How far it falls short of 90 %, from 0 to 9.
    pub shade: u64,
}

impl RateText {
    /// First-call success by the window rule.
    pub fn first_call(figures: &Figures) -> Self {
        Self::of(figures, figures.first_call_success())
    }

    /// Confirmed first-call success.
    pub fn confirmed(figures: &Figures) -> Self {
        Self::of(figures, figures.confirmed_first_call_success())
    }

    fn of(figures: &Figures, rate: Option<Rate>) -> Self {
        match rate {
            None if figures.calls == 0 => Self::NotCalled,
            None => Self::NotJudged { calls: count(figures.calls), why: main_reason(figures) },
            Some(rate) => Self::of_rate(rate),
        }
    }

    /// The text of a rate that exists.
    pub fn of_rate(rate: Rate) -> Self {
        if rate.is_few() {
            return Self::Few { judged: count(rate.judged()) };
        }
        // Tenths of the way from 90 % down to 45 %.
        let short = (0.9 - rate.fraction()).max(0.0) / 0.05;
        let shade = (1..=9_u8).rev().find(|step| short > f64::from(*step) - 1.0).unwrap_or(0);
        Self::Known(KnownRate {
            number: format::rate_number(rate),
            whole: format::rate_whole(rate),
            interval: format::rate_interval(rate),
            judged: count(rate.judged()),
            band: rate.band(),
            shade: u64::from(shade),
        })
    }

    /// The rate, where there is one.
    pub const fn known(&self) -> Option<&KnownRate> {
        match self {
            Self::Known(rate) => Some(rate),
            Self::NotCalled | Self::NotJudged { .. } | Self::Few { .. } => None,
        }
    }

    /// The rate in words: `58.0 %`, `few calls`, `not judged`, `not called`.
    pub fn words(&self) -> String {
        match self {
            Self::NotCalled => "not called".to_owned(),
            Self::NotJudged { .. } => "not judged".to_owned(),
            Self::Few { .. } => "few calls".to_owned(),
            Self::Known(rate) => format!("{}{}%", rate.number, format::NBSP),
        }
    }

    /// The rate in words with what stands beneath it, in one line.
    pub fn in_line(&self) -> String {
        match self.beneath() {
            beneath if beneath.is_empty() => self.words(),
            beneath => format!("{} ({beneath})", self.words()),
        }
    }

    /// What stands beneath the rate: its interval and count, or what is known instead.
    pub fn beneath(&self) -> String {
        match self {
            Self::NotCalled => String::new(),
            Self::NotJudged { calls, why } => format!("{calls} calls, {why}"),
            Self::Few { judged } => format!("n {judged}"),
            Self::Known(rate) => format!("{}, n {}", rate.interval, rate.judged),
        }
    }
}

/// First-call success as it was shown before days were run again; none where it was the same.
/// Where nothing had been judged it is not kept whether there were calls.
pub fn shown_before(shown: &ShownBefore, now: &Figures) -> Option<String> {
    let (shown, now) = (shown.first_call_success(), now.first_call_success());
    let words = |rate| RateText::of_rate(rate).in_line();
    (shown != now).then(|| shown.map_or_else(|| "without a rate".to_owned(), words))
}

/// The reason for which most calls were not judged, in words.
pub fn main_reason(figures: &Figures) -> &'static str {
    let most = figures
        .unjudged
        .iter()
        .max_by_key(|(reason, count)| (*count, std::cmp::Reverse(reason.index())));
    most.map_or("no reason told", |(reason, _)| reason_words(reason))
}

/// Why a call was not judged, in words.
pub const fn reason_words(reason: UnjudgedReason) -> &'static str {
    match reason {
        UnjudgedReason::NoTime => "no start time",
        UnjudgedReason::NoSession => "no session",
        UnjudgedReason::NoArgsHash => "no args_hash",
        UnjudgedReason::UnknownComparison => "arguments not comparable",
    }
}

/// What became of a rate since the period before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeText {
    /// There is nothing to compare with: no earlier rate, or one of the two is of few calls.
    Unknown,
    /// It can be compared.
    Known(KnownChange),
}

/// A change between two rates that both stand on enough calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownChange {
    /// The difference in points: `−13.0`.
    pub points: String,
    /// Its 95 % interval: `−17.4 to −8.6`.
    pub interval: String,
    /// The earlier rate in percent: `71.0`.
    pub before: String,
    /// The earlier judged calls.
    pub before_judged: String,
    /// The difference as a share of the earlier rate: `−18.3 %`; none from zero.
    pub relative: Option<String>,
    /// Whether it is beyond the interval.
    pub direction: Direction,
}

impl ChangeText {
    /// The change of first-call success.
    pub fn first_call(now: &Figures, before: Option<&Figures>) -> Self {
        let earlier = before.and_then(Figures::first_call_success);
        Change::between(earlier, now.first_call_success()).map_or(Self::Unknown, Self::of)
    }

    /// The change of confirmed first-call success.
    pub fn confirmed(now: &Figures, before: Option<&Figures>) -> Self {
        let earlier = before.and_then(Figures::confirmed_first_call_success);
        Change::between(earlier, now.confirmed_first_call_success()).map_or(Self::Unknown, Self::of)
    }

    /// The text of a change that exists.
    pub fn of(change: Change) -> Self {
        let interval = change.interval();
        let before = change.before();
        let relative = (before.hits() > 0).then(|| {
            let share = change.difference() / before.fraction();
            format!("{}{}%", format::points(share), format::NBSP)
        });
        Self::Known(KnownChange {
            points: format::points(change.difference()),
            interval: format!(
                "{} to {}",
                format::points(interval.low),
                format::points(interval.high)
            ),
            before: format::rate_number(before),
            before_judged: count(before.judged()),
            relative,
            direction: change.direction(),
        })
    }

    /// The change, where it can be told.
    pub const fn known(&self) -> Option<&KnownChange> {
        match self {
            Self::Unknown => None,
            Self::Known(change) => Some(change),
        }
    }
}

impl KnownChange {
    /// Whether the rate fell beyond the interval.
    pub const fn is_worse(&self) -> bool {
        matches!(self.direction, Direction::Worse)
    }

    /// Whether the rate rose beyond the interval.
    pub const fn is_better(&self) -> bool {
        matches!(self.direction, Direction::Better)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(hits: u64, judged: u64) -> Figures {
        Figures { calls: judged, judged, first_call_successes: hits, ..Figures::default() }
    }

    #[test]
    fn not_called_not_judged_few_and_zero_read_differently() {
        let mut unjudged = Figures { calls: 1200, ..Figures::default() };
        unjudged.unjudged.add(UnjudgedReason::NoSession, 500);
        unjudged.unjudged.add(UnjudgedReason::NoArgsHash, 700);
        let texts = [
            RateText::first_call(&Figures::default()),
            RateText::first_call(&unjudged),
            RateText::first_call(&judged(0, 19)),
            RateText::first_call(&judged(0, 20)),
        ];
        assert_eq!(
            texts.each_ref().map(RateText::words),
            ["not called", "not judged", "few calls", "0.0\u{a0}%"]
        );
        assert_eq!(texts[0].in_line(), "not called");
        assert_eq!(texts[2].in_line(), "few calls (n 19)");
        assert_eq!(texts[1].beneath(), "1,200 calls, no args_hash");
        assert_eq!(texts[2].beneath(), "n 19");
        // z^2 / (n + z^2) = 3.8415 / 23.8415 = 16.1 %.
        assert_eq!(texts[3].beneath(), "0.0–16.1, n 20");
    }

    #[test]
    fn what_was_shown_before_is_told_where_it_was_something_else() {
        let shown = |hits, of| ShownBefore::of(&judged(hits, of));
        let now = judged(30, 40);
        assert_eq!(shown_before(&shown(30, 40), &now), None);
        let told = shown_before(&shown(15, 20), &now).unwrap();
        assert!(told.starts_with("75.0\u{a0}% (") && told.ends_with(", n 20)"), "{told}");
        assert_eq!(shown_before(&shown(9, 9), &now).as_deref(), Some("few calls (n 9)"));
        assert_eq!(shown_before(&shown(0, 0), &now).as_deref(), Some("without a rate"));
        let unjudged = Figures { calls: 40, ..Figures::default() };
        assert_eq!(shown_before(&shown(0, 0), &unjudged), None);
    }

    #[test]
    fn shades_deepen_in_steps_of_five_points_below_ninety() {
        let shade = |hits| RateText::first_call(&judged(hits, 1000)).known().unwrap().shade;
        assert_eq!(shade(950), 0);
        assert_eq!(shade(900), 0);
        assert_eq!(shade(899), 1);
        assert_eq!(shade(849), 2);
        assert_eq!(shade(580), 7);
        assert_eq!(shade(0), 9);
    }

    #[test]
    fn a_change_from_nothing_is_no_change() {
        assert_eq!(ChangeText::first_call(&judged(5, 50), None), ChangeText::Unknown);
        assert_eq!(
            ChangeText::first_call(&judged(5, 50), Some(&judged(9, 10))),
            ChangeText::Unknown
        );
        let known = ChangeText::first_call(&judged(517, 892), Some(&judged(639, 900)));
        let known = known.known().unwrap();
        assert!(known.is_worse());
        assert_eq!(known.points, "\u{2212}13.0");
        assert_eq!(known.relative.as_deref(), Some("\u{2212}18.4\u{a0}%")); // 0.57960 / 0.71 - 1
        let from_zero = ChangeText::first_call(&judged(10, 50), Some(&judged(0, 50)));
        assert_eq!(from_zero.known().unwrap().relative, None);
    }
}
