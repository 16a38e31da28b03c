//! `report.json`: all figures under the names of METHOD section 13.
//!
//! Rates are fractions with six decimals, what is not known is null, and names stand as they
//! were sent. The structs are apart from the domain's own, so that the document changes only
//! on purpose; [`SCHEMA_VERSION`] grows when a name changes its meaning or goes away.

mod document;
mod layout;
mod recovery;

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::input::ShownBefore;
use super::model::Facts;
use crate::call::{ClientName, Name, ToolKey};
use crate::figures::counts::Word;
use crate::figures::finding::SESSIONS_TO_NAME;
use crate::figures::format::fraction;
use crate::figures::{
    Counts, Figures, RULE_EVIDENCE, RULE_WINDOW, Rate, RewordedCount, ToolFigures,
};
use layout::Layout;
use serde::Serialize as _;

use document::{
    Cells, Document, Entry, FindingOut, LatencyOut, Pair, ParameterOut, Quality, RateOut,
    RestatedOut, SessionsOut, SizeOut, ToolName, Tools,
};
use recovery::RecoveryOut;

/// The version of the document's form.
pub const SCHEMA_VERSION: u32 = 1;

/// The document's form as JSON Schema, draft 2020-12.
pub const SCHEMA: &str = include_str!("../../docs/report.schema.json");

/// Writes the document as JSON, ending in a newline: indented, each client of a tool on a line.
///
/// # Errors
/// Where the writer fails.
pub fn write(facts: &Facts<'_>, out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout::default();
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, layout);
    document(facts).serialize(&mut serializer)?;
    out.write_all(b"\n")
}

fn document<'f>(facts: &'f Facts<'_>) -> Document<'f> {
    let named = |figures: &'f Figures, mut entry: Entry<'f>| {
        entry.reworded_parameters = parameters(figures, |name| facts.nameable.contains(name));
        entry
    };
    Document {
        schema_version: SCHEMA_VERSION,
        as_of: facts.dates.as_of.map(|day| day.to_string()),
        from: facts.dates.from.to_string(),
        to: facts.dates.to.to_string(),
        covered_days: facts.now.covered.iter().map(ToString::to_string).collect(),
        rules: [RULE_WINDOW, RULE_EVIDENCE],
        overall: Entry {
            unknown_tool_calls: Some(facts.now.overall.unknown_tool_calls),
            restated: restated(
                &facts.now.overall,
                facts.shown_before.map(|earlier| &earlier.overall),
            ),
            ..named(&facts.now.overall, entry(&facts.now.overall))
        },
        tools: Tools(facts),
        clients: facts.now.clients.iter().map(|(name, of)| named(of, client(name, of))).collect(),
        pairs: pairs(facts),
        findings: findings(facts),
        quality: quality(facts),
    }
}

fn tool<'f>(facts: &'f Facts<'_>, key: &'f ToolKey, tool: &'f ToolFigures) -> Entry<'f> {
    let shown = facts.shown_before.and_then(|earlier| earlier.tools.get(key));
    Entry {
        service: Some(key.service.as_str()),
        tool: Some(key.tool.as_str()),
        restated: restated(&tool.all, shown),
        clients: Some(Cells(&tool.clients)),
        ..entry(&tool.all)
    }
}

fn client<'f>(client: &'f ClientName, found: &'f Figures) -> Entry<'f> {
    Entry {
        client: Some(client.as_str()),
        unknown_tool_calls: Some(found.unknown_tool_calls),
        ..entry(found)
    }
}

/// The headline figures shown before days were run again, where they differ. They are kept per
/// tool, so a client has none.
fn restated(now: &Figures, shown: Option<&ShownBefore>) -> Option<RestatedOut> {
    let shown = shown.filter(|shown| **shown != ShownBefore::of(now))?;
    Some(RestatedOut {
        judged: shown.judged,
        retried: shown.retried,
        first_call_successes: shown.first_call_successes,
        first_call_success: shown.first_call_success().map(rate),
        confirmed_first_call_successes: shown.confirmed_first_call_successes,
        confirmed_first_call_success: shown.confirmed_first_call_success().map(rate),
    })
}

fn entry(figures: &Figures) -> Entry<'_> {
    Entry {
        service: None,
        tool: None,
        client: None,
        calls: figures.calls,
        judged: figures.judged,
        unjudged: words(&figures.unjudged),
        outcomes: words(&figures.outcomes),
        unknown_tool_calls: None,
        empty: figures.empty,
        emptiness_known: figures.emptiness_known,
        retried: figures.retried,
        retry_classes: words(&figures.retry_classes),
        confirmed_retries: figures.confirmed_retries(),
        look_alikes: figures.look_alikes(),
        repeats: figures.repeats,
        first_call_successes: figures.first_call_successes,
        first_call_success: figures.first_call_success().map(rate),
        confirmed_first_call_successes: figures.confirmed_first_call_successes,
        confirmed_first_call_success: figures.confirmed_first_call_success().map(rate),
        few_calls: figures.few_calls(),
        retry_chains: figures.retry_chains,
        extra_attempts_mean: figures.extra_attempts_mean().map(six_decimals),
        abandoned_chains: figures.abandoned_chains,
        latency_ms: latency(figures),
        result_bytes: figures.result_bytes_mean().map(|mean| SizeOut {
            mean: three_decimals(mean),
            p95: figures.result_sizes.percentile(95).map(three_decimals),
        }),
        reworded_parameters: parameters(figures, |_| true),
        recovery: RecoveryOut::of(figures),
        restated: None,
        clients: None,
    }
}

fn latency(figures: &Figures) -> Option<LatencyOut> {
    let at = |percent| figures.latency.percentile(percent).map(|n| three_decimals(n / 1e6));
    Some(LatencyOut { p50: at(50)?, p95: at(95)?, p99: at(99)? })
}

fn rate(rate: Rate) -> RateOut {
    let interval = rate.interval();
    RateOut {
        rate: six_decimals(rate.fraction()),
        low: six_decimals(interval.low),
        high: six_decimals(interval.high),
    }
}

fn six_decimals(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn three_decimals(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

fn words<W: Word>(counts: &Counts<W>) -> BTreeMap<&'static str, u64> {
    counts.iter().filter(|(_, times)| *times > 0).map(|(word, n)| (word.text(), n)).collect()
}

/// The parameters that were seen in enough sessions and `may_be_named`.
fn parameters(figures: &Figures, may_be_named: impl Fn(&Name) -> bool) -> Vec<ParameterOut<'_>> {
    let is_shown = |count: &RewordedCount| count.sessions >= SESSIONS_TO_NAME && count.retries > 0;
    let mut shown: Vec<_> = figures
        .reworded
        .iter()
        .filter(|(name, count)| is_shown(count) && may_be_named(name))
        .collect();
    shown.sort_by(|a, b| b.1.retries.cmp(&a.1.retries).then_with(|| a.0.cmp(b.0)));
    shown
        .into_iter()
        .map(|(name, count)| ParameterOut {
            name: name.as_str(),
            share: six_decimals(fraction(count.retries, figures.reworded_known)),
        })
        .collect()
}

fn pairs<'f>(facts: &'f Facts<'_>) -> Vec<Pair<'f>> {
    facts
        .now
        .pairs
        .iter()
        .map(|(pair, times)| Pair {
            first: ToolName::of(&pair.first),
            next: ToolName::of(&pair.next),
            times: *times,
            share: Rate::of(*times, facts.tool(&pair.first).calls)
                .map(|share| six_decimals(share.fraction())),
        })
        .collect()
}

fn findings<'f>(facts: &'f Facts<'_>) -> Vec<FindingOut<'f>> {
    facts
        .findings
        .iter()
        .map(|finding| FindingOut {
            severity: finding.severity.word(),
            rule: finding.rule.word(),
            service: finding.tool.service.as_str(),
            tool: finding.tool.tool.as_str(),
            client: finding.client.as_ref().map(ClientName::as_str),
            count: finding.count,
            sentence: finding.sentence.to_string(),
            advice: finding.advice.to_string(),
        })
        .collect()
}

fn quality<'f>(facts: &'f Facts<'_>) -> Quality<'f> {
    let now = &facts.now;
    let arrived = {
        let mut all = crate::figures::ArrivalCounts::default();
        facts.input.arrivals.values().for_each(|counts| all.merge(counts));
        all
    };
    let sessions = now.sessions.iter().map(|(client, counts)| SessionsOut {
        client: client.as_str(),
        sessions: words(&counts.sessions),
        single_call: counts.single_call,
        shared: counts.shared,
        fragmented: counts.is_fragmented(),
    });
    Quality {
        grades: words(&now.overall.grades),
        sessions: sessions.collect(),
        ok_low_confidence: now.overall.ok_low_confidence,
        sampled: now.overall.sampled,
        unclassified_retries: now.overall.unclassified,
        sightings: now.quality.sightings,
        duplicates: now.quality.duplicates,
        folded: now.quality.folded,
        unnamed: now.quality.unnamed,
        late: now.quality.late,
        restated_days: facts.restated_days().map(|day| day.to_string()).collect(),
        requests: arrived.requests,
        spans: arrived.spans,
        kept: by_name(&arrived.kept),
        not_calls: by_name(&arrived.not_calls),
        refused: words(&arrived.refused),
        repaired: words(&arrived.repaired),
    }
}

fn by_name(names: &BTreeMap<Name, u64>) -> BTreeMap<String, u64> {
    names.iter().map(|(name, times)| (name.as_str().to_owned(), *times)).collect()
}
