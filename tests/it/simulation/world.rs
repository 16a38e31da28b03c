//! One data folder, its writer, its clock, and what the world outside knows of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use firstcall::call::{CallDuration, Day, Sighting};
use firstcall::clock::{Clock, ManualClock};
use firstcall::figures::{DayFigures, Figures, RangeFigures};
use firstcall::nightly::{self, DaysToRun};
use firstcall::store::{Batch, Store, Writer, WriterOptions};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::operations::Operation;
use crate::nightly::{comparable, histories, oracle, shown};
use crate::support::clickhouse::{Fault, FaultKind};
use crate::support::files::copy_folder;
use crate::support::stores::Place;

const HOUR: u64 = 3600;
/// Short, so that lists reach it.
const RESTATE_DAYS: u32 = 2;

/// What is kept in memory is what a sender and a reader know: the sightings that were stored, and
/// the figures that were shown last.
pub(crate) struct World<'p> {
    home: TempDir,
    /// Where the store is, where that is an engine; what goes wrong there is the engine's.
    engine: Option<&'p Place>,
    folders: u32,
    store: Store,
    writer: Option<Writer>,
    clock: ManualClock,
    runtime: Runtime,
    messages: Vec<Vec<Sighting>>,
    stored: Vec<Sighting>,
    seen: BTreeMap<Day, DayFigures>,
}

impl<'p> World<'p> {
    /// The same world over an empty database of an engine.
    pub(crate) fn in_database(place: &'p Place, messages: Vec<Vec<Sighting>>) -> Self {
        let mut world = Self::new(messages);
        drop(world.writer.take());
        world.store = place.store();
        world.writer = Some(Writer::start(&world.store, WriterOptions::default()).unwrap());
        world.engine = Some(place);
        world
    }

    /// An empty folder at noon of the first history's day.
    pub(crate) fn new(messages: Vec<Vec<Sighting>>) -> Self {
        // In memory where that is possible: what is tried are copies of files, not the disk.
        let memory = Path::new("/dev/shm");
        let home = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let home = home.unwrap();
        let store = Store::create(&home.path().join("data-0")).unwrap();
        let noon = CallDuration::from_secs(12 * HOUR);
        let clock = ManualClock::at(histories::day().start().saturating_add(noon));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let writer = Some(Writer::start(&store, WriterOptions::default()).unwrap());
        let (stored, seen) = (Vec::new(), BTreeMap::new());
        Self {
            home,
            engine: None,
            folders: 0,
            store,
            writer,
            clock,
            runtime,
            messages,
            stored,
            seen,
        }
    }

    /// Does one operation and, where figures could have changed, looks at every one of them.
    pub(crate) fn apply(&mut self, operation: Operation) {
        if let Some(place) = self.engine
            && self.has_gone_wrong(place, operation)
        {
            return self.look();
        }
        match operation {
            Operation::Send(number) => {
                let message = self.message(number);
                return self.send(message);
            }
            Operation::CrashBeforeCommit(number) => {
                let image = self.image();
                let before = self.stored.clone();
                let message = self.message(number);
                self.send(message);
                self.stored = before;
                self.start_in(&image);
            }
            Operation::CrashAfterCommit(number) => {
                let message = self.message(number);
                self.send(message);
                let image = self.image();
                self.start_in(&image);
            }
            Operation::Restart => {
                let image = self.image();
                self.start_in(&image);
            }
            Operation::Advance(hours) => {
                self.clock.advance(CallDuration::from_secs(hours * HOUR));
                return;
            }
            Operation::Pass => self.pass(DaysToRun::Due),
            Operation::KilledPass(steps) => self.killed_pass(steps),
            Operation::Erase => self.erase(),
            Operation::KilledErase => self.killed_erase(),
        }
        self.look();
    }

    /// Operations that go wrong, as they do with an engine: it refuses a statement, once, in the
    /// middle; or the process ends and another one goes on with the database.
    fn has_gone_wrong(&mut self, place: &Place, operation: Operation) -> bool {
        let engine = place.engine().unwrap();
        // MEMORY_LIMIT_EXCEEDED
        let refuse = |of, after| {
            engine.fault(Fault::new(FaultKind::Fail(241)).of(of).after(after).times(1));
        };
        match operation {
            Operation::CrashBeforeCommit(number) => {
                refuse("INSERT INTO `sightings`", 0);
                let batch = Batch::of(self.clock.now(), self.message(number));
                let open = self.open_of(&batch.sightings).len();
                let writer = self.writer.as_ref().unwrap();
                let failed = self.runtime.block_on(writer.commit(batch)).is_err();
                assert_eq!(failed, open > 0, "what was not stored was not answered");
            }
            Operation::CrashAfterCommit(number) => {
                let message = self.message(number);
                self.send(message);
                self.go_on(place);
            }
            Operation::Restart => self.go_on(place),
            Operation::KilledPass(steps) => {
                refuse("INSERT INTO day", u32::try_from(steps).unwrap());
                let pass = nightly::run(&self.store, DaysToRun::Due, &self.clock, &mut |_event| {});
                assert!(pass.is_ok() || pass.is_err_and(|error| !error.to_string().is_empty()));
            }
            Operation::KilledErase => {
                refuse("DROP PARTITION", 0);
                let keep = NonZeroU32::new(RESTATE_DAYS).unwrap();
                let _ended = nightly::erase(&self.store, keep, &self.clock).is_ok();
            }
            Operation::Send(_) | Operation::Advance(_) | Operation::Pass | Operation::Erase => {
                return false;
            }
        }
        engine.heal();
        true
    }

    /// Another process goes on with the database.
    fn go_on(&mut self, place: &Place) {
        drop(self.writer.take());
        self.store = place.reader(&self.store);
        self.writer = Some(Writer::start(&self.store, WriterOptions::default()).unwrap());
    }

    /// Those of a message whose days are not closed.
    fn open_of(&self, message: &[Sighting]) -> Vec<Sighting> {
        let erased = self.store.erased_days().unwrap();
        let open = message.iter().filter(|sighting| !erased.is_closed(sighting.start.day()));
        open.cloned().collect()
    }

    /// Everything arrives and every day is covered.
    pub(crate) fn end(&mut self) {
        self.send(self.messages.concat());
        self.apply(Operation::Advance(24 * 3));
        self.apply(Operation::Pass);
    }

    fn message(&self, number: usize) -> Vec<Sighting> {
        let number = number.checked_rem(self.messages.len());
        number.and_then(|number| self.messages.get(number)).cloned().unwrap_or_default()
    }

    fn send(&mut self, message: Vec<Sighting>) {
        let erased = self.store.erased_days().unwrap();
        let now = self.clock.now();
        let mut open = Vec::new();
        let mut refused = 0;
        for sighting in &message {
            if erased.is_closed(sighting.start.day()) {
                refused += 1;
            } else {
                open.push(sighting.clone());
            }
        }
        let batch = Batch::of(now, message);
        let writer = self.writer.as_ref().unwrap();
        let committed = self.runtime.block_on(writer.commit(batch)).unwrap();
        assert_eq!(committed.refused, refused);
        self.stored.extend(open);
    }

    /// The folder as a kill would leave it now.
    fn image(&mut self) -> PathBuf {
        self.folders += 1;
        let image = self.home.path().join(format!("data-{}", self.folders));
        copy_folder(self.store.dir(), &image);
        image
    }

    /// The server of the old folder is no more; one starts in its image.
    fn start_in(&mut self, image: &Path) {
        drop(self.writer.take());
        fs::remove_dir_all(self.store.dir()).unwrap();
        self.store = Store::create(image).unwrap();
        self.writer = Some(Writer::start(&self.store, WriterOptions::default()).unwrap());
    }

    /// A pass to its end, after which every open day that is over shows the oracle's figures.
    pub(crate) fn pass(&mut self, days: DaysToRun) {
        let report = nightly::run(&self.store, days, &self.clock, &mut |_event| {}).unwrap();
        assert!(report.failed.is_empty(), "{:?}", report.failed);
        if days != DaysToRun::Due {
            return;
        }
        assert_eq!(report.kept, []);
        let erased = self.store.erased_days().unwrap();
        let covered: BTreeSet<Day> =
            self.store.coverage().unwrap().iter().map(|covered| covered.day).collect();
        for sighting in &self.stored {
            let day = sighting.start.day();
            assert!(day >= self.clock.now().day() || covered.contains(&day), "{day} is missed");
        }
        for day in covered {
            if !erased.is_closed(day) {
                assert_eq!(self.figures(day), self.by_the_book(day), "{}", shown(&self.stored));
            }
        }
    }

    fn killed_pass(&mut self, steps: usize) {
        let image = self.home.path().join(format!("data-{}", self.folders + 1));
        let mut step = 0;
        let from = self.store.dir().to_path_buf();
        nightly::run(&self.store, DaysToRun::Due, &self.clock, &mut |_event| {
            if step == steps {
                copy_folder(&from, &image);
            }
            step += 1;
        })
        .unwrap();
        if image.is_dir() {
            self.folders += 1;
            self.start_in(&image);
        }
    }

    fn erase(&mut self) {
        let keep = NonZeroU32::new(RESTATE_DAYS).unwrap();
        let erased = nightly::erase(&self.store, keep, &self.clock).unwrap();
        let left = self.store.sighting_days().unwrap();
        let limit = CallDuration::from_secs(u64::from(RESTATE_DAYS) * 24 * HOUR);
        let covered = self.store.coverage().unwrap();
        for day in erased {
            assert!(!left.contains(&day), "{day} is still there");
            for needed in [day, day.plus(1)] {
                let of = covered.iter().find(|covered| covered.day == needed).unwrap();
                assert!(of.covered_at.saturating_add(limit) <= self.clock.now());
            }
        }
    }

    fn killed_erase(&mut self) {
        let before = self.image();
        self.erase();
        let after = self.image();
        // The files of before are back in place, beside what was noted.
        let _gone = fs::remove_dir_all(after.join("sightings"));
        copy_folder(&before.join("sightings"), &after.join("sightings"));
        self.start_in(&after);
    }

    /// Every covered day shows what it showed last, or the oracle's figures of what is stored.
    fn look(&mut self) {
        let erased = self.store.erased_days().unwrap();
        for covered in self.store.coverage().unwrap() {
            let day = covered.day;
            let now = self.figures(day);
            if self.seen.get(&day) == Some(&now) {
                continue;
            }
            let was_closed = self.seen.contains_key(&day) && erased.is_closed(day);
            assert!(!was_closed, "{day} is closed and shows other figures");
            assert_eq!(now, self.by_the_book(day), "{day}: {}", shown(&self.stored));
            self.seen.insert(day, now);
        }
    }

    fn figures(&self, day: Day) -> DayFigures {
        let mut days = self.store.read_days(day, day).unwrap();
        comparable(days.remove(0))
    }

    /// The oracle's figures of a day and of the margins that a pass reads.
    fn by_the_book(&self, day: Day) -> DayFigures {
        let from = day.start().saturating_sub(nightly::LOOK_BACK);
        let to = day.end().saturating_add(nightly::LOOK_AHEAD);
        let within = |s: &&Sighting| from <= s.start && s.start < to;
        let near: Vec<Sighting> = self.stored.iter().filter(within).cloned().collect();
        comparable(oracle::figures(day, &near))
    }

    /// The days from the first sighting to the last.
    pub(crate) fn days(&self) -> impl DoubleEndedIterator<Item = Day> + Clone + use<> {
        let days: BTreeSet<Day> = self.stored.iter().map(|s| s.start.day()).collect();
        let ends = days.first().copied().zip(days.last().copied());
        let days: Vec<Day> = ends.map(|(from, to)| from.through(to).collect()).unwrap_or_default();
        days.into_iter()
    }

    /// What every covered day shows.
    pub(crate) fn shown(&self) -> Vec<DayFigures> {
        let first = Day::from_number(0).unwrap();
        self.store.read_days(first, Day::MAX).unwrap()
    }

    /// A pass over every covered day that is still open, due or not.
    pub(crate) fn pass_over_open_days(&self) {
        let erased = self.store.erased_days().unwrap();
        for covered in self.store.coverage().unwrap() {
            if !erased.is_closed(covered.day) {
                let range = DaysToRun::Range { from: covered.day, to: covered.day };
                nightly::run(&self.store, range, &self.clock, &mut |_event| {}).unwrap();
            }
        }
    }

    /// Every row of every table of figures, as text; of a database what it shows of them.
    pub(crate) fn tables(&self) -> BTreeMap<String, Vec<String>> {
        if self.engine.is_some() {
            let first = Day::from_number(0).unwrap();
            let coverage = self.store.coverage().unwrap();
            let coverage = coverage.iter().map(|covered| format!("{covered:?}")).collect();
            let restatements = self.store.restatements(first, Day::MAX).unwrap();
            let restatements = restatements.iter().map(|one| format!("{one:?}")).collect();
            let days = self.shown().iter().map(|day| format!("{day:?}")).collect();
            let shown = [("coverage", coverage), ("restatements", restatements), ("days", days)];
            return shown.map(|(name, rows)| (name.to_owned(), rows)).into();
        }
        let file = self.store.dir().join("firstcall.sqlite");
        let connection = rusqlite::Connection::open(file).unwrap();
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let mut select = connection.prepare(names).unwrap();
        let names: Vec<String> =
            select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let rows_of = |name: &String| {
            let mut select = connection.prepare(&format!("SELECT * FROM {name}")).unwrap();
            let columns = select.column_count();
            let rows = select.query_map([], |row| {
                let values: Result<Vec<rusqlite::types::Value>, _> =
                    (0..columns).map(|column| row.get(column)).collect();
                Ok(format!("{:?}", values?))
            });
            rows.unwrap().map(Result::unwrap).collect()
        };
        names.iter().map(|name| (name.clone(), rows_of(name))).collect()
    }

    /// Merging the days one by one, in either order, is the range.
    pub(crate) fn assert_days_add_up(&self) {
        let days = self.shown();
        let range = RangeFigures::of(&days);
        let mut overall = Figures::default();
        for day in days.iter().rev() {
            overall.merge(&RangeFigures::of([day]).overall);
        }
        assert_eq!(overall, range.overall);
        for (tool, figures) in &range.tools {
            let mut all = Figures::default();
            let of = days.iter().flat_map(|day| &day.tools).filter(|((key, _), _)| key == tool);
            of.for_each(|(_, figures)| {
                all.merge(&Figures { unknown_tool_calls: 0, ..figures.clone() });
            });
            assert_eq!(all, figures.all);
        }
    }
}
