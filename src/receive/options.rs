//! What a receiver is given beside its sockets and where it commits to.

use std::sync::Arc;

use super::bearer::BearerTokens;
use super::cors::Cors;
use super::limits::Limits;
use super::tls::Tls;
use crate::self_report::SelfReport;

/// Caps, doors and the book in which it counts.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What a peer may cost.
    pub limits: Limits,
    /// Who may send; everybody where none are given.
    pub tokens: Option<Arc<BearerTokens>>,
    /// Whose pages may send.
    pub cors: Cors,
    /// The certificate; plain text where none is given.
    pub tls: Option<Arc<Tls>>,
    /// Where it counts.
    pub self_report: Arc<SelfReport>,
}

impl From<Limits> for Options {
    fn from(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }
}
