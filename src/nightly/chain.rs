//! Chains: calls of one tool in one session, each at most 30 s after the one before
//! (METHOD section 9).

use super::retry::{Run, WINDOW};
use crate::call::{CallDuration, Comparison};

/// How far past the day's end chains are followed (METHOD section 5).
pub(super) const LOOK_AHEAD: CallDuration = CallDuration::from_secs(10 * 60);

/// A chain of two or more calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// Its first call, by its place among all calls.
    pub first: u32,
    /// Its last call.
    pub last: u32,
    /// What it shows.
    pub kind: ChainKind,
}

/// What a chain shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainKind {
    /// No rewording: one hash only, or look-alikes only.
    NotOfRetries,
    /// A retry chain whose last call is usable, and how often the hash changed on the way.
    Usable {
        /// Changes of the hash from one call to the next.
        extra_attempts: u32,
    },
    /// A retry chain whose last call is not usable.
    Abandoned,
}

/// Where the chains of a run begin, ascending; every call is in one.
pub(super) fn starts(run: &Run<'_>) -> Vec<usize> {
    let later = run.calls.iter().zip(run.calls.iter().skip(1)).enumerate();
    let breaks = later
        .filter(|(_, (before, this))| this.start > before.start.saturating_add(WINDOW))
        .map(|(at, _)| at + 1);
    let first = (!run.calls.is_empty()).then_some(0);
    first.into_iter().chain(breaks).collect()
}

/// What the chain of the run's calls from `start` up to and without `end` shows.
/// `has_confirmed` tells whether one of them is a confirmed retry.
///
/// A retry chain has two calls with different hashes. Every confirmed retry and its witness are
/// two such calls; a chain that has none holds look-alikes at most.
pub(super) fn kind(run: &Run<'_>, start: usize, end: usize, has_confirmed: bool) -> ChainKind {
    if !has_confirmed {
        return ChainKind::NotOfRetries;
    }
    let is_usable = end
        .checked_sub(1)
        .and_then(|last| run.calls.get(last))
        .is_some_and(|call| call.is_usable());
    if !is_usable {
        return ChainKind::Abandoned;
    }
    let changes =
        (start + 1..end).filter(|at| run.compare(at - 1, *at) == Comparison::Different).count();
    ChainKind::Usable { extra_attempts: u32::try_from(changes).unwrap_or(u32::MAX) }
}
