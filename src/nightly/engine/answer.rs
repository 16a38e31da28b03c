//! What the engine counted becomes a day's figures.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::call::{ClientName, Day, Name, ToolKey};
use crate::figures::counts::Word;
use crate::figures::histogram::bucket_of;
use crate::figures::{
    Counts, DayFigures, Figures, Histogram, PairKey, QualityCounts, RewordedCount, SessionCounts,
    UnjudgedReason,
};

/// The questions to ask of a slice, and what takes each answer's rows in. A row is refused where it
/// is none that the question can have.
pub(super) const QUESTIONS: [(&str, Take); 12] = [
    (include_str!("figures/calls.sql"), take_calls),
    (include_str!("figures/sessions_of_tools.sql"), take_sessions_of_tools),
    (include_str!("figures/judged.sql"), take_judged),
    (include_str!("figures/chains.sql"), take_chains),
    (include_str!("figures/reworded.sql"), take_reworded),
    (include_str!("figures/kinds.sql"), take_kinds),
    (include_str!("figures/histograms.sql"), take_histograms),
    (include_str!("figures/last_words.sql"), take_last_words),
    (include_str!("figures/pairs.sql"), take_pairs),
    (include_str!("figures/sessions.sql"), take_sessions),
    (include_str!("figures/unknown_tools.sql"), take_unknown_tools),
    (include_str!("figures/quality.sql"), take_quality),
];

/// Takes one row in.
pub(super) type Take = fn(&mut DayFigures, &mut Cells) -> Option<()>;

/// A day's figures with nothing counted.
pub(super) const fn nothing(day: Day) -> DayFigures {
    DayFigures {
        day,
        tools: BTreeMap::new(),
        unknown_tool_calls: BTreeMap::new(),
        pairs: BTreeMap::new(),
        sessions: BTreeMap::new(),
        quality: QualityCounts {
            sightings: 0,
            duplicates: 0,
            folded: 0,
            late: 0,
            sampled: 0,
            unnamed: 0,
        },
    }
}

/// The values of one row, read from left to right.
#[derive(Debug)]
pub(super) struct Cells(std::vec::IntoIter<Value>);

impl Cells {
    /// The values of `row`.
    pub(super) fn of(row: Vec<Value>) -> Self {
        Self(row.into_iter())
    }

    /// A number.
    pub(super) fn number(&mut self) -> Option<u64> {
        self.0.next()?.as_u64()
    }

    /// As many numbers as are wanted.
    fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let Value::Array(values) = self.0.next()? else { return None };
        let numbers: Option<Vec<u64>> = values.iter().map(Value::as_u64).collect();
        let numbers = numbers?;
        // A sum over no rows has no elements.
        if numbers.is_empty() { Some([0; N]) } else { numbers.try_into().ok() }
    }

    /// Counts in the order of their words.
    fn counts<W: Word, const N: usize>(&mut self) -> Option<Counts<W>> {
        let mut counts = Counts::default();
        for (word, times) in W::VALUES.iter().zip(self.numbers::<N>()?) {
            counts.add(*word, times);
        }
        Some(counts)
    }

    /// A name.
    pub(super) fn name(&mut self) -> Option<Name> {
        self.0.next()?.as_str().and_then(Name::exact)
    }

    fn tool(&mut self) -> Option<ToolKey> {
        Some(ToolKey { service: self.name()?, tool: self.name()? })
    }

    fn client(&mut self) -> Option<ClientName> {
        self.name().map(ClientName::new)
    }
}

/// The figures of the tool and client that a row begins with.
fn figures<'f>(day: &'f mut DayFigures, row: &mut Cells) -> Option<&'f mut Figures> {
    let key = (row.tool()?, row.client()?);
    Some(day.tools.entry(key).or_default())
}

fn take_calls(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let figures = figures(day, row)?;
    figures.calls += row.number()?;
    let [sampled, low, known, empty, no_time, no_session] = row.numbers()?;
    figures.sampled += sampled;
    figures.ok_low_confidence += low;
    figures.emptiness_known += known;
    figures.empty += empty;
    figures.unjudged.add(UnjudgedReason::NoTime, no_time);
    figures.unjudged.add(UnjudgedReason::NoSession, no_session);
    figures.grades.merge(&row.counts::<_, 5>()?);
    figures.outcomes.merge(&row.counts::<_, 8>()?);
    figures.result_bytes = figures.result_bytes.saturating_add(row.number()?);
    Some(())
}

fn take_sessions_of_tools(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let figures = figures(day, row)?;
    figures.sessions += row.number()?;
    Some(())
}

fn take_judged(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let figures = figures(day, row)?;
    let counts: [u64; 11] = row.numbers()?;
    let [judged, no_args, unknown, retried, untested, repeats, successes, confirmed, ..] = counts;
    let [.., accepted, reworded, reworded_known] = counts;
    figures.judged += judged;
    figures.unjudged.add(UnjudgedReason::NoArgsHash, no_args);
    figures.unjudged.add(UnjudgedReason::UnknownComparison, unknown);
    figures.retried += retried;
    figures.unclassified += untested;
    figures.repeats += repeats;
    figures.first_call_successes += successes;
    figures.confirmed_first_call_successes += confirmed;
    figures.empty_accepted += accepted;
    figures.empty_reworded += reworded;
    figures.reworded_known += reworded_known;
    figures.retry_classes.merge(&row.counts::<_, 7>()?);
    Some(())
}

fn take_chains(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let figures = figures(day, row)?;
    let (chains, usable) = (row.number()?, row.number()?);
    figures.retry_chains += chains;
    figures.usable_chains += usable;
    figures.abandoned_chains += chains.checked_sub(usable)?;
    figures.extra_attempts += row.number()?;
    Some(())
}

fn take_reworded(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let figures = figures(day, row)?;
    let count = figures.reworded.entry(row.name()?).or_default();
    count.retries += row.number()?;
    count.sessions += row.number()?;
    Some(())
}

fn take_kinds(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let recovery = &mut figures(day, row)?.recovery;
    recovery.kind_known += row.number()?;
    recovery.writes += row.number()?;
    Some(())
}

fn take_histograms(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let figures = figures(day, row)?;
    let is_size = row.number()? == 1;
    let of: &mut Histogram = if is_size { &mut figures.result_sizes } else { &mut figures.latency };
    let (least, times) = (row.number()?, row.number()?);
    match bucket_of(least) {
        Some(bucket) => of.add(bucket, times),
        None => of.add_zeros(times),
    }
    Some(())
}

fn take_last_words(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let figures = figures(day, row)?;
    figures.last_words += row.number()?;
    figures.last_word_failed += row.number()?;
    Some(())
}

fn take_pairs(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let pair = PairKey { first: row.tool()?, next: row.tool()? };
    *day.pairs.entry(pair).or_default() += row.number()?;
    Some(())
}

fn take_sessions(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let counts = day.sessions.entry(row.client()?).or_default();
    let sessions = row.counts::<_, 5>()?;
    counts.merge(&SessionCounts { sessions, single_call: row.number()?, shared: row.number()? });
    Some(())
}

fn take_unknown_tools(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    let calls = day.unknown_tool_calls.entry(row.client()?).or_default();
    *calls += row.number()?;
    Some(())
}

fn take_quality(day: &mut DayFigures, row: &mut Cells) -> Option<()> {
    day.quality.merge(&QualityCounts {
        sightings: row.number()?,
        duplicates: row.number()?,
        folded: row.number()?,
        late: row.number()?,
        sampled: row.number()?,
        unnamed: row.number()?,
    });
    Some(())
}

/// Of every tool and client keeps the first parameters in byte order, as the fold by parts does, and
/// of those the ones that were reworded at all.
pub(super) fn settle_reworded(figures: &mut Figures, most: usize) {
    let all: BTreeMap<Name, RewordedCount> = std::mem::take(&mut figures.reworded);
    let first = all.into_iter().take(most);
    figures.reworded = first.filter(|(_, count)| count.retries > 0).collect();
}
