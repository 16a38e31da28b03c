//! Reduce: a recognised span becomes a sighting; arguments and results end here.

pub mod canonical_json;
mod context;
mod marks;

pub use context::{PagingDeclaration, PagingRules, ReduceContext, ReduceLimits};

use crate::call::{Repair, Sighting};
use crate::figures::Refusal;
use crate::otlp::{ResourceView, ScopeView, SpanView};
use crate::recognise::Recognised;

/// A sighting, and what had to be mended to make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// What the span says of its call.
    pub sighting: Sighting,
    /// What was mended, each once, in the order of [`Repair::ALL`].
    pub repairs: Vec<Repair>,
}

/// Reduces a recognised span to what is kept.
pub fn reduce(
    _recognised: &Recognised,
    _span: &SpanView<'_>,
    _scope: &ScopeView<'_>,
    _resource: &ResourceView<'_>,
    _context: &ReduceContext<'_>,
) -> Result<Reduced, Refusal> {
    Err(Refusal::BadId)
}
