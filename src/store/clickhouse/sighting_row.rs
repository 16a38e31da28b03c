//! A sighting as a row of `sightings`: as it is written and as it is read.
#![expect(
    clippy::option_option,
    reason = "a null is one thing, a value that is not understood another"
)]

use clickhouse::Row;
use serde::{Deserialize, Serialize};

use super::attempt_row::duration;
use crate::call::{
    ArgsForm, ArgsHash, BusinessOutcome, CallKey, ClientName, Confidence, Emptiness, KeyPrint,
    KeyStatus, Name, OperationKind, Outcome, Recovery, SessionClaim, SessionKey, Sighting, SpanId,
    SpanKind, Stage, TimeBudget, TraceId, UnixNanos,
};
use crate::store::batch::day_of;
use crate::store::stored::{StoredArguments, StoredSighting};

/// One row; the columns are those of `schema/sightings.sql`.
#[derive(Debug, Row, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the fields are the table's columns")]
pub(super) struct SightingRow<'a> {
    day: u32,
    trace_id: [u8; 16],
    span_id: [u8; 8],
    parent_span_id: [u8; 8],
    kind: i8,
    scope: &'a str,
    dialect: &'a str,
    #[serde(borrow)]
    emitter: Option<&'a str>,
    #[serde(borrow)]
    service: Option<&'a str>,
    #[serde(borrow)]
    tool: Option<&'a str>,
    #[serde(borrow)]
    client: Option<&'a str>,
    #[serde(borrow)]
    client_version: Option<&'a str>,
    session_kind: i8,
    session: [u8; 16],
    start: u64,
    duration: u64,
    is_time_known: bool,
    args_form: Option<i8>,
    #[serde(borrow)]
    args_source: Option<&'a str>,
    args_hash: Option<[u8; 6]>,
    args_exact: Option<[u8; 6]>,
    args_core: Option<[u8; 6]>,
    args_pos: Option<[u8; 6]>,
    args_hides: bool,
    #[serde(borrow)]
    print_names: Vec<&'a str>,
    prints: Vec<[u8; 4]>,
    outcome: i8,
    is_low_confidence: bool,
    emptiness: i8,
    result_bytes: Option<u64>,
    call_id: Option<[u8; 8]>,
    request_id: Option<[u8; 8]>,
    is_sampled: bool,
    is_label: bool,
    has_recovery: bool,
    operation_kind: Option<i8>,
    #[serde(borrow)]
    dependency: Option<&'a str>,
    attempts: Option<u32>,
    timeout_stage: Option<i8>,
    budget_ms: Vec<Option<u32>>,
    idempotency_key: Option<[u8; 8]>,
    key_status: Option<i8>,
    business_outcome: Option<i8>,
    handle: Option<[u8; 8]>,
    is_retry_safe: Option<bool>,
    received: u64,
}

impl<'a> SightingRow<'a> {
    /// The row of a sighting.
    pub(super) fn of(sighting: &'a Sighting) -> Self {
        let arguments = sighting.arguments.as_ref();
        let hash = |hash: Option<ArgsHash>| hash.map(|hash| *hash.as_bytes());
        let text = |name: &'a Option<Name>| name.as_ref().map(Name::as_str);
        let recovery = sighting.recovery.as_deref();
        let print = |key: Option<KeyPrint>| key.map(|key| *key.as_bytes());
        let (session_kind, session) = match &sighting.session {
            None => (0, [0; 16]),
            Some(SessionClaim::Conversation(key)) => (1, *key.as_bytes()),
            Some(SessionClaim::Transport(key)) => (2, *key.as_bytes()),
        };
        let budget = recovery.and_then(|told| told.budget.as_ref());
        let budget_ms =
            budget.map(|budget| [budget.total_ms].into_iter().chain(budget.spent_ms).collect());
        Self {
            day: day_of(sighting.start).number(),
            trace_id: *sighting.trace_id.as_bytes(),
            span_id: *sighting.span_id.as_bytes(),
            parent_span_id: sighting.parent_span_id.map_or([0; 8], |parent| *parent.as_bytes()),
            kind: stored(sighting.kind.index()),
            scope: sighting.scope.as_str(),
            dialect: sighting.dialect.as_str(),
            emitter: text(&sighting.emitter),
            service: text(&sighting.service),
            tool: text(&sighting.tool),
            client: sighting.client.as_ref().map(ClientName::as_str),
            client_version: text(&sighting.client_version),
            session_kind,
            session,
            start: sighting.start.get(),
            duration: duration(sighting.start, sighting.end),
            is_time_known: sighting.is_time_known,
            args_form: arguments.map(|arguments| stored(arguments.form.index())),
            args_source: arguments.map(|arguments| arguments.source.as_str()),
            args_hash: arguments.map(|arguments| *arguments.hash.as_bytes()),
            args_exact: hash(arguments.and_then(|arguments| arguments.exact)),
            args_core: hash(arguments.and_then(|arguments| arguments.core)),
            args_pos: hash(arguments.and_then(|arguments| arguments.pos)),
            args_hides: arguments.is_some_and(|arguments| arguments.hides),
            print_names: arguments.map_or_else(Vec::new, |arguments| {
                arguments.prints.iter().map(|print| print.name.as_str()).collect()
            }),
            prints: arguments.map_or_else(Vec::new, |arguments| {
                arguments.prints.iter().map(|print| print.print).collect()
            }),
            outcome: stored(sighting.outcome.index()),
            is_low_confidence: sighting.confidence == Confidence::Low,
            emptiness: stored(sighting.emptiness.index()),
            result_bytes: sighting.result_bytes,
            call_id: sighting.call_id.map(|key| *key.as_bytes()),
            request_id: sighting.request_id.map(|key| *key.as_bytes()),
            is_sampled: sighting.is_sampled,
            is_label: sighting.is_label,
            has_recovery: recovery.is_some(),
            operation_kind: recovery.and_then(|told| told.kind).map(|kind| stored(kind.index())),
            dependency: recovery.and_then(|told| text(&told.dependency)),
            attempts: recovery.and_then(|told| told.attempts),
            timeout_stage: recovery.and_then(|told| told.stage).map(|stage| stored(stage.index())),
            budget_ms: budget_ms.unwrap_or_default(),
            idempotency_key: print(recovery.and_then(|told| told.key)),
            key_status: recovery.and_then(|told| told.key_status).map(|key| stored(key.index())),
            business_outcome: recovery
                .and_then(|told| told.business_outcome)
                .map(|outcome| stored(outcome.index())),
            handle: print(recovery.and_then(|told| told.handle)),
            is_retry_safe: recovery.and_then(|told| told.is_retry_safe),
            received: sighting.received.get(),
        }
    }

    /// Hands the sighting to `visit`, each name as what `name` makes of it. None where a value is
    /// none that firstcall writes.
    pub(super) fn visit<N: Clone>(
        &self,
        name: &mut dyn FnMut(&str) -> N,
        visit: &mut dyn FnMut(StoredSighting<'_, N>),
    ) -> Option<()> {
        if self.print_names.len() != self.prints.len() {
            return None;
        }
        let prints: Vec<(N, [u8; 4])> = self
            .print_names
            .iter()
            .zip(&self.prints)
            .map(|(parameter, print)| (name(parameter), *print))
            .collect();
        let recovery = if self.has_recovery { Some(self.recovery(name)?) } else { None };
        visit(StoredSighting {
            trace_id: TraceId::from_bytes(&self.trace_id)?,
            span_id: SpanId::from_bytes(&self.span_id)?,
            parent_span_id: SpanId::from_bytes(&self.parent_span_id),
            kind: word(self.kind, SpanKind::from_index)?,
            scope: name(self.scope),
            dialect: name(self.dialect),
            emitter: self.emitter.map(&mut *name),
            service: self.service.map(&mut *name),
            tool: self.tool.map(&mut *name),
            client: self.client.map(&mut *name),
            client_version: self.client_version.map(&mut *name),
            session: self.session()?,
            start: UnixNanos::new(self.start),
            end: UnixNanos::new(self.start.checked_add(self.duration)?),
            is_time_known: self.is_time_known,
            arguments: self.arguments(name, &prints)?,
            outcome: word(self.outcome, Outcome::from_index)?,
            confidence: if self.is_low_confidence { Confidence::Low } else { Confidence::High },
            emptiness: word(self.emptiness, Emptiness::from_index)?,
            result_bytes: self.result_bytes,
            call_id: self.call_id.map(CallKey::from_bytes),
            request_id: self.request_id.map(CallKey::from_bytes),
            is_sampled: self.is_sampled,
            recovery: recovery.as_ref(),
            is_label: self.is_label,
            received: UnixNanos::new(self.received),
        });
        Some(())
    }

    fn session(&self) -> Option<Option<SessionClaim>> {
        let key = SessionKey::from_bytes(self.session);
        match self.session_kind {
            0 => Some(None),
            1 => Some(Some(SessionClaim::Conversation(key))),
            2 => Some(Some(SessionClaim::Transport(key))),
            _ => None,
        }
    }

    fn arguments<'p, N>(
        &self,
        name: &mut dyn FnMut(&str) -> N,
        prints: &'p [(N, [u8; 4])],
    ) -> Option<Option<StoredArguments<'p, N>>> {
        let Some(form) = self.args_form else { return Some(None) };
        Some(Some(StoredArguments {
            form: word(form, ArgsForm::from_index)?,
            source: name(self.args_source?),
            hash: ArgsHash::from_bytes(self.args_hash?),
            exact: self.args_exact.map(ArgsHash::from_bytes),
            core: self.args_core.map(ArgsHash::from_bytes),
            pos: self.args_pos.map(ArgsHash::from_bytes),
            hides: self.args_hides,
            prints,
        }))
    }

    fn recovery<N>(&self, name: &mut dyn FnMut(&str) -> N) -> Option<Recovery<N>> {
        let budget = match self.budget_ms.as_slice() {
            [] => None,
            [total_ms, spent @ ..] => {
                Some(TimeBudget { total_ms: *total_ms, spent_ms: spent.try_into().ok()? })
            }
        };
        Some(Recovery {
            kind: word_or_none(self.operation_kind, OperationKind::from_index)?,
            dependency: self.dependency.map(name),
            attempts: self.attempts,
            stage: word_or_none(self.timeout_stage, Stage::from_index)?,
            budget,
            key: self.idempotency_key.map(KeyPrint::from_bytes),
            key_status: word_or_none(self.key_status, KeyStatus::from_index)?,
            business_outcome: word_or_none(self.business_outcome, BusinessOutcome::from_index)?,
            handle: self.handle.map(KeyPrint::from_bytes),
            is_retry_safe: self.is_retry_safe,
        })
    }
}

/// A word's number as an `Enum8` has it. The sets are far smaller than its range.
pub(super) fn stored(index: u8) -> i8 {
    i8::try_from(index).unwrap_or(i8::MAX)
}

/// The word that a number of an `Enum8` stands for.
pub(super) fn word<W>(stored: i8, from_index: impl Fn(u8) -> Option<W>) -> Option<W> {
    u8::try_from(stored).ok().and_then(from_index)
}

fn word_or_none<W>(stored: Option<i8>, from_index: impl Fn(u8) -> Option<W>) -> Option<Option<W>> {
    stored.map_or(Some(None), |stored| word(stored, from_index).map(Some))
}
