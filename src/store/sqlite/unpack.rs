//! Reading packed rows (`row` writes them). Names become whatever the reader counts in: text for
//! those who want whole sightings, numbers for the night.

use super::row::{
    ALL_FLAGS, FORMAT, HAS_ARGUMENTS, HAS_CALL_ID, HAS_CONVERSATION, HAS_CORE, HAS_EXACT,
    HAS_PARENT, HAS_POS, HAS_REQUEST_ID, HAS_RESULT_BYTES, HAS_TRANSPORT, HIDES, IS_LABEL,
    IS_LOW_CONFIDENCE, IS_SAMPLED, IS_TIME_KNOWN,
};
use super::wire::{Bytes, Damaged};
use crate::call::{
    ArgsForm, ArgsHash, CallKey, Confidence, Emptiness, Name, Outcome, Recovery, SessionClaim,
    SessionKey, SpanId, SpanKind, TraceId, UnixNanos,
};
use crate::store::stored::{StoredArguments, StoredSighting};

/// What a reader makes of names: a dictionary's names in the order of their numbers, the first
/// one being number 1, none where a name is damaged; and how a name that stands in a row in full
/// is read.
pub(super) struct NameReader<'n, N> {
    /// The dictionary's.
    pub(super) numbered: &'n [Option<N>],
    /// Reads a name in full.
    pub(super) in_full: &'n mut dyn FnMut(&Name) -> N,
}

impl<N: Clone> NameReader<'_, N> {
    /// The next name, as `name_code` writes it.
    #[inline]
    pub(super) fn take(&mut self, bytes: &mut Bytes<'_>) -> Result<Option<N>, Damaged> {
        match bytes.varint()? {
            0 => Ok(None),
            1 => self.take_in_full(bytes).map(Some),
            code => {
                let position = usize::try_from(code - 2).map_err(|_error| Damaged)?;
                self.numbered.get(position).cloned().flatten().map(Some).ok_or(Damaged)
            }
        }
    }

    #[cold]
    fn take_in_full(&mut self, bytes: &mut Bytes<'_>) -> Result<N, Damaged> {
        let len = bytes.varint()?;
        let text = str::from_utf8(bytes.slice(len)?).map_err(|_error| Damaged)?;
        let name = Name::exact(text).ok_or(Damaged)?;
        Ok((self.in_full)(&name))
    }
}

/// Hands every row of one BLOB to `visit` and answers how many there are; `told` is what stands
/// beside them of recovery, by the rows' places. Rows before the damage
/// have been visited where the bytes are damaged.
pub(super) fn unpack<N: Clone>(
    bytes: &[u8],
    told: Vec<(u64, Recovery<N>)>,
    names: &mut NameReader<'_, N>,
    visit: &mut impl FnMut(StoredSighting<'_, N>),
) -> Result<u64, Damaged> {
    let mut bytes = Bytes(bytes);
    if bytes.byte()? != FORMAT {
        return Err(Damaged);
    }
    let min_start = bytes.varint()?;
    let base_received = bytes.varint()?;
    let mut unpacker = Unpacker { bytes, names, min_start, base_received };
    let (mut count, mut prints) = (0, Vec::new());
    let mut told = told.into_iter().peekable();
    while !unpacker.bytes.is_empty() {
        let row = unpacker.row(&mut prints)?;
        let beside = told.next_if(|(place, _)| *place == count);
        visit(StoredSighting { recovery: beside.as_ref().map(|(_, told)| told), ..row });
        count += 1;
    }
    if told.next().is_some() {
        return Err(Damaged);
    }
    Ok(count)
}

struct Unpacker<'a, 'n, N> {
    bytes: Bytes<'a>,
    names: &'a mut NameReader<'n, N>,
    min_start: u64,
    base_received: u64,
}

impl<N: Clone> Unpacker<'_, '_, N> {
    /// Reads a row; its prints go into `prints`, in place of those of the row before.
    fn row<'p>(
        &mut self,
        prints: &'p mut Vec<(N, [u8; 4])>,
    ) -> Result<StoredSighting<'p, N>, Damaged> {
        let flags = self.bytes.varint()?;
        if flags & !ALL_FLAGS != 0 {
            return Err(Damaged);
        }
        let has = |bit: u64| flags & bit != 0;
        let words = self.bytes.byte()?;
        let kind = SpanKind::from_index(words & 7).ok_or(Damaged)?;
        let outcome = Outcome::from_index(words >> 3 & 7).ok_or(Damaged)?;
        let emptiness = Emptiness::from_index(words >> 6).ok_or(Damaged)?;
        let trace_id = self.bytes.array::<16>()?;
        let span_id = self.span_id()?;
        let parent_span_id = has(HAS_PARENT).then(|| self.span_id()).transpose()?;
        let scope = self.name()?.ok_or(Damaged)?;
        let dialect = self.name()?.ok_or(Damaged)?;
        let emitter = self.name()?;
        let service = self.name()?;
        let tool = self.name()?;
        let client = self.name()?;
        let client_version = self.name()?;
        let session = self.session(has(HAS_CONVERSATION), has(HAS_TRANSPORT))?;
        let start = self.min_start.checked_add(self.bytes.varint()?).ok_or(Damaged)?;
        let end = start.checked_add(self.bytes.varint()?).ok_or(Damaged)?;
        let received = self.bytes.delta(self.base_received)?;
        let result_bytes = has(HAS_RESULT_BYTES).then(|| self.bytes.varint()).transpose()?;
        let arguments = has(HAS_ARGUMENTS).then(|| self.arguments(prints)).transpose()?;
        let call_id = has(HAS_CALL_ID).then(|| self.call_key()).transpose()?;
        let request_id = has(HAS_REQUEST_ID).then(|| self.call_key()).transpose()?;
        Ok(StoredSighting {
            trace_id: TraceId::from_bytes(&trace_id).ok_or(Damaged)?,
            span_id,
            parent_span_id,
            kind,
            scope,
            dialect,
            emitter,
            service,
            tool,
            client,
            client_version,
            session,
            start: UnixNanos::new(start),
            end: UnixNanos::new(end),
            is_time_known: has(IS_TIME_KNOWN),
            arguments,
            outcome,
            confidence: if has(IS_LOW_CONFIDENCE) { Confidence::Low } else { Confidence::High },
            emptiness,
            result_bytes,
            call_id,
            request_id,
            is_sampled: has(IS_SAMPLED),
            // In a column of its own: most rows have none.
            recovery: None,
            is_label: has(IS_LABEL),
            received: UnixNanos::new(received),
        })
    }

    fn span_id(&mut self) -> Result<SpanId, Damaged> {
        SpanId::from_bytes(&self.bytes.array::<8>()?).ok_or(Damaged)
    }

    fn call_key(&mut self) -> Result<CallKey, Damaged> {
        Ok(CallKey::from_bytes(self.bytes.array()?))
    }

    fn session(
        &mut self,
        is_conversation: bool,
        is_transport: bool,
    ) -> Result<Option<SessionClaim>, Damaged> {
        let claim = match (is_conversation, is_transport) {
            (false, false) => return Ok(None),
            (true, false) => SessionClaim::Conversation,
            (false, true) => SessionClaim::Transport,
            (true, true) => return Err(Damaged),
        };
        Ok(Some(claim(SessionKey::from_bytes(self.bytes.array()?))))
    }

    fn name(&mut self) -> Result<Option<N>, Damaged> {
        self.names.take(&mut self.bytes)
    }

    fn arguments<'p>(
        &mut self,
        prints: &'p mut Vec<(N, [u8; 4])>,
    ) -> Result<StoredArguments<'p, N>, Damaged> {
        let head = self.bytes.byte()?;
        let form = ArgsForm::from_index(head & 7).ok_or(Damaged)?;
        let source = self.name()?.ok_or(Damaged)?;
        let hash = ArgsHash::from_bytes(self.bytes.array()?);
        let mut further = |bit: u8| -> Result<Option<ArgsHash>, Damaged> {
            let is_there = head & bit != 0;
            is_there.then(|| self.bytes.array().map(ArgsHash::from_bytes)).transpose()
        };
        let (exact, core, pos) = (further(HAS_EXACT)?, further(HAS_CORE)?, further(HAS_POS)?);
        let count = self.bytes.varint()?;
        prints.clear();
        for _ in 0..count {
            let name = self.name()?.ok_or(Damaged)?;
            prints.push((name, self.bytes.array()?));
        }
        let hides = head & HIDES != 0;
        Ok(StoredArguments { form, source, hash, exact, core, pos, hides, prints })
    }
}
