//! The first line: what got worse, by how much, since when; or that nothing did; or why
//! nothing can be said.

use super::facts::{Facts, Standing};
use super::rate_text::main_reason;
use crate::call::{ClientName, Day, Name, ToolKey};
use crate::figures::format::{counted, plural, points, rate_percent};
use crate::figures::{Change, Direction, Figures, Sentence, ToolFigures};
use crate::report::dates;

/// What the report comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The headline.
    pub headline: Sentence,
    /// A second sentence, where one is needed.
    pub detail: Sentence,
    /// Whether anything got worse.
    pub is_worse: bool,
    /// Whether anything changed beyond the interval.
    pub is_change: bool,
}

/// A tool whose rate can be compared with the period before.
#[derive(Debug, Clone)]
pub struct ComparedTool<'f> {
    /// The tool.
    pub key: &'f ToolKey,
    /// What became of its first-call success.
    pub change: Change,
    /// What became of its confirmed first-call success.
    pub confirmed: Option<Change>,
}

/// All tools that can be compared with the period before, the deepest fall first.
pub fn compared_tools<'f>(facts: &'f Facts<'_>) -> Vec<ComparedTool<'f>> {
    let mut compared: Vec<_> = facts
        .now
        .tools
        .iter()
        .filter_map(|(key, tool)| {
            let before = facts.tool_before(key)?;
            Some(ComparedTool {
                key,
                change: change(&tool.all, before)?,
                confirmed: Change::between(
                    before.confirmed_first_call_success(),
                    tool.all.confirmed_first_call_success(),
                ),
            })
        })
        .collect();
    compared.sort_by(|a, b| {
        a.change.difference().total_cmp(&b.change.difference()).then_with(|| a.key.cmp(b.key))
    });
    compared
}

fn change(now: &Figures, before: &Figures) -> Option<Change> {
    Change::between(before.first_call_success(), now.first_call_success())
}

/// The verdict on the range.
pub fn verdict(facts: &Facts<'_>) -> Verdict {
    match facts.standing {
        Standing::Judged | Standing::FewCalls => compare(facts),
        Standing::NothingReceived
        | Standing::NotYetComputed
        | Standing::RangeNotCovered
        | Standing::NoCalls
        | Standing::NoneJudged => nothing_to_say(facts),
    }
}

fn nothing_to_say(facts: &Facts<'_>) -> Verdict {
    let (headline, detail) = match facts.standing {
        Standing::NotYetComputed => (
            Sentence::words("Not yet computed: calls have arrived, and no day is covered yet."),
            "A call is judged after its day has ended, in the next nightly pass: what came after \
             it is part of the judgement. Today is never covered."
                .to_owned(),
        ),
        Standing::RangeNotCovered => (
            Sentence::words("Not yet computed: no day of this range is covered."),
            facts.dates.as_of.map_or_else(String::new, |day| {
                format!("The last covered day is {}.", dates::long(day))
            }),
        ),
        Standing::NoCalls => (
            Sentence::words("No tool was called."),
            format!(
                "{} covered, without a call.",
                counted(facts.now.covered.len() as u64, "day is", "days are")
            ),
        ),
        Standing::NoneJudged => (
            Sentence::words(format!("Not judged: {}.", main_reason(&facts.now.overall))),
            format!(
                "{} arrived and none could be judged, so there is no rate: neither 0\u{a0}% nor \
                 100\u{a0}%.",
                counted(facts.now.overall.calls, "call", "calls")
            ),
        ),
        Standing::NothingReceived | Standing::FewCalls | Standing::Judged => (
            Sentence::words("Nothing has been received yet."),
            "Point an OTLP exporter at firstcall and call a tool; the first figures follow after \
             the next night."
                .to_owned(),
        ),
    };
    let detail = if detail.is_empty() { Sentence::new() } else { Sentence::words(detail) };
    let detail = match facts.standing {
        Standing::NoneJudged => detail
            .say(" ")
            .name(&Name::cut("firstcall doctor"))
            .say(" tells what is missing, and the lines that add it."),
        _ => detail,
    };
    Verdict { headline, detail, is_worse: false, is_change: false }
}

fn compare(facts: &Facts<'_>) -> Verdict {
    let overall = &facts.now.overall;
    if overall.few_calls() {
        return Verdict {
            headline: Sentence::words(format!(
                "Too few calls for a verdict: {} judged.",
                counted(overall.judged, "call was", "calls were")
            )),
            detail: Sentence::words(
                "From 20 judged calls on there is a rate, and from then on a comparison.",
            ),
            is_worse: false,
            is_change: false,
        };
    }
    let compared = compared_tools(facts);
    let Some(period) = facts.previous_period().filter(|_| !compared.is_empty()) else {
        return without_comparison(facts);
    };
    let of = |direction| {
        compared.iter().filter(move |tool| tool.change.direction() == direction).count() as u64
    };
    let (fell, rose, all) = (of(Direction::Worse), of(Direction::Better), compared.len() as u64);
    let against = dates::range_beside(period.0, period.1, facts.dates.to);
    let headline = match (fell, rose, compared.first(), compared.last()) {
        (1.., _, Some(worst), _) => fall(facts, worst, fell, all),
        (0, 1.., _, Some(best)) => Sentence::words(format!(
            "Nothing got worse; first-call success rose on {rose} of {}: ",
            tools_text(all)
        ))
        .name(&best.key.tool)
        .say(format!(
            "{} from {} to {}.",
            if rose == 1 { " went" } else { " most," },
            rate_percent(best.change.before()),
            rate_percent(best.change.now())
        )),
        _ => Sentence::words(format!(
            "No significant change: first-call success on {} is where it was.",
            if all == 1 {
                "the one comparable tool".to_owned()
            } else {
                format!("all {}", tools_text(all))
            },
        )),
    };
    let cell = if fell == 0 { deepest_cell(facts) } else { None };
    if let Some(cell) = cell {
        return cell_verdict(&cell, &against);
    }
    let detail = match compared.first().filter(|_| fell > 0) {
        Some(worst) => released(facts, worst, fall_detail(worst, &against)),
        None => Sentence::words(format!("Compared with {against}.")),
    };
    Verdict { headline, detail, is_worse: fell > 0, is_change: fell + rose > 0 }
}

/// A client of a tool that fell while no tool fell as a whole.
struct FallenCell<'f> {
    key: &'f ToolKey,
    client: &'f ClientName,
    change: Change,
}

/// With many clients of many tools some cross the line by chance; a fall that the tool itself
/// does not show makes the headline only from this much on: five points.
const SMALLEST_CELL_FALL: f64 = 0.05;

fn deepest_cell<'f>(facts: &'f Facts<'_>) -> Option<FallenCell<'f>> {
    let cells = facts.now.tools.iter().flat_map(|(key, tool)| {
        tool.clients.iter().filter_map(move |(client, packed)| {
            let change = change(&packed.counts(), &facts.cell_before(key, client)?)?;
            Some(FallenCell { key, client, change })
        })
    });
    cells
        .filter(|cell| cell.change.direction() == Direction::Worse)
        .filter(|cell| cell.change.difference() <= -SMALLEST_CELL_FALL)
        .min_by(|a, b| {
            let deeper = a.change.difference().total_cmp(&b.change.difference());
            deeper.then_with(|| (a.key, a.client).cmp(&(b.key, b.client)))
        })
}

fn cell_verdict(cell: &FallenCell<'_>, against: &str) -> Verdict {
    let headline = Sentence::words("First-call success of ")
        .name(&cell.key.tool)
        .say(" fell in ")
        .name(cell.client.name())
        .say(format!(" from {} to ", rate_percent(cell.change.before())))
        .alarm(rate_percent(cell.change.now()))
        .say("; no tool fell as a whole.");
    let detail = format!("Compared with {against}: {}", fall_text(cell.change));
    Verdict { headline, detail: Sentence::words(detail), is_worse: true, is_change: true }
}

fn fall_text(change: Change) -> String {
    let interval = change.interval();
    format!(
        "{} points, 95\u{a0}% {} to {}, over {} and {} before.",
        points(change.difference()),
        points(interval.low),
        points(interval.high),
        counted(change.now().judged(), "judged call", "judged calls"),
        crate::figures::format::count(change.before().judged()),
    )
}

fn without_comparison(facts: &Facts<'_>) -> Verdict {
    let overall = &facts.now.overall;
    let rate = overall.first_call_success().map(rate_percent).unwrap_or_default();
    let tools = facts.now.tools.values().filter(|tool| tool.all.judged > 0).count() as u64;
    let why = if facts.previous_period().is_some() {
        "No tool was judged often enough in both periods to be compared."
    } else {
        "There is no earlier period to compare with yet."
    };
    Verdict {
        headline: Sentence::words(format!(
            "{rate} of calls were right the first time, over {}.",
            tools_text(tools)
        )),
        detail: Sentence::words(why),
        is_worse: false,
        is_change: false,
    }
}

fn tools_text(tools: u64) -> String {
    format!("{tools} {}", plural(tools, "tool", "tools"))
}

fn fall(facts: &Facts<'_>, worst: &ComparedTool<'_>, fell: u64, all: u64) -> Sentence {
    let mut sentence = Sentence::words(format!(
        "First-call success fell on {fell} of {}{} ",
        tools_text(all),
        if fell == 1 { ":" } else { ", most on" }
    ))
    .name(&worst.key.tool)
    .say(format!(
        "{} {} to ",
        if fell == 1 { " went from" } else { ", from" },
        rate_percent(worst.change.before())
    ))
    .alarm(rate_percent(worst.change.now()));
    if let Some(client) = only_client(facts, worst.key) {
        sentence = sentence.say(", in ").name(client.name()).say(" only");
    }
    match since(facts, worst) {
        Some(day) => sentence.say(format!(", since {}.", dates::without_year(day))),
        None => sentence.say("."),
    }
}

/// What was released on the day since which a tool is worse, or on the day before: a coincidence in
/// time, and worth a look.
fn released(facts: &Facts<'_>, worst: &ComparedTool<'_>, detail: Sentence) -> Sentence {
    let mut days = since(facts, worst).into_iter().flat_map(|day| [day, day.minus(1)]);
    let found = days.find_map(|day| Some((day, facts.input.releases.get(&day)?)));
    match found {
        Some((day, name)) => detail
            .say(" On ")
            .say(format!("{} ", dates::without_year(day)))
            .name(name)
            .say(" was released."),
        None => detail,
    }
}

fn fall_detail(worst: &ComparedTool<'_>, against: &str) -> Sentence {
    let detail = format!("Compared with {against}: {}", fall_text(worst.change));
    let detail = Sentence::words(detail);
    match worst.confirmed.map(Change::direction) {
        Some(Direction::Worse) => detail,
        _ => detail.say(
            " Its confirmed first-call success did not fall: the new retries look like loops, \
             pages or parallel calls.",
        ),
    }
}

/// The one client in which a tool fell, where others could be compared and did not fall.
fn only_client<'f>(facts: &'f Facts<'_>, key: &ToolKey) -> Option<&'f ClientName> {
    let tool: &ToolFigures = facts.now.tools.get(key)?;
    let compared: Vec<_> = tool
        .clients
        .iter()
        .filter_map(|(client, packed)| {
            let before = facts.cell_before(key, client)?;
            Some((client, change(&packed.counts(), &before)?.direction()))
        })
        .collect();
    let mut fell = compared.iter().filter(|(_, direction)| *direction == Direction::Worse);
    match (fell.next(), fell.next()) {
        (Some((client, _)), None) if compared.len() > 1 => Some(client),
        _ => None,
    }
}

/// The day since which every day's rate lies below the earlier interval; none where that is
/// the range's first covered day (it may have begun earlier) or the last day is not below.
fn since(facts: &Facts<'_>, tool: &ComparedTool<'_>) -> Option<Day> {
    let low = tool.change.before().interval().low;
    let mut since = None;
    let days = facts.input.lines.tool(tool.key);
    for day in facts.now.covered.iter().rev() {
        match days.get(*day).and_then(|counts| counts.first_call_success()) {
            Some(rate) if rate.fraction() < low => since = Some(*day),
            // A day without a judged call says nothing either way.
            None => {}
            Some(_) => break,
        }
    }
    since.filter(|day| facts.now.covered.first() != Some(day))
}
