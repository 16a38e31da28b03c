//! Which recovery figures are known, and why the others are not (METHOD section 11): each is
//! computed only where its carrier is present.

use super::counts::Counts;
use super::recovery::{Followed, TimeoutFate};
use super::tool_client::Figures;
use crate::call::{Outcome, Stage};

/// The recovery figures, each none where nothing that it needs was sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownRecovery {
    /// Timed-out calls by the stage that they tell, and how many tell none.
    pub timeouts_by_stage: Option<(Counts<Stage>, u64)>,
    /// What became of calls that their caller no longer waited for.
    pub timeout_fate: Option<Counts<TimeoutFate>>,
    /// What followed uncertain calls.
    pub followed: Option<Counts<Followed>>,
    /// Uncertain calls whose status tool answered.
    pub status_checked: Option<u64>,
    /// Uncertain calls whose status tool did not.
    pub never_checked: Option<u64>,
    /// Uncertain non-idempotent writes that were sent again before any status check.
    pub unsafe_replays: Option<u64>,
    /// Calls that were answered from the first result of their key.
    pub duplicate_key_hits: Option<u64>,
    /// Calls whose key had come with other arguments.
    pub key_conflicts: Option<u64>,
    /// Non-idempotent writes without a key that were done twice.
    pub possible_double_writes: Option<u64>,
    /// Downstream attempts per call, times the calls of a retry chain.
    pub amplification: Option<f64>,
    /// Writes whose business outcome is unknown.
    pub unknown_outcomes: Option<u64>,
    /// Those of them that were resolved.
    pub unknown_resolved: Option<u64>,
}

/// A figure that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The figure's name, as METHOD section 13 has it.
    pub figure: &'static str,
    /// Why it is not known.
    pub reason: &'static str,
    /// What would add it: attributes to set, or keys of the configuration.
    pub carrier: &'static str,
}

impl Figures {
    /// The recovery figures that are known.
    pub fn known_recovery(&self) -> KnownRecovery {
        let recovery = &self.recovery;
        let known = |is_known: bool, value: u64| is_known.then_some(value);
        let staged = recovery.timeouts_by_stage.total();
        let untold = self.outcomes.get(Outcome::Timeout).saturating_sub(staged);
        let has_status_tool = recovery.status_tool.is_some();
        let has_kind = recovery.kind_known > 0;
        let has_outcome = recovery.business_outcome_known > 0;
        let (fate, followed) = (&recovery.timeout_fate, &recovery.followed);
        KnownRecovery {
            timeouts_by_stage: (staged > 0).then(|| (recovery.timeouts_by_stage.clone(), untold)),
            timeout_fate: (fate.total() > 0).then(|| fate.clone()),
            followed: (recovery.uncertain > 0).then(|| followed.clone()),
            status_checked: known(has_status_tool, recovery.status_checked),
            never_checked: known(has_status_tool, recovery.never_checked),
            unsafe_replays: known(has_kind, recovery.unsafe_replays),
            duplicate_key_hits: known(recovery.key_status_known > 0, recovery.duplicate_key_hits),
            key_conflicts: known(recovery.keyed > 0, recovery.key_conflicts),
            possible_double_writes: known(has_kind, recovery.possible_double_writes),
            amplification: self.amplification(),
            unknown_outcomes: known(has_outcome, recovery.unknown_outcomes),
            unknown_resolved: known(has_outcome, recovery.unknown_resolved),
        }
    }

    /// The recovery figures that are not known, in METHOD's order.
    pub fn missing_recovery(&self) -> Vec<Missing> {
        let known = self.known_recovery();
        let has_timeouts = self.outcomes.get(Outcome::Timeout) > 0;
        let is_keyed = self.recovery.keyed > 0;
        let is_written = self.recovery.writes > 0;
        let uncertain = if self.recovery.uncertain > 0 {
            "no status tool is known for the calls that are uncertain"
        } else {
            "no call timed out or has an unknown outcome within a session"
        };
        let outcome = if is_written {
            "no write tells its business outcome"
        } else {
            "no call is known to be a write"
        };
        let all = [
            (
                known.timeouts_by_stage.is_none(),
                "timeouts_by_stage",
                if has_timeouts {
                    "no timed-out call carries firstcall.timeout.stage"
                } else {
                    "no call timed out"
                },
                "firstcall.timeout.stage",
            ),
            (
                known.timeout_fate.is_none(),
                "timeout_fate",
                "no call was seen to time out from its caller's side",
                "spans of the client and of the server in one trace",
            ),
            (
                known.followed.is_none(),
                "followed",
                "no call timed out or has an unknown outcome within a session",
                "error.type=timeout, or firstcall.business.outcome",
            ),
            (
                known.status_checked.is_none(),
                "status_checked",
                uncertain,
                "tools.NAME.status_tool in the configuration",
            ),
            (
                known.never_checked.is_none(),
                "never_checked",
                uncertain,
                "tools.NAME.status_tool in the configuration",
            ),
            (
                known.unsafe_replays.is_none(),
                "unsafe_replays",
                "no operation kind is known",
                "firstcall.operation.kind, or tools.NAME.kind in the configuration",
            ),
            (
                known.duplicate_key_hits.is_none(),
                "duplicate_key_hits",
                if is_keyed {
                    "no call with an idempotency key tells what the server made of it"
                } else {
                    "no idempotency key is sent"
                },
                "firstcall.idempotency.key and firstcall.idempotency.status",
            ),
            (
                known.key_conflicts.is_none(),
                "key_conflicts",
                "no idempotency key is sent",
                "firstcall.idempotency.key and firstcall.idempotency.status",
            ),
            (
                known.possible_double_writes.is_none(),
                "possible_double_writes",
                "no operation kind is known",
                "firstcall.operation.kind, or tools.NAME.kind in the configuration",
            ),
            (
                known.amplification.is_none(),
                "amplification",
                "no downstream attempt is known",
                "client spans below the call, or firstcall.attempts",
            ),
            (
                known.unknown_outcomes.is_none(),
                "unknown_outcomes",
                outcome,
                "firstcall.business.outcome on calls of writes",
            ),
            (
                known.unknown_resolved.is_none(),
                "unknown_resolved",
                outcome,
                "firstcall.business.outcome on calls of writes",
            ),
        ];
        let missing = all.into_iter().filter(|(is_missing, ..)| *is_missing);
        missing.map(|(_, figure, reason, carrier)| Missing { figure, reason, carrier }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_known_of_a_tool_that_sends_nothing_and_every_figure_has_its_reason() {
        let figures = Figures { calls: 10, ..Figures::default() };
        assert_eq!(figures.known_recovery(), KnownRecovery::default());
        assert_eq!(figures.missing_recovery().len(), 12);
    }

    #[test]
    fn a_carrier_makes_zero_a_figure() {
        let mut figures = Figures::default();
        figures.recovery.kind_known = 3;
        let known = figures.known_recovery();
        assert_eq!((known.unsafe_replays, known.possible_double_writes), (Some(0), Some(0)));
        assert_eq!(known.key_conflicts, None);
        let missing: Vec<_> = figures.missing_recovery().iter().map(|gone| gone.figure).collect();
        assert!(!missing.contains(&"unsafe_replays") && missing.contains(&"key_conflicts"));
    }

    #[test]
    fn timeouts_without_a_stage_are_told_apart() {
        let mut figures = Figures::default();
        figures.outcomes.add(Outcome::Timeout, 5);
        assert_eq!(figures.known_recovery().timeouts_by_stage, None);
        figures.recovery.timeouts_by_stage.add(Stage::Queue, 2);
        let (stages, untold) = figures.known_recovery().timeouts_by_stage.unwrap();
        assert_eq!((stages.get(Stage::Queue), untold), (2, 3));
    }
}
