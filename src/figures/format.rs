//! Figures as people read them: counts, percents, lengths of time, sizes.
//!
//! Percents carry at most one decimal (METHOD section 13). A rate is never rounded across the
//! border of a band, and reads 100 % or 0 % only where that is the exact truth.

use super::rate::{Rate, as_float};

/// A no-break space, so that a number and its unit stay on one line.
pub const NBSP: char = '\u{a0}';
/// A real minus sign, as wide as a digit.
const MINUS: char = '\u{2212}';

/// A count with thousands apart: `41,208`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with the right form of its noun: `1 call`, `41,208 calls`.
pub fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{}{NBSP}{}", count(value), if value == 1 { one } else { many })
}

/// The right form of a noun for a count.
pub const fn plural<'a>(value: u64, one: &'a str, many: &'a str) -> &'a str {
    if value == 1 { one } else { many }
}

/// A rate in percent with one decimal, without the sign: `58.3`.
pub fn rate_number(rate: Rate) -> String {
    let tenths = shown_steps(rate, 1000);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A rate in percent with one decimal: `58.3 %`.
pub fn rate_percent(rate: Rate) -> String {
    format!("{}{NBSP}%", rate_number(rate))
}

/// A rate in whole percent without the sign, for narrow places: `58`.
pub fn rate_whole(rate: Rate) -> String {
    shown_steps(rate, 100).to_string()
}

/// A rate's 95 % interval in percent: `55.1–61.4`.
pub fn rate_interval(rate: Rate) -> String {
    let interval = rate.interval();
    format!("{:.1}–{:.1}", interval.low * 100.0, interval.high * 100.0)
}

/// The rate in steps of `1 / steps`, rounded, but never across the border of a band and never
/// to all or nothing where it is not.
fn shown_steps(rate: Rate, steps: u64) -> u64 {
    let exact = u128::from(rate.hits()) * u128::from(steps);
    let judged = u128::from(rate.judged());
    let lower = exact / judged;
    let rounded = (exact * 2 + judged) / (judged * 2);
    let all = u128::from(steps);
    let shown = [rounded, lower, lower + 1].into_iter().find(|candidate| {
        let is_true_edge = match *candidate {
            0 => exact == 0,
            edge if edge == all => exact == all * judged,
            _ => true,
        };
        let as_rate = u64::try_from(*candidate).ok().and_then(|hits| Rate::of(hits, steps));
        is_true_edge && as_rate.is_some_and(|shown| shown.band() == rate.band())
    });
    u64::try_from(shown.unwrap_or(rounded)).unwrap_or(steps)
}

/// A share of a whole in percent: `12.5 %`, or `less than 0.1 %`; none of nothing.
pub fn share(part: u64, whole: u64) -> Option<String> {
    let rate = Rate::of(part, whole)?;
    if part > 0 && u128::from(part) * 2000 < u128::from(whole) {
        return Some(format!("less than 0.1{NBSP}%"));
    }
    let tenths = shown_share(rate);
    Some(match tenths % 10 {
        0 => format!("{}{NBSP}%", tenths / 10),
        tenth => format!("{}.{tenth}{NBSP}%", tenths / 10),
    })
}

/// The same with one decimal always, for a column of shares.
pub fn share_in_column(part: u64, whole: u64) -> Option<String> {
    let tenths = shown_share(Rate::of(part, whole)?);
    Some(format!("{}.{}{NBSP}%", tenths / 10, tenths % 10))
}

fn shown_share(rate: Rate) -> u64 {
    let exact = u128::from(rate.hits()) * 1000;
    let judged = u128::from(rate.judged());
    let rounded = u64::try_from((exact * 2 + judged) / (judged * 2)).unwrap_or(1000);
    if rounded == 1000 && rate.hits() < rate.judged() { 999 } else { rounded }
}

/// A difference of rates in percentage points, with its sign: `−13.2`, `+2.0`, `0.0`.
pub fn points(difference: f64) -> String {
    let text = format!("{:.1}", difference.abs() * 100.0);
    if text == "0.0" {
        text
    } else if difference < 0.0 {
        format!("{MINUS}{text}")
    } else {
        format!("+{text}")
    }
}

/// A number with one decimal: `2.4`.
pub fn decimal(value: f64) -> String {
    format!("{value:.1}")
}

/// A length of time from milliseconds, to two or three digits: `0.4 ms`, `230 ms`, `1.9 s`,
/// `22 s`, `3.4 min`, `2.1 h`.
pub fn milliseconds(value: f64) -> String {
    let (number, unit) = match value {
        ms if ms < 999.5 => (ms, "ms"),
        ms if ms < 119_500.0 => (ms / 1000.0, "s"),
        ms if ms < 7_170_000.0 => (ms / 60_000.0, "min"),
        ms => (ms / 3_600_000.0, "h"),
    };
    let number = if number < 9.95 { format!("{number:.1}") } else { format!("{number:.0}") };
    format!("{number}{NBSP}{unit}")
}

/// A size from bytes: `900 B`, `3.2 kB`, `41 MB`.
pub fn bytes(value: f64) -> String {
    let (number, unit) = match value {
        size if size < 999.5 => return format!("{size:.0}{NBSP}B"),
        size if size < 999_500.0 => (size / 1e3, "kB"),
        size if size < 999_500_000.0 => (size / 1e6, "MB"),
        size => (size / 1e9, "GB"),
    };
    let number = if number < 9.95 { format!("{number:.1}") } else { format!("{number:.0}") };
    format!("{number}{NBSP}{unit}")
}

/// The share that `part` is of `whole`, from 0 to 1; 0 of nothing.
pub fn fraction(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { as_float(part) / as_float(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(hits: u64, judged: u64) -> Rate {
        Rate::of(hits, judged).unwrap()
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "call", "calls"), "1\u{a0}call");
        assert_eq!(counted(0, "call", "calls"), "0\u{a0}calls");
    }

    #[test]
    fn a_rate_is_never_rounded_across_a_border() {
        assert_eq!(rate_percent(rate(517, 892)), "58.0\u{a0}%"); // 57.96
        assert_eq!(rate_number(rate(69_999, 100_000)), "69.9"); // low, so never 70.0
        assert_eq!(rate_whole(rate(699, 1000)), "69");
        assert_eq!(rate_number(rate(90_001, 100_000)), "90.1"); // healthy, so never 90.0
        assert_eq!(rate_whole(rate(901, 1000)), "91");
        assert_eq!(rate_whole(rate(90, 100)), "90");
        assert_eq!(rate_number(rate(49_999, 100_000)), "49.9");
        assert_eq!(rate_number(rate(9_999, 10_000)), "99.9");
        assert_eq!(rate_number(rate(1, 10_000)), "0.1");
        assert_eq!(rate_number(rate(7, 7)), "100.0");
        assert_eq!(rate_whole(rate(0, 7)), "0");
    }

    #[test]
    fn shares_and_points_keep_their_meaning() {
        assert_eq!(share(1, 8).unwrap(), "12.5\u{a0}%");
        assert_eq!(share(1, 4).unwrap(), "25\u{a0}%");
        assert_eq!(share(9_999, 10_000).unwrap(), "99.9\u{a0}%");
        assert_eq!(share(1, 10_000).unwrap(), "less than 0.1\u{a0}%");
        assert_eq!(share(0, 5).unwrap(), "0\u{a0}%");
        assert_eq!(share(0, 0), None);
        assert_eq!(share_in_column(1, 4).unwrap(), "25.0\u{a0}%");
        assert_eq!(points(-0.132), "\u{2212}13.2");
        assert_eq!(points(0.02), "+2.0");
        assert_eq!(points(-0.0004), "0.0");
    }

    #[test]
    fn times_and_sizes_keep_two_or_three_digits() {
        assert_eq!(milliseconds(0.42), "0.4\u{a0}ms");
        assert_eq!(milliseconds(230.4), "230\u{a0}ms");
        assert_eq!(milliseconds(999.7), "1.0\u{a0}s");
        assert_eq!(milliseconds(22_400.0), "22\u{a0}s");
        assert_eq!(milliseconds(204_000.0), "3.4\u{a0}min");
        assert_eq!(milliseconds(7_560_000.0), "2.1\u{a0}h");
        assert_eq!(bytes(900.0), "900\u{a0}B");
        assert_eq!(bytes(3_210.0), "3.2\u{a0}kB");
        assert_eq!(bytes(41_000_000.0), "41\u{a0}MB");
    }
}
