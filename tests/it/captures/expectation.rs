//! What is expected of a capture and what the pass said of it, in one shape.

use std::collections::{BTreeMap, BTreeSet};

use firstcall::figures::{Figures, RangeFigures, SessionCounts};
use serde::Deserialize;

/// An expectation as it is written down. What is not written is expected to be none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// Why the figures are what they are; not compared.
    #[serde(rename = "because")]
    _because: String,
    /// The emitter keeps arguments and answers to itself.
    #[serde(default)]
    pub(super) tells_no_content: bool,
    /// Per client and grade.
    #[serde(default)]
    sessions: BTreeMap<String, BTreeMap<String, u64>>,
    /// Per client.
    #[serde(default)]
    unknown_tool_calls: BTreeMap<String, u64>,
    #[serde(default)]
    duplicates: u64,
    #[serde(default)]
    folded: u64,
    tools: Vec<ExpectedTool>,
}

/// One tool as one client called it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedTool {
    service: String,
    tool: String,
    client: String,
    calls: u64,
    /// All of them, where it is not written.
    judged: Option<u64>,
    #[serde(default)]
    unjudged: BTreeMap<String, u64>,
    /// All ok, where it is not written.
    outcomes: Option<BTreeMap<String, u64>>,
    #[serde(default)]
    ok_low_confidence: u64,
    /// All ok calls, where it is not written.
    emptiness_known: Option<u64>,
    #[serde(default)]
    empty: u64,
    #[serde(default)]
    retries: BTreeMap<String, u64>,
    #[serde(default)]
    repeats: u64,
    #[serde(default)]
    first_call_successes: u64,
}

/// The figures that are compared.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    sessions: BTreeMap<String, BTreeMap<String, u64>>,
    unknown_tool_calls: BTreeMap<String, u64>,
    pub(super) duplicates: u64,
    folded: u64,
    /// Per service, tool and client.
    tools: BTreeMap<(String, String, String), ShownTool>,
}

#[derive(Debug, PartialEq, Eq)]
struct ShownTool {
    calls: u64,
    judged: u64,
    unjudged: BTreeMap<String, u64>,
    outcomes: BTreeMap<String, u64>,
    ok_low_confidence: u64,
    emptiness_known: u64,
    empty: u64,
    retries: BTreeMap<String, u64>,
    confirmed_retries: u64,
    repeats: u64,
    first_call_successes: u64,
}

impl Expected {
    /// As the figures would be shown.
    pub(super) fn shown(&self) -> Shown {
        Shown {
            sessions: self.sessions.clone(),
            unknown_tool_calls: self.unknown_tool_calls.clone(),
            duplicates: self.duplicates,
            folded: self.folded,
            tools: self.tools.iter().map(ExpectedTool::shown).collect(),
        }
    }
}

impl ExpectedTool {
    fn shown(&self) -> ((String, String, String), ShownTool) {
        let ok = || BTreeMap::from([("ok".to_owned(), self.calls)]);
        let outcomes = self.outcomes.clone().unwrap_or_else(ok);
        let look_alikes = ["fan_out", "paging", "sweep"];
        let confirmed =
            self.retries.iter().filter(|(class, _)| !look_alikes.contains(&class.as_str()));
        let shown = ShownTool {
            calls: self.calls,
            judged: self.judged.unwrap_or(self.calls),
            unjudged: self.unjudged.clone(),
            ok_low_confidence: self.ok_low_confidence,
            emptiness_known: self
                .emptiness_known
                .unwrap_or_else(|| outcomes.get("ok").copied().unwrap_or_default()),
            outcomes,
            empty: self.empty,
            confirmed_retries: confirmed.map(|(_, times)| times).sum(),
            retries: self.retries.clone(),
            repeats: self.repeats,
            first_call_successes: self.first_call_successes,
        };
        ((self.service.clone(), self.tool.clone(), self.client.clone()), shown)
    }
}

/// What was counted at least once, per word.
fn counted<W: ToString>(counts: impl Iterator<Item = (W, u64)>) -> BTreeMap<String, u64> {
    counts.filter(|(_, times)| *times > 0).map(|(word, times)| (word.to_string(), times)).collect()
}

impl Shown {
    /// The figures of a range.
    pub(super) fn of(range: &RangeFigures) -> Self {
        let sessions = |counts: &SessionCounts| counted(counts.sessions.iter());
        let unknown = |figures: &Figures| figures.unknown_tool_calls;
        Self {
            sessions: range
                .sessions
                .iter()
                .map(|(client, counts)| (client.to_string(), sessions(counts)))
                .filter(|(_, counts)| !counts.is_empty())
                .collect(),
            unknown_tool_calls: counted(
                range.clients.iter().map(|(client, figures)| (client, unknown(figures))),
            ),
            duplicates: range.quality.duplicates,
            folded: range.quality.folded,
            tools: range
                .tools
                .iter()
                .flat_map(|(key, tool)| {
                    tool.clients.iter().map(|(client, packed)| {
                        let (service, tool) = (key.service.as_str(), key.tool.as_str());
                        let key = (service.to_owned(), tool.to_owned(), client.to_string());
                        (key, ShownTool::of(&packed.figures()))
                    })
                })
                .collect(),
        }
    }
}

impl Shown {
    /// What differs from `expected`, a line each; nothing where they are alike.
    pub(super) fn differences(&self, expected: &Self) -> Vec<String> {
        let (mine, theirs) = (self.lines(), expected.lines());
        let got = mine.difference(&theirs).map(|line| format!("     got {line}"));
        let missed = theirs.difference(&mine).map(|line| format!("expected {line}"));
        got.chain(missed).collect()
    }

    fn lines(&self) -> BTreeSet<String> {
        let Self { sessions, unknown_tool_calls, duplicates, folded, tools } = self;
        let tools = tools.iter().map(|(key, tool)| format!("{key:?} {tool:?}"));
        let rest = [
            format!("sessions {sessions:?}"),
            format!("unknown tool calls {unknown_tool_calls:?}"),
            format!("duplicates {duplicates}, folded {folded}"),
        ];
        tools.chain(rest).collect()
    }
}

impl ShownTool {
    fn of(figures: &Figures) -> Self {
        Self {
            calls: figures.calls,
            judged: figures.judged,
            unjudged: counted(figures.unjudged.iter()),
            outcomes: counted(figures.outcomes.iter()),
            ok_low_confidence: figures.ok_low_confidence,
            emptiness_known: figures.emptiness_known,
            empty: figures.empty,
            retries: counted(figures.retry_classes.iter()),
            confirmed_retries: figures.confirmed_retries(),
            repeats: figures.repeats,
            first_call_successes: figures.first_call_successes,
        }
    }
}
