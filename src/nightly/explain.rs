//! Why each call of a tool counted as it did: the way to check a figure by hand.
//!
//! No argument, no result, no fingerprint and no session key: sessions are numbered.

use std::fmt;

use super::by_parts::each_judged;
use super::call::Call;
use super::chain::ChainKind;
use super::declared::Declared;
use super::first_call::Standing;
use super::judge::{Judged, Judgement, Terms};
use super::names::Names;
use super::ordinals::Ordinals;
use super::pass::{NightlyError, Source, with_calls};
use super::recovery::Recovered;
use super::session::order;
use crate::call::{
    BusinessOutcome, Confidence, Day, Emptiness, KeyStatus, OperationKind, Outcome, SessionGrade,
    Stage, UnixNanos,
};
use crate::figures::{Followed, RetryClass, TimeoutFate};
use crate::store::Store;

/// Which calls to explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The tool: its name, or its service and name with a `/` between.
    pub tool: String,
    /// The client; none for all.
    pub client: Option<String>,
    /// The day.
    pub day: Day,
}

/// One call, and why it counted as it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedCall {
    /// Who offers the tool.
    pub service: String,
    /// The tool.
    pub tool: String,
    /// The client.
    pub client: String,
    /// The session's number within this explanation; none for grade E.
    pub session: Option<u32>,
    /// How well the session is known.
    pub grade: SessionGrade,
    /// When it started.
    pub start: UnixNanos,
    /// When it ended.
    pub end: UnixNanos,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the answer held anything.
    pub emptiness: Emptiness,
    /// Whether it was judged, or why not.
    pub standing: Standing,
    /// Its retry.
    pub retry: Option<ExplainedRetry>,
    /// Whether it repeats an earlier call.
    pub is_repeat: bool,
    /// The chain that it belongs to.
    pub chain: Option<ExplainedChain>,
    /// How far an `ok` can be believed.
    pub confidence: Confidence,
    /// Whether a sampling mark says that calls beside it are missing.
    pub is_sampled: bool,
    /// How often it was seen, the doubles among it.
    pub sightings: u32,
    /// How many of these were one sighting that came again.
    pub duplicates: u32,
    /// What is known of its recovery; none for most calls.
    pub recovery: Option<ExplainedRecovery>,
}

/// What a judged call counted as by one of the two rules (METHOD sections 6 and 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// A first-call success.
    Success,
    /// None: it failed.
    Failed,
    /// None: its answer was empty.
    Empty,
    /// None: it was retried.
    Retried,
}

impl ExplainedCall {
    /// What it counted as by `window-30s`; none where it was not judged.
    pub fn counted(&self) -> Option<Counted> {
        self.counted_where(|_| true)
    }

    /// What it counted as once look-alikes are set aside.
    pub fn counted_as_confirmed(&self) -> Option<Counted> {
        self.counted_where(|class| !class.is_look_alike())
    }

    fn counted_where(&self, is_retry: impl Fn(RetryClass) -> bool) -> Option<Counted> {
        let is_retried = self.retry.is_some_and(|retry| is_retry(retry.class));
        let counted = match (self.outcome, self.emptiness) {
            (Outcome::Ok, Emptiness::Yes) => Counted::Empty,
            (Outcome::Ok, _) if is_retried => Counted::Retried,
            (Outcome::Ok, _) => Counted::Success,
            _ => Counted::Failed,
        };
        matches!(self.standing, Standing::Judged).then_some(counted)
    }
}

/// What shows that a call was retried, and what the retry was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainedRetry {
    /// When the witness started.
    pub witness_start: UnixNanos,
    /// What the retry was.
    pub class: RetryClass,
    /// Whether it is confirmed only for want of arguments to test `paging` or `sweep` with.
    pub is_untested: bool,
}

/// A call's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainedChain {
    /// When its first call started.
    pub start: UnixNanos,
    /// What it shows.
    pub kind: ChainKind,
}

/// What is known of a call's recovery (METHOD section 11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainedRecovery {
    /// What calling its tool does; none where that is unknown.
    pub kind: Option<OperationKind>,
    /// What became of it, where its caller no longer waited.
    pub fate: Option<TimeoutFate>,
    /// Where the time ran out.
    pub stage: Option<Stage>,
    /// What the server made of its idempotency key.
    pub key_status: Option<KeyStatus>,
    /// What became of the business operation.
    pub business_outcome: Option<BusinessOutcome>,
    /// How often a dependency was tried.
    pub attempts: Option<u32>,
    /// What was found about it.
    pub found: Option<Recovered>,
}

impl Question {
    fn is_about(&self, service: &str, tool: &str, client: &str) -> bool {
        let is_tool = self.tool == tool
            || self.tool.strip_prefix(service).and_then(|rest| rest.strip_prefix('/'))
                == Some(tool);
        is_tool && self.client.as_deref().is_none_or(|wanted| wanted == client)
    }
}

/// Explains the calls that `question` asks for, in order of start. The day need be neither
/// covered nor over: of a day that is not over, calls that are still to come are not in view.
pub fn explain(
    store: &Store,
    terms: Terms,
    declared: &Declared,
    question: &Question,
) -> Result<Vec<ExplainedCall>, NightlyError> {
    let day = question.day;
    let folder = format!("explain-{}.tmp", std::process::id());
    let source = Source { store, declared, folder: &folder };
    let mut found = with_calls(source, terms, day, &mut |_| {}, |calls, names, _| {
        let (mut ordinals, mut found) = (Ordinals::default(), Vec::new());
        each_judged(terms, day, calls, names, &mut |judged| {
            ordinals.begin_part();
            found.extend(explain_judged(judged, question, names, &mut ordinals));
        })?;
        Ok(found)
    })?;
    found.sort_by_key(|(order, _)| *order);
    Ok(found.into_iter().map(|(_, call)| call).collect())
}

type Order = (UnixNanos, UnixNanos, [u8; 8], [u8; 16]);

fn explain_judged(
    judged: &Judged,
    question: &Question,
    names: &Names,
    ordinals: &mut Ordinals,
) -> Vec<(Order, ExplainedCall)> {
    let mut found = Vec::new();
    for (call, judgement) in judged.calls.iter().zip(&judged.judgements) {
        // What asked for a tool that is not there is shown too: it is why no figure has it.
        let Some(tool) = call.tool.filter(|_| judged.is_of_day(call)) else { continue };
        let text = |id| names.text(id);
        if !question.is_about(text(call.service), text(tool), text(call.client)) {
            continue;
        }
        let session = judgement.session.and_then(|at| judged.sessions.all.get(at as usize));
        let explained = ExplainedCall {
            service: text(call.service).to_owned(),
            tool: text(tool).to_owned(),
            client: text(call.client).to_owned(),
            session: ordinals.of(judgement.session),
            grade: session.map_or(SessionGrade::E, |session| session.grade),
            start: call.start,
            end: call.end,
            outcome: call.outcome,
            emptiness: call.emptiness,
            standing: judgement.standing,
            retry: retry(judged, judgement),
            is_repeat: judgement.is_repeat,
            chain: chain(judged, judgement),
            confidence: call.confidence,
            is_sampled: call.is_sampled,
            sightings: call.sightings,
            duplicates: call.duplicates,
            recovery: recovery(call, judgement),
        };
        found.push((order(call), explained));
    }
    found
}

fn recovery(call: &Call, judgement: &Judgement) -> Option<ExplainedRecovery> {
    let told = call.recovery.as_ref().map(|recovery| &recovery.told);
    let explained = ExplainedRecovery {
        kind: call.kind(),
        fate: call.recovery.as_ref().and_then(|recovery| recovery.fate),
        stage: told.and_then(|told| told.stage),
        key_status: told.and_then(|told| told.key_status),
        business_outcome: call.business_outcome(),
        attempts: call.recovery.as_ref().and_then(|recovery| recovery.attempts()),
        found: judgement.recovered,
    };
    (told.is_some() || explained.found.is_some()).then_some(explained)
}

fn retry(judged: &Judged, judgement: &Judgement) -> Option<ExplainedRetry> {
    let retry = judgement.retry?;
    let witness_start = judged.call(retry.witness)?.start;
    Some(ExplainedRetry { witness_start, class: retry.class, is_untested: retry.is_untested })
}

fn chain(judged: &Judged, judgement: &Judgement) -> Option<ExplainedChain> {
    let chain = judged.chains.get(judgement.chain? as usize)?;
    Some(ExplainedChain { start: judged.call(chain.first)?.start, kind: chain.kind })
}

impl fmt::Display for ExplainedRecovery {
    /// What is known, in words, with commas between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.map_or("kind unknown", OperationKind::word);
        write!(f, "{kind}")?;
        let words = [
            ("timed out, server", self.fate.map(TimeoutFate::word)),
            ("ran out in", self.stage.map(Stage::word)),
            ("key", self.key_status.map(KeyStatus::word)),
            ("outcome", self.business_outcome.map(BusinessOutcome::word)),
            ("then", self.found.and_then(|found| found.followed).map(Followed::word)),
        ];
        for (what, word) in words {
            if let Some(word) = word {
                write!(f, ", {what} {word}")?;
            }
        }
        if let Some(attempts) = self.attempts {
            write!(f, ", attempts {attempts}")?;
        }
        let found = self.found.unwrap_or_default();
        let facts = [
            ("status checked", found.is_checked),
            ("resolved", found.is_resolved),
            ("key conflict", found.is_key_conflict),
            ("possible double write", found.is_double_write),
        ];
        facts.iter().filter(|(_, is)| *is).try_for_each(|(what, _)| write!(f, ", {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{ArgsHash, Sighting, SpanId};
    use crate::nightly::{fold_day, judge_calls};

    const SECOND: u64 = 1_000_000_000;

    fn explained(sightings: Vec<Sighting>, tool: &str, client: Option<&str>) -> Vec<ExplainedCall> {
        let day: Day = "2026-11-29".parse().unwrap();
        let mut names = Names::new();
        let calls = fold_day(day, sightings, &mut names);
        let judged = judge_calls(Terms::default(), day, calls, &names);
        let client = client.map(str::to_owned);
        let question = Question { tool: tool.to_owned(), client, day };
        let found = explain_judged(&judged, &question, &names, &mut Ordinals::default());
        found.into_iter().map(|(_, call)| call).collect()
    }

    /// An empty answer at noon, and the same tool with other arguments so many seconds later.
    fn retried(seconds: u64) -> Vec<Sighting> {
        let first = Sighting { emptiness: Emptiness::Yes, ..plain_sighting() };
        let mut second = plain_sighting();
        second.span_id = SpanId::from_bytes(&[9; 8]).unwrap();
        second.start = UnixNanos::new(first.start.get() + seconds * SECOND);
        second.end = UnixNanos::new(second.start.get());
        if let Some(arguments) = &mut second.arguments {
            arguments.hash = ArgsHash::from_bytes([8; 6]);
        }
        vec![first, second]
    }

    #[test]
    fn each_call_says_why_it_counted_as_it_did() {
        let calls = explained(retried(10), "search_orders", None);
        let noon = plain_sighting().start;
        let kind = ChainKind::Usable { extra_attempts: 1 };
        let retry = ExplainedRetry {
            witness_start: UnixNanos::new(noon.get() + 10 * SECOND),
            class: RetryClass::AfterEmpty,
            is_untested: false,
        };
        assert_eq!(calls.len(), 2);
        assert_eq!((calls[0].retry, calls[1].retry), (Some(retry), None));
        let chain = Some(ExplainedChain { start: noon, kind });
        assert_eq!((calls[0].chain, calls[1].chain), (chain, chain));
        assert_eq!((calls[0].session, calls[1].session), (Some(1), Some(1)));
        assert_eq!(calls[0].counted(), Some(Counted::Empty));
        assert_eq!(calls[1].counted(), Some(Counted::Success));
        assert_eq!((calls[1].sightings, calls[1].duplicates), (1, 0));
        // A second after noon the first call has half a second to go: nobody read its answer.
        let [mut first, second] = <[Sighting; 2]>::try_from(retried(1)).unwrap();
        first.emptiness = Emptiness::No;
        let calls = explained(vec![first, second.clone(), second], "search_orders", None);
        assert_eq!(calls[0].retry.map(|retry| retry.class), Some(RetryClass::FanOut));
        assert_eq!(calls[0].counted(), Some(Counted::Retried));
        assert_eq!(calls[0].counted_as_confirmed(), Some(Counted::Success));
        assert_eq!((calls[1].sightings, calls[1].duplicates), (2, 1));
    }

    #[test]
    fn a_failed_call_and_one_of_no_tool_say_so() {
        let with = |outcome| {
            let sighting = Sighting { outcome, ..plain_sighting() };
            explained(vec![sighting], "search_orders", None).remove(0)
        };
        assert_eq!(with(Outcome::Crashed).counted(), Some(Counted::Failed));
        let unknown = with(Outcome::UnknownTool);
        assert_eq!((unknown.standing, unknown.counted()), (Standing::OfNoTool, None));
    }

    #[test]
    fn a_question_is_about_a_tool_of_any_or_of_one_service_and_client() {
        let count = |tool, client| explained(retried(10), tool, client).len();
        assert_eq!(count("shop/search_orders", Some("claude-code")), 2);
        assert_eq!(count("depot/search_orders", None), 0);
        assert_eq!(count("search_orders", Some("cursor")), 0);
        assert_eq!(count("search", None), 0);
    }
}
