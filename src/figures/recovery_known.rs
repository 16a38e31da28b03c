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
        self.about_uncertain(&known)
            .into_iter()
            .chain(self.about_writes(&known))
            .flatten()
            .collect()
    }

    fn about_uncertain(&self, known: &KnownRecovery) -> [Option<Missing>; 6] {
        const STATUS_TOOL: &str = "tools.NAME.status_tool in the configuration";
        const NOT_UNCERTAIN: &str = "no call timed out or has an unknown outcome within a session";
        let stage = if self.outcomes.get(Outcome::Timeout) > 0 {
            "no timed-out call carries firstcall.timeout.stage"
        } else {
            "no call timed out"
        };
        let unchecked = if self.recovery.uncertain > 0 {
            "no status tool is known for the calls that are uncertain"
        } else {
            NOT_UNCERTAIN
        };
        let fate = "no call was seen to time out from its caller's side";
        let spans = "spans of the client and of the server in one trace";
        let uncertain = "error.type=timeout, or firstcall.business.outcome";
        [
            known.timeouts_by_stage.is_none().then_some((
                "timeouts_by_stage",
                stage,
                "firstcall.timeout.stage",
            )),
            known.timeout_fate.is_none().then_some(("timeout_fate", fate, spans)),
            known.followed.is_none().then_some(("followed", NOT_UNCERTAIN, uncertain)),
            known.status_checked.is_none().then_some(("status_checked", unchecked, STATUS_TOOL)),
            known.never_checked.is_none().then_some(("never_checked", unchecked, STATUS_TOOL)),
            known.unsafe_replays.is_none().then_some(("unsafe_replays", NO_KIND, KIND)),
        ]
        .map(|missing| missing.map(Missing::of))
    }

    fn about_writes(&self, known: &KnownRecovery) -> [Option<Missing>; 6] {
        const KEYS: &str = "firstcall.idempotency.key and firstcall.idempotency.status";
        const OUTCOME: &str = "firstcall.business.outcome on calls of writes";
        const NO_KEY: &str = "no idempotency key is sent";
        let status = if self.recovery.keyed > 0 {
            "no call with an idempotency key tells what the server made of it"
        } else {
            NO_KEY
        };
        let untold = if self.recovery.writes > 0 {
            "no write tells its business outcome"
        } else {
            "no call is known to be a write"
        };
        let below = "client spans below the call, or firstcall.attempts";
        let none = "no downstream attempt is known";
        [
            known.duplicate_key_hits.is_none().then_some(("duplicate_key_hits", status, KEYS)),
            known.key_conflicts.is_none().then_some(("key_conflicts", NO_KEY, KEYS)),
            known.possible_double_writes.is_none().then_some((
                "possible_double_writes",
                NO_KIND,
                KIND,
            )),
            known.amplification.is_none().then_some(("amplification", none, below)),
            known.unknown_outcomes.is_none().then_some(("unknown_outcomes", untold, OUTCOME)),
            known.unknown_resolved.is_none().then_some(("unknown_resolved", untold, OUTCOME)),
        ]
        .map(|missing| missing.map(Missing::of))
    }
}

const NO_KIND: &str = "no operation kind is known";
const KIND: &str = "firstcall.operation.kind, or tools.NAME.kind in the configuration";

impl Missing {
    const fn of((figure, reason, carrier): (&'static str, &'static str, &'static str)) -> Self {
        Self { figure, reason, carrier }
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
