//! Which traces of a day hold one sighting alone: most do, and their calls need no folding.
//!
//! All are noted while a day is read, and asked for once it was. Traces are told apart by a hash, so
//! a trace that is alone may look as if it were not; never the other way round. The memory is
//! bounded, and grows with the traces up to that bound.

use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::call::TraceId;

/// How many cells there are at most, as a power of two: 32 MiB of two bits each. Of ten million
/// traces that are alone, one in fourteen shares its cell.
const CELLS_LOG2: u32 = 27;
/// Cells in one word.
const IN_WORD_LOG2: u32 = 5;
/// Words in one page, which is made when its first trace comes.
const IN_PAGE_LOG2: u32 = 9;
const PAGES: usize = 1 << (CELLS_LOG2 - IN_WORD_LOG2 - IN_PAGE_LOG2);

/// The first sighting's bit of a cell, and that of all later ones.
const ONE: u64 = 1;
const MORE: u64 = 2;

/// The traces of a day. Several threads may note and ask at once.
#[derive(Debug)]
pub(super) struct Traces {
    pages: Box<[OnceLock<Page>]>,
}

type Page = Box<[AtomicU64]>;

impl Default for Traces {
    fn default() -> Self {
        Self { pages: (0..PAGES).map(|_| OnceLock::new()).collect() }
    }
}

impl Traces {
    /// Brings the cells of these traces near, all at once: they lie anywhere in memory, and one
    /// after the other each would be waited for. To be done right before many are noted or asked
    /// for.
    pub(super) fn bring_near(&self, traces: impl Iterator<Item = TraceId>) {
        let words = traces.filter_map(|trace| self.cell(trace));
        black_box(words.fold(0, |all, (word, _)| all | word.load(Ordering::Relaxed)));
    }

    /// Notes a sighting of a trace.
    pub(super) fn note(&self, trace: TraceId) {
        let Some((word, shift)) = self.cell(trace) else { return };
        if word.fetch_or(ONE << shift, Ordering::Relaxed) >> shift & ONE != 0 {
            word.fetch_or(MORE << shift, Ordering::Relaxed);
        }
    }

    /// Notes that a trace holds something that its sightings are to be seen beside.
    pub(super) fn note_company(&self, trace: TraceId) {
        if let Some((word, shift)) = self.cell(trace) {
            word.fetch_or((ONE | MORE) << shift, Ordering::Relaxed);
        }
    }

    /// Whether a trace that was noted holds one sighting and nothing else.
    pub(super) fn is_alone(&self, trace: TraceId) -> bool {
        let cell = self.cell(trace);
        cell.is_some_and(|(word, shift)| word.load(Ordering::Relaxed) >> shift & MORE == 0)
    }

    /// A trace's word, and where its cell begins in it.
    fn cell(&self, trace: TraceId) -> Option<(&AtomicU64, u32)> {
        let [a, b] = halves(trace);
        // The product's high bits depend on all of both halves.
        let hash = (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CELLS_LOG2);
        let shift = u32::try_from(hash & ((1 << IN_WORD_LOG2) - 1)).ok()? * 2;
        let word = usize::try_from(hash >> IN_WORD_LOG2).ok()?;
        let page = self.pages.get(word >> IN_PAGE_LOG2)?;
        let page = page.get_or_init(|| (0..1 << IN_PAGE_LOG2).map(|_| AtomicU64::new(0)).collect());
        page.get(word & ((1 << IN_PAGE_LOG2) - 1)).map(|word| (word, shift))
    }
}

fn halves(trace: TraceId) -> [u64; 2] {
    let half = |at: usize| {
        let bytes = trace.as_bytes().get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    [half(0), half(8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(number: u64) -> TraceId {
        TraceId::from_bytes(&[number.to_be_bytes(), [1; 8]].concat()).unwrap()
    }

    #[test]
    fn a_trace_is_alone_until_something_is_beside_it() {
        let traces = Traces::default();
        traces.note(trace(1));
        traces.note(trace(2));
        traces.note(trace(2));
        traces.note_company(trace(3));
        traces.note(trace(3));
        traces.note(trace(4));
        traces.note_company(trace(4));
        let alone = (1..5).filter(|number| traces.is_alone(trace(*number)));
        assert_eq!(alone.collect::<Vec<u64>>(), [1]);
    }

    #[test]
    fn what_came_twice_is_never_alone_and_most_of_the_rest_is() {
        let traces = Traces::default();
        for number in 0..300_000 {
            traces.note(trace(number));
            if number % 10 == 0 {
                traces.note(trace(number));
            }
        }
        let alone = (0..300_000_u64).filter(|n| traces.is_alone(trace(*n)));
        let alone: Vec<u64> = alone.collect();
        assert!(alone.iter().all(|number| number % 10 != 0));
        // 300,000 traces in 134 million cells: one in 447 of the 270,000 is expected to share one.
        assert!(alone.len() > 268_000, "{}", alone.len());
    }
}
