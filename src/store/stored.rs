//! Sightings as they are read back, with names as whatever the reader counts in: text for those who
//! want whole sightings, numbers for the night.

use crate::call::{
    ArgsForm, ArgsHash, ArgumentPrint, Arguments, CallKey, ClientName, Confidence, Emptiness, Name,
    Outcome, Recovery, SessionClaim, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
};

/// A sighting as it stands in the store, each name as the reader's `N`. Its fields are those of
/// [`Sighting`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are documented at Sighting")]
pub struct StoredSighting<'p, N> {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    pub parent_span_id: Option<SpanId>,
    pub kind: SpanKind,
    pub scope: N,
    pub dialect: N,
    pub emitter: Option<N>,
    pub service: Option<N>,
    pub tool: Option<N>,
    pub client: Option<N>,
    pub client_version: Option<N>,
    pub session: Option<SessionClaim>,
    pub start: UnixNanos,
    pub end: UnixNanos,
    pub is_time_known: bool,
    pub arguments: Option<StoredArguments<'p, N>>,
    pub outcome: Outcome,
    pub confidence: Confidence,
    pub emptiness: Emptiness,
    pub result_bytes: Option<u64>,
    pub call_id: Option<CallKey>,
    pub request_id: Option<CallKey>,
    pub is_sampled: bool,
    pub recovery: Option<&'p Recovery<N>>,
    /// Whether it only adds to a call that another sighting tells of.
    pub is_label: bool,
    pub received: UnixNanos,
}

/// What is kept of a sighting's arguments; the fields are those of [`Arguments`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are documented at Arguments")]
pub struct StoredArguments<'p, N> {
    pub form: ArgsForm,
    pub source: N,
    pub hash: ArgsHash,
    pub exact: Option<ArgsHash>,
    pub core: Option<ArgsHash>,
    pub pos: Option<ArgsHash>,
    pub hides: bool,
    /// Each parameter's name and print.
    pub prints: &'p [(N, [u8; 4])],
}

impl From<StoredSighting<'_, Name>> for Sighting {
    fn from(row: StoredSighting<'_, Name>) -> Self {
        let arguments = |stored: StoredArguments<'_, Name>| Arguments {
            form: stored.form,
            source: stored.source,
            hash: stored.hash,
            exact: stored.exact,
            core: stored.core,
            pos: stored.pos,
            hides: stored.hides,
            prints: stored
                .prints
                .iter()
                .map(|(name, print)| ArgumentPrint { name: name.clone(), print: *print })
                .collect(),
        };
        Self {
            trace_id: row.trace_id,
            span_id: row.span_id,
            parent_span_id: row.parent_span_id,
            kind: row.kind,
            scope: row.scope,
            dialect: row.dialect,
            emitter: row.emitter,
            service: row.service,
            tool: row.tool,
            client: row.client.map(ClientName::new),
            client_version: row.client_version,
            session: row.session,
            start: row.start,
            end: row.end,
            is_time_known: row.is_time_known,
            arguments: row.arguments.map(arguments),
            outcome: row.outcome,
            confidence: row.confidence,
            emptiness: row.emptiness,
            result_bytes: row.result_bytes,
            call_id: row.call_id,
            request_id: row.request_id,
            is_sampled: row.is_sampled,
            recovery: row.recovery.map(|told| Box::new(told.clone())),
            is_label: row.is_label,
            received: row.received,
        }
    }
}

impl<'p, N> StoredSighting<'p, N> {
    /// A sighting as it would be read from the store, but for what it tells of recovery; its prints
    /// go into `prints`.
    pub fn of(
        sighting: &Sighting,
        name: &mut impl FnMut(&Name) -> N,
        prints: &'p mut Vec<(N, [u8; 4])>,
    ) -> Self {
        prints.clear();
        let arguments = sighting.arguments.as_ref().map(|arguments| {
            prints.extend(arguments.prints.iter().map(|print| (name(&print.name), print.print)));
            let Arguments { form, hash, exact, core, pos, hides, .. } = *arguments;
            let source = name(&arguments.source);
            StoredArguments { form, source, hash, exact, core, pos, hides, prints }
        });
        Self {
            trace_id: sighting.trace_id,
            span_id: sighting.span_id,
            parent_span_id: sighting.parent_span_id,
            kind: sighting.kind,
            scope: name(&sighting.scope),
            dialect: name(&sighting.dialect),
            emitter: sighting.emitter.as_ref().map(&mut *name),
            service: sighting.service.as_ref().map(&mut *name),
            tool: sighting.tool.as_ref().map(&mut *name),
            client: sighting.client.as_ref().map(|client| name(client.name())),
            client_version: sighting.client_version.as_ref().map(&mut *name),
            session: sighting.session,
            start: sighting.start,
            end: sighting.end,
            is_time_known: sighting.is_time_known,
            arguments,
            outcome: sighting.outcome,
            confidence: sighting.confidence,
            emptiness: sighting.emptiness,
            result_bytes: sighting.result_bytes,
            call_id: sighting.call_id,
            request_id: sighting.request_id,
            is_sampled: sighting.is_sampled,
            recovery: None,
            is_label: sighting.is_label,
            received: sighting.received,
        }
    }
}
