//! Sessions judged slice by slice give the figures of the whole.

use proptest::prelude::*;

use crate::call::arbitrary::{plain_sighting, word};
use crate::call::{
    ArgsHash, ArgumentPrint, Arguments, BusinessOutcome, ClientName, Emptiness, KeyPrint,
    KeyStatus, Name, OperationKind, Outcome, Recovery, SessionClaim, SessionKey, Sighting, SpanId,
    SpanKind, TraceId, UnixNanos,
};
use crate::figures::DayFigures;
use crate::nightly::by_parts::tests::by_parts;
use crate::nightly::fold::tests::day;
use crate::nightly::judge::Terms;
use crate::nightly::judge_day_under;

const SECOND: u64 = 1_000_000_000;

/// One call of a history.
#[derive(Debug, Clone)]
struct Told {
    /// Seconds after the call before it.
    after: u64,
    /// How long it took, in seconds.
    took: u64,
    tool: usize,
    query: u8,
    page: u8,
    session: u8,
    client: u8,
    outcome: Outcome,
    emptiness: Emptiness,
    /// Of sixteen: whether its time is unknown, it has no arguments, or a client saw it as well.
    shape: u8,
    recovery: Option<(OperationKind, Option<u8>, Option<BusinessOutcome>)>,
}

fn told() -> impl Strategy<Value = Told> {
    let after = prop::sample::select(vec![0, 0, 1, 3, 7, 15, 29, 30, 31, 45, 250, 599, 601, 1900]);
    let took = prop::sample::select(vec![0, 0, 1, 2, 35, 900]);
    let outcome = prop_oneof![4 => Just(Outcome::Ok), 1 => word(Outcome::ALL)];
    let recovery = prop::option::weighted(
        0.3,
        (
            word(OperationKind::ALL),
            prop::option::of(0..3_u8),
            prop::option::of(word(BusinessOutcome::ALL)),
        ),
    );
    let what = (0..4_usize, 0..4_u8, 0..3_u8, 0..5_u8, 0..3_u8);
    (after, took, what, outcome, word(Emptiness::ALL), 0..16_u8, recovery).prop_map(
        |(
            after,
            took,
            (tool, query, page, session, client),
            outcome,
            emptiness,
            shape,
            recovery,
        )| {
            Told {
                after,
                took,
                tool,
                query,
                page,
                session,
                client,
                outcome,
                emptiness,
                shape,
                recovery,
            }
        },
    )
}

const TOOLS: [&str; 4] = ["pay", "get_pay_status", "search", "mcp_search"];

fn sightings(told: &[Told], begin: u64) -> Vec<Sighting> {
    let mut start = begin;
    let mut all = Vec::new();
    for (number, of) in (1..).zip(told) {
        start += of.after * SECOND;
        all.extend(of.sightings(number, start));
    }
    all
}

impl Told {
    fn sightings(&self, number: u64, start: u64) -> Vec<Sighting> {
        let span = |side: u64| SpanId::from_bytes(&(number * 2 + side).to_be_bytes());
        // Session 3 is a trace; of session 4 nothing is told.
        let trace = if self.session == 3 { 1 } else { 1000 + number };
        let trace = [trace.to_be_bytes(), [7; 8]].concat();
        let key = || SessionKey::of("a");
        let session = match self.session {
            0 => Some(SessionClaim::Conversation(key())),
            1 => Some(SessionClaim::Transport(key())),
            2 => Some(SessionClaim::Conversation(SessionKey::of("b"))),
            _ => None,
        };
        let client = ["cursor", "claude-code"].get(usize::from(self.client));
        let server = Sighting {
            trace_id: TraceId::from_bytes(&trace).unwrap(),
            span_id: span(0).unwrap(),
            parent_span_id: None,
            kind: SpanKind::Server,
            tool: Some(Name::cut(TOOLS[self.tool])),
            client: client.map(|client| ClientName::new(Name::cut(client))),
            session,
            start: UnixNanos::new(start),
            end: UnixNanos::new(start + self.took * SECOND),
            is_time_known: self.shape != 0,
            outcome: self.outcome,
            emptiness: self.emptiness,
            arguments: (self.shape != 1).then(|| self.arguments("server")),
            recovery: self.recovery.map(|told| Box::new(recovery(told, number))),
            ..plain_sighting()
        };
        if self.shape < 12 {
            return vec![server];
        }
        let outer = Sighting {
            span_id: span(1).unwrap(),
            kind: SpanKind::Client,
            scope: Name::cut("client"),
            arguments: (self.shape > 13).then(|| self.arguments("client")),
            recovery: None,
            ..server.clone()
        };
        vec![Sighting { parent_span_id: Some(outer.span_id), ..server }, outer]
    }

    fn arguments(&self, source: &str) -> Arguments {
        let hash = |core, page| ArgsHash::from_bytes([core, page, 0, 0, 0, 1]);
        let print = |name: &str, value: u8| ArgumentPrint {
            name: Name::cut(name),
            print: [value, 0, 0, 1],
        };
        Arguments {
            hash: hash(self.query, self.page),
            source: Name::cut(source),
            core: Some(hash(self.query, 9)),
            pos: (self.page > 0).then(|| hash(9, self.page)),
            hides: self.shape == 2,
            prints: vec![print("cursor", self.page), print("query", self.query)],
            ..plain_sighting().arguments.unwrap()
        }
    }
}

fn recovery(
    (kind, key, business_outcome): (OperationKind, Option<u8>, Option<BusinessOutcome>),
    number: u64,
) -> Recovery {
    Recovery {
        kind: Some(kind),
        key: key.map(|key| KeyPrint::from_bytes([key; 8])),
        key_status: number.is_multiple_of(7).then_some(KeyStatus::Conflict),
        business_outcome,
        ..Recovery::default()
    }
}

/// The words in which two days' figures differ.
fn differences(found: &DayFigures, whole: &DayFigures) -> Vec<String> {
    let words = |figures: &DayFigures| -> Vec<String> {
        format!("{figures:?}").split(", ").map(str::to_owned).collect()
    };
    let (found, whole) = (words(found), words(whole));
    let differing = found.iter().zip(&whole).filter(|(found, whole)| found != whole);
    let mut all: Vec<String> =
        differing.map(|(found, whole)| format!("{found}, in one {whole}")).collect();
    if found.len() != whole.len() {
        all.push(format!("{} words, in one {}", found.len(), whole.len()));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn slices_of_a_session_give_the_figures_of_the_whole(
        history in prop::collection::vec(told(), 1..150),
        begins_early in any::<bool>(),
        infer in any::<bool>(),
        largest in prop::sample::select(vec![300, 1000, 3000, 8000]),
    ) {
        let noon = day().start().get() + 43_200 * SECOND;
        let begin = if begins_early { day().start().get() - 1800 * SECOND } else { noon };
        let sightings = sightings(&history, begin);
        let terms = Terms::inferring(infer);
        let whole = judge_day_under(terms, day(), sightings.clone());
        let found = by_parts(terms, &sightings, (0, largest), 1);
        let differences = differences(&found, &whole);
        prop_assert!(differences.is_empty(), "{differences:#?}");
    }

    #[test]
    fn one_session_of_one_tool_gives_the_same_in_slices(
        history in prop::collection::vec(told(), 50..300),
        largest in prop::sample::select(vec![300, 2000]),
    ) {
        // Nearly all at once, so that chains and loops go over many slices.
        let alike = |of: Told| Told { tool: 2, session: 0, client: 0, after: of.after % 20, ..of };
        let history: Vec<Told> = history.into_iter().map(alike).collect();
        let sightings = sightings(&history, day().end().get() - 1200 * SECOND);
        let whole = judge_day_under(Terms::default(), day(), sightings.clone());
        let found = by_parts(Terms::default(), &sightings, (0, largest), 2);
        let differences = differences(&found, &whole);
        prop_assert!(differences.is_empty(), "{differences:#?}");
    }
}
