//! Numbers in OTLP's JSON: as numbers or as texts, enums also by name.

use std::borrow::Cow;

use super::DecodeError;
use super::json_text::{JsonText, Kind};

type Read<T> = Result<T, DecodeError>;

/// A number of 64 bits without a sign; zero where it is null. Whole numbers only, but written as
/// the sender likes: digits, a text of digits, with an exponent.
pub(super) fn unsigned(json: &mut JsonText<'_>, field: &'static str) -> Read<u64> {
    let written = match json.kind()? {
        Kind::Null => return json.word(b"null").map(|()| 0),
        Kind::Number => Cow::Borrowed(json.number()?),
        Kind::Text => json.text()?.unescaped(),
        _ => return Err(DecodeError::Shape(field)),
    };
    let number = exact_integer(&written).and_then(|number| u64::try_from(number).ok());
    number.ok_or(DecodeError::Shape(field))
}

/// An enum's number, or the number of one of its `names`, in order. None where it is null or a
/// name that is not known.
pub(super) fn enum_number(
    json: &mut JsonText<'_>,
    field: &'static str,
    names: &[&str],
) -> Read<Option<i128>> {
    let written = match json.kind()? {
        Kind::Null => return json.word(b"null").map(|()| None),
        Kind::Number => Cow::Borrowed(json.number()?),
        Kind::Text => json.text()?.unescaped(),
        _ => return Err(DecodeError::Shape(field)),
    };
    let named = names.iter().position(|name| *name == written);
    let named = named.and_then(|at| i128::try_from(at).ok());
    Ok(named.or_else(|| exact_integer(&written)))
}

/// The whole number that `written` is in decimal notation, with or without an exponent; none
/// where it is not whole, or has more digits than any number of 64 bits.
pub(super) fn exact_integer(written: &str) -> Option<i128> {
    /// Longer ones are no numbers of 64 bits, whatever the exponent.
    const MAX_DIGITS: usize = 38;
    let (mantissa, exponent) = match written.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (written, 0),
    };
    let (is_negative, magnitude) = match mantissa.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, mantissa),
    };
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() || whole.len() + fraction.len() > MAX_DIGITS {
        return None;
    }
    let digits = [whole, fraction].concat();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut number: i128 = digits.parse().ok()?;
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    for _ in 0..shift.unsigned_abs().min(40) {
        number = match (shift > 0, number) {
            (true, _) => number.checked_mul(10)?,
            (false, _) if number % 10 == 0 => number / 10,
            (false, _) => return None,
        };
    }
    Some(if is_negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_exactly_however_they_are_written() {
        for (written, number) in [
            ("0", 0),
            ("-0", 0),
            ("1728758542911000000", 1_728_758_542_911_000_000),
            ("1.728758542911e18", 1_728_758_542_911_000_000),
            ("18446744073709551615", i128::from(u64::MAX)),
            ("42.0", 42),
            ("4200e-2", 42),
            ("-9223372036854775808", i128::from(i64::MIN)),
            ("0e999", 0),
        ] {
            assert_eq!(exact_integer(written), Some(number), "{written}");
        }
        for written in ["", "-", "1.5", "1e-1", "x", "1e99", "0x10", "+1", "1 ", ".5", "1e1e1"] {
            assert_eq!(exact_integer(written), None, "{written}");
        }
    }
}
