//! Figures packed small: a report over thousands of tools by hundreds of clients holds hundreds
//! of thousands of them at once.
//!
//! Most counts of most cells are zero or small, so they are kept as variable-length integers
//! with runs of zeros told once; a histogram as the distances between the buckets that hold
//! anything. A packed cell of a few dozen calls takes some 100 bytes, unpacked over a thousand.

use std::collections::BTreeMap;

use super::counts::{Counts, Word};
use super::histogram::Histogram;
use super::recovery::RecoveryFigures;
use super::tool_client::{Figures, RewordedCount};
use crate::call::Name;

/// Figures that take little room; [`PackedFigures::figures`] gives them back exactly.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackedFigures {
    bytes: Box<[u8]>,
    reworded: Box<[(Name, RewordedCount)]>,
    /// None where nothing was counted.
    recovery: Option<Box<RecoveryFigures>>,
}

impl From<&Figures> for PackedFigures {
    fn from(figures: &Figures) -> Self {
        let mut bytes = Bytes::default();
        numbers(figures).for_each(|number| bytes.put(number));
        bytes.end_zeros();
        for histogram in [&figures.latency, &figures.result_sizes] {
            bytes.put_histogram(histogram);
        }
        let reworded = figures.reworded.iter().map(|(name, count)| (name.clone(), *count));
        let recovery = &figures.recovery;
        Self {
            bytes: bytes.out.into_boxed_slice(),
            reworded: reworded.collect(),
            recovery: (!recovery.is_nothing()).then(|| Box::new(recovery.clone())),
        }
    }
}

impl PackedFigures {
    /// The counts alone, as [`PackedFigures::counts`] gives them back.
    pub fn of_counts(figures: &Figures) -> Self {
        let mut bytes = Bytes::default();
        numbers(figures).for_each(|number| bytes.put(number));
        bytes.end_zeros();
        Self { bytes: bytes.out.into_boxed_slice(), ..Self::default() }
    }

    /// The figures themselves.
    pub fn figures(&self) -> Figures {
        let mut reader = Reader { bytes: &self.bytes, zeros: 0 };
        let mut figures = counts_of(&mut reader);
        figures.latency = reader.histogram();
        figures.result_sizes = reader.histogram();
        figures.reworded = self.reworded.iter().cloned().collect();
        figures.recovery = self.recovery.as_deref().cloned().unwrap_or_default();
        figures
    }

    /// The counts alone, without histograms, parameters and recovery: enough for rates, and
    /// quick, for nothing is allocated.
    pub fn counts(&self) -> Figures {
        counts_of(&mut Reader { bytes: &self.bytes, zeros: 0 })
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Figures) {
        let mut sum = self.figures();
        sum.merge(other);
        *self = Self::from(&sum);
    }
}

/// Every number that stands before the histograms.
fn numbers(figures: &Figures) -> impl Iterator<Item = u64> {
    // Every field is named, so that a new figure cannot be forgotten here.
    let Figures {
        calls,
        sessions,
        grades,
        judged,
        unjudged,
        outcomes,
        ok_low_confidence,
        sampled,
        unknown_tool_calls,
        empty,
        emptiness_known,
        empty_accepted,
        empty_reworded,
        retried,
        retry_classes,
        unclassified,
        repeats,
        first_call_successes,
        confirmed_first_call_successes,
        retry_chains,
        usable_chains,
        extra_attempts,
        abandoned_chains,
        last_words,
        last_word_failed,
        latency: _,
        result_sizes: _,
        result_bytes,
        reworded: _,
        reworded_known,
        recovery: _,
    } = figures;
    // What most cells have comes first, so that the zeros stand together.
    let common = [
        *calls,
        *judged,
        *first_call_successes,
        *confirmed_first_call_successes,
        *retried,
        *emptiness_known,
        *sessions,
        *last_words,
        *result_bytes,
        *repeats,
        *retry_chains,
        *usable_chains,
        *extra_attempts,
        *reworded_known,
        *empty,
        *empty_reworded,
        *empty_accepted,
        *last_word_failed,
        *abandoned_chains,
        *unclassified,
        *ok_low_confidence,
        *sampled,
        *unknown_tool_calls,
    ];
    let classes = words(retry_classes).chain(words(unjudged));
    common.into_iter().chain(words(outcomes)).chain(words(grades)).chain(classes)
}

fn words<W: Word>(counts: &Counts<W>) -> impl Iterator<Item = u64> {
    counts.iter().map(|(_word, times)| times)
}

/// The figures of as many numbers as [`numbers`] gives.
fn counts_of(reader: &mut Reader<'_>) -> Figures {
    let mut next = || reader.number();
    // Fields are evaluated in the order in which they stand here: the order of the numbers.
    Figures {
        calls: next(),
        judged: next(),
        first_call_successes: next(),
        confirmed_first_call_successes: next(),
        retried: next(),
        emptiness_known: next(),
        sessions: next(),
        last_words: next(),
        result_bytes: next(),
        repeats: next(),
        retry_chains: next(),
        usable_chains: next(),
        extra_attempts: next(),
        reworded_known: next(),
        empty: next(),
        empty_reworded: next(),
        empty_accepted: next(),
        last_word_failed: next(),
        abandoned_chains: next(),
        unclassified: next(),
        ok_low_confidence: next(),
        sampled: next(),
        unknown_tool_calls: next(),
        outcomes: counted(&mut next),
        grades: counted(&mut next),
        retry_classes: counted(&mut next),
        unjudged: counted(&mut next),
        latency: Histogram::default(),
        result_sizes: Histogram::default(),
        reworded: BTreeMap::new(),
        recovery: RecoveryFigures::default(),
    }
}

fn counted<W: Word>(next: &mut impl FnMut() -> u64) -> Counts<W> {
    let mut counts = Counts::default();
    for word in W::VALUES {
        counts.add(*word, next());
    }
    counts
}

/// Numbers as they are packed: seven bits a byte, lowest first; a zero followed by how many zeros
/// there are.
#[derive(Default)]
struct Bytes {
    out: Vec<u8>,
    zeros: u64,
}

impl Bytes {
    fn put(&mut self, number: u64) {
        if number == 0 {
            self.zeros += 1;
            return;
        }
        self.end_zeros();
        self.put_plain(number);
    }

    fn end_zeros(&mut self) {
        if self.zeros > 0 {
            let zeros = std::mem::take(&mut self.zeros);
            self.put_plain(0);
            self.put_plain(zeros);
        }
    }

    fn put_plain(&mut self, mut number: u64) {
        loop {
            let [low, ..] = (number & 0x7f).to_le_bytes();
            number >>= 7;
            if number == 0 {
                return self.out.push(low);
            }
            self.out.push(low | 0x80);
        }
    }

    /// The zeros, how many buckets follow, and each one's distance from the one before with its
    /// count.
    fn put_histogram(&mut self, histogram: &Histogram) {
        self.put_plain(histogram.zeros());
        self.put_plain(histogram.buckets().count() as u64);
        let mut before = 0_i32;
        for (bucket, times) in histogram.buckets() {
            let distance = bucket.wrapping_sub(before);
            before = bucket;
            // Only the first may lie below the one before, which is none.
            self.put_plain(u64::from(((distance << 1) ^ (distance >> 31)).cast_unsigned()));
            self.put_plain(times);
        }
    }
}

/// Reads what [`Bytes`] wrote, and nothing else ever: what is missing reads as zero.
struct Reader<'b> {
    bytes: &'b [u8],
    zeros: u64,
}

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        if self.zeros == 0 {
            match self.plain() {
                0 => self.zeros = self.plain(),
                number => return number,
            }
        }
        self.zeros = self.zeros.saturating_sub(1);
        0
    }

    fn plain(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift = (shift + 7).min(63);
            if *byte < 0x80 {
                break;
            }
        }
        number
    }

    fn histogram(&mut self) -> Histogram {
        let mut histogram = Histogram::default();
        histogram.add_zeros(self.plain());
        let mut bucket = 0_i32;
        for _ in 0..self.plain() {
            let folded = u32::try_from(self.plain()).unwrap_or_default();
            bucket =
                bucket.wrapping_add((folded >> 1).cast_signed() ^ -((folded & 1).cast_signed()));
            histogram.add(bucket, self.plain());
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::figures::arbitrary;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(figures in arbitrary::figures()) {
            prop_assert_eq!(PackedFigures::from(&figures).figures(), figures);
        }

        #[test]
        fn counts_are_the_figures_without_what_weighs(figures in arbitrary::figures()) {
            let counts = Figures {
                latency: Histogram::default(),
                result_sizes: Histogram::default(),
                reworded: BTreeMap::new(),
                recovery: RecoveryFigures::default(),
                ..figures.clone()
            };
            prop_assert_eq!(&PackedFigures::from(&figures).counts(), &counts);
            prop_assert_eq!(PackedFigures::of_counts(&figures).figures(), counts);
        }
    }

    #[test]
    fn merging_packed_figures_is_merging_figures() {
        let mut one = Figures { calls: 3, judged: 2, ..Figures::default() };
        for value in [5, 7, 900] {
            one.latency.record(value);
        }
        let mut two = Figures { calls: 400, retried: 1, ..Figures::default() };
        for value in [0, 7, 1 << 40] {
            two.latency.record(value);
        }
        let mut packed = PackedFigures::from(&one);
        packed.merge(&two);
        one.merge(&two);
        assert_eq!(packed.figures(), one);
        assert_eq!(PackedFigures::default().figures(), Figures::default());
    }

    #[test]
    fn few_calls_take_little_room() {
        let mut figures = Figures { calls: 24, judged: 24, ..Figures::default() };
        figures.first_call_successes = 22;
        for call in 0..24 {
            figures.latency.record(90_000_000 + call * 9_000_000);
        }
        // 47 numbers, most of them zero, and 24 calls in some twenty buckets of two bytes or three.
        let packed = PackedFigures::from(&figures);
        assert!(packed.bytes.len() < 90, "{}", packed.bytes.len());
    }
}
