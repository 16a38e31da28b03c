//! The headline counts of every tool and client on each day of the charts, in one walk over
//! the days: with thousands of tools, a walk for each page would take hours.

use std::collections::BTreeMap;

use crate::call::{ClientName, Day, ToolKey};
use crate::figures::Figures;
use crate::report::input::ReportInput;

/// Figures by day, of the days on which there was a call.
pub type ByDay = BTreeMap<Day, Figures>;

/// The days of the charts by tool and by client.
#[derive(Debug, Default)]
pub struct Histories {
    tools: BTreeMap<ToolKey, ByDay>,
    clients: BTreeMap<ClientName, ByDay>,
}

static NO_DAY: ByDay = BTreeMap::new();

impl Histories {
    /// Adds up the days of the charts.
    pub fn of(input: &ReportInput) -> Self {
        let mut histories = Self::default();
        for day in &input.history {
            for ((tool, client), figures) in &day.tools {
                if !histories.tools.contains_key(tool) {
                    histories.tools.insert(tool.clone(), ByDay::new());
                }
                if !histories.clients.contains_key(client) {
                    histories.clients.insert(client.clone(), ByDay::new());
                }
                let of_tool = histories.tools.get_mut(tool);
                let of_client = histories.clients.get_mut(client);
                for by_day in of_tool.into_iter().chain(of_client) {
                    add_counts(by_day.entry(day.day).or_default(), figures);
                }
            }
        }
        histories
    }

    /// A tool's days.
    pub fn tool(&self, key: &ToolKey) -> &ByDay {
        self.tools.get(key).unwrap_or(&NO_DAY)
    }

    /// A client's days.
    pub fn client(&self, client: &ClientName) -> &ByDay {
        self.clients.get(client).unwrap_or(&NO_DAY)
    }
}

/// Adds what a day's row shows, and neither latency nor parameters, which weigh most.
fn add_counts(sum: &mut Figures, figures: &Figures) {
    sum.calls += figures.calls;
    sum.judged += figures.judged;
    sum.unjudged.merge(&figures.unjudged);
    sum.retried += figures.retried;
    sum.first_call_successes += figures.first_call_successes;
}
