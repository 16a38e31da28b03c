//! Findings: what the figures of a range call for, as sentences with something to do.
//!
//! Pure functions over figures. Each finding names a tool and a figure and stands on enough
//! calls; a share that a single busy session could make is no finding, and neither is a trend
//! alone. What a model puts right by itself is normal: only an elevated share of it counts.

mod answers;
mod clients;
mod first_call;
mod offered;
mod quality;
mod recovery;
mod shape;

use super::counts::word;
use super::range::{RangeFigures, ToolFigures};
use super::rate::{FEW_CALLS, Rate};
use super::sentence::Sentence;
use super::tool_client::Figures;
use crate::call::outcome::words;
use crate::call::{ClientName, ToolKey};

pub use first_call::{SESSIONS_TO_NAME, nameable, top_parameter};
pub use offered::never_called;

words! {
    /// How much a finding matters.
    Severity {
        /// Something is broken for the models that use the tool.
        High = "high",
        /// Worth an hour this week.
        Medium = "medium",
        /// Worth knowing.
        Note = "note",
    }
}

words! {
    /// What made a finding.
    FindingRule {
        /// First-call success fell against the period before, beyond the interval.
        FirstCallFell = "first_call_fell",
        /// First-call success is below 70 %.
        LowFirstCall = "low_first_call",
        /// Models needed extra attempts before a usable answer.
        ExtraAttempts = "extra_attempts",
        /// Good answers were asked for again in other words.
        GreenRetries = "green_retries",
        /// Arguments are refused and then put right.
        BadArguments = "bad_arguments",
        /// Calls fail otherwise.
        Failures = "failures",
        /// Answers hold nothing.
        EmptyAnswers = "empty_answers",
        /// The session's last call failed or was empty.
        LastWord = "last_word",
        /// The tool is slower than the window.
        SlowTool = "slow_tool",
        /// The tool is called in loops.
        Sweeps = "sweeps",
        /// Answers come in pages that are too small for what is asked.
        SmallPages = "small_pages",
        /// One client fares worse with the tool than the others do.
        ClientSplit = "client_split",
        /// One tool nearly always follows the other.
        AlwaysFollows = "always_follows",
        /// The tool is offered, and nothing calls it.
        NeverCalled = "never_called",
        /// Sessions that are not real, so that retries cannot be seen.
        FragmentedSessions = "fragmented_sessions",
        /// Session keys that several conversations share.
        SharedSessions = "shared_sessions",
        /// Calls without an args_hash.
        HashesMissing = "hashes_missing",
        /// Answers of which nobody knows whether they were empty.
        EmptinessMissing = "emptiness_missing",
        /// A write was sent again before anyone asked what had become of it.
        UnsafeReplays = "unsafe_replays",
        /// Writes without a key were done twice.
        DoubleWrites = "double_writes",
        /// Writes whose outcome stays unknown.
        UnknownOpen = "unknown_open",
        /// Idempotency keys that come with other arguments.
        KeyConflicts = "key_conflicts",
        /// Timed-out calls whose status nobody asked for.
        UncheckedTimeouts = "unchecked_timeouts",
        /// A status tool that nobody calls.
        UnusedStatusTool = "unused_status_tool",
        /// Retries that multiply across layers.
        Amplification = "amplification",
        /// A time budget that is spent waiting in a queue.
        QueueBudget = "queue_budget",
    }
}
word!(Severity, FindingRule);

impl FindingRule {
    /// Whether it is about recovery of uncertain calls (METHOD section 11).
    pub const fn is_about_recovery(self) -> bool {
        matches!(
            self,
            Self::UnsafeReplays
                | Self::DoubleWrites
                | Self::UnknownOpen
                | Self::KeyConflicts
                | Self::UncheckedTimeouts
                | Self::UnusedStatusTool
                | Self::Amplification
                | Self::QueueBudget
        )
    }
}

/// Something that the figures call for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What made it.
    pub rule: FindingRule,
    /// The tool that it is about.
    pub tool: ToolKey,
    /// The client that it is about, where only one is.
    pub client: Option<ClientName>,
    /// How many calls, sessions or chains it rests on.
    pub count: u64,
    /// What was found: its figure, the count that it rests on, and what explains it.
    pub sentence: Sentence,
    /// What to do about it, in one sentence.
    pub advice: Sentence,
}

/// Fewer sessions than this, each counted once per day, show no struggle with a tool: a busy
/// session alone can make any share.
const SESSIONS_FOR_STRUGGLE: u64 = 20;

/// Everything that the figures call for, the most severe first. `before` are the figures of
/// the period of equal length before, empty where there is none.
pub fn findings(now: &RangeFigures, before: &RangeFigures) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, tool) in &now.tools {
        let subject = Subject { key, tool, before: before.tools.get(key) };
        found.extend(first_call::findings(&subject));
        found.extend(answers::findings(&subject));
        found.extend(shape::sweeps(&subject));
        found.extend(shape::small_pages(&subject));
        found.extend(clients::split(&subject));
        found.extend(quality::of_tool(&subject));
        found.extend(recovery::findings(&subject, now));
    }
    found.extend(shape::pairs(now));
    found.extend(quality::of_sessions(now));
    answers::set_outages_apart(&mut found, now);
    sort(&mut found);
    found
}

/// Puts findings in their order: the most severe first, then what rests on most.
pub fn sort(found: &mut [Finding]) {
    found.sort_by(|a, b| {
        (a.severity, std::cmp::Reverse(a.count), a.rule, &a.tool, &a.client).cmp(&(
            b.severity,
            std::cmp::Reverse(b.count),
            b.rule,
            &b.tool,
            &b.client,
        ))
    });
}

/// A tool in question.
struct Subject<'a> {
    key: &'a ToolKey,
    tool: &'a ToolFigures,
    before: Option<&'a ToolFigures>,
}

impl Subject<'_> {
    const fn figures(&self) -> &Figures {
        &self.tool.all
    }

    /// Whether enough sessions called the tool for a finding about how models struggle with it.
    /// Where none is counted, nothing is known of them: the days were covered before sessions of
    /// tools were kept, or no call belongs to one.
    fn is_widespread(&self) -> bool {
        let sessions = self.figures().sessions;
        sessions == 0 || sessions >= SESSIONS_FOR_STRUGGLE
    }

    /// Whether one session, on one day, made all its calls: what that session does shows nothing
    /// of the tool.
    const fn is_of_one_session(&self) -> bool {
        self.figures().sessions == 1
    }

    fn finding(
        &self,
        severity: Severity,
        rule: FindingRule,
        count: u64,
        [sentence, advice]: [Sentence; 2],
    ) -> Finding {
        Finding { severity, rule, tool: self.key.clone(), client: None, count, sentence, advice }
    }

    /// A sentence that begins with the tool's name.
    fn named(&self) -> Sentence {
        Sentence::new().name(&self.key.tool)
    }

    /// The client that at least four in five of `count` come from, where there are others that
    /// were judged often enough to have shown the same.
    fn only_client(&self, count: impl Fn(&Figures) -> u64) -> Option<&ClientName> {
        let clients = self.tool.clients.iter().map(|(client, packed)| (client, packed.counts()));
        if clients.clone().filter(|(_, figures)| figures.judged >= FEW_CALLS).count() < 2 {
            return None;
        }
        let all = count(self.figures());
        let (client, most) = clients
            .map(|(client, figures)| (client, count(&figures)))
            .max_by_key(|(_, count)| *count)?;
        at_least(most, all, 80).then_some(client)
    }
}

/// Whether `part` is at least `percent` of `whole`.
fn at_least(part: u64, whole: u64, percent: u64) -> bool {
    whole > 0 && u128::from(part) * 100 >= u128::from(whole) * u128::from(percent)
}

/// `part` of `whole` as a percent; of nothing it is nothing.
fn percent(part: u64, whole: u64) -> String {
    super::format::share(part, whole).unwrap_or_else(|| "none".to_owned())
}

/// A rate as a percent, or that there is none.
fn rate_text(rate: Option<Rate>) -> String {
    rate.map_or_else(|| "not judged".to_owned(), super::format::rate_percent)
}

#[cfg(test)]
mod borders_tests;
#[cfg(test)]
mod recovery_tests;
#[cfg(test)]
mod tests;
