//! A sighting as the night works with it: names as numbers, everything small.

use smallvec::SmallVec;

use super::names::{NameId, Names};
use crate::call::{
    ArgsForm, CallDuration, CallKey, Comparison, Confidence, Emptiness, Outcome, Recovery,
    SessionClaim, Sighting, SpanId, SpanKind, TraceId, UnixNanos,
};
use crate::store::{StoredArguments, StoredSighting};

/// One sighting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) trace_id: TraceId,
    pub(super) span_id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) kind: SpanKind,
    pub(super) scope: NameId,
    pub(super) dialect: NameId,
    pub(super) emitter: Option<NameId>,
    pub(super) service: Option<NameId>,
    pub(super) tool: Option<NameId>,
    pub(super) client: Option<NameId>,
    pub(super) client_version: Option<NameId>,
    pub(super) session: Option<SessionClaim>,
    pub(super) start: UnixNanos,
    pub(super) end: UnixNanos,
    pub(super) is_time_known: bool,
    pub(super) outcome: Outcome,
    pub(super) confidence: Confidence,
    pub(super) emptiness: Emptiness,
    pub(super) result_bytes: Option<u64>,
    pub(super) call_id: Option<CallKey>,
    pub(super) request_id: Option<CallKey>,
    pub(super) is_sampled: bool,
    /// Whether it only adds to a call that another sighting tells of.
    pub(super) is_label: bool,
    pub(super) received: UnixNanos,
    pub(super) args: Option<Args>,
    pub(super) recovery: Option<Box<Recovery<NameId>>>,
}

/// What is kept of one sighting's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Args {
    /// Within which hashes compare.
    pub(super) layer: Layer,
    /// The exact hash where there is one, else the hash: what equality is decided by.
    pub(super) value: [u8; 6],
    pub(super) core: Option<[u8; 6]>,
    pub(super) pos: Option<[u8; 6]>,
    /// Whether equal values prove nothing: cut on the way, or a difference may be hidden.
    pub(super) hides: bool,
    /// Whether these are the arguments `{}`, which have no parameters.
    pub(super) is_empty_object: bool,
    pub(super) prints: SmallVec<[Print; 4]>,
}

/// One parameter's print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Print {
    pub(super) name: NameId,
    pub(super) print: [u8; 4],
}

/// Where a hash comes from. Hashes compare only within one source and form (METHOD section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Layer {
    pub(super) source: NameId,
    pub(super) form: ArgsForm,
}

/// The first six bytes of the SHA-256 of `{}`.
const EMPTY_OBJECT: [u8; 6] = [0x44, 0x13, 0x6f, 0xa3, 0x55, 0xb3];

impl Args {
    pub(super) fn new(arguments: &StoredArguments<'_, NameId>) -> Self {
        let prints = arguments.prints.iter();
        let prints = prints.map(|(name, print)| Print { name: *name, print: *print }).collect();
        Self { prints, ..Self::without_prints(arguments) }
    }

    /// The same but for the parameters' prints.
    pub(super) fn without_prints(arguments: &StoredArguments<'_, NameId>) -> Self {
        let bytes = |hash: crate::call::ArgsHash| *hash.as_bytes();
        Self {
            layer: Layer { source: arguments.source, form: arguments.form },
            value: bytes(arguments.exact.unwrap_or(arguments.hash)),
            core: arguments.core.map(bytes),
            pos: arguments.pos.map(bytes),
            hides: arguments.hides || arguments.form == ArgsForm::Cut,
            is_empty_object: arguments.pos.is_none()
                && arguments.core.unwrap_or(arguments.hash).as_bytes() == &EMPTY_OBJECT,
            prints: SmallVec::new(),
        }
    }

    /// How two calls' arguments compare (METHOD section 3).
    pub(super) fn compare(a: Option<&Self>, b: Option<&Self>) -> Comparison {
        let (Some(a), Some(b)) = (a, b) else {
            return Comparison::Unknown;
        };
        if a.layer != b.layer {
            Comparison::Unknown
        } else if a.value != b.value {
            Comparison::Different
        } else if a.hides || b.hides {
            Comparison::Unknown
        } else {
            Comparison::Same
        }
    }

    /// Whether only the position changed (METHOD section 7, `paging`).
    pub(super) fn is_page_turn(a: &Self, b: &Self) -> bool {
        a.layer == b.layer
            && !a.hides
            && !b.hides
            && a.core.unwrap_or(a.value) == b.core.unwrap_or(b.value)
            && a.pos != b.pos
    }

    /// Whether `paging` could have been told: the arguments themselves were visible, be it
    /// beside a given hash.
    pub(super) const fn shows_pages(&self) -> bool {
        self.core.is_some()
            || matches!(self.layer.form, ArgsForm::Json | ArgsForm::Flat | ArgsForm::LowerKeys)
    }

    /// Whether the parameters are known: prints were taken, or there is none to take.
    pub(super) fn shows_parameters(&self) -> bool {
        !self.prints.is_empty() || (self.is_empty_object && self.shows_pages())
    }
}

impl Seen {
    /// The night's form of a stored sighting.
    pub(super) fn new(stored: &StoredSighting<'_, NameId>) -> Self {
        Self {
            trace_id: stored.trace_id,
            span_id: stored.span_id,
            parent: stored.parent_span_id,
            kind: stored.kind,
            scope: stored.scope,
            dialect: stored.dialect,
            emitter: stored.emitter,
            service: stored.service,
            tool: stored.tool,
            client: stored.client.filter(|client| *client != NameId::UNKNOWN),
            client_version: stored.client_version,
            session: stored.session,
            start: stored.start,
            end: stored.end.max(stored.start),
            is_time_known: stored.is_time_known,
            outcome: stored.outcome,
            confidence: stored.confidence,
            emptiness: stored.emptiness,
            result_bytes: stored.result_bytes,
            call_id: stored.call_id,
            request_id: stored.request_id,
            is_sampled: stored.is_sampled,
            is_label: stored.is_label,
            received: stored.received,
            args: stored.arguments.as_ref().map(Args::new),
            recovery: stored.recovery.map(|told| Box::new(told.clone())),
        }
    }

    /// The night's form of a whole sighting.
    pub(super) fn of(sighting: &Sighting, names: &mut Names) -> Self {
        let (mut name, mut prints) = (|name: &_| names.id(name), Vec::new());
        let seen = Self::new(&StoredSighting::of(sighting, &mut name, &mut prints));
        let told = sighting.recovery.as_ref();
        Self { recovery: told.map(|told| Box::new(told.with_name(name))), ..seen }
    }

    /// How long the span took.
    pub(super) fn duration(&self) -> CallDuration {
        self.end.since(self.start).unwrap_or(CallDuration::from_nanos(0))
    }

    /// Whether `inner` lies within this sighting's time.
    pub(super) fn holds(&self, inner: &Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// Whether the two overlap in time; touching counts.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// Whether this is the side that serves a request.
    pub(super) const fn is_server(&self) -> bool {
        matches!(self.kind, SpanKind::Server | SpanKind::Consumer)
    }

    /// Whether this is an operation inside one program; an unspecified kind may be read so.
    pub(super) const fn is_internal(&self) -> bool {
        matches!(self.kind, SpanKind::Internal | SpanKind::Unspecified)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::call::{ArgsHash, Arguments, Name};

    fn arguments() -> impl Strategy<Value = Arguments> {
        let hash = || (0..3_u8).prop_map(|n| ArgsHash::from_bytes([n; 6]));
        let optional = move || prop::option::of(hash());
        let form = prop::sample::select(vec![ArgsForm::Json, ArgsForm::Cut, ArgsForm::Flat]);
        let source = prop::sample::select(vec!["one", "two"]);
        (form, source, hash(), optional(), optional(), optional(), any::<bool>()).prop_map(
            |(form, source, hash, exact, core, pos, hides)| Arguments {
                form,
                source: Name::cut(source),
                hash,
                exact,
                core,
                pos,
                hides,
                prints: Vec::new(),
            },
        )
    }

    proptest! {
        #[test]
        fn the_small_form_compares_as_the_arguments_do(a in arguments(), b in arguments()) {
            let mut names = Names::new();
            let mut small = |arguments: &Arguments| {
                let arguments = Some(arguments.clone());
                Seen::of(&Sighting { arguments, ..plain_sighting() }, &mut names).args.unwrap()
            };
            let (small_a, small_b) = (small(&a), small(&b));
            prop_assert_eq!(
                Args::compare(Some(&small_a), Some(&small_b)),
                Arguments::compare(Some(&a), Some(&b))
            );
            prop_assert_eq!(
                Args::is_page_turn(&small_a, &small_b),
                Arguments::is_page_turn(&a, &b)
            );
        }
    }
}
