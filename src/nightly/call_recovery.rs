//! What a call's sightings, and the client spans below it, tell of recovery (METHOD section 11).

use std::collections::BTreeMap;

use super::call::Call;
use super::names::NameId;
use super::seen::Seen;
use crate::call::{Attempt, AttemptEnd, AttemptKind, Outcome, Recovery};
use crate::figures::{DependencyCounts, TimeoutFate};

/// What is known of one call beside how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallRecovery {
    /// What its sightings tell, the innermost first, and its declared kind.
    pub told: Recovery<NameId>,
    /// What became of it, where its caller no longer waited.
    pub fate: Option<TimeoutFate>,
    /// What lies below it.
    pub downstream: Downstream,
}

/// The downstream attempts of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Downstream {
    /// Of what was tried most often, how often; zero where nothing is below.
    pub most: u32,
    /// By what was asked, in order of kind and name's number.
    pub by: Vec<(AttemptKind, NameId, DependencyCounts)>,
}

/// What these sightings, the outermost first, and these attempts tell; none where it is nothing.
pub(super) fn of_call<'a>(
    seen: impl DoubleEndedIterator<Item = &'a Seen> + Clone,
    attempts: &[&Attempt<NameId>],
) -> Option<Box<CallRecovery>> {
    let fate = fate(seen.clone());
    let is_plain = seen.clone().all(|seen| seen.recovery.is_none());
    if fate.is_none() && is_plain && attempts.is_empty() {
        return None;
    }
    let mut told = Recovery::default();
    for recovery in seen.rev().filter_map(|seen| seen.recovery.as_ref()) {
        told.fill_from(recovery);
    }
    let downstream = Downstream::of(attempts);
    let found = CallRecovery { told, fate, downstream };
    (found != CallRecovery::default()).then(|| Box::new(found))
}

/// What became of a call whose caller no longer waited: of the sightings outside the first server
/// one timed out, and the innermost server tells the rest.
fn fate<'a>(seen: impl DoubleEndedIterator<Item = &'a Seen> + Clone) -> Option<TimeoutFate> {
    let mut outer = seen.clone().take_while(|seen| !seen.is_server());
    if !outer.any(|seen| seen.outcome == Outcome::Timeout) {
        return None;
    }
    let server = seen.rev().find(|seen| seen.is_server());
    Some(match server.map(|seen| seen.outcome) {
        None => TimeoutFate::Unknown,
        Some(Outcome::Ok) => TimeoutFate::AnswerLost,
        Some(_) => TimeoutFate::Failed,
    })
}

impl Downstream {
    /// Counts attempts in any order. An attempt is another try where one before it asked the same
    /// and failed, or where it says so itself.
    fn of(attempts: &[&Attempt<NameId>]) -> Self {
        let mut in_order: Vec<&&Attempt<NameId>> = attempts.iter().collect();
        in_order.sort_by_key(|attempt| (attempt.start, attempt.end, attempt.span_id));
        let mut tries: BTreeMap<(AttemptKind, NameId, [u8; 4]), (u32, bool)> = BTreeMap::new();
        let mut by: BTreeMap<(AttemptKind, NameId), DependencyCounts> = BTreeMap::new();
        let mut most = 0;
        for attempt in in_order {
            let key = (attempt.kind, attempt.dependency, attempt.operation);
            let (tried, has_failed) = tries.entry(key).or_insert((0, true));
            if *has_failed {
                *tried = tried.saturating_add(1);
            }
            *tried = (*tried).max(attempt.resends.saturating_add(1));
            *has_failed = attempt.ended != AttemptEnd::Answered;
            most = most.max(*tried);
            let counts = by.entry((attempt.kind, attempt.dependency)).or_default();
            counts.merge(&DependencyCounts {
                attempts: 1,
                failed: u64::from(attempt.ended == AttemptEnd::Failed),
                timed_out: u64::from(attempt.ended == AttemptEnd::TimedOut),
                nanos: attempt.duration().as_nanos(),
            });
        }
        let by = by.into_iter().map(|((kind, name), counts)| (kind, name, counts)).collect();
        Self { most, by }
    }

    fn merge(&mut self, other: Self) {
        self.most = self.most.max(other.most);
        for (kind, name, counts) in other.by {
            match self.by.iter_mut().find(|mine| (mine.0, mine.1) == (kind, name)) {
                Some(mine) => mine.2.merge(&counts),
                None => self.by.push((kind, name, counts)),
            }
        }
        self.by.sort_unstable_by_key(|mine| (mine.0, mine.1));
    }
}

impl CallRecovery {
    /// Attempts: as they are told, else as they were seen below; none where neither is.
    pub const fn attempts(&self) -> Option<u32> {
        match (self.told.attempts, self.downstream.most) {
            (Some(told), seen) if told >= seen => Some(told),
            (None, 0) => None,
            (_, seen) => Some(seen),
        }
    }
}

impl Call {
    /// Takes in what an inner call of another trace tells, as folding within one would have.
    pub(super) fn absorb_recovery(&mut self, inner: &Self) {
        let served = inner.joint.has_server && !self.joint.has_server;
        if let Some(mine) = self.recovery.as_mut().filter(|_| served)
            && mine.fate == Some(TimeoutFate::Unknown)
        {
            let fate = if inner.is_ok() { TimeoutFate::AnswerLost } else { TimeoutFate::Failed };
            mine.fate = Some(fate);
        }
        let Some(theirs) = &inner.recovery else { return };
        let mine = self.recovery.get_or_insert_default();
        let mut told = theirs.told.clone();
        told.fill_from(&mine.told);
        mine.told = told;
        mine.fate = mine.fate.or(theirs.fate);
        mine.downstream.merge(theirs.downstream.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{SpanId, TraceId, UnixNanos};

    fn attempt(number: u8, operation: u8, ended: AttemptEnd, resends: u32) -> Attempt<NameId> {
        Attempt {
            trace_id: TraceId::from_bytes(&[1; 16]).unwrap(),
            span_id: SpanId::from_bytes(&[number; 8]).unwrap(),
            parent_span_id: SpanId::from_bytes(&[99; 8]).unwrap(),
            emitter: None,
            kind: AttemptKind::Http,
            dependency: NameId::new(1).unwrap(),
            operation: [operation; 4],
            start: UnixNanos::new(u64::from(number) * 100),
            end: UnixNanos::new(u64::from(number) * 100 + 10),
            ended,
            resends,
        }
    }

    fn most(attempts: &[Attempt<NameId>]) -> u32 {
        Downstream::of(&attempts.iter().rev().collect::<Vec<_>>()).most
    }

    #[test]
    fn only_what_failed_is_tried_again() {
        use AttemptEnd::{Answered, Failed, TimedOut};
        let of = |ends: &[AttemptEnd]| {
            let attempts: Vec<_> =
                (1..).zip(ends).map(|(number, ended)| attempt(number, 1, *ended, 0)).collect();
            most(&attempts)
        };
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[Answered]), 1);
        assert_eq!(of(&[Failed, TimedOut, Answered]), 3);
        // A loop over rows asks the same again without having failed.
        assert_eq!(of(&[Answered, Answered, Answered]), 1);
    }

    #[test]
    fn what_is_asked_once_each_is_no_retry_and_a_resend_says_so_itself() {
        let each = [attempt(1, 1, AttemptEnd::Failed, 0), attempt(2, 2, AttemptEnd::Answered, 0)];
        assert_eq!(most(&each), 1);
        assert_eq!(most(&[attempt(1, 1, AttemptEnd::Answered, 2)]), 3);
        let found = Downstream::of(&each.iter().collect::<Vec<_>>());
        let counts = DependencyCounts { attempts: 2, failed: 1, timed_out: 0, nanos: 20 };
        assert_eq!(found.by, [(AttemptKind::Http, NameId::new(1).unwrap(), counts)]);
    }
}
