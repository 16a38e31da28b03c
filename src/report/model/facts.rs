//! The input, added up once for all pages.

use std::collections::{BTreeMap, BTreeSet};

use crate::call::{ClientName, Day, Name, ToolKey};
use crate::figures::{Figures, Finding, RangeFigures, finding, findings};
use crate::report::baseline::Baseline;
use crate::report::input::{Dates, ReportInput, ShownEarlier, previous_period};
use crate::report::night::NightFigures;
use crate::report::{names, slug};

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
    /// The days that the report speaks of.
    pub dates: Dates,
    /// The range.
    pub now: &'a RangeFigures,
    /// What the range is compared with: the period of equal length before, or an earlier report.
    pub before: &'a RangeFigures,
    /// The range as it was shown before days of it were run again; none where no day was.
    pub shown_before: Option<&'a ShownEarlier>,
    /// What the figures call for, the most severe first.
    pub findings: Vec<Finding>,
    /// The parameters that may be named where several tools are added up.
    pub nameable: BTreeSet<&'a Name>,
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
    before_period: Option<(Day, Day)>,
    has_several_services: bool,
}

/// The figures of a tool or client that was not called.
static NOT_CALLED: std::sync::LazyLock<Figures> = std::sync::LazyLock::new(Figures::default);

impl<'a> Facts<'a> {
    /// What the input says; the period before is compared with.
    pub fn of(input: &'a ReportInput) -> Self {
        let period = previous_period(input.dates.from, input.dates.to);
        Self::compared(input, &input.before, period)
    }

    /// What the input says; an earlier report is compared with.
    pub fn against(input: &'a ReportInput, baseline: &'a Baseline) -> Self {
        let period = Some((baseline.from, baseline.to));
        let facts = Self::compared(input, &baseline.figures, period);
        Self { baseline: Some(baseline), ..facts }
    }

    fn compared(
        input: &'a ReportInput,
        before: &'a RangeFigures,
        before_period: Option<(Day, Day)>,
    ) -> Self {
        let now = &input.now;
        // Before the first covered day nobody knows what was called.
        let offered = if input.nights.is_empty() { BTreeMap::new() } else { offered(input) };
        // Tools and clients of the days before have a page too, so that links to them land; so
        // has a pair's next tool, which may have been called after the range's last midnight.
        let tools: BTreeSet<&ToolKey> = input.called.iter().chain(offered.keys()).collect();
        let named = tools.iter().map(|tool| &tool.service).filter(|name| !name.as_str().is_empty());
        let services: BTreeSet<_> = named.collect();
        Self {
            input,
            dates: input.dates,
            findings: all_findings(now, before, &offered, &input.called),
            nameable: finding::nameable(now),
            standing: standing(input, now),
            has_several_services: services.len() > 1,
            tools: tools.iter().map(|tool| ((*tool).clone(), slug::of_tool(tool))).collect(),
            clients: input.clients.iter().map(|c| (c.clone(), slug::of_client(c))).collect(),
            now,
            before,
            shown_before: input.shown_before.as_ref(),
            baseline: None,
            offered,
            before_period,
        }
    }

    /// Whether the tool is offered and was called on no covered day that is known here.
    pub fn is_never_called(&self, key: &ToolKey) -> bool {
        !self.input.called.contains(key)
    }

    /// A tool's figures in the range; empty ones where it was not called.
    pub fn tool(&self, key: &ToolKey) -> &Figures {
        self.now.tools.get(key).map_or(&NOT_CALLED, |tool| &tool.all)
    }

    /// The counts of a tool with one client in the range; none where it did not call the tool.
    pub fn cell(&self, key: &ToolKey, client: &ClientName) -> Option<Figures> {
        Some(self.now.tools.get(key)?.clients.get(client)?.counts())
    }

    /// A client's figures in the range.
    pub fn client(&self, client: &ClientName) -> &Figures {
        self.now.clients.get(client).unwrap_or(&NOT_CALLED)
    }

    /// A tool's figures in the period before.
    pub fn tool_before(&self, key: &ToolKey) -> Option<&Figures> {
        self.before.tools.get(key).map(|tool| &tool.all)
    }

    /// The headline counts of a tool with one client in the period before.
    pub fn cell_before(&self, key: &ToolKey, client: &ClientName) -> Option<Figures> {
        Some(self.before.tools.get(key)?.clients.get(client)?.counts())
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
        let is_restated =
            |day: &Day| self.night(*day).is_some_and(|night| night.restated.is_some());
        self.now.covered.iter().copied().filter(is_restated)
    }

    /// What is kept of a day; none where it is not covered.
    pub fn night(&self, day: Day) -> Option<&'a NightFigures> {
        self.input.nights.get(&day)
    }

    /// What was released on a day, as it is shown; none where nothing is told.
    pub fn release(&self, day: Day) -> Option<String> {
        self.input.releases.get(&day).map(|name| names::shown(name.as_str()))
    }

    /// The days that the small charts show.
    pub fn history_days(&self) -> impl DoubleEndedIterator<Item = Day> + use<> {
        self.dates.first_of_charts().through(self.dates.to)
    }

    /// Those of them that are covered, the newest first.
    pub fn history(&self) -> impl Iterator<Item = (Day, &'a NightFigures)> {
        let charts = self.dates.first_of_charts()..=self.dates.to;
        self.input.nights.range(charts).rev().map(|(day, night)| (*day, night))
    }
}

/// The offered tools by their keys. One that was declared without its service is every tool of
/// that name that was called, and else a tool of no service.
fn offered(input: &ReportInput) -> BTreeMap<ToolKey, Option<u64>> {
    let mut offered = BTreeMap::new();
    for one in &input.offered {
        let tool = Name::cut(&one.tool);
        let keys: Vec<ToolKey> = if let Some(service) = &one.service {
            vec![ToolKey { service: Name::cut(service), tool }]
        } else {
            let same = input.called.iter().filter(|key| key.tool == tool).cloned();
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

fn standing(input: &ReportInput, now: &RangeFigures) -> Standing {
    let overall = &now.overall;
    if input.dates.as_of.is_none() {
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
