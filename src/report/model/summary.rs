//! The summary for a pull request: what changed against the period before.

use super::facts::{Facts, Standing};
use super::findings::{self, FindingText};
use super::frame::Frame;
use super::quality::strip;
use super::rate_text::{ChangeText, RateText};
use super::table::{Status, ToolLabel, tools_by_need};
use super::verdict::verdict;
use crate::call::{ClientName, Day, ToolKey};
use crate::figures::format::{count, counted, plural, rate_number};
use crate::figures::{Change, Direction, Figures, RULE_EVIDENCE, RULE_WINDOW, Sentence};
use crate::report::baseline::Baseline;
use crate::report::host::{Host, SummaryOptions};
use crate::report::link::ReportUrl;
use crate::report::{dates, names};

/// The most changed rows that are shown.
const CHANGED_ROWS: usize = 10;
/// The most findings that are shown.
const FINDINGS: usize = 8;
/// A baseline that ends longer before the range than this is called old.
const OLD_BASELINE_AFTER_DAYS: u32 = 14;
/// From this many days without a covered one on, the figures are called stale.
const STALE_AFTER_DAYS: u32 = 3;

/// What the summary says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Whether nothing changed beyond the interval, so that one line says it all.
    pub is_quiet: bool,
    /// The verdict, its first line.
    pub headline: Sentence,
    /// What stands behind it.
    pub detail: Sentence,
    /// What casts doubt on the comparison.
    pub warnings: Vec<String>,
    /// Tools, and clients of tools, that changed beyond the interval; the worst first.
    pub changed: Vec<ChangedRow>,
    /// How many of those are not shown.
    pub more_changed: usize,
    /// What the folded part holds.
    pub summary: String,
    /// The first findings.
    pub findings: Vec<FindingText>,
    /// How many findings are not shown.
    pub more_findings: usize,
    /// All tools.
    pub tools: Vec<SummaryTool>,
    /// How many tools are not shown.
    pub more_tools: usize,
    /// The last covered day.
    pub as_of: String,
    /// The range.
    pub range: String,
    /// What is compared with: its days, how many are covered, its calls.
    pub baseline: Option<String>,
    /// What the earlier report that is compared with is called; none for the period before.
    pub baseline_name: Option<String>,
    /// How well sessions are known.
    pub sessions: Option<String>,
    /// The id of the window rule.
    pub rule: &'static str,
    /// The id of the rule with its classes.
    pub evidence: &'static str,
    /// The command that prints it again.
    pub command: String,
}

/// A rate that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRow {
    /// The tool.
    pub tool: String,
    /// Its page, where the report is published.
    pub link: Option<ReportUrl>,
    /// Its service, where the report holds several.
    pub service: Option<String>,
    /// The client; none for all together.
    pub client: Option<String>,
    /// The rate before, in percent.
    pub before: String,
    /// The rate now.
    pub now: String,
    /// `worse` or `better`.
    pub word: &'static str,
    /// The difference in points.
    pub points: String,
    /// Its interval.
    pub interval: String,
    /// The difference as a share of the earlier rate.
    pub relative: Option<String>,
    /// Judged calls before.
    pub judged_before: String,
    /// Judged calls now.
    pub judged: String,
}

/// A tool in the folded part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryTool {
    /// Its name.
    pub name: String,
    /// Its service, where the report holds several.
    pub service: Option<String>,
    /// First-call success.
    pub first_call: RateText,
    /// Confirmed.
    pub confirmed: RateText,
    /// How it does.
    pub status: Status,
}

impl Summary {
    /// Leaves the last tools of the folded part out, a tenth of them, and counts them.
    pub fn shorten(&mut self) {
        let fewer = self.tools.len() - self.tools.len().div_ceil(10);
        self.more_tools += self.tools.len() - fewer;
        self.tools.truncate(fewer);
    }
}

/// The summary of these facts, with every tool in its folded part.
pub fn summary(facts: &Facts<'_>, options: &SummaryOptions) -> Summary {
    let frame = Frame::top(facts, "");
    let verdict = verdict(facts);
    let changed = changed_rows(facts, options);
    let all_findings = findings::all(facts);
    let keys: Vec<_> =
        tools_by_need(facts).into_iter().filter(|key| facts.tool(key).calls > 0).collect();
    Summary {
        is_quiet: !verdict.is_change && changed.is_empty(),
        headline: verdict.headline,
        detail: verdict.detail,
        warnings: warnings(facts),
        more_changed: changed.len().saturating_sub(CHANGED_ROWS),
        changed: changed.into_iter().take(CHANGED_ROWS).collect(),
        summary: fold_title(all_findings.len(), keys.len()),
        more_findings: all_findings.len().saturating_sub(FINDINGS),
        findings: all_findings.into_iter().take(FINDINGS).collect(),
        more_tools: 0,
        tools: keys.iter().map(|key| tool(facts, key)).collect(),
        as_of: frame.as_of,
        range: frame.range,
        baseline: baseline(facts),
        baseline_name: facts.baseline.map(|baseline| names::shown(&baseline.name)),
        sessions: strip(facts)
            .into_iter()
            .find(|item| item.term == "Sessions")
            .map(|item| item.value),
        rule: RULE_WINDOW,
        evidence: RULE_EVIDENCE,
        command: command(facts, options.host),
    }
}

/// The command that makes the summary again.
fn command(facts: &Facts<'_>, host: Host) -> String {
    let mut command =
        format!("firstcall summary --from {} --to {}", facts.dates.from, facts.dates.to);
    if host != Host::default() {
        command.push_str(" --host ");
        command.push_str(host.word());
    }
    if facts.baseline.is_some() {
        command.push_str(" --baseline report.json");
    }
    command
}

fn fold_title(findings: usize, tools: usize) -> String {
    let [findings, tools] = [findings, tools].map(|many| many as u64);
    match (findings, tools) {
        (0, tools) => format!("{tools} {}", plural(tools, "tool", "tools")),
        (findings, tools) => format!(
            "{findings} {}, {tools} {}",
            plural(findings, "finding", "findings"),
            plural(tools, "tool", "tools")
        ),
    }
}

fn tool(facts: &Facts<'_>, key: &ToolKey) -> SummaryTool {
    let figures = facts.tool(key);
    let label = ToolLabel::of(facts, key);
    SummaryTool {
        name: label.name,
        service: label.service,
        first_call: RateText::first_call(figures),
        confirmed: RateText::confirmed(figures),
        status: Status::of(figures),
    }
}

fn changed_rows(facts: &Facts<'_>, options: &SummaryOptions) -> Vec<ChangedRow> {
    let mut found: Vec<(Change, &ToolKey, Option<&ClientName>)> = Vec::new();
    let change = |now: &Figures, before: Option<&Figures>| {
        let before = before.and_then(Figures::first_call_success);
        Change::between(before, now.first_call_success())
            .filter(|change| change.direction() != Direction::Same)
    };
    for (key, tool) in &facts.now.tools {
        if let Some(change) = change(&tool.all, facts.tool_before(key)) {
            found.push((change, key, None));
        }
        // A tool with one client would say the same twice.
        for (client, packed) in tool.clients.iter().filter(|_| tool.clients.len() > 1) {
            let before = facts.cell_before(key, client);
            if let Some(change) = change(&packed.counts(), before.as_ref()) {
                found.push((change, key, Some(client)));
            }
        }
    }
    found.sort_by(|a, b| {
        let whole = |row: &(Change, &ToolKey, Option<&ClientName>)| row.2.is_some();
        (a.0.direction(), whole(a))
            .cmp(&(b.0.direction(), whole(b)))
            .then_with(|| a.0.difference().abs().total_cmp(&b.0.difference().abs()).reverse())
            .then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
    found
        .into_iter()
        .filter_map(|(change, key, client)| {
            let link = options.report_url.as_ref();
            let link = link.and_then(|url| url.tool_page(&facts.tool_slug(key)));
            Some(ChangedRow { link, ..row(facts, change, key, client)? })
        })
        .collect()
}

fn row(
    facts: &Facts<'_>,
    change: Change,
    key: &ToolKey,
    client: Option<&ClientName>,
) -> Option<ChangedRow> {
    let text = ChangeText::of(change);
    let text = text.known()?;
    Some(ChangedRow {
        tool: names::shown(key.tool.as_str()),
        link: None,
        service: facts.service(key).map(|service| names::shown(service.as_str())),
        client: client.map(|client| names::shown(client.as_str())),
        before: text.before.clone(),
        now: rate_number(change.now()),
        word: if text.is_worse() { "worse" } else { "better" },
        points: text.points.clone(),
        interval: text.interval.clone(),
        relative: text.relative.clone(),
        judged_before: text.before_judged.clone(),
        judged: count(change.now().judged()),
    })
}

fn baseline(facts: &Facts<'_>) -> Option<String> {
    let (from, to) = facts.previous_period()?;
    let age = match facts.baseline {
        Some(baseline) => format!(", {}", age(facts, baseline)),
        None => String::new(),
    };
    Some(format!(
        "{} ({} covered, n {}{age})",
        dates::range(from, to),
        counted(facts.before.covered.len() as u64, "day", "days"),
        count(facts.before.overall.judged),
    ))
}

/// How long before the range a baseline ends.
fn age(facts: &Facts<'_>, baseline: &Baseline) -> String {
    match facts.dates.from.number().checked_sub(baseline.to.number()) {
        Some(days @ 1..) => {
            format!("ends {} before", counted(u64::from(days), "day", "days"))
        }
        _ => "overlapping".to_owned(),
    }
}

fn baseline_warnings(facts: &Facts<'_>, baseline: &Baseline) -> Option<String> {
    if baseline.figures.covered.is_empty() {
        return Some("the baseline holds no covered day, so nothing is compared.".to_owned());
    }
    match facts.dates.from.number().checked_sub(baseline.to.number()) {
        Some(1..=OLD_BASELINE_AFTER_DAYS) => None,
        Some(days @ 1..) => Some(format!(
            "the baseline ends {days} days before this range begins; much else may have changed \
             since."
        )),
        _ => Some(
            "the baseline overlaps this range: the same calls may stand on both sides.".to_owned(),
        ),
    }
}

fn warnings(facts: &Facts<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let dates = facts.dates;
    if let Some(as_of) = dates.as_of {
        let age = dates.today.number().saturating_sub(as_of.number());
        if age > STALE_AFTER_DAYS {
            warnings.push(format!(
                "the last covered day is {age} days ago; newer calls are not in these figures."
            ));
        }
    }
    warnings.extend(facts.baseline.and_then(|baseline| baseline_warnings(facts, baseline)));
    let length = |from: Day, to: Day| u64::from(to.number().saturating_sub(from.number())) + 1;
    let asked = length(dates.from, dates.to);
    let asked_before = facts.previous_period().map_or(asked, |(from, to)| length(from, to));
    let [now, before] = [facts.now.covered.len() as u64, facts.before.covered.len() as u64];
    let is_uneven = now != asked || before != asked_before;
    if facts.standing == Standing::Judged && before > 0 && is_uneven {
        warnings.push(format!(
            "the periods are not equally covered: {now} of {asked} days now, {before} of \
             {asked_before} before.",
        ));
    }
    let doubts: Vec<_> = strip(facts).into_iter().filter(|item| item.is_doubtful).collect();
    for item in doubts {
        warnings.push(format!(
            "data quality, {}: {}{}{}.",
            item.term.to_lowercase(),
            item.value,
            if item.rest.is_empty() { "" } else { ", " },
            item.rest
        ));
    }
    warnings
}
