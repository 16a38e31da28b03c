//! Why each call of a tool counted as it did: the way to check a figure by hand.
//!
//! No argument, no result, no fingerprint and no session key: sessions are numbered.

use std::fmt::{self, Write};

use super::by_parts::each_judged;
use super::call::Call;
use super::chain::ChainKind;
use super::declared::Declared;
use super::exported_call::rfc_3339;
use super::first_call::Standing;
use super::judge::{Judged, Judgement, Terms};
use super::names::Names;
use super::ordinals::Ordinals;
use super::pass::{NightlyError, Source, with_calls};
use super::recovery::Recovered;
use super::session::{is_of_a_tool, order};
use crate::call::hidden::is_hidden;
use crate::call::{
    BusinessOutcome, CallDuration, Day, Emptiness, KeyStatus, OperationKind, Outcome, SessionGrade,
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
    /// What is known of its recovery; none for most calls.
    pub recovery: Option<ExplainedRecovery>,
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
        let Some(tool) = call.tool.filter(|_| is_of_a_tool(call) && judged.is_of_day(call)) else {
            continue;
        };
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

impl fmt::Display for ExplainedCall {
    /// One line of plain text; names are shown so that they cannot break it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let took = self.end.since(self.start).unwrap_or(CallDuration::from_nanos(0)).as_nanos();
        let (seconds, nanos) = (took / 1_000_000_000, took % 1_000_000_000);
        write!(f, "{} to {}", rfc_3339(self.start), rfc_3339(self.end))?;
        write!(f, " ({seconds}.{nanos:09} s)")?;
        write!(f, "  {}/{}", shown(&self.service), shown(&self.tool))?;
        write!(f, "  client {}", shown(&self.client))?;
        match self.session {
            Some(session) => write!(f, "  session {session} (grade {})", self.grade)?,
            None => write!(f, "  no session")?,
        }
        let emptiness = match (self.outcome, self.emptiness) {
            (Outcome::Ok, Emptiness::Yes) => ", empty",
            (Outcome::Ok, Emptiness::No) => ", not empty",
            (Outcome::Ok, Emptiness::Unknown) => ", emptiness unknown",
            _ => "",
        };
        write!(f, "  {}{emptiness}", self.outcome)?;
        match self.standing {
            Standing::Judged => write!(f, "  judged")?,
            Standing::Unjudged(reason) => write!(f, "  not judged: {reason}")?,
            Standing::OfNoTool => write!(f, "  not judged: of no tool")?,
        }
        if let Some(retry) = self.retry {
            write!(f, "  retried at {}: {}", rfc_3339(retry.witness_start), retry.class)?;
            if retry.is_untested {
                write!(f, " (arguments not visible)")?;
            }
        }
        if self.is_repeat {
            write!(f, "  repeat")?;
        }
        if let Some(chain) = self.chain {
            write!(f, "  chain of {}: ", rfc_3339(chain.start))?;
            match chain.kind {
                ChainKind::NotOfRetries => write!(f, "no rewording")?,
                ChainKind::Usable { extra_attempts } => {
                    write!(f, "usable, extra attempts {extra_attempts}")?;
                }
                ChainKind::Abandoned => write!(f, "abandoned")?,
            }
        }
        match self.recovery {
            Some(recovery) => write!(f, "  recovery: {recovery}"),
            None => Ok(()),
        }
    }
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

/// A name with everything escaped that could break a line or change what a terminal shows.
fn shown(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        if is_hidden(letter) {
            let _cannot_fail = write!(text, "{}", letter.escape_unicode());
        } else {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{ArgsHash, Sighting, SpanId};
    use crate::nightly::{fold_day, judge_calls};

    const SECOND: u64 = 1_000_000_000;

    fn explained(sightings: Vec<Sighting>, tool: &str, client: Option<&str>) -> Vec<String> {
        let day: Day = "2026-11-29".parse().unwrap();
        let mut names = Names::new();
        let calls = fold_day(day, sightings, &mut names);
        let judged = judge_calls(Terms::default(), day, calls, &names);
        let client = client.map(str::to_owned);
        let question = Question { tool: tool.to_owned(), client, day };
        let found = explain_judged(&judged, &question, &names, &mut Ordinals::default());
        found.into_iter().map(|(_, call)| call.to_string()).collect()
    }

    fn retried() -> Vec<Sighting> {
        let first = Sighting { emptiness: Emptiness::Yes, ..plain_sighting() };
        let mut second = plain_sighting();
        second.span_id = SpanId::from_bytes(&[9; 8]).unwrap();
        second.start = UnixNanos::new(first.start.get() + 10 * SECOND);
        second.end = UnixNanos::new(second.start.get());
        if let Some(arguments) = &mut second.arguments {
            arguments.hash = ArgsHash::from_bytes([8; 6]);
        }
        vec![first, second]
    }

    #[test]
    fn a_line_says_why_a_call_counted_as_it_did() {
        let lines = explained(retried(), "search_orders", None);
        assert_eq!(
            lines,
            [
                "2026-11-29T12:00:00.000000000Z to 2026-11-29T12:00:01.500000000Z \
                 (1.500000000 s)  shop/search_orders  client claude-code  session 1 (grade a)  \
                 ok, empty  judged  retried at 2026-11-29T12:00:10.000000000Z: after_empty  \
                 chain of 2026-11-29T12:00:00.000000000Z: usable, extra attempts 1",
                "2026-11-29T12:00:10.000000000Z to 2026-11-29T12:00:10.000000000Z \
                 (0.000000000 s)  shop/search_orders  client claude-code  session 1 (grade a)  \
                 ok, not empty  judged  \
                 chain of 2026-11-29T12:00:00.000000000Z: usable, extra attempts 1",
            ]
        );
    }

    #[test]
    fn a_question_is_about_a_tool_of_any_or_of_one_service_and_client() {
        assert_eq!(explained(retried(), "shop/search_orders", Some("claude-code")).len(), 2);
        assert_eq!(explained(retried(), "depot/search_orders", None).len(), 0);
        assert_eq!(explained(retried(), "search_orders", Some("cursor")).len(), 0);
        assert_eq!(explained(retried(), "search", None).len(), 0);
    }

    #[test]
    fn a_hostile_name_cannot_break_the_line() {
        assert_eq!(shown("a\n\u{1b}[2Jb\u{202e}c é"), "a\\u{a}\\u{1b}[2Jb\\u{202e}c é");
    }
}
