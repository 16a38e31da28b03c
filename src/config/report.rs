//! What the report shows and where it is written.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::folder::Folder;
use super::section::text;

/// The report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Report {
    /// The folder that `serve` rewrites after each pass; `report` in the data folder by default.
    pub out: Option<Folder>,
    /// How many covered days it shows, such as `7d`; seven by default.
    pub last: Last,
    /// Where the pages' style sheet and script are; `inline` by default.
    pub assets: PageAssets,
    /// What was released on which day, to mark it on the pages; nothing by default.
    pub releases: BTreeMap<ReleaseDay, String>,
}

/// A day written `2026-11-24`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReleaseDay(String);

/// A text that is no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a day such as `2026-11-24`, got `{0}`")]
pub struct ParseReleaseDayError(String);

impl ReleaseDay {
    /// The day as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ReleaseDay {
    type Err = ParseReleaseDayError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let day = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d");
        // Only the one spelling, and no day before 1970.
        day.ok()
            .filter(|day| day.to_string() == text && text >= "1970")
            .map(|day| Self(day.to_string()))
            .ok_or_else(|| ParseReleaseDayError(text.chars().take(32).collect()))
    }
}

impl fmt::Display for ReleaseDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ReleaseDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

impl Serialize for ReleaseDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Where the pages' style sheet and script are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageAssets {
    /// In every page.
    #[default]
    Inline,
    /// The style sheet in every page and no script, for mail.
    Mail,
    /// In files beside the pages, for hosts that refuse what is inline.
    Files,
}

/// A number of days up to the last covered one, from 1 to 366, written `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Last(u32);

/// A text that is no number of days.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of days from `1d` to `366d`, got `{0}`")]
pub struct ParseLastError(String);

impl Last {
    /// How many days.
    pub const fn days(self) -> u32 {
        self.0
    }
}

impl Default for Last {
    fn default() -> Self {
        Self(7)
    }
}

impl FromStr for Last {
    type Err = ParseLastError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_suffix('d')
            .filter(|digits| digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .filter(|days| (1..=366).contains(days))
            .map(Self)
            .ok_or_else(|| ParseLastError(text.chars().take(32).collect()))
    }
}

impl fmt::Display for Last {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}d", self.0)
    }
}

impl<'de> Deserialize<'de> for Last {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer)
    }
}

impl Serialize for Last {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_has_a_day_in_one_spelling() {
        assert_eq!("2026-11-24".parse::<ReleaseDay>().unwrap().as_str(), "2026-11-24");
        for text in ["", "2026-11-31", "2026-1-1", "24.11.2026", "1969-12-31", "2026-11-24T00"] {
            assert!(text.parse::<ReleaseDay>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_is_written_in_days() {
        assert_eq!("1d".parse::<Last>().unwrap().days(), 1);
        assert_eq!("366d".parse::<Last>().unwrap().to_string(), "366d");
        for text in ["", "d", "0d", "367d", "7", "7w", "+7d", "-7d", "7.5d", "0000007d"] {
            assert!(text.parse::<Last>().is_err(), "{text}");
        }
    }
}
