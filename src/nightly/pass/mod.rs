//! The nightly pass: the days that are due, oldest first, each published whole or not at all
//! (METHOD section 10).
//!
//! A pass may end at any point: the days published stay, the others are due again. It needs no
//! part of `firstcall serve` and may run beside it, in a process of its own.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::call::{Day, UnixNanos};
use crate::clock::Clock;
use crate::figures::DayFigures;
use crate::nightly::by_parts;
use crate::nightly::call::Call;
use crate::nightly::days::{self, DaysError, DaysToRun};
use crate::nightly::declared::Declared;
use crate::nightly::engine::{self, Mismatch};
use crate::nightly::gathering::{Places, Survey};
use crate::nightly::judge::Terms;
use crate::nightly::names::Names;
use crate::nightly::parts::Parts;
use crate::nightly::scratch::Scratch;
use crate::nightly::threads;
use crate::store::{PassLease, Store, StoreError};

mod gather;

/// How many bytes of sightings or calls stay in memory before parts of the day wait on disk.
pub(super) const IN_MEMORY: usize = 32 << 20;
/// Into how many parts a larger day is divided.
pub(super) const PARTS: usize = 512;
/// The folder for waiting parts, within the data folder.
const SCRATCH: &str = "pass.tmp";

/// Why a pass could not run, or not to its end.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NightlyError {
    /// The days asked for cannot be run.
    #[error(transparent)]
    Days(#[from] DaysError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine answered something that its question cannot have.
    #[error("the engine's answer is none that a pass can have")]
    Answer,
    /// The engine's figures contradict each other; they are not published.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// Parts of a large day could not wait on disk.
    #[error("failed to use `{}`", .dir.display())]
    Scratch {
        /// The folder.
        dir: PathBuf,
        /// The cause.
        #[source]
        source: Arc<io::Error>,
    },
}

impl NightlyError {
    /// What a person can do about it.
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            Self::Days(error) => Some(error.help()),
            Self::Store(error) => error.help(),
            Self::Answer | Self::Mismatch(_) => Some(
                "nothing was published; run `firstcall nightly` again, and report it where it stays",
            ),
            Self::Scratch { .. } => Some(
                "a large day needs about twice its sightings' size of free space while it runs",
            ),
        }
    }
}

/// What a pass tells while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassEvent {
    /// It knows its days.
    Begun {
        /// How many there are.
        days: usize,
    },
    /// It reads a day's sightings.
    Reading {
        /// The day.
        day: Day,
        /// How many it has read.
        sightings: u64,
    },
    /// It has read a day's sightings and judges.
    Judging {
        /// The day.
        day: Day,
        /// How many there are, those of the margins among them.
        sightings: u64,
    },
    /// A day is covered.
    Published(DayPassed),
    /// A day's sightings are no longer kept; its figures stay as they are.
    Kept {
        /// The day.
        day: Day,
    },
    /// A day could not be read whole; its figures stay as they are.
    Failed {
        /// The day.
        day: Day,
    },
}

/// A day that a pass covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayPassed {
    /// The day.
    pub day: Day,
    /// Sightings read, those of the margins among them.
    pub sightings: u64,
    /// Calls of the day's tools.
    pub calls: u64,
    /// Judged calls among them.
    pub judged: u64,
    /// Calls that arrived after the day was first covered.
    pub late: u64,
    /// Whether the day had been covered before.
    pub is_again: bool,
}

/// What a pass did.
#[derive(Debug, Clone, Default)]
pub struct PassReport {
    /// The days covered, oldest first.
    pub days: Vec<DayPassed>,
    /// Days whose sightings are no longer kept; their figures stay as they are.
    pub kept: Vec<Day>,
    /// Days that could not be read whole, and why; their figures stay as they are, for wrong
    /// figures are worse than none.
    pub failed: Vec<(Day, StoreError)>,
}

/// Runs a pass over `days` under the usual terms, as [`run_under`] does.
pub fn run(
    store: &Store,
    days: DaysToRun,
    clock: &dyn Clock,
    progress: &mut dyn FnMut(PassEvent),
) -> Result<PassReport, NightlyError> {
    run_under(store, Terms::default(), &Declared::default(), days, clock, progress)
}

/// Runs a pass as [`run`] does, under other terms than the usual and with what the configuration
/// declares of tools; what their servers offer is read from the store.
pub fn run_under(
    store: &Store,
    terms: Terms,
    declared: &Declared,
    days: DaysToRun,
    clock: &dyn Clock,
    progress: &mut dyn FnMut(PassEvent),
) -> Result<PassReport, NightlyError> {
    let now = clock.now();
    if let DaysToRun::Range { from, to } = days {
        days::of_range(from, to, now.day())?;
    }
    let lease = store.begin_pass(now, &format!("process {}", std::process::id()))?;
    // Only now, for a pass before this one may have covered days meanwhile.
    let days = match days {
        DaysToRun::Due => due(store, now.day())?,
        DaysToRun::Range { from, to } => days::of_range(from, to, now.day())?,
    };
    progress(PassEvent::Begun { days: days.len() });
    let pass = Pass { store, terms, declared, lease, clock };
    let mut report = PassReport::default();
    for day in days {
        match pass.cover(day, progress) {
            Ok(passed) => {
                report.days.push(passed);
                progress(PassEvent::Published(passed));
            }
            Err(NightlyError::Store(StoreError::SightingsGone { .. })) => {
                report.kept.push(day);
                progress(PassEvent::Kept { day });
            }
            Err(NightlyError::Store(error)) if is_of_one_file(&error) => {
                report.failed.push((day, error));
                progress(PassEvent::Failed { day });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

/// The days that are due, oldest first.
pub fn due(store: &Store, today: Day) -> Result<Vec<Day>, StoreError> {
    let erased = store.erased_days()?;
    let mut covered = std::collections::BTreeMap::new();
    for of in store.coverage()? {
        // A closed day cannot be judged whole any more: it stays as it is.
        let is_due = !erased.is_closed(of.day) && store.watermark(of.day)? != of.watermark;
        covered.insert(of.day, is_due);
    }
    Ok(days::due(today, &store.sighting_days()?, &covered))
}

/// Whether an error is one of a single file, so that other days can still be covered.
const fn is_of_one_file(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Corrupt { .. } | StoreError::TooNew { .. } | StoreError::NotOurs { .. }
    )
}

struct Pass<'a> {
    store: &'a Store,
    terms: Terms,
    declared: &'a Declared,
    lease: PassLease,
    clock: &'a dyn Clock,
}

impl Pass<'_> {
    fn cover(
        &self,
        day: Day,
        progress: &mut dyn FnMut(PassEvent),
    ) -> Result<DayPassed, NightlyError> {
        let first_covered = self.first_covered(day)?;
        let terms = Terms { first_covered, ..self.terms };
        // Before the sightings: what arrives while they are read makes the day due again.
        let watermark = self.store.watermark(day)?;
        let token = format!("{:x}_{}", self.clock.now().get(), std::process::id());
        let (figures, sightings) =
            figures_of(self.store, self.declared, terms, day, &token, progress)?;
        self.store.publish_day(&self.lease, &figures, self.clock.now(), &watermark)?;
        let sum = |of: fn(&crate::figures::Figures) -> u64| figures.tools.values().map(of).sum();
        Ok(DayPassed {
            day,
            sightings,
            calls: sum(|figures| figures.calls),
            judged: sum(|figures| figures.judged),
            late: figures.quality.late,
            is_again: first_covered.is_some(),
        })
    }

    fn first_covered(&self, day: Day) -> Result<Option<UnixNanos>, StoreError> {
        let covered = self.store.coverage()?;
        Ok(covered.into_iter().find(|covered| covered.day == day).map(|covered| covered.covered_at))
    }
}

/// A day's figures from the store, and how many sightings were read for them. Nothing is
/// published.
fn figures_of(
    store: &Store,
    declared: &Declared,
    terms: Terms,
    day: Day,
    token: &str,
    progress: &mut dyn FnMut(PassEvent),
) -> Result<(DayFigures, u64), NightlyError> {
    if let Some(engine) = store.pass_engine() {
        let question = engine::Question {
            day,
            terms,
            declared: declared.clone().with_offered(store.offered_tools()?),
            scratch: store.dir().join(SCRATCH),
            token,
            slices: None,
        };
        let mut judging = |sightings| progress(PassEvent::Judging { day, sightings });
        return engine::figures(&engine, question, &mut judging);
    }
    let mut count = 0;
    let source = Source { store, declared, folder: SCRATCH };
    let figures = with_calls(source, terms, day, progress, |calls, names, sightings| {
        count = sightings;
        by_parts::figures(terms, day, calls, names)
    })?;
    Ok((figures, count))
}

/// Where a day's calls come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) store: &'a Store,
    /// What the configuration declares of tools.
    pub(super) declared: &'a Declared,
    /// Where parts of a large day wait, one for each that works on a data folder at a time.
    pub(super) folder: &'a str,
}

/// Folds a day's sightings from the store and gives its calls to `work`, with the count of the
/// sightings.
pub(super) fn with_calls<R>(
    Source { store, declared, folder }: Source<'_>,
    terms: Terms,
    day: Day,
    progress: &mut dyn FnMut(PassEvent),
    work: impl FnOnce(Parts<'_, Call>, &Names, u64) -> io::Result<R>,
) -> Result<R, NightlyError> {
    let dir = store.dir().join(folder);
    let failed =
        |source: io::Error| NightlyError::Scratch { dir: dir.clone(), source: Arc::new(source) };
    let scratch = Scratch::at(dir.clone(), IN_MEMORY, PARTS, threads::count()).map_err(failed)?;
    let (by_trace, mut calls) = (Parts::new(&scratch, "sightings"), Parts::new(&scratch, "calls"));
    let declared = declared.clone().with_offered(store.offered_tools()?);
    let names = Mutex::new(Names::declaring(declared));
    let survey = Survey::default();
    let places = Places { by_trace: &by_trace, calls: &calls };
    let sightings =
        gather::gather((store, day, terms), &names, &survey, places, progress, &failed)?;
    survey.part(&mut calls, &by_trace).map_err(failed)?;
    let rounds = survey.rounds();
    drop(survey);
    let names = names.into_inner().unwrap_or_else(PoisonError::into_inner);
    progress(PassEvent::Judging { day, sightings });
    let calls = by_parts::calls(terms, (by_trace, calls), &rounds, &names).map_err(failed)?;
    let result = work(calls, &names, sightings).map_err(failed)?;
    scratch.clear().map_err(failed)?;
    Ok(result)
}

#[cfg(test)]
mod tests;
