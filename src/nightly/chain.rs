//! Chains: calls of one tool in one session, each at most 30 s after the one before
//! (METHOD section 9).

use std::ops::Range;

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

/// The chains of a run, by the places of their calls; every call is in one.
pub(super) fn chains(run: &Run<'_>, chains: &mut Vec<Range<usize>>) {
    chains.clear();
    let mut start = 0;
    for of_chain in
        run.calls.chunk_by(|before, this| this.start <= before.start.saturating_add(WINDOW))
    {
        chains.push(start..start + of_chain.len());
        start += of_chain.len();
    }
}

/// What the chain of these calls of the run shows.
/// `has_confirmed` tells whether one of them is a confirmed retry.
///
/// A retry chain has two calls with different hashes. Every confirmed retry and its witness are
/// two such calls; a chain that has none holds look-alikes at most.
pub(super) fn kind(run: &Run<'_>, of_chain: Range<usize>, has_confirmed: bool) -> ChainKind {
    if !has_confirmed {
        return ChainKind::NotOfRetries;
    }
    let Range { start, end } = of_chain;
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
