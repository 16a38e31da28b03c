//! Adding days up, a tool with one client at a time: what a page needs is kept, the rest dropped.

use std::collections::{BTreeMap, BTreeSet};

use super::input::{Dates, ReportInput, RestatedDay, ShownBefore, ShownEarlier};
use super::lines::Lines;
use super::model::table::need;
use super::night::{NightFigures, NightRow, TOOLS_KEPT};
use crate::call::{ClientName, Day, Name, ToolKey};
use crate::figures::{DayFigures, Figures, PackedFigures, RangeFigures};

/// A report's input while days are added, oldest first.
#[derive(Debug)]
pub struct Fold {
    input: ReportInput,
    restated: BTreeMap<Day, RestatedDay>,
    shown_earlier: ShownEarlier,
    open: OpenDay,
    /// Names of parameters, each held once however many tools have it.
    parameters: BTreeSet<Name>,
}

/// The day that is being added.
#[derive(Debug, Default)]
struct OpenDay {
    all: Figures,
    tool: Option<(ToolKey, Figures)>,
    tools: Vec<NightRow<ToolKey>>,
    clients: BTreeMap<ClientName, Figures>,
}

impl Fold {
    /// An input without a day. `restated` are the days among those to come that were run again,
    /// with what they showed before.
    pub fn new(dates: Dates, restated: BTreeMap<Day, RestatedDay>) -> Self {
        let input = ReportInput {
            dates,
            now: RangeFigures::default(),
            before: RangeFigures::default(),
            nights: BTreeMap::new(),
            lines: Lines::default(),
            shown_before: None,
            called: BTreeSet::new(),
            clients: BTreeSet::new(),
            arrivals: BTreeMap::new(),
            has_calls_uncovered: false,
            offered: Vec::new(),
            releases: BTreeMap::new(),
        };
        Self {
            input,
            restated,
            shown_earlier: ShownEarlier::default(),
            open: OpenDay::default(),
            parameters: BTreeSet::new(),
        }
    }

    /// Adds the figures of a tool with one client on one day: within a day one tool after the
    /// other, each with all its clients.
    pub fn add(&mut self, day: Day, tool: &ToolKey, client: &ClientName, figures: Figures) {
        // Calls of tools that are not there are taken from the day's own list, so that they
        // cannot be counted twice.
        let figures = Figures { unknown_tool_calls: 0, ..figures };
        if self.open.tool.as_ref().is_none_or(|(open, _)| open != tool) {
            self.close_tool(day);
            self.open.tool = Some((tool.clone(), Figures::default()));
            self.input.called.insert(tool.clone());
        }
        if let Some((_, sums)) = &mut self.open.tool {
            sums.merge(&figures);
        }
        let client = self.client(client);
        self.open.clients.entry(client.clone()).or_default().merge(&figures);
        let dates = self.input.dates;
        if dates.is_in_range(day) {
            let figures = self.with_shared_names(figures);
            self.input.now.cell(tool, &client).merge(&figures);
        } else if dates.is_before(day) {
            self.input.before.cell(tool, &client).merge(&headline(&figures));
        }
    }

    /// Closes a covered day: adds all of it but its tools, which were added before.
    pub fn close_day(&mut self, rest: &DayFigures) {
        let day = rest.day;
        self.close_tool(day);
        for pair in rest.pairs.keys() {
            self.input.called.extend([pair.first.clone(), pair.next.clone()]);
        }
        let known = rest.unknown_tool_calls.keys().chain(rest.sessions.keys());
        self.input.clients.extend(known.cloned());
        let open = std::mem::take(&mut self.open);
        let dates = self.input.dates;
        if let Some(range) = self.range_of(day) {
            for (client, figures) in &open.clients {
                range.client(client).merge(figures);
            }
            range.overall.merge(&open.all);
            range.add_beside_tools(rest);
        }
        if dates.has_line(day) {
            for (client, figures) in &open.clients {
                self.input.lines.add_client(client, day, figures);
            }
        }
        let restated = self.restated.get(&day);
        if dates.is_in_range(day) {
            let tools = restated.iter().flat_map(|restated| &restated.tools);
            tools.for_each(|(tool, shown)| self.shown_earlier.add(tool, *shown));
        }
        let shown = restated.map(|restated| {
            let mut all = ShownBefore::default();
            restated.tools.values().for_each(|shown| all.add(*shown));
            all
        });
        self.input.nights.insert(day, open.night(rest, shown));
    }

    /// The input that the days make.
    pub fn finish(self) -> ReportInput {
        let mut input = self.input;
        input.now.covered.sort_unstable();
        input.before.covered.sort_unstable();
        let is_restated = input.now.covered.iter().any(|day| self.restated.contains_key(day));
        input.shown_before = is_restated.then_some(self.shown_earlier);
        input
    }

    /// Adds the sums of the tool that was added last.
    fn close_tool(&mut self, day: Day) {
        let Some((tool, sums)) = self.open.tool.take() else { return };
        self.open.all.merge(&sums);
        if let Some(range) = self.range_of(day) {
            range.tool(&tool).all.merge(&sums);
        }
        let dates = self.input.dates;
        if dates.has_line(day) {
            self.input.lines.add_tool(&tool, day, &sums);
        }
        if dates.is_in_range(day) && !self.restated.contains_key(&day) {
            self.shown_earlier.add(&tool, ShownBefore::of(&sums));
        }
        self.open.tools.push(NightRow::of(tool, &sums));
    }

    /// The sums that a day is added to; none for a day that the charts alone show.
    fn range_of(&mut self, day: Day) -> Option<&mut RangeFigures> {
        let dates = self.input.dates;
        if dates.is_in_range(day) {
            Some(&mut self.input.now)
        } else {
            dates.is_before(day).then_some(&mut self.input.before)
        }
    }

    /// The client's name as it is held already.
    fn client(&mut self, client: &ClientName) -> ClientName {
        if let Some(same) = self.input.clients.get(client) {
            return same.clone();
        }
        self.input.clients.insert(client.clone());
        client.clone()
    }

    fn with_shared_names(&mut self, figures: Figures) -> Figures {
        if figures.reworded.is_empty() {
            return figures;
        }
        let mut same = |name: Name| {
            if let Some(same) = self.parameters.get(&name) {
                return same.clone();
            }
            self.parameters.insert(name.clone());
            name
        };
        let reworded = figures.reworded.into_iter().map(|(name, count)| (same(name), count));
        Figures { reworded: reworded.collect(), ..figures }
    }
}

impl OpenDay {
    fn night(self, rest: &DayFigures, restated: Option<ShownBefore>) -> NightFigures {
        let mut clients = self.clients;
        for (client, calls) in &rest.unknown_tool_calls {
            clients.entry(client.clone()).or_default().unknown_tool_calls += calls;
        }
        let mut tools = self.tools;
        let tools_called = tools.len();
        tools.sort_by_cached_key(|row| (need(&row.counts()), row.key.clone()));
        tools.truncate(TOOLS_KEPT);
        let mut clients: Vec<_> =
            clients.into_iter().map(|(client, sums)| NightRow::of(client, &sums)).collect();
        clients.sort_by_cached_key(|row| (need(&row.counts()), row.key.clone()));
        NightFigures {
            all: PackedFigures::of_counts(&self.all),
            late: rest.quality.late,
            restated,
            tools,
            tools_called,
            clients,
        }
    }
}

/// What of a tool with one client is compared with.
fn headline(figures: &Figures) -> Figures {
    Figures {
        calls: figures.calls,
        judged: figures.judged,
        retried: figures.retried,
        first_call_successes: figures.first_call_successes,
        confirmed_first_call_successes: figures.confirmed_first_call_successes,
        ..Figures::default()
    }
}
