//! When the nightly pass runs, and for how long days can be restated.

use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize};

use super::section::number;

/// The nightly pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Nightly {
    /// The hour of the day, UTC, at which `serve` runs the pass; 2 by default.
    pub hour: HourOfDay,
    /// For how many days after it was first covered a day is restated when calls arrive late; 7
    /// by default. After that its sightings, with their hashes and prints, are erased.
    pub restate_days: NonZeroU32,
}

impl Default for Nightly {
    fn default() -> Self {
        Self { hour: HourOfDay::default(), restate_days: NonZeroU32::MIN.saturating_add(6) }
    }
}

/// A full hour of the day, UTC, from 0 to 23.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HourOfDay(u8);

/// A number that is no hour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an hour from 0 to 23, UTC, got `{0}`")]
pub struct HourOfDayError(u64);

impl HourOfDay {
    /// The hour.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for HourOfDay {
    fn default() -> Self {
        Self(2)
    }
}

impl TryFrom<u64> for HourOfDay {
    type Error = HourOfDayError;

    fn try_from(hour: u64) -> Result<Self, Self::Error> {
        match u8::try_from(hour) {
            Ok(small @ 0..=23) => Ok(Self(small)),
            _ => Err(HourOfDayError(hour)),
        }
    }
}

impl<'de> Deserialize<'de> for HourOfDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number(deserializer)
    }
}
