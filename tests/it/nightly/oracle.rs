//! METHOD sections 1 to 9 and 11 once more: quadratic, without a single shortcut, and meant to be
//! read beside the page. It shares no code with `src/nightly`, only the vocabulary.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

pub(crate) mod recovery;

use std::collections::{BTreeMap, BTreeSet};

use firstcall::call::{
    ArgsForm, Arguments, ClientName, Comparison, Confidence, Day, Emptiness, Name, Outcome,
    SessionClaim, SessionGrade, Sighting, SpanKind, ToolKey, UnixNanos,
};
use firstcall::figures::{DayFigures, PairKey, QualityCounts, RetryClass, UnjudgedReason};

const WINDOW: u64 = 30_000_000_000;
const READING: u64 = 250_000_000;
const PAST_THE_DAY: u64 = 600_000_000_000;

/// A session's identity: grade, key, client, and for grade B the service.
type Session = (SessionGrade, [u8; 16], ClientName, Option<Name>);

/// What a session is found by, before the client is added.
type Key = (SessionGrade, [u8; 16], Option<Name>);

/// A call, counted once.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: ToolKey,
    pub(crate) client: ClientName,
    pub(crate) session: Option<Session>,
    pub(crate) start: u64,
    pub(crate) end: u64,
    span: [u8; 8],
    arguments: Option<Arguments>,
    outcome: Outcome,
    is_low: bool,
    emptiness: Emptiness,
    result_bytes: Option<u64>,
    latency: u64,
    is_sampled: bool,
    has_parent: bool,
    trace: [u8; 16],
    claim: Option<SessionClaim>,
    /// Its sightings, the outermost first.
    sides: Vec<Sighting>,
    /// How often one of them came again.
    doubles: u64,
}

impl Call {
    fn is_empty(&self) -> bool {
        self.outcome == Outcome::Ok && self.emptiness == Emptiness::Yes
    }

    fn is_usable(&self) -> bool {
        self.outcome == Outcome::Ok && !self.is_empty()
    }

    fn compare(&self, other: &Self) -> Comparison {
        Arguments::compare(self.arguments.as_ref(), other.arguments.as_ref())
    }

    fn order(&self) -> (u64, u64, [u8; 8]) {
        (self.start, self.end, self.span)
    }

    /// A call of a tool that is not there is a call of the session, and of no tool.
    fn is_of_a_tool(&self) -> bool {
        self.outcome != Outcome::UnknownTool
    }

    /// Same tool in the same session, neither of them without one.
    fn is_beside(&self, other: &Self) -> bool {
        self.session.is_some()
            && self.session == other.session
            && self.tool == other.tool
            && self.is_of_a_tool()
            && other.is_of_a_tool()
    }

    /// Whether `later` starts again after this call, within the window.
    fn sees(&self, later: &Self) -> bool {
        self.is_beside(later) && later.start > self.start && later.start - self.start <= WINDOW
    }
}

/// What the rules say of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) unjudged: Option<UnjudgedReason>,
    pub(crate) witness: Option<usize>,
    pub(crate) class: Option<RetryClass>,
    pub(crate) is_repeat: bool,
}

/// Section 8, for the two shapes that the generator makes: the same span twice, and a server's
/// span whose parent is the client's span of the same call.
fn fold(sightings: &[Sighting]) -> Vec<Call> {
    let is_same = |a: &Sighting, b: &Sighting| (a.trace_id, a.span_id) == (b.trace_id, b.span_id);
    let mut once: Vec<&Sighting> = Vec::new();
    for sighting in sightings {
        if !once.iter().any(|known| is_same(known, sighting)) {
            once.push(sighting);
        }
    }
    let parent_of = |child: &Sighting| {
        once.iter().copied().find(|candidate| {
            candidate.trace_id == child.trace_id && Some(candidate.span_id) == child.parent_span_id
        })
    };
    let mut calls = Vec::new();
    for outer in &once {
        if parent_of(outer).is_some() {
            continue;
        }
        let inner = once
            .iter()
            .copied()
            .find(|inner| parent_of(inner).is_some_and(|parent| parent.span_id == outer.span_id));
        let mut call = one_call(outer, inner);
        let came = sightings.iter().filter(|s| call.sides.iter().any(|side| is_same(side, s)));
        call.doubles = (came.count() - call.sides.len()) as u64;
        calls.push(call);
    }
    calls
}

fn one_call(outer: &Sighting, inner: Option<&Sighting>) -> Call {
    let unknown = || Name::exact("unknown").unwrap();
    let server = [inner, Some(outer)].into_iter().flatten().find(|s| s.kind == SpanKind::Server);
    let sides: Vec<&Sighting> = [Some(outer), inner].into_iter().flatten().collect();
    // The worst of all; its class from the innermost that names one.
    let failures: Vec<Outcome> =
        sides.iter().rev().map(|s| s.outcome).filter(|o| *o != Outcome::Ok).collect();
    let outcome = failures
        .iter()
        .copied()
        .find(|outcome| *outcome != Outcome::Error)
        .or(failures.first().copied())
        .unwrap_or(Outcome::Ok);
    Call {
        tool: ToolKey {
            service: server.and_then(|s| s.service.clone()).unwrap_or_else(unknown),
            tool: server.unwrap_or(outer).tool.clone().unwrap(),
        },
        client: sides.iter().find_map(|s| s.client.clone()).unwrap_or_else(ClientName::unknown),
        session: None,
        start: outer.start.get(),
        end: outer.end.get(),
        span: *outer.span_id.as_bytes(),
        arguments: sides.iter().find_map(|s| s.arguments.clone()),
        outcome,
        is_low: outcome == Outcome::Ok && sides.iter().all(|s| s.confidence == Confidence::Low),
        emptiness: sides
            .iter()
            .map(|s| s.emptiness)
            .find(|emptiness| *emptiness != Emptiness::Unknown)
            .unwrap_or(Emptiness::Unknown),
        result_bytes: sides.iter().find_map(|s| s.result_bytes),
        latency: server
            .map_or(outer.end.get() - outer.start.get(), |s| s.end.get() - s.start.get()),
        is_sampled: sides.iter().any(|s| s.is_sampled),
        has_parent: outer.parent_span_id.is_some(),
        trace: *outer.trace_id.as_bytes(),
        claim: sides.iter().find_map(|s| s.session),
        sides: sides.into_iter().cloned().collect(),
        doubles: 0,
    }
}

/// Section 2.
fn find_sessions(calls: &mut [Call]) {
    let traces: Vec<[u8; 16]> = calls.iter().map(|call| call.trace).collect();
    let keys: Vec<Option<Key>> = calls
        .iter()
        .map(|call| match call.claim {
            Some(SessionClaim::Conversation(key)) => Some((SessionGrade::A, *key.as_bytes(), None)),
            Some(SessionClaim::Transport(key)) => {
                Some((SessionGrade::B, *key.as_bytes(), Some(call.tool.service.clone())))
            }
            None => {
                let is_shared = traces.iter().filter(|trace| **trace == call.trace).count() > 1;
                (is_shared || call.has_parent).then_some((SessionGrade::C, call.trace, None))
            }
        })
        .collect();
    let clients: Vec<ClientName> = calls.iter().map(|call| call.client.clone()).collect();
    for (call, key) in calls.iter_mut().zip(&keys) {
        let Some((grade, bytes, service)) = key else { continue };
        if call.client.is_unknown() {
            let known: BTreeSet<&ClientName> = clients
                .iter()
                .zip(&keys)
                .filter(|(client, other)| *other == key && !client.is_unknown())
                .map(|(client, _)| client)
                .collect();
            if let (1, Some(client)) = (known.len(), known.first()) {
                call.client = (*client).clone();
            }
        }
        call.session = Some((*grade, *bytes, call.client.clone(), service.clone()));
    }
}

/// Sections 5 to 7 for the call at `at`.
fn judge(calls: &[Call], at: usize) -> Verdict {
    let a = &calls[at];
    let mut different: Vec<usize> = (0..calls.len())
        .filter(|b| a.sees(&calls[*b]) && a.compare(&calls[*b]) == Comparison::Different)
        .collect();
    different.sort_by_key(|b| calls[*b].order());
    let has_unknown = calls.iter().any(|b| a.sees(b) && a.compare(b) == Comparison::Unknown);
    let is_repeat =
        calls.iter().any(|earlier| earlier.sees(a) && earlier.compare(a) == Comparison::Same);
    let unjudged = if a.session.is_none() {
        Some(UnjudgedReason::NoSession)
    } else if a.arguments.is_none() {
        Some(UnjudgedReason::NoArgsHash)
    } else if different.is_empty() && has_unknown {
        Some(UnjudgedReason::UnknownComparison)
    } else {
        None
    };
    let (witness, class) = match different.first() {
        None => (None, None),
        Some(first) => {
            let (witness, class) = classify(calls, at, *first, &different);
            (Some(witness), Some(class))
        }
    };
    Verdict { unjudged, witness, class, is_repeat }
}

fn classify(calls: &[Call], at: usize, first: usize, different: &[usize]) -> (usize, RetryClass) {
    let a = &calls[at];
    let was_read = |b: usize| calls[b].start > a.end + READING;
    let mut witness = first;
    if !was_read(first) {
        let later = different.iter().copied().find(|b| was_read(*b));
        match later {
            Some(later) if !a.is_usable() => witness = later,
            _ => return (first, RetryClass::FanOut),
        }
    }
    let b = &calls[witness];
    let class = if let (Some(mine), Some(theirs)) = (&a.arguments, &b.arguments)
        && Arguments::is_page_turn(mine, theirs)
    {
        RetryClass::Paging
    } else if is_sweep(calls, at, witness) {
        RetryClass::Sweep
    } else if a.outcome == Outcome::BadArgs {
        RetryClass::AfterBadArgs
    } else if a.outcome != Outcome::Ok {
        RetryClass::AfterFailure
    } else if a.is_empty() {
        RetryClass::AfterEmpty
    } else {
        RetryClass::AfterOk
    };
    (witness, class)
}

/// Section 9: the calls of one tool in one session, cut where more than 30 s lie between starts.
fn chain_of(calls: &[Call], at: usize) -> Vec<usize> {
    let mut beside: Vec<usize> =
        (0..calls.len()).filter(|other| calls[at].is_beside(&calls[*other])).collect();
    beside.sort_by_key(|other| calls[*other].order());
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for call in beside {
        match chains.last_mut() {
            Some(chain) if calls[call].start - calls[*chain.last().unwrap()].start <= WINDOW => {
                chain.push(call);
            }
            _ => chains.push(vec![call]),
        }
    }
    chains.into_iter().find(|chain| chain.contains(&at)).unwrap_or_default()
}

/// The one parameter whose value changed between two calls, where there is exactly one.
fn changed_parameter(a: &Call, b: &Call) -> Option<Name> {
    let prints = |call: &Call| -> BTreeMap<Name, [u8; 4]> {
        let arguments = call.arguments.as_ref();
        arguments
            .map(|a| a.prints.iter().map(|p| (p.name.clone(), p.print)).collect())
            .unwrap_or_default()
    };
    let (a, b) = (prints(a), prints(b));
    if a.keys().ne(b.keys()) {
        return None;
    }
    let changed: Vec<&Name> = a.keys().filter(|name| a.get(*name) != b.get(*name)).collect();
    match changed.as_slice() {
        [one] => Some((*one).clone()),
        _ => None,
    }
}

fn is_sweep(calls: &[Call], a: usize, b: usize) -> bool {
    let chain = chain_of(calls, a);
    for from in 0..chain.len() {
        for to in from + 3..chain.len() {
            let run = &chain[from..=to];
            if run.contains(&a) && run.contains(&b) && is_loop(calls, run) {
                return true;
            }
        }
    }
    false
}

fn is_loop(calls: &[Call], run: &[usize]) -> bool {
    let all_usable = run.iter().all(|at| calls[*at].is_usable());
    let none_alike = run.iter().enumerate().all(|(i, x)| {
        run.iter().skip(i + 1).all(|y| calls[*x].compare(&calls[*y]) == Comparison::Different)
    });
    let steps: BTreeSet<Option<Name>> =
        run.windows(2).map(|pair| changed_parameter(&calls[pair[0]], &calls[pair[1]])).collect();
    all_usable && none_alike && steps.len() == 1 && !steps.contains(&None)
}

/// Every call of these sightings with its verdict, in order of start.
pub(crate) fn verdicts(sightings: &[Sighting]) -> (Vec<Call>, Vec<Verdict>) {
    let mut calls = fold(sightings);
    calls.sort_by_key(Call::order);
    find_sessions(&mut calls);
    let verdicts = (0..calls.len()).map(|at| judge(&calls, at)).collect();
    (calls, verdicts)
}

/// The figures of `day`, by the book.
pub(crate) fn figures(day: Day, sightings: &[Sighting]) -> DayFigures {
    figures_beside(day, sightings, &recovery::Beside::default())
}

/// The same beside client spans and declarations.
pub(crate) fn figures_beside(
    day: Day,
    sightings: &[Sighting],
    beside: &recovery::Beside,
) -> DayFigures {
    let is_today = |instant: u64| UnixNanos::new(instant).day() == day;
    let (calls, verdicts) = verdicts(sightings);
    let mut figures = DayFigures {
        day,
        tools: BTreeMap::new(),
        unknown_tool_calls: BTreeMap::new(),
        pairs: BTreeMap::new(),
        sessions: BTreeMap::new(),
        quality: QualityCounts::default(),
    };
    for call in calls.iter().filter(|call| is_today(call.start)) {
        let (seen, again) = (call.sides.len() as u64, call.doubles);
        figures.quality.sightings += seen + again;
        figures.quality.duplicates += again;
        figures.quality.folded += seen - 1;
        if !call.is_of_a_tool() {
            *figures.unknown_tool_calls.entry(call.client.clone()).or_default() += 1;
        }
    }
    for at in 0..calls.len() {
        if is_today(calls[at].start) && calls[at].is_of_a_tool() {
            count_call(&mut figures, &calls, &verdicts, at);
            count_pair(&mut figures, &calls, at);
            count_endings(&mut figures, &calls, &verdicts, at);
            let key = (calls[at].tool.clone(), calls[at].client.clone());
            let mine = figures.tools.entry(key).or_default();
            let book = recovery::Book { calls: &calls, sightings, beside };
            book.count(at, &mut mine.recovery);
        }
    }
    for at in 0..calls.len() {
        count_chain(&mut figures, &calls, &verdicts, at, day);
    }
    count_sessions(&mut figures, &calls, day);
    figures
}

fn count_call(figures: &mut DayFigures, calls: &[Call], verdicts: &[Verdict], at: usize) {
    let (call, verdict) = (&calls[at], &verdicts[at]);
    let mine = figures.tools.entry((call.tool.clone(), call.client.clone())).or_default();
    mine.calls += 1;
    mine.grades.add(call.session.as_ref().map_or(SessionGrade::E, |session| session.0), 1);
    mine.outcomes.add(call.outcome, 1);
    mine.ok_low_confidence += u64::from(call.is_low);
    mine.sampled += u64::from(call.is_sampled);
    figures.quality.sampled += u64::from(call.is_sampled);
    match verdict.unjudged {
        None => mine.judged += 1,
        Some(reason) => mine.unjudged.add(reason, 1),
    }
    if call.outcome == Outcome::Ok && call.emptiness != Emptiness::Unknown {
        mine.emptiness_known += 1;
    }
    mine.empty += u64::from(call.is_empty());
    mine.repeats += u64::from(verdict.is_repeat);
    if let Some(class) = verdict.class {
        mine.retried += 1;
        mine.retry_classes.add(class, 1);
    }
    let is_confirmed = verdict.class.is_some_and(|class| !class.is_look_alike());
    if let Some(witness) = verdict.witness.filter(|_| is_confirmed) {
        mine.unclassified += u64::from(is_untested(call, &calls[witness]));
    }
    if verdict.unjudged.is_none() && call.is_usable() {
        mine.first_call_successes += u64::from(verdict.class.is_none());
        mine.confirmed_first_call_successes += u64::from(!is_confirmed);
    }
    mine.latency.record(call.latency);
    if let Some(bytes) = call.result_bytes {
        mine.result_sizes.record(bytes);
        mine.result_bytes += bytes;
    }
    if let Some(witness) = verdict.witness.filter(|_| is_confirmed) {
        let names = |call: &Call| -> BTreeMap<Name, [u8; 4]> {
            call.arguments
                .iter()
                .flat_map(|a| a.prints.iter().map(|p| (p.name.clone(), p.print)))
                .collect()
        };
        let (a, b) = (names(call), names(&calls[witness]));
        if !a.is_empty() && !b.is_empty() {
            mine.reworded_known += 1;
            let all: BTreeSet<&Name> = a.keys().chain(b.keys()).collect();
            for name in all.into_iter().filter(|name| a.get(*name) != b.get(*name)) {
                mine.reworded.entry(name.clone()).or_default().retries += 1;
            }
        }
    }
}

/// Section 7: paging needs the arguments. A sweep needs the prints, and two good answers.
fn is_untested(a: &Call, b: &Call) -> bool {
    let shows = |call: &Call| call.arguments.as_ref().is_some_and(|a| a.form == ArgsForm::Json);
    let has_prints =
        |call: &Call| call.arguments.as_ref().is_some_and(|arguments| !arguments.prints.is_empty());
    let can_sweep = a.is_usable() && b.is_usable();
    !shows(a) || (can_sweep && !(has_prints(a) && has_prints(b)))
}

fn count_pair(figures: &mut DayFigures, calls: &[Call], at: usize) {
    let a = &calls[at];
    let next = calls
        .iter()
        .filter(|b| a.session.is_some() && b.session == a.session && b.order() > a.order())
        .min_by_key(|b| b.order());
    if let Some(b) = next
        && b.is_of_a_tool()
        && b.tool != a.tool
        && b.start <= a.end + WINDOW
    {
        let key = PairKey { first: a.tool.clone(), next: b.tool.clone() };
        *figures.pairs.entry(key).or_default() += 1;
    }
}

fn count_endings(figures: &mut DayFigures, calls: &[Call], verdicts: &[Verdict], at: usize) {
    let call = &calls[at];
    if call.session.is_none() {
        return;
    }
    let is_last_of_tool =
        !calls.iter().any(|other| call.is_beside(other) && other.order() > call.order());
    let is_last =
        !calls.iter().any(|other| other.session == call.session && other.order() > call.order());
    let mine = figures.tools.entry((call.tool.clone(), call.client.clone())).or_default();
    if call.is_empty() {
        mine.empty_accepted += u64::from(is_last_of_tool);
        let class = verdicts[at].class;
        mine.empty_reworded += u64::from(class.is_some_and(|class| !class.is_look_alike()));
    }
    if is_last {
        mine.last_words += 1;
        mine.last_word_failed += u64::from(!call.is_usable());
    }
}

fn count_chain(
    figures: &mut DayFigures,
    calls: &[Call],
    verdicts: &[Verdict],
    at: usize,
    day: Day,
) {
    let mut chain = chain_of(calls, at);
    // A chain belongs to the day of its first call, and is followed ten minutes past its end.
    if chain.first() != Some(&at) || UnixNanos::new(calls[at].start).day() != day {
        return;
    }
    chain.retain(|call| calls[*call].start < day.end().get() + PAST_THE_DAY);
    let has_distinct = chain
        .iter()
        .any(|x| chain.iter().any(|y| calls[*x].compare(&calls[*y]) == Comparison::Different));
    let has_confirmed =
        chain.iter().any(|call| verdicts[*call].class.is_some_and(|class| !class.is_look_alike()));
    if !has_distinct || !has_confirmed {
        return;
    }
    let changes = chain
        .windows(2)
        .filter(|pair| calls[pair[0]].compare(&calls[pair[1]]) == Comparison::Different)
        .count();
    let mine = figures.tools.entry((calls[at].tool.clone(), calls[at].client.clone())).or_default();
    mine.retry_chains += 1;
    if chain.last().is_some_and(|last| calls[*last].is_usable()) {
        mine.usable_chains += 1;
        mine.extra_attempts += changes as u64;
    } else {
        mine.abandoned_chains += 1;
    }
}

fn count_sessions(figures: &mut DayFigures, calls: &[Call], day: Day) {
    let mut sessions: BTreeMap<&Session, u64> = BTreeMap::new();
    for call in calls {
        if let Some(session) = &call.session
            && UnixNanos::new(call.start).day() == day
        {
            *sessions.entry(session).or_default() += 1;
        }
    }
    for (session, held) in sessions {
        let mine = figures.sessions.entry(session.2.clone()).or_default();
        mine.sessions.add(session.0, 1);
        mine.single_call += u64::from(held == 1);
    }
    // A key is shared by two known clients, or by calls over more than 24 hours: every session
    // under it that has calls on the day is one that may not be real.
    let is_today = |call: &Call| UnixNanos::new(call.start).day() == day;
    let key =
        |call: &Call| call.session.clone().map(|(grade, key, _, service)| (grade, key, service));
    let today: BTreeSet<&Session> = calls
        .iter()
        .filter(|call| is_today(call))
        .filter_map(|call| call.session.as_ref())
        .collect();
    for session in today {
        let of_key = (session.0, session.1, session.3.clone());
        let beside = || calls.iter().filter(|call| key(call).as_ref() == Some(&of_key));
        let known: BTreeSet<&ClientName> =
            beside().map(|call| &call.client).filter(|client| !client.is_unknown()).collect();
        let (first, last) = (beside().map(|c| c.start).min(), beside().map(|c| c.start).max());
        let span = last.zip(first).map_or(0, |(last, first)| last - first);
        let is_shared = known.len() > 1 || span > 24 * 3600 * 1_000_000_000;
        let mine = figures.sessions.entry(session.2.clone()).or_default();
        mine.shared += u64::from(is_shared);
    }
    // In how many sessions each reworded parameter was seen.
    for ((tool, client), mine) in &mut figures.tools {
        for (name, count) in &mut mine.reworded {
            let has = |call: &&Call| {
                let prints = call.sides.iter().filter_map(|side| side.arguments.as_ref());
                prints.flat_map(|a| &a.prints).any(|print| print.name == *name)
            };
            let of = calls.iter().filter(|c| is_today(c) && c.tool == *tool && c.client == *client);
            let of = of.filter(|call| call.is_of_a_tool()).filter(has);
            let sessions: BTreeSet<&Session> = of.filter_map(|c| c.session.as_ref()).collect();
            count.sessions = sessions.len() as u64;
        }
    }
    let of_tools: BTreeSet<_> = calls
        .iter()
        .filter(|call| call.is_of_a_tool() && UnixNanos::new(call.start).day() == day)
        .filter_map(|call| Some((call.session.as_ref()?, &call.tool, &call.client)))
        .collect();
    for (_, tool, client) in of_tools {
        figures.tools.entry((tool.clone(), client.clone())).or_default().sessions += 1;
    }
}
