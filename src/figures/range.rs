//! The figures of several days, added up.

use std::collections::BTreeMap;

use super::day::{DayFigures, PairKey, QualityCounts, SessionCounts};
use super::packed::PackedFigures;
use super::tool_client::Figures;
use crate::call::{ClientName, Day, ToolKey};

/// What a range of covered days adds up to. A tool's clients add up to the tool, the tools and
/// the clients each to `overall`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RangeFigures {
    /// The days that were added, ascending.
    pub covered: Vec<Day>,
    /// All calls together.
    pub overall: Figures,
    /// Per tool.
    pub tools: BTreeMap<ToolKey, ToolFigures>,
    /// Per client; calls of tools that are not there are counted here and in `overall`.
    pub clients: BTreeMap<ClientName, Figures>,
    /// How often the second tool followed the first, per pair.
    pub pairs: BTreeMap<PairKey, u64>,
    /// Sessions per client; one that reaches over midnight counts once per day.
    pub sessions: BTreeMap<ClientName, SessionCounts>,
    /// What went into the figures.
    pub quality: QualityCounts,
}

/// The figures of one tool, and of each client that called it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolFigures {
    /// All clients together.
    pub all: Figures,
    /// Per client, packed: there may be hundreds of clients for each of thousands of tools.
    pub clients: BTreeMap<ClientName, PackedFigures>,
}

impl RangeFigures {
    /// Adds up `days`, in any order.
    pub fn of<'a>(days: impl IntoIterator<Item = &'a DayFigures>) -> Self {
        let mut range = Self::default();
        for day in days {
            range.add(day);
        }
        range.covered.sort_unstable();
        range
    }

    fn add(&mut self, day: &DayFigures) {
        for ((tool, client), figures) in &day.tools {
            // Calls of tools that are not there are taken from the day's own list, so that they
            // cannot be counted twice.
            let figures = Figures { unknown_tool_calls: 0, ..figures.clone() };
            self.overall.merge(&figures);
            self.client(client).merge(&figures);
            self.tool(tool).all.merge(&figures);
            self.cell(tool, client).merge(&figures);
        }
        self.add_beside_tools(day);
    }

    /// Adds all of a day but its tools: that it is covered, what was called and is not there,
    /// pairs, sessions, and what it was made of.
    pub fn add_beside_tools(&mut self, day: &DayFigures) {
        self.covered.push(day.day);
        for (client, calls) in &day.unknown_tool_calls {
            self.overall.unknown_tool_calls += calls;
            self.client(client).unknown_tool_calls += calls;
        }
        for (pair, times) in &day.pairs {
            *self.pairs.entry(pair.clone()).or_default() += times;
        }
        for (client, sessions) in &day.sessions {
            self.sessions.entry(client.clone()).or_default().merge(sessions);
        }
        self.quality.merge(&day.quality);
    }

    /// A tool's sums, to add to.
    pub fn tool(&mut self, tool: &ToolKey) -> &mut ToolFigures {
        self.tools.entry(tool.clone()).or_default()
    }

    /// A client's sums, to add to.
    pub fn client(&mut self, client: &ClientName) -> &mut Figures {
        self.clients.entry(client.clone()).or_default()
    }

    /// The sums of a tool with one client, to add to.
    pub fn cell(&mut self, tool: &ToolKey, client: &ClientName) -> &mut PackedFigures {
        // A client's name is held once, however many tools it called.
        let same = self.clients.get_key_value(client).map_or(client, |(name, _)| name).clone();
        self.tool(tool).clients.entry(same).or_default()
    }

    /// All sessions together.
    pub fn all_sessions(&self) -> SessionCounts {
        let mut all = SessionCounts::default();
        for sessions in self.sessions.values() {
            all.merge(sessions);
        }
        all
    }

    /// The clients whose every request seems to open a new session.
    pub fn fragmented_clients(&self) -> impl Iterator<Item = &ClientName> {
        self.sessions.iter().filter(|(_, counts)| counts.is_fragmented()).map(|(client, _)| client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Name;

    fn tool(name: &str) -> ToolKey {
        ToolKey { service: Name::cut("orders"), tool: Name::cut(name) }
    }

    fn calls(calls: u64) -> Figures {
        Figures { calls, judged: calls, ..Figures::default() }
    }

    #[test]
    fn tools_and_clients_add_up_to_the_whole_and_unknown_tools_count_once() {
        let (ide, bot) = (ClientName::new(Name::cut("ide")), ClientName::new(Name::cut("bot")));
        let day = DayFigures {
            day: Day::from_number(20_000).unwrap(),
            tools: BTreeMap::from([
                ((tool("a"), ide.clone()), Figures { unknown_tool_calls: 9, ..calls(3) }),
                ((tool("a"), bot.clone()), calls(4)),
                ((tool("b"), bot.clone()), calls(5)),
            ]),
            unknown_tool_calls: BTreeMap::from([(ide.clone(), 2)]),
            pairs: BTreeMap::new(),
            sessions: BTreeMap::new(),
            quality: QualityCounts::default(),
        };
        let next = DayFigures { day: day.day.plus(1), ..day.clone() };
        let range = RangeFigures::of([&next, &day]);
        assert_eq!(range.covered, [day.day, next.day]);
        assert_eq!(range.overall.calls, 24);
        assert_eq!(range.overall.unknown_tool_calls, 4);
        assert_eq!(range.clients[&ide].calls, 6);
        assert_eq!(range.clients[&ide].unknown_tool_calls, 4);
        assert_eq!(range.tools[&tool("a")].all.calls, 14);
        assert_eq!(range.tools[&tool("a")].clients[&bot].counts().calls, 8);
    }
}
