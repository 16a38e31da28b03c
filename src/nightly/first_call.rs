//! Which calls are judged, and why the others are not (METHOD section 6).

use super::call::Call;
use crate::call::SessionGrade;
use crate::figures::UnjudgedReason;

/// Whether a call counts in the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is judged.
    Judged,
    /// It is counted and not judged.
    Unjudged(UnjudgedReason),
    /// It is no call of a tool: the tool is not there, or nothing names it.
    OfNoTool,
}

impl Standing {
    /// Why the call is not judged; none where it is, or where it is of no tool.
    pub const fn reason(self) -> Option<UnjudgedReason> {
        match self {
            Self::Unjudged(reason) => Some(reason),
            Self::Judged | Self::OfNoTool => None,
        }
    }
}

/// The standing of a call of a tool. The first reason that holds is given. `has_args` and
/// `has_unknown` are of the arguments that the call is compared by.
pub(super) const fn standing(
    call: &Call,
    grade: SessionGrade,
    has_args: bool,
    is_retried: bool,
    has_unknown: bool,
) -> Standing {
    if !call.is_time_known {
        Standing::Unjudged(UnjudgedReason::NoTime)
    } else if matches!(grade, SessionGrade::E) {
        Standing::Unjudged(UnjudgedReason::NoSession)
    } else if !has_args {
        Standing::Unjudged(UnjudgedReason::NoArgsHash)
    } else if !is_retried && has_unknown {
        Standing::Unjudged(UnjudgedReason::UnknownComparison)
    } else {
        Standing::Judged
    }
}
