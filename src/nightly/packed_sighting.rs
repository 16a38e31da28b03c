//! Sightings as bytes, beside [`super::packed`]: each waits as the call that it is if nothing is
//! folded or joined with it.

use super::bytes::{In, Out, Word, are_short};
use super::call::Call;
use super::gathered::Gathered;
use super::join::By;
use super::names::NameId;
use super::packed::{PackAs, Packed, SMALL, Unpack};
use super::packed_args::pack_args;
use super::seen::{Args, Seen};
use crate::call::{
    CallKey, Confidence, Emptiness, Outcome, SessionClaim, SessionKey, SpanId, SpanKind, TraceId,
    UnixNanos,
};
use crate::store::StoredSighting;

impl PackAs<Call> for StoredSighting<'_, NameId> {
    fn pack_as(&self, out: &mut Out) {
        out.put(self.start.get().to_le_bytes());
        let (is_conversation, session) = match self.session {
            Some(SessionClaim::Conversation(key)) => (true, Some(key)),
            Some(SessionClaim::Transport(key)) => (false, Some(key)),
            None => (false, None),
        };
        let mut word = Word::default();
        let ids = Ids {
            has_session: session.is_some(),
            has_call: self.call_id.is_some(),
            has_request: self.request_id.is_some(),
        };
        ids.put(&mut word);
        word.put(self.kind.index(), SMALL);
        word.put(self.outcome.index(), SMALL);
        word.put(self.emptiness.index(), SMALL);
        word.put(self.confidence.index(), SMALL);
        word.flag(self.is_time_known);
        word.flag(self.is_sampled);
        word.flag(self.is_label);
        word.flag(is_conversation);
        word.flag(self.parent_span_id.is_some());
        word.flag(self.result_bytes.is_some());
        word.flag(self.arguments.is_some());
        word.flag(self.recovery.is_some());
        let names = [
            Some(self.scope),
            Some(self.dialect),
            self.emitter,
            self.service,
            self.tool,
            self.client.filter(|client| *client != NameId::UNKNOWN),
            self.client_version,
        ];
        let are_short = are_short(&names);
        word.flag(are_short);
        word.write(out);
        out.put(*self.trace_id.as_bytes());
        out.put(*self.span_id.as_bytes());
        out.optional(self.parent_span_id.map(|span| *span.as_bytes()));
        out.names(names, are_short);
        out.optional(session.map(|key| *key.as_bytes()));
        out.distance(self.end.max(self.start), self.start);
        out.distance(self.received, self.start);
        if let Some(bytes) = self.result_bytes {
            out.short(bytes);
        }
        out.optional(self.call_id.map(|key| *key.as_bytes()));
        out.optional(self.request_id.map(|key| *key.as_bytes()));
        if let Some(arguments) = &self.arguments {
            let prints = arguments.prints.iter().copied();
            pack_args(&Args::without_prints(arguments), prints, out);
        }
        if let Some(recovery) = self.recovery {
            recovery.pack(out);
        }
    }
}

impl Unpack for Seen {
    fn unpack_from(from: &mut In<'_>) -> Option<Self> {
        let start = UnixNanos::new(u64::from_le_bytes(from.take()?));
        let mut word = Word::read(from)?;
        let ids = Ids::take(&mut word);
        let kind = SpanKind::from_index(word.take(SMALL))?;
        let outcome = Outcome::from_index(word.take(SMALL))?;
        let emptiness = Emptiness::from_index(word.take(SMALL))?;
        let confidence = Confidence::from_index(word.take(SMALL))?;
        let is_time_known = word.is_set();
        let is_sampled = word.is_set();
        let is_label = word.is_set();
        let claim =
            if word.is_set() { SessionClaim::Conversation } else { SessionClaim::Transport };
        let has_parent = word.is_set();
        let has_result_bytes = word.is_set();
        let has_args = word.is_set();
        let has_recovery = word.is_set();
        let are_names_short = word.is_set();
        let trace_id = TraceId::from_bytes(&from.take::<16>()?)?;
        let (span, parent) = (from.take()?, from.optional(has_parent, span_id)?);
        let [scope, dialect, emitter, service, tool, client, client_version] =
            from.names(are_names_short)?;
        Some(Self {
            trace_id,
            span_id: span_id(span)?,
            parent,
            kind,
            scope: scope?,
            dialect: dialect?,
            emitter,
            service,
            tool,
            client,
            client_version,
            session: from
                .optional(ids.has_session, |key| Some(SessionKey::from_bytes(key)))?
                .map(claim),
            start,
            end: from.distance(start)?,
            is_time_known,
            outcome,
            confidence,
            emptiness,
            received: from.distance(start)?,
            result_bytes: from.optional_short(has_result_bytes)?,
            call_id: from.optional(ids.has_call, |key| Some(CallKey::from_bytes(key)))?,
            request_id: from.optional(ids.has_request, |key| Some(CallKey::from_bytes(key)))?,
            is_sampled,
            is_label,
            args: if has_args { Some(Args::unpack(from)?) } else { None },
            recovery: if has_recovery { Some(Packed::unpack(from)?) } else { None },
        })
    }
}

pub(super) fn span_id(bytes: [u8; 8]) -> Option<SpanId> {
    SpanId::from_bytes(&bytes)
}

/// One that is surely to be folded waits by trace, as the same bytes.
impl PackAs<Gathered> for StoredSighting<'_, NameId> {
    fn pack_as(&self, out: &mut Out) {
        PackAs::<Call>::pack_as(self, out);
    }
}

/// Which ids a sighting tells: the first flags of its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ids {
    has_session: bool,
    has_call: bool,
    has_request: bool,
}

impl Ids {
    fn put(self, word: &mut Word) {
        word.flag(self.has_session);
        word.flag(self.has_call);
        word.flag(self.has_request);
    }

    fn take(word: &mut Word) -> Self {
        Self { has_session: word.is_set(), has_call: word.is_set(), has_request: word.is_set() }
    }
}

/// What of a waiting sighting tells whether anything is folded or joined with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ties {
    /// Its trace.
    pub(super) trace_id: TraceId,
    ids: Ids,
}

impl Ties {
    /// Those of the sighting that these bytes are.
    pub(super) fn of(value: &[u8]) -> Option<Self> {
        let mut from = In(value);
        // Its start.
        from.take::<8>()?;
        let ids = Ids::take(&mut Word::read(&mut from)?);
        Some(Self { trace_id: TraceId::from_bytes(&from.take::<16>()?)?, ids })
    }

    /// Whether it tells a session and an id of this kind.
    pub(super) const fn is_told(&self, by: By) -> bool {
        self.ids.has_session
            && match by {
                By::Request => self.ids.has_request,
                By::Call => self.ids.has_call,
            }
    }
}
