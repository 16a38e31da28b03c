//! The engine is killed in the middle of a pass, at each kind of statement that a pass sends, while
//! calls come in before, during and after it: the figures shown stay the old ones, whole, and the
//! next pass makes up for everything, each call counted once (METHOD section 10).

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use firstcall::call::{CallDuration, Sighting, UnixNanos};
use firstcall::clock::ManualClock;
use firstcall::figures::DayFigures;
use firstcall::nightly::{self, DaysToRun, Declared, NightlyError, Terms, judge_day_with};
use firstcall::store::{Store, Writer, WriterOptions};

use super::faults::{commit, end_lease, engine};
use crate::engine::{assert_same, assert_says_the_book, generated};
use crate::nightly::histories::day;
use crate::support::clickhouse::{ClickHouse, Fault, FaultKind};
use crate::support::stores::Place;

/// The first statement that makes a table; just before it somebody adds calls.
const BEGIN: &str = "told_client LowCardinality";
/// Takes in what waits in a table of the test's own.
const ARRIVE: &str = "INSERT INTO sightings SELECT * FROM late";

/// A part of the day's calls: sessions of their own, and no client spans.
fn messages(count: u32) -> Vec<Vec<Sighting>> {
    generated(2 * count, false).into_iter().step_by(2).map(|(sightings, _)| sightings).collect()
}

fn run(store: &Store) -> Result<nightly::PassReport, NightlyError> {
    let clock = ManualClock::at(at_night());
    let range = DaysToRun::Range { from: day(), to: day() };
    nightly::run(store, range, &clock, &mut |_event| {})
}

/// When the pass runs; its clock stands still.
fn at_night() -> UnixNanos {
    day().plus(2).start()
}

/// A database whose day was covered once, and what was sent since.
struct Night {
    place: Place,
    store: Store,
    writer: Writer,
    /// Another database of the same engine, where calls wait to arrive within a pass.
    elsewhere: Writer,
    messages: std::vec::IntoIter<Vec<Sighting>>,
    sent: Vec<Sighting>,
    messages_sent: Vec<Vec<Sighting>>,
    before: Vec<DayFigures>,
    late: u64,
}

impl Night {
    fn covered_once(place: Place) -> Self {
        let [store, other] = [place.store(), place.store()];
        let writer = Writer::start(&store, WriterOptions::default()).unwrap();
        let elsewhere = Writer::start(&other, WriterOptions::default()).unwrap();
        place.engine().unwrap().execute("CREATE TABLE late AS sightings");
        let mut messages = messages(60).into_iter();
        let messages_sent: Vec<Vec<Sighting>> = messages.by_ref().take(10).collect();
        let sent = messages_sent.concat();
        commit(&writer, sent.clone()).unwrap();
        let before = Vec::new();
        let mut night = Self {
            place,
            store,
            writer,
            elsewhere,
            messages,
            sent,
            messages_sent,
            before,
            late: 0,
        };
        night.run().unwrap();
        night.before = night.shown();
        assert!(night.before[0].tools.values().any(|figures| figures.retried > 0));
        night
    }

    fn engine(&self) -> &ClickHouse {
        self.place.engine().unwrap()
    }

    fn run(&self) -> Result<nightly::PassReport, NightlyError> {
        run(&self.store)
    }

    fn shown(&self) -> Vec<DayFigures> {
        self.store.read_days(day(), day()).unwrap()
    }

    /// The next message; it is received after everything before it, long after the day was covered.
    fn late_message(&mut self) -> Vec<Sighting> {
        self.late += 1;
        let received = at_night().saturating_add(CallDuration::from_secs(self.late));
        let mut message = self.messages.next().unwrap();
        for sighting in &mut message {
            sighting.received = received;
        }
        self.sent.extend(message.clone());
        self.messages_sent.push(message.clone());
        message
    }

    /// Lets a message wait that arrives when the pass begins.
    fn let_wait(&self, message: Vec<Sighting>) {
        commit(&self.elsewhere, message).unwrap();
        let from = format!("{}_1", self.engine().database());
        self.engine().execute(&format!("INSERT INTO late SELECT * FROM {from}.sightings"));
        self.engine().execute(&format!("TRUNCATE TABLE {from}.sightings"));
        self.engine().fault(Fault::new(FaultKind::First(ARRIVE)).of(BEGIN).times(1));
    }

    fn is_due(&self) -> bool {
        nightly::due(&self.store, day().plus(1)).unwrap().contains(&day())
    }

    /// Waits until a pass has made one of its tables.
    #[track_caller]
    fn wait_for_table(&self, name: &str) {
        let query = format!(
            "SELECT count() FROM system.tables
             WHERE database = currentDatabase() AND endsWith(name, '_{name}')"
        );
        let since = Instant::now();
        while self.engine().ask(&query).trim() != "1" {
            assert!(since.elapsed() < Duration::from_mins(1), "no table of {name}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What must be shown of everything that was sent.
    #[track_caller]
    fn assert_shows_everything(&self) {
        let shown = self.shown();
        let covered = self.store.coverage().unwrap()[0].covered_at;
        let terms = Terms { first_covered: Some(covered), ..Terms::default() };
        let sent = self.sent.clone();
        assert_same(&shown[0], &judge_day_with(terms, day(), sent, vec![], Declared::default()));
        assert_says_the_book(&shown[0], self.messages_sent.iter().map(|one| (&one[..], &[][..])));
        assert!(shown[0].quality.late > 0);
        let tables = "SELECT name FROM system.tables \
            WHERE database = currentDatabase() AND startsWith(name, 'pass')";
        assert_eq!(self.engine().ask(tables), "");
        assert!(!self.is_due());
    }
}

#[track_caller]
fn a_pass_is_killed_at(stages: &[(&'static str, FaultKind)]) {
    let Some(place) = engine() else { return };
    let mut night = Night::covered_once(place);
    let (covered, before) = (night.store.coverage().unwrap(), night.before.clone());
    for (of, kind) in stages {
        let message = night.late_message();
        commit(&night.writer, message).unwrap();
        let during = night.late_message();
        night.let_wait(during);
        night.engine().fault(Fault::new(*kind).of(of));
        let error = night.run().unwrap_err();
        assert!(matches!(error, NightlyError::Store(_)), "{of}: {error}");
        night.place.engine_mut().unwrap().wait_until_stopped();
        // Whoever sends now is told to come back, and does.
        let message = night.late_message();
        let error = commit(&night.writer, message.clone()).unwrap_err();
        assert!(error.is_retryable(), "{of}: {error}");
        night.place.engine_mut().unwrap().restart();
        night.engine().execute("TRUNCATE TABLE late");
        commit(&night.writer, message).unwrap();
        assert_eq!(night.shown(), before, "{of}");
        assert_eq!(night.store.coverage().unwrap(), covered, "{of}");
        assert_eq!(night.store.restatements(day(), day()).unwrap(), [], "{of}");
        end_lease(night.engine());
    }
    // What the last of them left behind; each took away what the one before had left.
    let left = "SELECT count() FROM system.tables \
        WHERE database = currentDatabase() AND startsWith(name, 'pass')";
    assert_ne!(night.engine().ask(left).trim(), "0");
    night.run().unwrap();
    night.assert_shows_everything();
    assert_eq!(night.store.restatements(day(), day()).unwrap().len(), 1);
}

#[test]
fn a_pass_that_is_killed_while_sightings_become_calls_is_made_up_for() {
    use FaultKind::{StopAfter, StopBefore, StopWithin};
    a_pass_is_killed_at(&[
        (BEGIN, StopAfter),
        ("groupUniqArray(span_id)", StopBefore),
        ("may_meet", StopAfter),
        ("AS is_of_trace", StopBefore),
        ("AND trace_id IN (SELECT trace", StopWithin),
        ("INSERT INTO `pass_", StopAfter),
    ]);
}

#[test]
fn a_pass_that_is_killed_while_calls_are_judged_is_made_up_for() {
    use FaultKind::{StopAfter, StopBefore};
    a_pass_is_killed_at(&[
        ("most_known", StopAfter),
        ("AS next_is_of_tool", StopBefore),
        ("argMax(layer_of", StopAfter),
        ("AS calls_of_run", StopBefore),
        ("AS loop_first_2", StopAfter),
        ("AS next_other_start", StopAfter),
        ("HAVING min(is_time_known) = 0", StopBefore),
        ("layer_or_none", StopAfter),
        ("ASOF INNER JOIN", StopBefore),
        ("AS is_fan_out", StopAfter),
        ("SELECT DISTINCT key, service", StopBefore),
    ]);
}

#[test]
fn a_pass_that_is_killed_while_figures_are_counted_is_made_up_for() {
    use FaultKind::{StopAfter, StopBefore, StopWithin};
    a_pass_is_killed_at(&[
        ("outcome = word", StopBefore),
        ("has_ended_usable", StopAfter),
        ("nth <= 1024", StopBefore),
        ("roundDown", StopAfter),
        ("sightings - duplicates - 1", StopAfter),
        ("arrayMap(one -> (one.1, one.2, one.5), more)", StopWithin),
    ]);
}

#[test]
fn calls_that_come_while_the_pass_runs_are_left_to_the_next_one() {
    let Some(place) = engine() else { return };
    let mut night = Night::covered_once(place);
    let first = night.sent.clone();
    let during = night.late_message();
    night.let_wait(during);
    night.run().unwrap();
    assert_eq!(night.shown(), night.before);
    assert!(night.is_due());
    assert!(night.sent.len() > first.len());
    night.run().unwrap();
    night.assert_shows_everything();
}

#[test]
fn calls_of_a_receiver_whose_clock_is_behind_are_counted_though_they_slip_in() {
    let Some(place) = engine() else { return };
    let mut night = Night::covered_once(place);
    let ahead = night.late_message();
    let last = ahead[0].received;
    commit(&night.writer, ahead).unwrap();
    // As if it had been there before the pass began, but it was not.
    let mut during = night.late_message();
    let behind = last.saturating_sub(CallDuration::from_nanos(1));
    let late = during.len();
    for sighting in night.sent.iter_mut().rev().take(late).chain(&mut during) {
        sighting.received = behind;
    }
    night.let_wait(during);
    night.run().unwrap();
    // It came after the pass had noted what there was, so the day is due again; nothing changes.
    let shown = night.shown();
    assert!(night.is_due());
    night.run().unwrap();
    assert_eq!(night.shown(), shown);
    night.assert_shows_everything();
    assert_eq!(night.store.restatements(day(), day()).unwrap().len(), 1);
}

#[test]
fn a_slow_engine_is_waited_for_by_the_pass_and_senders_are_answered_meanwhile() {
    let Some(place) = engine() else { return };
    let mut night = Night::covered_once(place);
    let message = night.late_message();
    commit(&night.writer, message).unwrap();
    let during = night.late_message();
    // Longer than a sender's insert may take, by far.
    let slow = FaultKind::Delay(Duration::from_secs(3));
    night.engine().fault(Fault::new(slow).of("AS next_other_start").times(1));
    let store = night.store.clone();
    let pass = std::thread::spawn(move || run(&store));
    night.wait_for_table("runs");
    commit(&night.writer, during).unwrap();
    assert!(!pass.is_finished());
    pass.join().unwrap().unwrap();
    assert!(night.is_due());
    night.run().unwrap();
    night.assert_shows_everything();
}

/// Not the engine but the process that conducts is killed.
#[test]
fn a_conductor_that_is_killed_leaves_the_old_figures_and_the_next_one_goes_on() {
    let Some(place) = engine() else { return };
    let mut night = Night::covered_once(place);
    let message = night.late_message();
    commit(&night.writer, message).unwrap();
    let slow = FaultKind::Delay(Duration::from_secs(2));
    night.engine().fault(Fault::new(slow).of("AS next_other_start").times(1));
    let home = night.place.home().to_owned();
    let nightly = || {
        let mut command: Command = crate::support::command(&home.join("unused"));
        let day = day().to_string();
        command.args(["nightly", "--day", &day, "--config"]).arg(home.join("config-0.yaml"));
        command.stderr(Stdio::piped());
        command
    };
    let mut child = nightly().spawn().unwrap();
    night.wait_for_table("runs");
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    assert_eq!(night.shown(), night.before);
    // Its right to a pass has not ended yet.
    let refused = nightly().output().unwrap();
    assert_eq!(refused.status.code(), Some(5), "{}", crate::support::stderr(&refused));
    end_lease(night.engine());
    // A statement that nobody waits for any more ends all the same, and may leave its table.
    std::thread::sleep(Duration::from_secs(4));
    let message = night.late_message();
    commit(&night.writer, message).unwrap();
    let done = nightly().output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", crate::support::stderr(&done));
    night.assert_shows_everything();
}
