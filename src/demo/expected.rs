//! The figures that a report on the demo must show: plain sums over the plans.

use std::collections::BTreeMap;
use std::ops::Range;

use super::plans::PLANS;

use super::scenario::{Client, Counted, Plan, Tool};
use crate::call::Outcome;

/// Sums over conversations; names as METHOD section 13.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sums {
    /// Calls, unknown tools not among them.
    pub calls: u64,
    /// Calls that are judged.
    pub judged: u64,
    /// Calls that are not, by reason.
    pub unjudged: BTreeMap<&'static str, u64>,
    /// Calls by how they ended.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Calls of a tool that is not there.
    pub unknown_tool_calls: u64,
    /// Ok calls with known emptiness.
    pub emptiness_known: u64,
    /// Ok calls whose answer held nothing.
    pub empty: u64,
    /// Retried calls.
    pub retried: u64,
    /// Retried calls by class.
    pub retry_classes: BTreeMap<&'static str, u64>,
    /// Retries that look like rewordings and are not.
    pub look_alikes: u64,
    /// Retries that are no look-alikes.
    pub confirmed_retries: u64,
    /// Calls with the same arguments as an earlier one.
    pub repeats: u64,
    /// First-call successes.
    pub first_call_successes: u64,
    /// Confirmed first-call successes.
    pub confirmed_first_call_successes: u64,
    /// Retry chains.
    pub retry_chains: u64,
    /// Retry chains that ended usable.
    pub usable_chains: u64,
    /// Their extra attempts.
    pub extra_attempts: u64,
    /// Retry chains that did not.
    pub abandoned_chains: u64,
}

impl Sums {
    fn add(&mut self, counted: &Counted, times: u64) {
        let calls: u64 = counted.outcomes.iter().map(|(_, calls)| calls).sum();
        let unjudged: u64 = counted.unjudged.iter().map(|(_, calls)| calls).sum();
        self.calls += calls * times;
        self.judged += (calls - unjudged) * times;
        for (reason, calls) in counted.unjudged {
            *self.unjudged.entry(reason.word()).or_default() += calls * times;
        }
        for (outcome, calls) in counted.outcomes {
            *self.outcomes.entry(outcome.word()).or_default() += calls * times;
        }
        for (class, calls) in counted.retries {
            let calls = calls * times;
            self.retried += calls;
            *self.retry_classes.entry(class.word()).or_default() += calls;
            if class.is_look_alike() {
                self.look_alikes += calls;
            } else {
                self.confirmed_retries += calls;
            }
        }
        self.emptiness_known += counted.emptiness_known * times;
        self.empty += counted.empty * times;
        self.repeats += counted.repeats * times;
        self.first_call_successes += counted.first_call_successes * times;
        self.confirmed_first_call_successes += counted.confirmed_first_call_successes * times;
        self.usable_chains += counted.usable_chains * times;
        self.extra_attempts += counted.extra_attempts * times;
        self.abandoned_chains += counted.abandoned_chains * times;
        self.retry_chains += (counted.usable_chains + counted.abandoned_chains) * times;
    }
}

/// What a report on some of the days must show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expected {
    /// Everything.
    pub overall: Sums,
    /// By service, tool and client.
    pub tools: BTreeMap<(&'static str, &'static str), BTreeMap<&'static str, Sums>>,
    /// By client.
    pub clients: BTreeMap<&'static str, Sums>,
}

/// What a report on the days `days` must show; day 0 is the first one played.
pub fn expected(days: Range<usize>) -> Expected {
    let mut expected = Expected::default();
    for plan in PLANS {
        for day in days.clone() {
            for counted in plan.play.counts {
                expected.add(counted.tool, plan.client, counted, plan.times(day));
            }
            let day_before = day.checked_sub(1).map_or(0, |day| plan.times(day));
            for counted in plan.play.counts_next_day {
                expected.add(counted.tool, plan.client, counted, day_before);
            }
            expected.add_unknown(plan, day);
        }
    }
    expected
}

impl Expected {
    fn add(&mut self, tool: &Tool, client: &Client, counted: &Counted, times: u64) {
        if times == 0 {
            return;
        }
        let tool = self.tools.entry((tool.service, tool.name)).or_default();
        tool.entry(client.name).or_default().add(counted, times);
        self.clients.entry(client.name).or_default().add(counted, times);
        self.overall.add(counted, times);
    }

    fn add_unknown(&mut self, plan: &Plan, day: usize) {
        let steps = plan.play.steps.iter();
        let unknown = steps.filter(|step| step.outcome == Outcome::UnknownTool).count();
        let times = plan.times(day) * u64::try_from(unknown).unwrap_or_default();
        if times > 0 {
            self.clients.entry(plan.client.name).or_default().unknown_tool_calls += times;
            self.overall.unknown_tool_calls += times;
        }
    }

    /// One tool, by service and name, over all its clients.
    pub fn tool(&self, key: (&'static str, &'static str)) -> Sums {
        let mut sums = Sums::default();
        for client in self.tools.get(&key).into_iter().flat_map(BTreeMap::values) {
            sums.merge(client);
        }
        sums
    }
}

impl Sums {
    fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        self.judged += other.judged;
        for (mine, theirs) in [
            (&mut self.unjudged, &other.unjudged),
            (&mut self.outcomes, &other.outcomes),
            (&mut self.retry_classes, &other.retry_classes),
        ] {
            for (word, times) in theirs {
                *mine.entry(word).or_default() += times;
            }
        }
        self.unknown_tool_calls += other.unknown_tool_calls;
        self.emptiness_known += other.emptiness_known;
        self.empty += other.empty;
        self.retried += other.retried;
        self.look_alikes += other.look_alikes;
        self.confirmed_retries += other.confirmed_retries;
        self.repeats += other.repeats;
        self.first_call_successes += other.first_call_successes;
        self.confirmed_first_call_successes += other.confirmed_first_call_successes;
        self.retry_chains += other.retry_chains;
        self.usable_chains += other.usable_chains;
        self.extra_attempts += other.extra_attempts;
        self.abandoned_chains += other.abandoned_chains;
    }
}

#[cfg(test)]
mod tests {
    use super::super::plays::NO_SUCH_TOOL;
    use super::super::scenario::DAYS;
    use super::super::world::{CREATE_REFUND, CURSOR, EXPORT_LEDGER, SEARCH_ORDERS, SYNC_INVOICES};
    use super::*;

    const fn key(tool: &Tool) -> (&'static str, &'static str) {
        (tool.service, tool.name)
    }

    #[test]
    fn the_last_seven_days_are_what_was_worked_out_on_paper() {
        let last = expected(7..DAYS);
        // Cursor: 20 right at once, 43 after an empty answer, 18 reworded twice.
        let cursor = &last.tools[&key(&SEARCH_ORDERS)][CURSOR.name];
        assert_eq!((cursor.judged, cursor.first_call_successes), (160, 81));
        // All clients: 104 + 2 x 58 + 3 x 21, and across midnight 2 + 1 from day 6 + 1 within.
        let search = last.tool(key(&SEARCH_ORDERS));
        assert_eq!((search.judged, search.first_call_successes), (287, 185));
        let refund = last.tool(key(&CREATE_REFUND));
        assert_eq!((refund.judged, refund.first_call_successes), (44, 17));
        assert_eq!(refund.retry_classes.get("after_bad_args"), Some(&22));
        let sync = last.tool(key(&SYNC_INVOICES));
        assert_eq!((sync.judged, sync.first_call_successes), (24, 0));
        assert_eq!(last.tool(key(&EXPORT_LEDGER)).judged, 5);
        assert_eq!(last.overall.unknown_tool_calls, 6);
    }

    #[test]
    fn every_conversation_counts_all_its_calls() {
        for plan in PLANS {
            let play = plan.play;
            let counted = play.counts.iter().chain(play.counts_next_day);
            let calls: u64 = counted.flat_map(|counted| counted.outcomes).map(|(_, n)| n).sum();
            let unknown = u64::from(std::ptr::eq(play, &raw const NO_SUCH_TOOL));
            assert_eq!(calls + unknown, u64::try_from(play.steps.len()).unwrap(), "{}", play.name);
        }
    }
}
