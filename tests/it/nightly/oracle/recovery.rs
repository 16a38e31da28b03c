//! METHOD section 11 once more, as slowly and plainly as the rest of the oracle.

use std::collections::{BTreeMap, BTreeSet};

use firstcall::call::{
    Attempt, AttemptEnd, BusinessOutcome, Comparison, KeyPrint, KeyStatus, Name, OperationKind,
    Outcome, Recovery, Sighting, SpanKind, Stage,
};
use firstcall::figures::{Dependency, Followed, RecoveryFigures, TimeoutFate};
use firstcall::nightly::Declared;

use super::Call;

const TEN_MINUTES: u64 = 600_000_000_000;

/// What is declared of tools, and the client spans that may be below calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beside {
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) kinds: BTreeMap<String, OperationKind>,
    pub(crate) status_tools: BTreeMap<String, String>,
}

impl Beside {
    pub(crate) fn declared(&self) -> Declared {
        let mut declared = Declared::default();
        declared.kinds = self.kinds.clone().into_iter().collect();
        declared.status_tools = self.status_tools.clone().into_iter().collect();
        declared
    }
}

/// Everything that one call is seen beside.
pub(super) struct Book<'a> {
    pub(super) calls: &'a [Call],
    pub(super) sightings: &'a [Sighting],
    pub(super) beside: &'a Beside,
}

impl Book<'_> {
    /// What is nearest to what happened wins.
    fn told<T>(&self, at: usize, part: impl Fn(&Recovery) -> Option<T>) -> Option<T> {
        let sides = self.calls[at].sides.iter().rev();
        sides.filter_map(|side| side.recovery.as_ref()).find_map(|told| part(told))
    }

    /// The key is what the client sent.
    fn key(&self, at: usize) -> Option<KeyPrint> {
        self.calls[at].sides.iter().find_map(|side| side.recovery.as_ref()?.key)
    }

    fn kind(&self, at: usize) -> Option<OperationKind> {
        let declared = self.beside.kinds.get(self.calls[at].tool.tool.as_str()).copied();
        self.told(at, |told| told.kind).or(declared)
    }

    fn business(&self, at: usize) -> Option<BusinessOutcome> {
        self.told(at, |told| told.business_outcome)
    }

    fn is_uncertain(&self, at: usize) -> bool {
        self.calls[at].outcome == Outcome::Timeout
            || self.fate(at).is_some()
            || self.business(at) == Some(BusinessOutcome::Unknown)
    }

    /// Declared in the configuration, or named by the convention.
    fn status_tools(&self, at: usize) -> Vec<String> {
        let tool = self.calls[at].tool.tool.as_str();
        let is_one = (tool.starts_with("get_") && tool.ends_with("_status"))
            || self.beside.status_tools.values().any(|status| status == tool);
        if is_one || self.kind(at) == Some(OperationKind::Read) {
            return Vec::new();
        }
        if let Some(status) = self.beside.status_tools.get(tool) {
            return vec![status.clone()];
        }
        let parts: Vec<&str> = tool.split('_').collect();
        let objects = (0..parts.len()).map(|from| parts[from..].join("_"));
        let called = self.sightings.iter().filter_map(|s| s.tool.as_ref()).map(Name::as_str);
        let declared = self.beside.status_tools.values().map(String::as_str);
        let names: BTreeSet<&str> = called.chain(declared).collect();
        let all = objects.map(|object| format!("get_{object}_status"));
        let all = all.chain(["get_operation_status".to_owned()]);
        all.filter(|name| names.contains(name.as_str())).collect()
    }

    /// The calls of the session that start after this one, at most ten minutes later, in order.
    fn after(&self, at: usize) -> Vec<usize> {
        let call = &self.calls[at];
        let mut after: Vec<usize> = (0..self.calls.len())
            .filter(|other| {
                let other = &self.calls[*other];
                call.session.is_some()
                    && other.session == call.session
                    && other.is_of_a_tool()
                    && other.start > call.start
                    && other.start - call.start <= TEN_MINUTES
            })
            .collect();
        after.sort_by_key(|other| self.calls[*other].order());
        after
    }

    fn is_of_one_operation(&self, a: usize, b: usize) -> bool {
        let handle = |at| self.told(at, |told| told.handle);
        handle(a).is_none() || handle(b).is_none() || handle(a) == handle(b)
    }

    fn status_calls(&self, at: usize) -> Vec<usize> {
        let tools = self.status_tools(at);
        let is_status = |other: &usize| {
            let tool = &self.calls[*other].tool;
            tool.service == self.calls[at].tool.service
                && tools.iter().any(|status| status == tool.tool.as_str())
                && self.is_of_one_operation(at, *other)
        };
        self.after(at).into_iter().filter(is_status).collect()
    }

    fn is_ok(&self, at: usize) -> bool {
        self.calls[at].outcome == Outcome::Ok
    }

    fn have_one_key(&self, a: usize, b: usize) -> bool {
        self.key(a).is_some() && self.key(a) == self.key(b)
    }

    /// The same tool again, with the same arguments or the same key.
    fn replays(&self, at: usize) -> Vec<usize> {
        let is_replay = |other: &usize| {
            self.calls[*other].tool == self.calls[at].tool
                && (self.calls[at].compare(&self.calls[*other]) == Comparison::Same
                    || self.have_one_key(at, *other))
        };
        self.after(at).into_iter().filter(is_replay).collect()
    }

    fn is_safe(&self, at: usize) -> bool {
        self.told(at, |told| told.is_retry_safe) == Some(true)
    }

    fn is_replayed_unsafely(&self, at: usize) -> bool {
        let is_checked_before = |replay: usize| {
            let mut checks = self.status_calls(at).into_iter().filter(|check| self.is_ok(*check));
            checks.any(|check| self.calls[check].start < self.calls[replay].start)
        };
        let is_unsafe = |replay: &usize| {
            self.calls[at].compare(&self.calls[*replay]) == Comparison::Same
                && !self.have_one_key(at, *replay)
                && !is_checked_before(*replay)
        };
        self.kind(at) == Some(OperationKind::Write)
            && !self.is_safe(at)
            && self.replays(at).iter().any(is_unsafe)
    }

    fn is_telling(&self, at: usize) -> bool {
        let tells = |check: &usize| {
            self.is_ok(*check) && self.business(*check) != Some(BusinessOutcome::Unknown)
        };
        self.status_calls(at).iter().any(tells)
    }

    fn followed(&self, at: usize) -> Followed {
        let replays = self.replays(at);
        if self.is_replayed_unsafely(at) {
            Followed::ReplayedUnsafely
        } else if self.is_telling(at) {
            Followed::CheckedKnown
        } else if !self.status_calls(at).is_empty() {
            Followed::CheckedUnknown
        } else if replays.is_empty() {
            Followed::GivenUp
        } else if self.kind(at).is_some()
            || self.is_safe(at)
            || replays.iter().any(|replay| self.have_one_key(at, *replay))
        {
            Followed::ReplayedSafely
        } else {
            Followed::ReplayedUntold
        }
    }

    fn is_resolved(&self, at: usize) -> bool {
        let is_known = |replay: &usize| {
            matches!(
                self.business(*replay),
                Some(BusinessOutcome::Committed | BusinessOutcome::Rejected)
            )
        };
        self.is_telling(at) || self.replays(at).iter().any(is_known)
    }

    fn is_key_conflict(&self, at: usize) -> bool {
        let says_so = self.told(at, |told| told.key_status) == Some(KeyStatus::Conflict);
        let first = (0..self.calls.len())
            .filter(|other| {
                self.calls[*other].is_beside(&self.calls[at]) && self.have_one_key(*other, at)
            })
            .min_by_key(|other| self.calls[*other].order());
        let differs = first.is_some_and(|first| {
            first != at && self.calls[first].compare(&self.calls[at]) == Comparison::Different
        });
        says_so || differs
    }

    fn is_double_write(&self, at: usize) -> bool {
        let is_write = |at: usize| {
            self.kind(at) == Some(OperationKind::Write) && self.key(at).is_none() && self.is_ok(at)
        };
        is_write(at)
            && (0..self.calls.len()).any(|before| {
                let (a, b) = (&self.calls[before], &self.calls[at]);
                is_write(before)
                    && a.is_beside(b)
                    && a.start < b.start
                    && b.start - a.start <= TEN_MINUTES
                    && a.compare(b) == Comparison::Same
            })
    }

    fn fate(&self, at: usize) -> Option<TimeoutFate> {
        let sides = &self.calls[at].sides;
        let outer = sides.first()?;
        if outer.kind == SpanKind::Server || outer.outcome != Outcome::Timeout {
            return None;
        }
        Some(match sides.iter().find(|side| side.kind == SpanKind::Server) {
            None => TimeoutFate::Unknown,
            Some(server) if server.outcome == Outcome::Ok => TimeoutFate::AnswerLost,
            Some(_) => TimeoutFate::Failed,
        })
    }

    /// The client spans below the call's server sighting, each once, in order.
    fn below(&self, at: usize) -> Vec<&Attempt> {
        let Some(server) = self.calls[at].sides.iter().find(|side| side.kind == SpanKind::Server)
        else {
            return Vec::new();
        };
        let mut found: Vec<&Attempt> = Vec::new();
        for attempt in self.beside.attempts.iter().filter(|a| a.trace_id == server.trace_id) {
            let is_known = found.iter().any(|known| known.span_id == attempt.span_id);
            let is_part = self.beside.attempts.iter().any(|other| {
                other.trace_id == attempt.trace_id && other.span_id == attempt.parent_span_id
            });
            if !is_known && !is_part && self.parent(attempt) == Some(server.span_id) {
                found.push(attempt);
            }
        }
        found.sort_by_key(|attempt| (attempt.start, attempt.end, attempt.span_id));
        found
    }

    /// The sighting that an attempt is below: its parent, else the one of its program and trace
    /// that holds its time and lies within all others that do.
    fn parent(&self, attempt: &Attempt) -> Option<firstcall::call::SpanId> {
        let of_trace: Vec<&Sighting> = self
            .calls
            .iter()
            .flat_map(|call| &call.sides)
            .filter(|side| side.trace_id == attempt.trace_id)
            .collect();
        if let Some(parent) = of_trace.iter().find(|s| s.span_id == attempt.parent_span_id) {
            return Some(parent.span_id);
        }
        let holds = |outer: &Sighting, start, end| outer.start <= start && end <= outer.end;
        let candidates: Vec<&&Sighting> = of_trace
            .iter()
            .filter(|side| {
                side.kind == SpanKind::Server
                    && side.emitter.is_some()
                    && side.emitter == attempt.emitter
                    && holds(side, attempt.start, attempt.end)
            })
            .collect();
        let is_inmost = |one: &&&&Sighting| {
            candidates.iter().all(|other| {
                other.span_id == one.span_id
                    || (holds(other, one.start, one.end) && !holds(one, other.start, other.end))
            })
        };
        candidates.iter().find(is_inmost).map(|side| side.span_id)
    }

    /// Of what was tried most often, how often.
    fn most_tried(&self, at: usize) -> u32 {
        let below = self.below(at);
        let mut most = 0;
        for of in &below {
            let same: Vec<&&Attempt> = below
                .iter()
                .filter(|other| {
                    (other.kind, &other.dependency, other.operation)
                        == (of.kind, &of.dependency, of.operation)
                })
                .collect();
            let mut tried = 0;
            for (place, attempt) in same.iter().enumerate() {
                let is_again = place == 0 || same[place - 1].ended != AttemptEnd::Answered;
                tried = (tried + u32::from(is_again)).max(attempt.resends + 1);
            }
            most = most.max(tried);
        }
        most
    }

    /// Adds what METHOD section 11 says of the call at `at`.
    pub(super) fn count(&self, at: usize, mine: &mut RecoveryFigures) {
        let call = &self.calls[at];
        let kind = self.kind(at);
        mine.kind_known += u64::from(kind.is_some());
        if call.outcome == Outcome::Timeout
            && let Some(stage) = self.told(at, |told| told.stage)
        {
            mine.timeouts_by_stage.add(stage, 1);
        }
        if let Some(fate) = self.fate(at) {
            mine.timeout_fate.add(fate, 1);
        }
        let status = self.told(at, |told| told.key_status);
        mine.keyed += u64::from(self.key(at).is_some() || status.is_some());
        mine.key_status_known += u64::from(status.is_some());
        mine.duplicate_key_hits += u64::from(status == Some(KeyStatus::Replayed));
        mine.key_conflicts += u64::from(if call.session.is_some() {
            self.is_key_conflict(at)
        } else {
            status == Some(KeyStatus::Conflict)
        });
        mine.possible_double_writes += u64::from(self.is_double_write(at));
        if matches!(kind, Some(OperationKind::Write | OperationKind::IdempotentWrite)) {
            mine.writes += 1;
            mine.business_outcome_known += u64::from(self.business(at).is_some());
            if self.business(at) == Some(BusinessOutcome::Unknown) {
                mine.unknown_outcomes += 1;
                mine.unknown_resolved += u64::from(self.is_resolved(at));
            }
        }
        self.count_followed(at, mine);
        self.count_below(at, mine);
        self.count_budget(at, mine);
    }

    fn count_followed(&self, at: usize, mine: &mut RecoveryFigures) {
        if !self.is_uncertain(at) || self.calls[at].session.is_none() {
            return;
        }
        mine.uncertain += 1;
        mine.followed.add(self.followed(at), 1);
        mine.unsafe_replays += u64::from(self.is_replayed_unsafely(at));
        let is_checked = self.status_calls(at).iter().any(|check| self.is_ok(*check));
        mine.status_checked += u64::from(is_checked);
        if let Some(status) = self.status_tools(at).first() {
            mine.never_checked += u64::from(!is_checked);
            let name = Name::exact(status).unwrap();
            mine.status_tool = Some(mine.status_tool.take().map_or(name.clone(), |n| n.min(name)));
        }
    }

    fn count_below(&self, at: usize, mine: &mut RecoveryFigures) {
        let told = self.told(at, |told| told.attempts);
        let attempts = told.unwrap_or(0).max(self.most_tried(at));
        if told.is_some() || attempts > 0 {
            mine.attempts_known += 1;
            mine.attempts += u64::from(attempts);
        }
        for attempt in self.below(at) {
            let (kind, name) = (attempt.kind, attempt.dependency.clone());
            let counts = mine.dependencies.entry(Dependency { kind, name }).or_default();
            counts.attempts += 1;
            counts.failed += u64::from(attempt.ended == AttemptEnd::Failed);
            counts.timed_out += u64::from(attempt.ended == AttemptEnd::TimedOut);
            counts.nanos += attempt.end.get() - attempt.start.get();
        }
    }

    fn count_budget(&self, at: usize, mine: &mut RecoveryFigures) {
        let Some(budget) = self.told(at, |told| told.budget) else { return };
        if let (Some(total), Some(_)) = (budget.total_ms, budget.spent(Stage::Queue)) {
            mine.budgeted += 1;
            mine.budget_ms += u64::from(total);
            for stage in Stage::ALL {
                mine.spent_ms.add(*stage, u64::from(budget.spent(*stage).unwrap_or(0)));
            }
        }
    }
}
