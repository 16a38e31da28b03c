//! The pass inside of a ClickHouse engine says what the fold and the judge in this process say, and
//! what the book says, to the last bucket of a histogram. Many histories are asked of the engine at
//! once: each has sessions, traces, services and clients of its own, so each keeps its own figures.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test a panic is the message, helpers included"
)]

use firstcall::call::{
    ArgsForm, ArgsHash, Arguments, Attempt, CallKey, ClientName, Name, OperationKind, Outcome,
    SessionClaim, SessionKey, Sighting, SpanKind, TraceId, UnixNanos,
};
use firstcall::clock::ManualClock;
use firstcall::config;
use firstcall::figures::DayFigures;
use firstcall::nightly::{
    DaysToRun, Declared, EngineQuestion, NightlyError, Terms, engine_figures, judge_day_with, run,
};
use firstcall::store::{Batch, Store, Writer, WriterOptions};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::nightly::histories::{self, day};
use super::nightly::{comparable, oracle};
use crate::support::clickhouse::{ClickHouse, Fault, FaultKind};

/// A database of its own, and the folder for what is kept beside it.
struct Fixture {
    engine: ClickHouse,
    folder: tempfile::TempDir,
    store: Store,
}

impl Fixture {
    fn start() -> Self {
        let engine = ClickHouse::start();
        let folder = tempfile::tempdir().unwrap();
        let mut text = format!(
            "clickhouse:\n  url: {}\n  database: {}\n  create_schema: true\n  timeout_s: 60\n  \
             folder: {}\n",
            engine.url(),
            engine.database(),
            folder.path().display(),
        );
        if let Some((user, password)) = engine.user() {
            let file = folder.path().join("password");
            std::fs::write(&file, password).unwrap();
            text = format!("{text}  user: {user}\n  password_file: {}\n", file.display());
        }
        let config: config::Store = yaml_serde::from_str(&text).unwrap();
        let store = Store::create_configured(&config).unwrap();
        Self { engine, folder, store }
    }

    fn put(&self, sightings: &[Sighting], attempts: &[Attempt]) {
        let writer = Writer::start(&self.store, WriterOptions::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let received = UnixNanos::new(day().end().get() + 600_000_000_000);
        let batch =
            Batch { attempts: attempts.to_vec(), ..Batch::of(received, sightings.to_vec()) };
        runtime.block_on(writer.commit(batch)).unwrap();
        writer.close().unwrap();
    }

    /// What the engine says of the day; nothing is published.
    fn figures(
        &self,
        terms: Terms,
        declared: &Declared,
        slices: Option<u64>,
    ) -> Result<DayFigures, NightlyError> {
        let scratch = self.folder.path().join("scratch");
        let declared = declared.clone();
        let question = EngineQuestion { day: day(), terms, declared, scratch, token: "t", slices };
        let engine = self.store.pass_engine().unwrap();
        engine_figures(&engine, question, &mut |_| {}).map(|(figures, _)| figures)
    }

    fn tables_of_passes(&self) -> String {
        self.engine.ask(
            "SELECT name FROM system.tables
             WHERE database = currentDatabase() AND startsWith(name, 'pass')",
        )
    }
}

/// Sightings and attempts that share nothing with those of another number.
fn apart(number: u32, sightings: &mut [Sighting], attempts: &mut [Attempt]) {
    let named = |name: &Name| Name::cut(&format!("{number}/{}", name.as_str()));
    let trace = |trace: TraceId| {
        let mut bytes = *trace.as_bytes();
        bytes[..4].copy_from_slice(&(number + 1).to_be_bytes());
        TraceId::from_bytes(&bytes).unwrap()
    };
    let session = |key: SessionKey| {
        let mut bytes = *key.as_bytes();
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        SessionKey::from_bytes(bytes)
    };
    for one in sightings {
        one.trace_id = trace(one.trace_id);
        one.service = one.service.as_ref().map(named);
        one.emitter = one.emitter.as_ref().map(named);
        one.client = one.client.as_ref().map(|client| ClientName::new(named(client.name())));
        one.session = one.session.map(|claim| match claim {
            SessionClaim::Conversation(key) => SessionClaim::Conversation(session(key)),
            SessionClaim::Transport(key) => SessionClaim::Transport(session(key)),
        });
    }
    for one in attempts {
        one.trace_id = trace(one.trace_id);
        one.emitter = one.emitter.as_ref().map(named);
    }
}

/// What generated histories do not have: arguments of several layers, times without a start or
/// without an end, ids that join traces, labels, calls without a name, a service or a client. Which
/// of it a history gets its number says, and which sighting the bytes of its span.
fn make_odd(number: u32, sightings: &mut [Sighting]) {
    for one in sightings {
        let [_, b, c, d, e, ..] = *one.span_id.as_bytes();
        if number % 7 == 3 && d.is_multiple_of(5) {
            one.is_time_known = false;
        }
        if number % 3 == 1 && one.kind == SpanKind::Server && one.arguments.is_none() {
            one.arguments = Some(Arguments {
                form: if number.is_multiple_of(2) { ArgsForm::Json } else { ArgsForm::Flat },
                source: Name::cut(if b.is_multiple_of(2) { "inner" } else { "other" }),
                hash: ArgsHash::from_bytes([c % 3; 6]),
                exact: None,
                core: None,
                pos: None,
                hides: false,
                prints: Vec::new(),
            });
        }
        if number % 5 == 2 && c.is_multiple_of(6) && one.parent_span_id.is_none() {
            one.end = UnixNanos::new(u64::MAX - u64::from(b) * 200_000_000);
        }
        if number % 4 == 2 && one.kind == SpanKind::Server && b.is_multiple_of(2) {
            one.outcome = Outcome::Error;
        }
        let id = CallKey::of(&(b % 3).to_string());
        if number % 6 == 1 {
            one.request_id = Some(id);
        }
        if number % 6 == 4 {
            one.call_id = Some(id);
            if c.is_multiple_of(2) {
                one.scope = Name::cut("another scope");
            }
        }
        if number % 11 == 5 && e.is_multiple_of(3) {
            one.service = None;
            if e.is_multiple_of(2) {
                one.kind = SpanKind::Internal;
            } else {
                one.client = None;
            }
        }
        if number % 13 == 5 && e % 3 == 1 {
            one.tool = None;
            one.is_label = e % 2 == 1;
        }
    }
}

/// Histories one after the other, every second one of uncertain calls.
pub(crate) fn generated(count: u32, is_odd: bool) -> Vec<(Vec<Sighting>, Vec<Attempt>)> {
    let mut runner = TestRunner::deterministic();
    let mut history = |number: u32| {
        let (mut sightings, mut attempts) = if number.is_multiple_of(2) {
            (histories::history().new_tree(&mut runner).unwrap().current(), Vec::new())
        } else {
            histories::uncertain_history().new_tree(&mut runner).unwrap().current()
        };
        apart(number, &mut sightings, &mut attempts);
        if is_odd {
            make_odd(number, &mut sightings);
        }
        (sightings, attempts)
    };
    (0..count).map(&mut history).collect()
}

fn together(histories: &[(Vec<Sighting>, Vec<Attempt>)]) -> (Vec<Sighting>, Vec<Attempt>) {
    let sightings = histories.iter().flat_map(|history| history.0.clone()).collect();
    let attempts = histories.iter().flat_map(|history| history.1.clone()).collect();
    (sightings, attempts)
}

/// Fails with the first tool whose figures differ, in words short enough to read.
pub(crate) fn assert_same(mine: &DayFigures, theirs: &DayFigures) {
    let keys = || mine.tools.keys().chain(theirs.tools.keys());
    if let Some(key) = keys().find(|key| mine.tools.get(*key) != theirs.tools.get(*key)) {
        let fields = |day: &DayFigures| -> Vec<String> {
            format!("{:?}", day.tools.get(key)).split(", ").map(str::to_owned).collect()
        };
        let pairs = fields(mine).into_iter().zip(fields(theirs));
        let differing: Vec<_> = pairs.filter(|(mine, theirs)| mine != theirs).take(9).collect();
        panic!("{key:?}: by the engine and by the other: {differing:#?}");
    }
    assert_eq!(mine.pairs, theirs.pairs);
    assert_eq!(mine.sessions, theirs.sessions);
    assert_eq!(mine.unknown_tool_calls, theirs.unknown_tool_calls);
    assert_eq!(mine.quality, theirs.quality);
}

/// Fails where the figures of histories that share nothing are not those that the book has of each
/// alone, together.
pub(crate) fn assert_says_the_book<'h>(
    mine: &DayFigures,
    histories: impl Iterator<Item = (&'h [Sighting], &'h [Attempt])>,
) -> u64 {
    let mine = comparable(mine.clone());
    let mut calls = 0;
    for (sightings, attempts) in histories {
        let beside = oracle::recovery::Beside { attempts: attempts.to_vec(), ..Default::default() };
        let book = comparable(oracle::figures_beside(day(), sightings, &beside));
        for (key, figures) in &book.tools {
            let mut found = mine.tools.get(key).cloned().unwrap_or_default();
            // A status tool counts as known wherever on the day it is called: another history's
            // tells the engine of one that the book, with this history alone, does not know.
            found.recovery.status_tool.clone_from(&figures.recovery.status_tool);
            found.recovery.never_checked = figures.recovery.never_checked;
            assert_eq!(&found, figures, "{key:?}{}", super::nightly::shown(sightings));
            calls += figures.calls;
        }
        for (pair, times) in &book.pairs {
            assert_eq!(mine.pairs.get(pair), Some(times), "{pair:?}");
        }
    }
    assert_eq!(calls, mine.tools.values().map(|figures| figures.calls).sum::<u64>());
    calls
}

#[test]
fn the_engine_says_what_the_book_says() {
    let fixture = Fixture::start();
    let histories = generated(500, false);
    let (sightings, attempts) = together(&histories);
    fixture.put(&sightings, &attempts);
    let mine = fixture.figures(Terms::default(), &Declared::default(), None).unwrap();
    let each = histories.iter().map(|(sightings, attempts)| (&sightings[..], &attempts[..]));
    let calls = assert_says_the_book(&mine, each);
    assert!(calls > 1500, "only {calls} calls were generated");
}

#[test]
fn the_engine_says_what_the_fold_says_of_the_odd_and_under_other_terms() {
    let fixture = Fixture::start();
    let (sightings, attempts) = together(&generated(700, true));
    fixture.put(&sightings, &attempts);
    let received = UnixNanos::new(day().end().get() + 600_000_000_000);
    let late = UnixNanos::new(received.get() - 1);
    let usual = Declared::default();
    let mut declared = Declared::default();
    declared.kinds = [
        ("create_order".to_owned(), OperationKind::Write),
        ("get".to_owned(), OperationKind::Read),
        ("search".to_owned(), OperationKind::IdempotentWrite),
    ]
    .into_iter()
    .collect();
    declared.return_nothing = [("get".to_owned(), ())].into_iter().collect();
    let inferring = Terms { infer_sessions: true, first_covered: Some(late) };
    for (terms, declared, slices) in [
        (Terms::default(), &usual, None),
        (Terms { first_covered: Some(received), ..Terms::default() }, &declared, Some(1)),
        (inferring, &declared, Some(5)),
    ] {
        let (sightings, attempts) = (sightings.clone(), attempts.clone());
        let theirs = judge_day_with(terms, day(), sightings, attempts, declared.clone());
        let mine = fixture.figures(terms, declared, slices).unwrap();
        assert_same(&mine, &theirs);
        assert!(mine.tools.values().any(|of| of.unjudged.total() > 0 && of.retried > 0));
    }
    assert_eq!(fixture.tables_of_passes(), "");
}

#[test]
fn the_engine_says_what_the_fold_says_of_the_written_histories() {
    let fixture = Fixture::start();
    let written = super::histories::sightings_of_all();
    let mut all: Vec<Sighting> = Vec::new();
    for (number, sightings) in (0_u32..).zip(written) {
        let mut sightings = sightings;
        apart(number, &mut sightings, &mut []);
        all.extend(sightings);
    }
    fixture.put(&all, &[]);
    let terms = Terms::default();
    let theirs = judge_day_with(terms, day(), all, Vec::new(), Declared::default());
    assert_same(&fixture.figures(terms, &Declared::default(), None).unwrap(), &theirs);
}

#[test]
fn a_pass_in_the_engine_is_published_once_and_leaves_no_table_behind() {
    let fixture = Fixture::start();
    let (sightings, attempts) = together(&generated(40, true));
    fixture.put(&sightings, &attempts);
    // A pass that died left this.
    fixture.engine.execute("CREATE TABLE pass_dead_calls (n UInt8) ENGINE = Memory");
    let clock = ManualClock::at(day().plus(2).start());
    let range = DaysToRun::Range { from: day(), to: day() };
    let night = || run(&fixture.store, range, &clock, &mut |_event| {});
    let report = night().unwrap();
    let theirs = judge_day_with(Terms::default(), day(), sightings, attempts, Declared::default());
    let calls: u64 = theirs.tools.values().map(|of| of.calls).sum();
    assert_eq!(report.days.iter().map(|passed| passed.calls).collect::<Vec<u64>>(), [calls]);
    assert_eq!(fixture.tables_of_passes(), "");
    let shown = || fixture.store.read_days(day(), day()).unwrap();
    assert_same(&shown()[0], &theirs);
    let before = shown();
    assert!(night().unwrap().days[0].is_again);
    assert_eq!(shown()[0].tools, before[0].tools);
    assert!(fixture.store.restatements(day(), day()).unwrap().is_empty());
}

#[test]
fn a_pass_that_the_engine_fails_in_the_middle_of_publishes_nothing_and_the_next_one_does() {
    let fixture = Fixture::start();
    if !fixture.engine.can_fail() {
        return;
    }
    let (sightings, attempts) = together(&generated(20, false));
    fixture.put(&sightings, &attempts);
    let clock = ManualClock::at(day().plus(2).start());
    let range = DaysToRun::Range { from: day(), to: day() };
    let night = || run(&fixture.store, range, &clock, &mut |_event| {});
    // Not enough memory, in the statement that classifies retries and in one that adds up.
    for of in ["is_fan_out", "roundDown"] {
        fixture.engine.fault(Fault::new(FaultKind::Fail(241)).of(of).times(1));
        assert!(night().is_err(), "{of}");
        assert!(fixture.store.read_days(day(), day()).unwrap().is_empty());
        assert_eq!(fixture.tables_of_passes(), "", "{of}");
        fixture.engine.heal();
    }
    assert_eq!(night().unwrap().days.len(), 1);
    let theirs = judge_day_with(Terms::default(), day(), sightings, attempts, Declared::default());
    assert_same(&fixture.store.read_days(day(), day()).unwrap()[0], &theirs);
}
