//! Tool calls that are on disk already: those that an import which was cut short has left without
//! noting their requests, and those of a time that is looked at again.

use std::collections::HashMap;

use crate::call::{Day, Sighting, SpanId, TraceId, UnixNanos};
use crate::store::{Store, StoreError};

/// The calls, each as often as it is on disk.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<(TraceId, SpanId), u32>);

impl Known {
    /// What `store` received at `since` or later.
    pub(super) fn received_since(store: &Store, since: UnixNanos) -> Result<Self, StoreError> {
        let mut known: HashMap<_, u32> = HashMap::new();
        store.read_received(since, u64::MAX, &mut |sighting| {
            *known.entry((sighting.trace_id, sighting.span_id)).or_default() += 1;
        })?;
        Ok(Self(known))
    }

    /// What `store` has of `day` and of the day before it, on which a call may have begun that a
    /// record of `day` tells of.
    pub(super) fn around(store: &Store, day: Day) -> Result<Self, StoreError> {
        let mut known: HashMap<_, u32> = HashMap::new();
        for day in [day.minus(1), day] {
            store.read_sightings(day, day.start(), day.end(), &mut |sighting| {
                *known.entry((sighting.trace_id, sighting.span_id)).or_default() += 1;
            })?;
        }
        Ok(Self(known))
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the call is on disk; each time that it is there answers once.
    pub(super) fn take(&mut self, sighting: &Sighting) -> bool {
        let key = (sighting.trace_id, sighting.span_id);
        let Some(times) = self.0.get_mut(&key) else { return false };
        *times -= 1;
        if *times == 0 {
            self.0.remove(&key);
        }
        true
    }
}
