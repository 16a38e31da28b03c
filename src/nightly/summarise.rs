//! Judged calls become a day's figures. Everything is a sum, so parts of a day, each with whole
//! sessions, can be added in any order.

use std::collections::BTreeMap;

use super::call::Call;
use super::chain::ChainKind;
use super::first_call::Standing;
use super::judge::{Judged, JudgedRun, Judgement, Terms};
use super::names::{NameId, Names};
use super::pair;
use super::reworded::Reworded;
use super::session::is_of_a_tool;
use crate::call::{ClientName, Confidence, Day, Emptiness, Outcome, SessionGrade, ToolKey};
use crate::figures::{DayFigures, Figures, PairKey, QualityCounts, SessionCounts};

/// A tool, by its service and name.
type Tool = (NameId, NameId);

/// A day's figures while they are added up.
#[derive(Debug)]
pub(super) struct Tally {
    day: Day,
    terms: Terms,
    tools: BTreeMap<(Tool, NameId), ToolTally>,
    unknown_tool_calls: BTreeMap<NameId, u64>,
    pairs: BTreeMap<(Tool, Tool), u64>,
    sessions: BTreeMap<NameId, SessionCounts>,
    quality: QualityCounts,
}

#[derive(Debug, Default)]
struct ToolTally {
    figures: Figures,
    reworded: Reworded,
}

impl Tally {
    /// Nothing added yet.
    pub(super) fn new(day: Day, terms: Terms) -> Self {
        Self {
            day,
            terms,
            tools: BTreeMap::new(),
            unknown_tool_calls: BTreeMap::new(),
            pairs: BTreeMap::new(),
            sessions: BTreeMap::new(),
            quality: QualityCounts::default(),
        }
    }

    /// Adds what was judged.
    pub(super) fn add(&mut self, judged: &Judged, names: &Names) {
        for call in judged.calls.iter().filter(|call| judged.is_of_day(call)) {
            self.add_quality(call);
        }
        for at in &judged.sessions.without {
            if let Some(call) = judged.call(*at)
                && let Some(judgement) = judged.judgements.get(*at as usize)
                && judged.is_of_day(call)
                && let Some(tally) = self.of_tool(call)
            {
                add_call(&mut tally.figures, call, judgement, SessionGrade::E);
            }
        }
        for run in &judged.runs {
            self.add_run(judged, run, names);
        }
        for chain in &judged.chains {
            if let Some(tally) = judged.call(chain.first).and_then(|call| self.of_tool(call)) {
                add_chain(&mut tally.figures, chain.kind);
            }
        }
        self.add_sessions(judged);
    }

    fn add_quality(&mut self, call: &Call) {
        let quality = &mut self.quality;
        let (sightings, doubles) = (u64::from(call.sightings), u64::from(call.duplicates));
        quality.sightings += sightings;
        quality.duplicates += doubles;
        quality.folded += sightings.saturating_sub(doubles).saturating_sub(1);
        quality.late += u64::from(self.terms.first_covered.is_some_and(|at| call.received > at));
        // As the tools' own counts, so that these add up to it.
        quality.sampled += u64::from(call.is_sampled && is_of_a_tool(call));
        if call.outcome == Outcome::UnknownTool {
            *self.unknown_tool_calls.entry(call.client).or_default() += 1;
        } else if call.tool.is_none() {
            quality.unnamed += 1;
        }
    }

    fn of_tool(&mut self, call: &Call) -> Option<&mut ToolTally> {
        let tool = call.tool.filter(|_| is_of_a_tool(call))?;
        Some(self.tools.entry(((call.service, tool), call.client)).or_default())
    }

    /// Adds the calls of one tool in one session.
    fn add_run(&mut self, judged: &Judged, run: &JudgedRun, names: &Names) {
        let Some(session) = judged.sessions.all.get(run.session as usize) else { return };
        let found = |at: &u32| Some((judged.call(*at)?, judged.judgements.get(*at as usize)?));
        let of_run = || run.calls.iter().filter_map(found);
        let of_day = || of_run().filter(|(call, _)| judged.is_of_day(call));
        let Some((first, _)) = of_day().next() else { return };
        let Some(tally) = self.of_tool(first) else { return };
        let figures = &mut tally.figures;
        for (call, judgement) in of_day() {
            add_call(figures, call, judgement, session.grade);
            let is_accepted = judgement.is_last_of_tool && call.is_empty();
            figures.empty_accepted += u64::from(is_accepted);
        }
        for parameters in &run.reworded {
            figures.reworded_known += 1;
            tally.reworded.add_retry(parameters, names);
        }
        tally.reworded.add_session(&run.parameters, names);
    }

    /// Adds the sessions that have calls on the day, and the pairs among their calls.
    fn add_sessions(&mut self, judged: &Judged) {
        for session in &judged.sessions.all {
            let calls = || session.calls.iter().filter_map(|at| judged.call(*at));
            let last = calls().rfind(|call| call.is_time_known);
            if let Some(last) = last.filter(|call| judged.is_of_day(call))
                && let Some(tally) = self.of_tool(last)
            {
                tally.figures.last_words += 1;
                tally.figures.last_word_failed += u64::from(!last.is_usable());
            }
            let of_day = calls().filter(|call| judged.is_of_day(call)).count();
            if of_day == 0 {
                continue;
            }
            let counts = self.sessions.entry(session.client).or_default();
            counts.sessions.add(session.grade, 1);
            counts.single_call += u64::from(of_day == 1);
            counts.shared += u64::from(session.is_shared);
            for (first, next) in pair::find(calls()).filter(|(call, _)| judged.is_of_day(call)) {
                if let (Some(a), Some(b)) = (first.tool, next.tool) {
                    *self.pairs.entry(((first.service, a), (next.service, b))).or_default() += 1;
                }
            }
        }
    }

    /// Adds what another tally of the same day holds.
    pub(super) fn merge(&mut self, other: Self) {
        for (key, tally) in other.tools {
            let mine = self.tools.entry(key).or_default();
            mine.figures.merge(&tally.figures);
            mine.reworded.merge(tally.reworded);
        }
        for (client, calls) in other.unknown_tool_calls {
            *self.unknown_tool_calls.entry(client).or_default() += calls;
        }
        for (pair, times) in other.pairs {
            *self.pairs.entry(pair).or_default() += times;
        }
        for (client, counts) in other.sessions {
            self.sessions.entry(client).or_default().merge(&counts);
        }
        self.quality.merge(&other.quality);
    }

    /// The day's figures.
    pub(super) fn figures(self, names: &Names) -> DayFigures {
        let key =
            |(service, tool)| ToolKey { service: names.name(service), tool: names.name(tool) };
        let client = |id| ClientName::new(names.name(id));
        let of_tool = |((tool, of), tally): ((Tool, NameId), ToolTally)| {
            let mut figures = tally.figures;
            figures.reworded = tally.reworded.into_counts();
            ((key(tool), client(of)), figures)
        };
        let of_pair = |((a, b), n)| (PairKey { first: key(a), next: key(b) }, n);
        DayFigures {
            day: self.day,
            tools: self.tools.into_iter().map(of_tool).collect(),
            unknown_tool_calls: self
                .unknown_tool_calls
                .into_iter()
                .map(|(id, n)| (client(id), n))
                .collect(),
            pairs: self.pairs.into_iter().map(of_pair).collect(),
            sessions: self.sessions.into_iter().map(|(id, n)| (client(id), n)).collect(),
            quality: self.quality,
        }
    }
}

fn add_call(figures: &mut Figures, call: &Call, judgement: &Judgement, grade: SessionGrade) {
    figures.calls += 1;
    figures.grades.add(grade, 1);
    figures.outcomes.add(call.outcome, 1);
    figures.sampled += u64::from(call.is_sampled);
    if call.is_ok() {
        figures.ok_low_confidence += u64::from(call.confidence == Confidence::Low);
        figures.emptiness_known += u64::from(call.emptiness != Emptiness::Unknown);
        figures.empty += u64::from(call.is_empty());
    }
    let class = judgement.retry.map(|retry| retry.class);
    if let Some(retry) = judgement.retry {
        figures.retried += 1;
        figures.retry_classes.add(retry.class, 1);
        figures.unclassified += u64::from(retry.is_untested);
        figures.empty_reworded += u64::from(call.is_empty());
    }
    figures.repeats += u64::from(judgement.is_repeat);
    match judgement.standing {
        Standing::Judged => {
            figures.judged += 1;
            let is_success = call.is_usable() && class.is_none();
            let is_confirmed =
                call.is_usable() && class.is_none_or(crate::figures::RetryClass::is_look_alike);
            figures.first_call_successes += u64::from(is_success);
            figures.confirmed_first_call_successes += u64::from(is_confirmed);
        }
        Standing::Unjudged(reason) => figures.unjudged.add(reason, 1),
        Standing::OfNoTool => {}
    }
    if let Some(latency) = call.latency {
        figures.latency.record(latency.as_nanos());
    }
    if let Some(bytes) = call.result_bytes {
        figures.result_sizes.record(bytes);
        figures.result_bytes = figures.result_bytes.saturating_add(bytes);
    }
}

fn add_chain(figures: &mut Figures, kind: ChainKind) {
    match kind {
        ChainKind::NotOfRetries => {}
        ChainKind::Usable { extra_attempts } => {
            figures.retry_chains += 1;
            figures.usable_chains += 1;
            figures.extra_attempts += u64::from(extra_attempts);
        }
        ChainKind::Abandoned => {
            figures.retry_chains += 1;
            figures.abandoned_chains += 1;
        }
    }
}
