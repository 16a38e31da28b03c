//! A part that is too large for memory is divided again, item by item: a giant session's calls into
//! slices of time, everything else into smaller parts.

use std::collections::BTreeMap;
use std::io;

use super::call::Call;
use super::part::Part;
use super::parts::{Parts, spread};
use super::scratch::Scratch;
use super::stretch::Stretch;
use crate::call::{CallDuration, UnixNanos};

/// Into how many pieces of time a giant's calls are counted, to find its slices.
const BINS: usize = 4096;
/// A slice is not much shorter than what it is judged beside.
const SHORTEST: CallDuration = CallDuration::from_secs(20 * 60);

/// What a large part was divided into.
#[derive(Debug, Default)]
pub(super) struct Divided {
    /// Parts of whole keys.
    pub(super) parts: Vec<Part<Call>>,
    /// The keys that are too large themselves.
    pub(super) giants: Vec<Giant>,
}

/// The calls of one session key that has too many for memory.
#[derive(Debug)]
pub(super) struct Giant {
    /// In order of time; together they are all of time.
    pub(super) slices: Vec<Slice>,
}

/// The calls of a giant that start within one stretch of time.
#[derive(Debug)]
pub(super) struct Slice {
    pub(super) own: Stretch,
    pub(super) calls: Part<Call>,
}

/// What is known of one key.
#[derive(Debug, Clone, Copy)]
struct Extent {
    bytes: usize,
    first: u64,
    last: u64,
}

/// Divides `part` into pieces of at most about `largest` bytes.
pub(super) fn divide(part: &Part<Call>, scratch: &Scratch, largest: usize) -> io::Result<Divided> {
    let mut keys: BTreeMap<u64, Extent> = BTreeMap::new();
    part.each_waiting(|item| {
        let (bytes, rank) = (item.bytes.len(), item.rank);
        let of_key = keys.entry(item.key).or_insert(Extent { bytes: 0, first: rank, last: rank });
        of_key.bytes += bytes;
        of_key.first = of_key.first.min(rank);
        of_key.last = of_key.last.max(rank);
        Ok(())
    })?;
    let rest: usize = keys.values().map(|of_key| of_key.bytes).filter(|b| *b <= largest).sum();
    keys.retain(|_, of_key| of_key.bytes > largest);
    let borders = borders(part, &keys, largest)?;
    let small = scratch.of_parts(rest.div_ceil(largest.div_ceil(2).max(1)));
    let places: Vec<Scratch> =
        borders.values().map(|borders| scratch.of_parts(borders.len() + 1)).collect();
    let rest = Parts::new(&small, "part");
    let giants: Vec<Parts<'_, Call>> =
        places.iter().map(|place| Parts::new(place, "slice")).collect();
    {
        let mut to_rest = rest.adder();
        let mut to_giant: BTreeMap<u64, _> = borders
            .iter()
            .zip(&giants)
            .map(|((key, borders), parts)| (*key, (borders, parts.adder())))
            .collect();
        part.each_waiting(|item| {
            if let Some((borders, adder)) = to_giant.get_mut(&item.key) {
                let slice = borders.partition_point(|border| *border <= item.rank);
                return adder.add_waiting(slice, &item);
            }
            // Spread again, for the first time chose this part.
            let place = usize::try_from(spread(spread(item.key))).unwrap_or(0) % small.parts();
            to_rest.add_waiting(place, &item)
        })?;
        to_rest.finish()?;
        to_giant.into_values().try_for_each(|(_, adder)| adder.finish())?;
    }
    let giants = giants.into_iter().zip(borders.into_values());
    let giants = giants.map(|(parts, borders)| Giant::new(parts, &borders)).collect();
    Ok(Divided { parts: rest.into_parts(), giants })
}

/// Where each giant's slices meet, in order.
fn borders(
    part: &Part<Call>,
    giants: &BTreeMap<u64, Extent>,
    largest: usize,
) -> io::Result<BTreeMap<u64, Vec<u64>>> {
    let mut bins: BTreeMap<u64, Vec<usize>> =
        giants.keys().map(|key| (*key, vec![0; BINS])).collect();
    if giants.is_empty() {
        return Ok(BTreeMap::new());
    }
    part.each_waiting(|item| {
        if let Some((of_key, bins)) = giants.get(&item.key).zip(bins.get_mut(&item.key)) {
            let bin = usize::try_from((item.rank - of_key.first) / of_key.width()).unwrap_or(0);
            if let Some(bytes) = bins.get_mut(bin) {
                *bytes += item.bytes.len();
            }
        }
        Ok(())
    })?;
    let all = giants.iter().zip(bins.into_values());
    Ok(all.map(|((key, of_key), bins)| (*key, of_key.borders(&bins, largest))).collect())
}

impl Extent {
    /// How long one bin is.
    fn width(&self) -> u64 {
        (self.last - self.first) / u64::try_from(BINS).unwrap_or(1) + 1
    }

    fn borders(&self, bins: &[usize], largest: usize) -> Vec<u64> {
        let (mut borders, mut begin, mut sum) = (Vec::new(), self.first, 0);
        for (number, bytes) in (0..).zip(bins) {
            let at = self.first + self.width() * number;
            let is_long = at - begin >= SHORTEST.as_nanos();
            let is_full = sum + bytes > largest && (is_long || sum + bytes > 2 * largest);
            if is_full && sum > 0 {
                borders.push(at);
                (begin, sum) = (at, 0);
            }
            sum += bytes;
        }
        borders
    }
}

impl Giant {
    fn new(parts: Parts<'_, Call>, borders: &[u64]) -> Self {
        let starts = std::iter::once(0).chain(borders.iter().copied());
        let ends = borders.iter().copied().chain([u64::MAX]);
        let own = starts.zip(ends).map(|(from, until)| Stretch {
            from: UnixNanos::new(from),
            until: UnixNanos::new(until),
        });
        let slices = own.zip(parts.into_parts());
        Self { slices: slices.map(|(own, calls)| Slice { own, calls }).collect() }
    }
}
