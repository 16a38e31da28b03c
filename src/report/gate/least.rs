//! A least rate, as it is written on the command line.

use std::fmt;
use std::str::FromStr;

use crate::figures::Rate;

/// A least rate in hundredths of a percent, from 0 to 10,000; written `80%` or `99.5%`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeastRate(u16);

/// A text that is no least rate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a rate from `0%` to `100%` with at most two decimals, such as `80%`, got `{0}`")]
pub struct ParseLeastRateError(String);

impl LeastRate {
    /// Whether a rate comes up to it; compared in integers, so that 80 % of any count is exact.
    pub fn is_met_by(self, rate: Rate) -> bool {
        u128::from(rate.hits()) * 10_000 >= u128::from(rate.judged()) * u128::from(self.0)
    }
}

impl FromStr for LeastRate {
    type Err = ParseLeastRateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || ParseLeastRateError(text.chars().take(32).collect());
        // Without the sign `0.8` could mean a fraction, so the sign is needed.
        let number = text.strip_suffix('%').ok_or_else(refuse)?.trim_end();
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let is_number = |digits: &str, most: usize| {
            (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
        };
        if !is_number(whole, 3) || !is_number(decimals, 2) {
            return Err(refuse());
        }
        let hundredths = format!("{whole}{decimals:0<2}").parse().ok();
        hundredths.filter(|hundredths| *hundredths <= 10_000).map(Self).ok_or_else(refuse)
    }
}

impl fmt::Display for LeastRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, hundredths) = (self.0 / 100, self.0 % 100);
        match (hundredths, hundredths % 10) {
            (0, _) => write!(f, "{whole}\u{a0}%"),
            (_, 0) => write!(f, "{whole}.{}\u{a0}%", hundredths / 10),
            _ => write!(f, "{whole}.{hundredths:02}\u{a0}%"),
        }
    }
}

/// The least rate of a tool, written `search=80%` or `service/search=80%`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLeast {
    /// The tool's name, or service and name with a slash between.
    pub name: String,
    /// Its least rate.
    pub least: LeastRate,
}

/// A text that is no least rate of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseToolLeastError {
    /// There is no equals sign, or no name before it.
    #[error("expected `NAME=80%` or `SERVICE/NAME=80%`")]
    Form,
    /// What follows the name is no rate.
    #[error(transparent)]
    Rate(#[from] ParseLeastRateError),
}

impl FromStr for ToolLeast {
    type Err = ParseToolLeastError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A tool's name may hold an equals sign, a rate does not.
        let (name, least) = text.rsplit_once('=').ok_or(ParseToolLeastError::Form)?;
        if name.is_empty() {
            return Err(ParseToolLeastError::Form);
        }
        Ok(Self { name: name.to_owned(), least: least.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(text: &str) -> LeastRate {
        text.parse().unwrap()
    }

    #[test]
    fn a_least_rate_is_exact_at_its_border() {
        assert!(least("80%").is_met_by(Rate::of(80, 100).unwrap()));
        assert!(!least("80%").is_met_by(Rate::of(799, 1000).unwrap()));
        assert!(!least("66.67%").is_met_by(Rate::of(2, 3).unwrap()));
        assert!(least("66.66%").is_met_by(Rate::of(2, 3).unwrap()));
        assert!(least("0%").is_met_by(Rate::of(0, 30).unwrap()));
    }

    #[test]
    fn a_least_rate_is_written_in_percent() {
        for (text, shown) in [
            ("80%", "80\u{a0}%"),
            ("99.5%", "99.5\u{a0}%"),
            ("99.05 %", "99.05\u{a0}%"),
            ("100%", "100\u{a0}%"),
            ("0.10%", "0.1\u{a0}%"),
        ] {
            assert_eq!(least(text).to_string(), shown);
        }
        for text in ["", "%", "80", "0.8", "101%", "-1%", "1e2%", "80.%", "80.123%", "100.01%"] {
            assert!(text.parse::<LeastRate>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_tools_name_may_hold_an_equals_sign() {
        let tool: ToolLeast = "a=b=80%".parse().unwrap();
        assert_eq!((tool.name.as_str(), tool.least), ("a=b", least("80%")));
        for text in ["a", "=80%", "a=", "a=80"] {
            assert!(text.parse::<ToolLeast>().is_err(), "{text}");
        }
    }
}
