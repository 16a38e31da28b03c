//! Traces whose sightings may be one call are not folded by the engine. They are streamed through
//! the same fold as a store in a folder uses, in parts that wait on disk where they are many, and
//! the calls go back as rows.

use std::io;
use std::sync::Arc;

use super::call_row::CallRow;
use super::conduct::Work;
use super::statements::Slice;
use crate::call::{Name, UnixNanos};
use crate::nightly::by_parts;
use crate::nightly::chain::LOOK_AHEAD as LAST;
use crate::nightly::gathered::Gathered;
use crate::nightly::join::By;
use crate::nightly::names::Names;
use crate::nightly::parts::Parts;
use crate::nightly::pass::{IN_MEMORY, NightlyError, PARTS};
use crate::nightly::scratch::Scratch;
use crate::nightly::threads;

/// How many rows go into one insert.
const ROWS: usize = 100_000;

/// What was streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Streamed {
    /// Sightings read.
    pub(super) sightings: u64,
    /// Calls that went back.
    pub(super) calls: u64,
    /// Sightings of what is no call of this day or its margins: labels alone, calls after them.
    pub(super) left_out: u64,
}

/// Folds the shared traces and adds their calls.
pub(super) fn fold(work: &Work<'_>, names: &mut Names) -> Result<Streamed, NightlyError> {
    let dir = work.scratch.clone();
    let failed = |source: io::Error| NightlyError::Scratch {
        dir: work.scratch.clone(),
        source: Arc::new(source),
    };
    let scratch = Scratch::at(dir, IN_MEMORY, PARTS, threads::count()).map_err(failed)?;
    let gathered: Parts<'_, Gathered> = Parts::new(&scratch, "sightings");
    let (mut adder, mut broken) = (gathered.adder(), None);
    let mut streamed = Streamed::default();
    let condition = work.statements.text(
        "{near}
            AND trace_id IN (SELECT trace FROM pass_traces WHERE is_shared)",
        Slice { number: 0, of: 1 },
    );
    work.engine.sightings(&condition, &mut |name: &Name| names.id(name), &mut |stored| {
        streamed.sightings += 1;
        let added = adder.add(by_parts::of_trace(stored.trace_id), &stored);
        broken = broken.take().or(added.err());
    })?;
    work.engine.attempts(&condition, &mut |name: &Name| names.id(name), &mut |attempt| {
        let key = by_parts::of_trace(attempt.trace_id);
        broken = broken.take().or(adder.add(key, &attempt).err());
    })?;
    broken.map_or(Ok(()), Err).and_then(|()| adder.finish()).map_err(failed)?;
    let places = (gathered, Parts::new(&scratch, "calls"));
    let calls = by_parts::calls(work.terms, places, &By::BOTH, names).map_err(failed)?;
    let last: UnixNanos = work.day.end().saturating_add(LAST);
    let mut rows = Vec::new();
    for part in calls.into_parts() {
        for call in part.load().map_err(failed)? {
            if call.is_label || call.start > last {
                streamed.left_out += u64::from(call.sightings);
                continue;
            }
            streamed.calls += 1;
            rows.push(CallRow::of(&call, names));
            if rows.len() >= ROWS {
                work.add(&mut rows)?;
            }
        }
    }
    work.add(&mut rows)?;
    scratch.clear().map_err(failed)?;
    Ok(streamed)
}
