//! The statements of a pass, and what is put into them: instants, numbers, the names of its tables.
//! No text of telemetry ever is.

use super::bounds::least_of_each_bucket;
use crate::call::{Day, UnixNanos};
use crate::nightly::chain::LOOK_AHEAD as LAST;
use crate::nightly::judge::Terms;
use crate::nightly::{LOOK_AHEAD, LOOK_BACK};

/// Makes the tables that hold a day's calls.
pub(super) const TABLES: [&str; 2] = [include_str!("calls.sql"), include_str!("terms.sql")];

/// Finds the traces that are streamed through the fold, and makes calls of all others.
pub(super) const FOLD: [&str; 4] = [
    include_str!("traces.sql"),
    include_str!("attempts.sql"),
    include_str!("joins.sql"),
    include_str!("lone.sql"),
];

/// Gives calls without a session an inferred one.
pub(super) const INFERRED: &str = include_str!("inferred.sql");

/// Judges one slice, each statement into the table after which it is named.
pub(super) const JUDGE: [(&str, &str); 11] = [
    ("pass_placed", include_str!("sessions.sql")),
    ("pass_neighbours", include_str!("neighbours.sql")),
    ("pass_chosen", include_str!("chosen.sql")),
    ("pass_runs", include_str!("runs.sql")),
    ("pass_loops", include_str!("loops.sql")),
    ("pass_layers", include_str!("layers.sql")),
    ("pass_unlike", include_str!("unlike.sql")),
    ("pass_unknowns", include_str!("unknowns.sql")),
    ("pass_late", include_str!("late.sql")),
    ("pass_judged", include_str!("retries.sql")),
    ("pass_uncertain", include_str!("uncertain.sql")),
];

/// What a pass's statements speak of.
#[derive(Debug, Clone)]
pub(super) struct Statements {
    /// Tells this pass's tables from those of another.
    token: String,
    values: Vec<(&'static str, String)>,
}

impl Statements {
    /// The statements about a day, with tables named by `token`.
    pub(super) fn new(day: Day, terms: Terms, token: &str) -> Self {
        let number = |instant: UnixNanos| instant.get().to_string();
        let days: Vec<String> =
            [day.minus(1), day, day.plus(1)].iter().map(|day| day.number().to_string()).collect();
        let near = format!(
            "day IN ({}) AND start >= {} AND start < {}",
            days.join(", "),
            number(day.start().saturating_sub(LOOK_BACK)),
            number(day.end().saturating_add(LOOK_AHEAD)),
        );
        let bounds: Vec<String> =
            least_of_each_bucket().iter().map(|(least, _)| least.to_string()).collect();
        let first_covered = terms.first_covered.unwrap_or(UnixNanos::new(u64::MAX));
        let values = vec![
            ("{near}", near),
            ("{day_start}", number(day.start())),
            ("{day_end}", number(day.end())),
            ("{last_start}", number(day.end().saturating_add(LAST))),
            ("{first_covered}", number(first_covered)),
            ("{is_inferring}", u8::from(terms.infer_sessions).to_string()),
            ("{bounds}", format!("[{}]", bounds.join(","))),
        ];
        Self { token: token.to_owned(), values }
    }

    /// The same about what was received until then: what arrives while the pass runs is left to the
    /// next one.
    pub(super) fn until(mut self, received: UnixNanos) -> Self {
        if let Some((_, near)) = self.values.iter_mut().find(|(name, _)| *name == "{near}") {
            *near = format!("{near} AND received <= {}", received.get());
        }
        self
    }

    /// A statement as it is sent.
    pub(super) fn text(&self, statement: &str, slice: Slice) -> String {
        let mut text = statement.replace("pass_", &self.table(""));
        for (name, value) in &self.values {
            text = text.replace(name, value);
        }
        text.replace("{slice}", &slice.number.to_string())
            .replace("{slices}", &slice.of.to_string())
    }

    /// The full name of one of the pass's tables.
    pub(super) fn table(&self, name: &str) -> String {
        format!("{PREFIX}{}_{name}", self.token)
    }
}

/// How the names of all passes' tables begin.
pub(super) const PREFIX: &str = "pass_";

/// A part of a day's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) number: u64,
    pub(super) of: u64,
}
