//! Reading a day's sightings from the store, on several threads.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{NightlyError, PassEvent};
use crate::call::{Day, Name, UnixNanos};
use crate::nightly::gathering::{Gathering, Places, Survey};
use crate::nightly::judge::Terms;
use crate::nightly::names::{NameId, Names};
use crate::nightly::{LOOK_AHEAD, LOOK_BACK, threads};
use crate::store::{Store, StoredSighting};

/// After how many sightings progress is told again.
const TELL_EVERY: u64 = 250_000;

/// A file's day, and the bounds of a piece of it.
type Piece = (Day, UnixNanos, UnixNanos);

/// Reads a day's sightings and those of its margins into `places`, piece by piece of the time.
/// Answers how many there are.
pub(super) fn gather(
    (store, day, terms): (&Store, Day, Terms),
    names: &Mutex<Names>,
    survey: &Survey,
    places: Places<'_, '_>,
    progress: &mut dyn FnMut(PassEvent),
    failed: &(dyn Fn(io::Error) -> NightlyError + Sync),
) -> Result<u64, NightlyError> {
    let (pieces, count) = (Pieces::of(day), AtomicU64::new(0));
    let read = |tell: &mut dyn FnMut(u64)| {
        let mut gathering = Gathering::new(day, terms, survey, places);
        let mut added = 0;
        let name = &mut |name: &Name| lock(names).id(name);
        while let Some((of, from, to)) = pieces.next() {
            let mut visit = |stored: StoredSighting<'_, NameId>| {
                gathering.add(&stored);
                let more = gathering.count() - added;
                if more > 0 {
                    added += more;
                    tell(count.fetch_add(more, Ordering::Relaxed) + more);
                }
            };
            store.read_stored(of, (from, to), name, &mut visit)?;
            store
                .read_attempts(of, (from, to), name, &mut |below| gathering.add_attempt(&below))?;
        }
        gathering.finish().map_err(failed)
    };
    let mut told = 0;
    // This thread alone tells how far they are.
    let mut tell = |sightings| {
        if sightings >= told + TELL_EVERY {
            told = sightings;
            progress(PassEvent::Reading { day, sightings });
        }
    };
    threads::beside(threads::count(), || read(&mut tell), &|| read(&mut |_| {}))?;
    Ok(count.into_inner())
}

fn lock(names: &Mutex<Names>) -> std::sync::MutexGuard<'_, Names> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pieces that are still to be read.
struct Pieces(Mutex<Vec<Piece>>);

impl Pieces {
    /// A day and its margins in pieces of time, a piece of the day for each thread: the file and
    /// the bounds of each. What lies outside of a piece is mostly in batches that are not touched;
    /// but where calls arrive in no order, every piece reads every batch, so there are no more.
    fn of(day: Day) -> Self {
        let per_day = u64::try_from(threads::count()).unwrap_or(1);
        let (start, end) = (day.start().get(), day.end().get());
        let border = |n: u64| UnixNanos::new(start + (end - start) / per_day * n);
        let own = (0..per_day)
            .map(|n| (day, border(n), if n + 1 == per_day { day.end() } else { border(n + 1) }));
        let before = (day.minus(1), day.start().saturating_sub(LOOK_BACK), day.start());
        let after = (day.plus(1), day.end(), day.end().saturating_add(LOOK_AHEAD));
        let all = [before, after].into_iter().chain(own);
        Self(Mutex::new(all.filter(|(of, from, _)| from.day() == *of).collect()))
    }

    fn next(&self) -> Option<Piece> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}
