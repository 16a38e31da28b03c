//! Judged calls become a day's figures. Everything is a sum, so parts of a day, each with whole
//! sessions, can be added in any order.

use std::collections::BTreeMap;

use super::by_number::ByNumber;
use super::call::Call;
use super::chain::ChainKind;
use super::facts::Tool;
use super::first_call::Standing;
use super::judge::{Judged, JudgedRun, Judgement, Terms};
use super::names::{NameId, Names};
use super::pair;
use super::recovery_tally::RecoveryTally;
use super::reworded::Reworded;
use super::session::is_of_a_tool;
use super::sizes::Sizes;
use crate::call::{ClientName, Confidence, Day, Emptiness, Outcome, SessionGrade, ToolKey};
use crate::figures::{DayFigures, Figures, PairKey, QualityCounts, SessionCounts};

/// A tool, and a client of it.
type ToolClient = (Tool, NameId);

/// A day's figures while they are added up.
#[derive(Debug)]
pub(super) struct Tally {
    day: Day,
    terms: Terms,
    tools: Vec<(ToolClient, ToolTally)>,
    /// Where each tool with each client stands in `tools`.
    places: ByNumber<ToolClient, usize>,
    unknown_tool_calls: BTreeMap<NameId, u64>,
    pairs: ByNumber<(Tool, Tool), u64>,
    sessions: BTreeMap<NameId, SessionCounts>,
    quality: QualityCounts,
}

#[derive(Debug, Default)]
struct ToolTally {
    /// All but the histograms and the parameters.
    figures: Figures,
    latency: Sizes,
    result_sizes: Sizes,
    reworded: Reworded,
    recovery: RecoveryTally,
}

impl Tally {
    /// Nothing added yet.
    pub(super) fn new(day: Day, terms: Terms) -> Self {
        Self {
            day,
            terms,
            tools: Vec::new(),
            places: ByNumber::default(),
            unknown_tool_calls: BTreeMap::new(),
            pairs: ByNumber::default(),
            sessions: BTreeMap::new(),
            quality: QualityCounts::default(),
        }
    }

    /// Adds what was judged.
    pub(super) fn add(&mut self, judged: &Judged, names: &Names) {
        self.add_outside_sessions(judged);
        for run in &judged.runs {
            self.add_run(judged, run, names);
        }
        for chain in &judged.chains {
            if let Some(key) = judged.call(chain.first).and_then(key_of) {
                self.add_chain(key, chain.kind);
            }
        }
        self.add_sessions(judged);
    }

    /// Adds what does not depend on sessions: the strip's counts, and the calls of grade E.
    pub(super) fn add_outside_sessions(&mut self, judged: &Judged) {
        for call in judged.calls.iter().filter(|call| judged.is_of_day(call)) {
            self.add_quality(call);
        }
        for at in &judged.sessions.without {
            if let Some(call) = judged.call(*at)
                && let Some(judgement) = judged.judgements.get(*at as usize)
                && judged.is_of_day(call)
            {
                self.add_call(call, judgement, SessionGrade::E);
            }
        }
    }

    /// Adds a call of the day and what was found about it.
    pub(super) fn add_call(&mut self, call: &Call, judgement: &Judgement, grade: SessionGrade) {
        if let Some(tally) = key_of(call).and_then(|key| self.of_key(key)) {
            tally.add_call(call, judgement, grade);
        }
    }

    /// Adds a chain that begins on the day.
    pub(super) fn add_chain(&mut self, key: ToolClient, kind: ChainKind) {
        if let Some(tally) = self.of_key(key) {
            add_chain(&mut tally.figures, kind);
        }
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

    fn of_key(&mut self, key: ToolClient) -> Option<&mut ToolTally> {
        let next = self.tools.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.tools.push((key, ToolTally::default()));
        }
        self.tools.get_mut(place).map(|(_, tally)| tally)
    }

    /// Adds the calls of one tool in one session.
    fn add_run(&mut self, judged: &Judged, run: &JudgedRun, names: &Names) {
        let Some(session) = judged.sessions.all.get(run.session as usize) else { return };
        let found = |at: &u32| Some((judged.call(*at)?, judged.judgements.get(*at as usize)?));
        let of_run = || judged.calls_of(run).iter().filter_map(found);
        let of_day = || of_run().filter(|(call, _)| judged.is_of_day(call));
        let Some(key) = of_day().next().and_then(|(first, _)| key_of(first)) else { return };
        let Some(tally) = self.of_key(key) else { return };
        let (mut parameters, mut before, mut is_accepted) = (Vec::new(), None, false);
        for (call, judgement) in of_day() {
            tally.add_call(call, judgement, session.grade);
            is_accepted |= judgement.is_last_of_tool && call.is_empty();
            // Most calls of a run have the parameters of the one before.
            if before.is_none_or(|before: &Call| !parameters_of(before).eq(parameters_of(call))) {
                parameters.extend(parameters_of(call));
            }
            before = Some(call);
        }
        parameters.sort_unstable();
        parameters.dedup();
        tally.add_reworded(judged, run, names);
        tally.add_run_end(&parameters, is_accepted, names);
    }

    /// Adds the parameters that a slice's run shows to have been reworded; `first` is of the run.
    pub(super) fn add_reworded(
        &mut self,
        judged: &Judged,
        run: &JudgedRun,
        first: &Call,
        names: &Names,
    ) {
        if let Some(tally) = key_of(first).and_then(|key| self.of_key(key)) {
            tally.add_reworded(judged, run, names);
        }
    }

    /// Adds what is counted once for a tool's calls in one session: that there were any on the
    /// day, which parameters they had, and whether the last one is an empty answer.
    pub(super) fn add_run_end(
        &mut self,
        key: ToolClient,
        parameters: &[NameId],
        is_accepted: bool,
        names: &Names,
    ) {
        if let Some(tally) = self.of_key(key) {
            tally.add_run_end(parameters, is_accepted, names);
        }
    }

    /// Adds the sessions that have calls on the day, and the pairs among their calls.
    fn add_sessions(&mut self, judged: &Judged) {
        for session in &judged.sessions.all {
            let calls = || session.calls.iter().filter_map(|at| judged.call(*at));
            let last = calls().rfind(|call| call.is_time_known);
            if let Some(last) = last.filter(|call| judged.is_of_day(call)) {
                self.add_last_word(last);
            }
            let of_day = calls().filter(|call| judged.is_of_day(call)).count();
            if of_day == 0 {
                continue;
            }
            self.add_session(session.client, session.grade, of_day == 1, session.is_shared);
            for (first, next) in pair::find(calls()).filter(|(call, _)| judged.is_of_day(call)) {
                self.add_pair(first, next);
            }
        }
    }

    /// Adds the last call of a session.
    pub(super) fn add_last_word(&mut self, last: &Call) {
        if let Some(tally) = key_of(last).and_then(|key| self.of_key(key)) {
            tally.figures.last_words += 1;
            tally.figures.last_word_failed += u64::from(!last.is_usable());
        }
    }

    /// Adds a session that has calls on the day.
    pub(super) fn add_session(
        &mut self,
        client: NameId,
        grade: SessionGrade,
        is_single_call: bool,
        is_shared: bool,
    ) {
        let counts = self.sessions.entry(client).or_default();
        counts.sessions.add(grade, 1);
        counts.single_call += u64::from(is_single_call);
        counts.shared += u64::from(is_shared);
    }

    /// Adds a pair.
    pub(super) fn add_pair(&mut self, first: &Call, next: &Call) {
        if let (Some(a), Some(b)) = (first.tool, next.tool) {
            *self.pairs.entry(((first.service, a), (next.service, b))).or_default() += 1;
        }
    }

    /// Adds what another tally of the same day holds.
    pub(super) fn merge(&mut self, other: Self, names: &Names) {
        for (key, tally) in other.tools {
            let Some(mine) = self.of_key(key) else { continue };
            mine.figures.merge(&tally.figures);
            mine.latency.merge(&tally.latency);
            mine.result_sizes.merge(&tally.result_sizes);
            mine.reworded.merge(tally.reworded, names);
            mine.recovery.merge(tally.recovery);
        }
        for (client, calls) in other.unknown_tool_calls {
            *self.unknown_tool_calls.entry(client).or_default() += calls;
        }
        other.pairs.into_iter().for_each(|(pair, times)| {
            *self.pairs.entry(pair).or_default() += times;
        });
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
        let of_tool = |((tool, of), tally): (ToolClient, ToolTally)| {
            let mut figures = tally.figures;
            figures.latency = tally.latency.histogram();
            figures.result_sizes = tally.result_sizes.histogram();
            figures.reworded = tally.reworded.into_counts(names);
            figures.recovery = tally.recovery.into_figures(names);
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

/// The tool and client that a call is counted under; none where it is of no tool.
fn key_of(call: &Call) -> Option<ToolClient> {
    let tool = call.tool.filter(|_| is_of_a_tool(call))?;
    Some(((call.service, tool), call.client))
}

/// The names of the parameters that a call's prints were taken of.
pub(super) fn parameters_of(call: &Call) -> impl Iterator<Item = NameId> {
    call.args.iter().flat_map(|args| args.prints.iter()).map(|print| print.name)
}

impl ToolTally {
    fn add_call(&mut self, call: &Call, judgement: &Judgement, grade: SessionGrade) {
        if let Some(latency) = call.latency {
            self.latency.record(latency.as_nanos());
        }
        if let Some(bytes) = call.result_bytes {
            self.result_sizes.record(bytes);
        }
        self.recovery.add(call, judgement.recovered.as_ref());
        add_call(&mut self.figures, call, judgement, grade);
    }

    fn add_reworded(&mut self, judged: &Judged, run: &JudgedRun, names: &Names) {
        self.figures.reworded_known += run.reworded_known;
        self.reworded.add_retries(judged.reworded_of(run), names);
    }

    fn add_run_end(&mut self, parameters: &[NameId], is_accepted: bool, names: &Names) {
        self.figures.sessions += 1;
        self.figures.empty_accepted += u64::from(is_accepted);
        self.reworded.add_session(parameters, names);
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
        // Look-alikes are no rewordings.
        figures.empty_reworded += u64::from(call.is_empty() && !retry.class.is_look_alike());
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
    figures.result_bytes = figures.result_bytes.saturating_add(call.result_bytes.unwrap_or(0));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{
        CallDuration, SessionClaim, SessionKey, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
    };
    use crate::nightly::{judge_day, judge_day_under};

    const SECOND: u64 = 1_000_000_000;

    fn day() -> Day {
        "2026-11-29".parse().unwrap()
    }

    /// A call, told apart by `number`, seconds after midnight.
    fn call(number: u64, seconds: u64) -> Sighting {
        let start = UnixNanos::new(day().start().get() + seconds * SECOND);
        let end = start.saturating_add(CallDuration::from_secs(1));
        let span_id = SpanId::from_bytes(&number.to_be_bytes()).unwrap();
        Sighting { span_id, parent_span_id: None, start, end, ..plain_sighting() }
    }

    fn in_session(session: &str, client: &str, sighting: Sighting) -> Sighting {
        let session = Some(SessionClaim::Conversation(SessionKey::of(session)));
        let client = (!client.is_empty()).then(|| ClientName::new(crate::call::Name::cut(client)));
        Sighting { client, session, ..sighting }
    }

    #[test]
    fn the_strip_tells_what_the_calls_of_the_day_were_made_of() {
        let outer = Sighting { kind: SpanKind::Client, ..call(1, 100) };
        let inner = Sighting { parent_span_id: Some(outer.span_id), ..call(2, 100) };
        let unnamed = Sighting { tool: None, ..call(3, 200) };
        let before = Sighting { is_sampled: true, ..call(4, 0) };
        let before = Sighting { start: UnixNanos::new(before.start.get() - 1), ..before };
        let sampled = Sighting { is_sampled: true, ..call(5, 300) };
        let sightings = vec![outer.clone(), inner, outer, unnamed, before, sampled];
        let quality = judge_day(day(), sightings).quality;
        let expected = QualityCounts {
            sightings: 5,
            duplicates: 1,
            folded: 1,
            late: 0,
            sampled: 1,
            unnamed: 1,
        };
        assert_eq!(quality, expected);
    }

    #[test]
    fn a_call_is_late_when_its_first_sighting_came_after_the_day_was_covered() {
        let covered = UnixNanos::new(day().end().get() + 7200 * SECOND);
        let terms = Terms { first_covered: Some(covered), ..Terms::default() };
        let received = |at, sighting: Sighting| Sighting { received: at, ..sighting };
        let after = UnixNanos::new(covered.get() + 1);
        let sightings = vec![
            received(covered, call(1, 100)),
            received(after, call(2, 200)),
            received(after, call(3, 300)),
            received(covered, call(3, 300)),
        ];
        assert_eq!(judge_day_under(terms, day(), sightings.clone()).quality.late, 1);
        assert_eq!(judge_day(day(), sightings).quality.late, 0);
    }

    #[test]
    fn sessions_are_counted_per_client_with_the_signs_of_unreal_ones() {
        let sightings = vec![
            in_session("alone", "cursor", call(1, 100)),
            in_session("shared", "cursor", call(2, 200)),
            in_session("shared", "claude-code", call(3, 300)),
            in_session("shared", "claude-code", call(4, 400)),
            in_session("shared", "", call(5, 500)),
        ];
        let sessions = judge_day(day(), sightings).sessions;
        let counts = |client: &str| {
            let client = ClientName::new(crate::call::Name::cut(client));
            let counts = &sessions[&client];
            (counts.sessions.get(SessionGrade::A), counts.single_call, counts.shared)
        };
        assert_eq!(counts("cursor"), (2, 2, 1));
        assert_eq!(counts("claude-code"), (1, 0, 1));
        assert_eq!(counts("unknown"), (1, 1, 1));
    }

    #[test]
    fn a_key_over_more_than_a_day_is_shared() {
        let last = |seconds| {
            let sightings = vec![
                in_session("long", "cursor", call(1, 0)),
                in_session("long", "cursor", call(2, seconds)),
            ];
            judge_day(day(), sightings).sessions.values().map(|counts| counts.shared).sum::<u64>()
        };
        assert_eq!(last(86_400), 0);
        assert_eq!(last(86_401), 1);
    }

    #[test]
    fn sessions_are_inferred_only_on_request_and_split_at_pauses() {
        let lone = |number: u64, seconds: u64| Sighting {
            trace_id: TraceId::from_bytes(&[u8::try_from(number).unwrap(); 16]).unwrap(),
            session: None,
            ..call(number, seconds)
        };
        let sightings = vec![lone(1, 0), lone(2, 1800), lone(3, 3601)];
        let graded = |terms, grade| {
            let figures = judge_day_under(terms, day(), sightings.clone());
            let calls: u64 = figures.tools.values().map(|mine| mine.grades.get(grade)).sum();
            let sessions: u64 =
                figures.sessions.values().map(|counts| counts.sessions.get(grade)).sum();
            (calls, sessions)
        };
        assert_eq!(graded(Terms::default(), SessionGrade::E), (3, 0));
        let infer = Terms { infer_sessions: true, ..Terms::default() };
        // Exactly 30 minutes are no pause yet; a second more is.
        assert_eq!(graded(infer, SessionGrade::D), (3, 2));
    }

    #[test]
    fn sightings_far_from_the_day_change_nothing() {
        let far = |seconds: u64| {
            let start = UnixNanos::new(day().end().get() + seconds * SECOND);
            Sighting { start, end: start, ..in_session("shared", "other", call(9, 0)) }
        };
        let near = vec![in_session("shared", "cursor", call(1, 100))];
        let figures = judge_day(day(), near.clone());
        let with = |seconds| judge_day(day(), [near.clone(), vec![far(seconds)]].concat());
        assert_eq!(with(900), figures, "past the margin");
        assert_eq!(with(601), figures, "past ten minutes");
        assert_ne!(with(600), figures, "another client under the key");
    }
}
