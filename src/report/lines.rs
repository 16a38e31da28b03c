//! The days of each tool and client: what a line and a row by night show of them.

use std::collections::BTreeMap;

use crate::call::{ClientName, Day, ToolKey};
use crate::figures::{Figures, PackedFigures};

/// Counts by day, of the days on which there was a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ByDay(BTreeMap<Day, PackedFigures>);

/// The days of the range and of the charts by tool and by client.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    tools: BTreeMap<ToolKey, ByDay>,
    clients: BTreeMap<ClientName, ByDay>,
}

static NO_DAY: ByDay = ByDay(BTreeMap::new());

impl ByDay {
    /// The day's counts; none where there was no call.
    pub fn get(&self, day: Day) -> Option<Figures> {
        self.0.get(&day).map(PackedFigures::counts)
    }

    /// The last day on which there was a call.
    pub fn last_called(&self) -> Option<Day> {
        let called =
            |(day, packed): (&Day, &PackedFigures)| (packed.counts().calls > 0).then_some(*day);
        self.0.iter().rev().find_map(called)
    }

    fn add(&mut self, day: Day, figures: &Figures) {
        self.0.insert(day, PackedFigures::of_counts(&shown(figures)));
    }
}

/// What a day's row shows.
fn shown(figures: &Figures) -> Figures {
    Figures {
        calls: figures.calls,
        judged: figures.judged,
        unjudged: figures.unjudged.clone(),
        retried: figures.retried,
        first_call_successes: figures.first_call_successes,
        ..Figures::default()
    }
}

impl Lines {
    /// A tool's days.
    pub fn tool(&self, key: &ToolKey) -> &ByDay {
        self.tools.get(key).unwrap_or(&NO_DAY)
    }

    /// A client's days.
    pub fn client(&self, client: &ClientName) -> &ByDay {
        self.clients.get(client).unwrap_or(&NO_DAY)
    }

    pub(super) fn add_tool(&mut self, key: &ToolKey, day: Day, figures: &Figures) {
        self.tools.entry(key.clone()).or_default().add(day, figures);
    }

    pub(super) fn add_client(&mut self, client: &ClientName, day: Day, figures: &Figures) {
        self.clients.entry(client.clone()).or_default().add(day, figures);
    }
}
