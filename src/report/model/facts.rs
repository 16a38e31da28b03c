//! The input, added up once for all pages.

use std::collections::{BTreeMap, BTreeSet};

use crate::call::{ClientName, Day, Name, ToolKey};
use crate::figures::{
    DayFigures, Figures, Finding, RangeFigures, Rate, ToolFigures, finding, findings,
};
use crate::report::baseline::Baseline;
use crate::report::input::{HISTORY_DAYS, ReportInput, ShownBefore, previous_period};
use crate::report::slug;

/// How far the report can speak at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was ever received.
    NothingReceived,
    /// Calls arrived, and no pass has covered a day yet.
    NotYetComputed,
    /// Days are covered, and none of the range is.
    RangeNotCovered,
    /// The covered days of the range hold no call.
    NoCalls,
    /// There were calls, and none could be judged.
    NoneJudged,
    /// Calls were judged, and too few of them for a verdict.
    FewCalls,
    /// There is something to say.
    Judged,
}

/// Everything that the pages are made from.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The input itself.
    pub input: &'a ReportInput,
    /// The range.
    pub now: RangeFigures,
    /// The period of equal length before.
    pub before: RangeFigures,
    /// The range as it was shown before days of it were run again; none where no day was.
    pub shown_before: Option<ShownEarlier>,
    /// What the figures call for, the most severe first.
    pub findings: Vec<Finding>,
    /// How far the report can speak.
    pub standing: Standing,
    /// The slugs of all tools that have a page.
    pub tools: BTreeMap<ToolKey, String>,
    /// The slugs of all clients that have a page.
    pub clients: BTreeMap<ClientName, String>,
    /// The earlier report that the range is compared with; none for the period before.
    pub baseline: Option<&'a Baseline>,
    /// Tools that are known to be offered, with the size of what clients are sent of them.
    pub offered: BTreeMap<ToolKey, Option<u64>>,
    /// The covered days that are known here, on which a tool could have been called.
    pub known_days: BTreeSet<Day>,
    called: BTreeSet<ToolKey>,
    before_period: Option<(Day, Day)>,
    has_several_services: bool,
}

/// The figures of a tool or client that was not called.
static NOT_CALLED: std::sync::LazyLock<Figures> = std::sync::LazyLock::new(Figures::default);

impl<'a> Facts<'a> {
    /// Adds up the input; the period before is compared with.
    pub fn of(input: &'a ReportInput) -> Self {
        let period = previous_period(input.from, input.to);
        Self::compared(input, RangeFigures::of(&input.previous), period)
    }

    /// Adds up the input; an earlier report is compared with.
    pub fn against(input: &'a ReportInput, baseline: &'a Baseline) -> Self {
        let period = Some((baseline.from, baseline.to));
        let facts = Self::compared(input, baseline.figures.clone(), period);
        Self { baseline: Some(baseline), ..facts }
    }

    fn compared(
        input: &'a ReportInput,
        before: RangeFigures,
        before_period: Option<(Day, Day)>,
    ) -> Self {
        let now = RangeFigures::of(&input.days);
        let is_restated = input.days.iter().any(|day| input.restated.contains_key(&day.day));
        let shown_before = is_restated.then(|| ShownEarlier::of(input));
        let all_days = || input.history.iter().chain(&input.previous).chain(&input.days);
        // Tools and clients of the days before have a page too, so that links to them land; so
        // has a pair's next tool, which may have been called after the range's last midnight.
        let called: BTreeSet<ToolKey> = all_days()
            .flat_map(|day| {
                let paired = day.pairs.keys().flat_map(|pair| [&pair.first, &pair.next]);
                day.tools.keys().map(|(tool, _)| tool).chain(paired)
            })
            .cloned()
            .collect();
        let clients: BTreeSet<_> = all_days()
            .flat_map(|day| {
                let called = day.tools.keys().map(|(_, client)| client);
                called.chain(day.unknown_tool_calls.keys()).chain(day.sessions.keys())
            })
            .cloned()
            .collect();
        let known_days: BTreeSet<Day> = all_days().map(|day| day.day).collect();
        // Before the first covered day nobody knows what was called.
        let offered = if known_days.is_empty() { BTreeMap::new() } else { offered(input, &called) };
        let tools: BTreeSet<&ToolKey> = called.iter().chain(offered.keys()).collect();
        let named = tools.iter().map(|tool| &tool.service).filter(|name| !name.as_str().is_empty());
        let services: BTreeSet<_> = named.collect();
        Self {
            input,
            findings: all_findings(&now, &before, &offered, &called),
            standing: standing(input, &now),
            has_several_services: services.len() > 1,
            tools: tools.iter().map(|tool| ((*tool).clone(), slug::of_tool(tool))).collect(),
            clients: clients.iter().map(|c| (c.clone(), slug::of_client(c))).collect(),
            now,
            before,
            shown_before,
            baseline: None,
            offered,
            known_days,
            called,
            before_period,
        }
    }

    /// Whether the tool is offered and was called on no covered day that is known here.
    pub fn is_never_called(&self, key: &ToolKey) -> bool {
        !self.called.contains(key)
    }

    /// A tool's figures in the range; empty ones where it was not called.
    pub fn tool(&self, key: &ToolKey) -> &Figures {
        self.now.tools.get(key).map_or(&NOT_CALLED, |tool| &tool.all)
    }

    /// A tool's figures in the range with one client.
    pub fn cell(&self, key: &ToolKey, client: &ClientName) -> &Figures {
        let tool = self.now.tools.get(key);
        tool.and_then(|tool| tool.clients.get(client)).unwrap_or(&NOT_CALLED)
    }

    /// A client's figures in the range.
    pub fn client(&self, client: &ClientName) -> &Figures {
        self.now.clients.get(client).unwrap_or(&NOT_CALLED)
    }

    /// A tool's figures in the period before.
    pub fn tool_before(&self, key: &ToolKey) -> Option<&Figures> {
        self.before.tools.get(key).map(|tool| &tool.all)
    }

    /// A tool's figures in the period before with one client.
    pub fn cell_before(&self, key: &ToolKey, client: &ClientName) -> Option<&Figures> {
        self.before.tools.get(key).and_then(|tool: &ToolFigures| tool.clients.get(client))
    }

    /// A tool's slug.
    pub fn tool_slug(&self, key: &ToolKey) -> String {
        self.tools.get(key).cloned().unwrap_or_else(|| slug::of_tool(key))
    }

    /// Whether a tool of another service has this one's name.
    pub fn has_namesake(&self, key: &ToolKey) -> bool {
        self.tools.keys().any(|other| other.tool == key.tool && other.service != key.service)
    }

    /// A client's slug.
    pub fn client_slug(&self, client: &ClientName) -> String {
        self.clients.get(client).cloned().unwrap_or_else(|| slug::of_client(client))
    }

    /// The service to show beside a tool's name; none where all tools are of one service.
    pub fn service<'k>(&self, key: &'k ToolKey) -> Option<&'k Name> {
        (self.has_several_services && !key.service.as_str().is_empty()).then_some(&key.service)
    }

    /// The period before, where there is one with covered days.
    pub fn previous_period(&self) -> Option<(Day, Day)> {
        self.before_period.filter(|_| !self.before.covered.is_empty())
    }

    /// The covered days of the range that were run again after they had been shown.
    pub fn restated_days(&self) -> impl Iterator<Item = Day> {
        let restated = &self.input.restated;
        self.now.covered.iter().copied().filter(|day| restated.contains_key(day))
    }

    /// The days that the small charts show.
    pub fn history_days(&self) -> impl Iterator<Item = Day> + use<> {
        self.input.to.minus(HISTORY_DAYS - 1).through(self.input.to)
    }

    /// A figure of every day that the small charts show; none on days that are not covered.
    pub fn history<T>(&self, of_day: impl Fn(&DayFigures) -> Option<T>) -> Vec<(Day, Option<T>)> {
        let days: BTreeMap<Day, &DayFigures> =
            self.input.history.iter().map(|day| (day.day, day)).collect();
        self.history_days()
            .map(|day| (day, days.get(&day).and_then(|found| of_day(found))))
            .collect()
    }
}

/// The offered tools by their keys. One that was declared without its service is every tool of
/// that name that was called, and else a tool of no service.
fn offered(input: &ReportInput, called: &BTreeSet<ToolKey>) -> BTreeMap<ToolKey, Option<u64>> {
    let mut offered = BTreeMap::new();
    for one in &input.offered {
        let tool = Name::cut(&one.tool);
        let keys: Vec<ToolKey> = if let Some(service) = &one.service {
            vec![ToolKey { service: Name::cut(service), tool }]
        } else {
            let same = called.iter().filter(|key| key.tool == tool).cloned();
            let same: Vec<_> = same.collect();
            if same.is_empty() { vec![ToolKey { service: Name::cut(""), tool }] } else { same }
        };
        for key in keys {
            let size = offered.entry(key).or_insert(one.schema_bytes);
            *size = size.or(one.schema_bytes);
        }
    }
    offered
}

/// The findings of the figures, and those about tools that nothing calls.
fn all_findings(
    now: &RangeFigures,
    before: &RangeFigures,
    offered: &BTreeMap<ToolKey, Option<u64>>,
    called: &BTreeSet<ToolKey>,
) -> Vec<Finding> {
    let mut all = findings(now, before);
    let days = now.covered.len() as u64;
    for (key, schema_bytes) in offered.iter().filter(|(key, _)| !called.contains(*key)) {
        // A service that never sends anything says nothing about its tools.
        let of_service = now
            .tools
            .iter()
            .filter(|(other, _)| key.service.as_str().is_empty() || other.service == key.service);
        let others = of_service.map(|(_, tool)| tool.all.calls).sum();
        all.extend(finding::never_called(key, days, others, *schema_bytes));
    }
    finding::sort(&mut all);
    all
}

/// The day's rate over the tools and clients that `pick` takes.
pub fn rate_of_day(day: &DayFigures, pick: impl Fn(&ToolKey, &ClientName) -> bool) -> Option<Rate> {
    let (mut hits, mut judged) = (0, 0);
    for ((tool, client), figures) in &day.tools {
        if pick(tool, client) {
            hits += figures.first_call_successes;
            judged += figures.judged;
        }
    }
    Rate::of(hits, judged)
}

/// The range's headline figures as they were shown before days of it were run again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownEarlier {
    /// All calls together.
    pub overall: ShownBefore,
    /// Per tool.
    pub tools: BTreeMap<ToolKey, ShownBefore>,
}

impl ShownEarlier {
    fn of(input: &ReportInput) -> Self {
        let mut earlier = Self::default();
        for day in &input.days {
            if let Some(restated) = input.restated.get(&day.day) {
                restated.tools.iter().for_each(|(tool, shown)| earlier.add(tool, *shown));
            } else {
                for ((tool, _), figures) in &day.tools {
                    earlier.add(tool, ShownBefore::of(figures));
                }
            }
        }
        earlier
    }

    fn add(&mut self, tool: &ToolKey, shown: ShownBefore) {
        self.overall.add(shown);
        self.tools.entry(tool.clone()).or_default().add(shown);
    }
}

fn standing(input: &ReportInput, now: &RangeFigures) -> Standing {
    let overall = &now.overall;
    if input.as_of.is_none() {
        let arrived = input.arrivals.values().any(|counts| counts.spans > 0);
        return if input.has_calls_uncovered || arrived {
            Standing::NotYetComputed
        } else {
            Standing::NothingReceived
        };
    }
    if now.covered.is_empty() {
        Standing::RangeNotCovered
    } else if overall.calls + overall.unknown_tool_calls == 0 {
        Standing::NoCalls
    } else if overall.judged == 0 {
        Standing::NoneJudged
    } else if overall.few_calls() {
        Standing::FewCalls
    } else {
        Standing::Judged
    }
}
