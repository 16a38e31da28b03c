//! Which span a sighting is: the span's own ids, or ids made for a log record.

use sha2::{Digest, Sha256};

use super::times::Times;
use crate::call::{Arguments, CallKey, Name, SessionClaim, SpanId, TraceId};
use crate::figures::Refusal;
use crate::otlp::{ScopeView, SpanView};

/// The span's own ids.
pub(super) fn of_span(span: &SpanView<'_>) -> Result<(TraceId, SpanId), Refusal> {
    let trace_id = TraceId::from_bytes(&span.trace_id).ok_or(Refusal::BadId)?;
    let span_id = SpanId::from_bytes(&span.span_id).ok_or(Refusal::BadId)?;
    Ok((trace_id, span_id))
}

/// What makes two log records the same one (METHOD section 8).
pub(super) struct OfLog<'a> {
    pub(super) span: &'a SpanView<'a>,
    pub(super) scope: &'a ScopeView<'a>,
    pub(super) session: Option<SessionClaim>,
    pub(super) call_id: Option<CallKey>,
    pub(super) tool: Option<&'a Name>,
    pub(super) arguments: Option<&'a Arguments>,
    pub(super) times: &'a Times,
}

impl OfLog<'_> {
    /// Ids for the record: the same for the same (scope, session, call id), or, without a call
    /// id, for the same (scope, session, tool, end, duration); in the record's own trace where it
    /// was written in one.
    ///
    /// Without a call id the arguments tell apart as well: parallel calls may end in one
    /// millisecond, and a record that is sent again says the same of them.
    pub(super) fn ids(&self) -> (TraceId, SpanId) {
        let mut digest = Sha256::new();
        let mut part = |bytes: &[u8]| {
            digest.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
            digest.update(bytes);
        };
        part(self.scope.name.as_bytes());
        match self.session {
            Some(SessionClaim::Conversation(key) | SessionClaim::Transport(key)) => {
                part(key.as_bytes());
            }
            None => part(b""),
        }
        if let Some(call_id) = self.call_id {
            part(call_id.as_bytes());
        } else {
            part(self.tool.map_or("", Name::as_str).as_bytes());
            part(&self.times.start.get().to_le_bytes());
            part(&self.times.end.get().to_le_bytes());
            part(self.arguments.map_or(&[][..], |arguments| arguments.hash.as_bytes()));
        }
        let digest: [u8; 32] = digest.finalize().into();
        let (made_trace, rest) = digest.split_at(16);
        let own_trace = TraceId::from_bytes(&self.span.trace_id);
        let trace_id = own_trace.or_else(|| TraceId::from_bytes(made_trace));
        let span_id = rest.get(..8).and_then(SpanId::from_bytes);
        // A digest is never all zeros.
        trace_id.zip(span_id).unwrap_or_else(|| unreachable!("a digest of zeros"))
    }
}
