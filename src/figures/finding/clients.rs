//! Findings about one client that fares worse with a tool than the others do.

use super::{Finding, FindingRule, Severity, Subject};
use crate::call::ClientName;
use crate::figures::format::{count, counted, rate_percent};
use crate::figures::rate::Rate;
use crate::figures::sentence::Sentence;
use crate::figures::tool_client::Figures;

/// The smallest difference that is spoken of, in fractions: models differ by a few points, and
/// nobody rewrites a description for them.
const SMALLEST_SPLIT: f64 = 0.1;
/// The difference from which it is worth an hour.
const WIDE_SPLIT: f64 = 0.2;

/// One client's rate and that of the others together.
#[derive(Clone, Copy)]
struct Split {
    mine: Rate,
    others: Rate,
}

impl Split {
    /// The split of a rate between one client and the others; none where either side stands on
    /// few calls.
    fn of(all: &Figures, client: &Figures, hits: fn(&Figures) -> u64) -> Option<Self> {
        let judged = all.judged.checked_sub(client.judged)?;
        let others = Rate::of(hits(all).checked_sub(hits(client))?, judged)?;
        let mine = Rate::of(hits(client), client.judged)?;
        (!mine.is_few() && !others.is_few()).then_some(Self { mine, others })
    }

    /// By how much the client's rate is lower, as a fraction; none where chance could have made
    /// it. Disjoint 95 % intervals ask for more than one test at 95 % would, for every client of
    /// every tool is tried.
    fn shortfall(self) -> Option<f64> {
        let shortfall = self.others.fraction() - self.mine.fraction();
        let is_beyond_chance = self.mine.interval().high < self.others.interval().low;
        (is_beyond_chance && shortfall >= SMALLEST_SPLIT).then_some(shortfall)
    }
}

/// The client that fares worst, where look-alikes do not explain it: some clients call in
/// parallel, and that is no matter of words.
pub(super) fn split(subject: &Subject<'_>) -> Option<Finding> {
    let all = subject.figures();
    if !subject.is_widespread() {
        return None;
    }
    let split_of = |client, figures: &Figures| -> Option<(&ClientName, Split, Split, f64)> {
        let plain = Split::of(all, figures, |figures| figures.first_call_successes)?;
        let confirmed = Split::of(all, figures, |figures| figures.confirmed_first_call_successes)?;
        plain.shortfall()?;
        Some((client, plain, confirmed, confirmed.shortfall()?))
    };
    let clients = subject.tool.clients.iter();
    let splits = clients.filter_map(|(client, packed)| split_of(client, &packed.counts()));
    let (client, plain, confirmed, shortfall) = splits.max_by(|a, b| a.3.total_cmp(&b.3))?;
    let sentence =
        Sentence::new().name(client.name()).say(" gets ").name(&subject.key.tool).say(format!(
            " right the first time in {} of {}, the other clients in {} of {}; once look-alikes \
             are set aside, {} and {}.",
            rate_percent(plain.mine),
            counted(plain.mine.judged(), "judged call", "judged calls"),
            rate_percent(plain.others),
            count(plain.others.judged()),
            rate_percent(confirmed.mine),
            rate_percent(confirmed.others),
        ));
    let advice = Sentence::words(
        "Compare what this client is shown of the tool, and its version, with the others.",
    );
    let severity = if shortfall >= WIDE_SPLIT { Severity::Medium } else { Severity::Note };
    let judged = plain.mine.judged();
    let mut finding =
        subject.finding(severity, FindingRule::ClientSplit, judged, [sentence, advice]);
    finding.client = Some(client.clone());
    Some(finding)
}
