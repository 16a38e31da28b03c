//! Nightly: sightings become calls, calls are judged, figures are published per day.
//!
//! The rules of METHOD sections 2 and 5 to 9 live in one file each, pure and without I/O:
//! `fold` and `join` make calls of sightings, `session` puts them into sessions, `retry`,
//! `look_alike`, `first_call`, `chain` and `pair` judge them, `summarise` adds them up, and
//! `judge` leads through them in that order. `days`, `schedule` and `pass` say when and for
//! which days, and are the only ones that see the store.

mod by_number;
mod by_parts;
mod bytes;
mod call;
mod call_recovery;
mod carried;
mod chain;
mod chunk;
mod days;
mod declared;
mod divide;
mod engine;
mod explain;
mod exported_call;
mod facts;
mod first_call;
mod fold;
mod gathered;
mod gathering;
mod giant;
mod join;
mod judge;
mod look_alike;
mod names;
mod ordinals;
mod packed;
mod packed_args;
mod packed_recovery;
mod packed_sighting;
mod pair;
mod part;
mod parts;
mod pass;
mod recovery;
mod recovery_tally;
mod retention;
mod retry;
mod reworded;
mod schedule;
mod scratch;
mod seen;
mod session;
mod sizes;
mod stretch;
mod summarise;
mod threads;
mod tool_name;
mod traces;
mod whole;

pub use call::Call;
pub use chain::{Chain, ChainKind};
pub use days::{DaysError, DaysToRun};
pub use declared::Declared;
pub use engine::{Mismatch, Question as EngineQuestion, figures as engine_figures};
pub use explain::{
    Counted, ExplainedCall, ExplainedChain, ExplainedRecovery, ExplainedRetry, Question, explain,
};
pub use exported_call::{ExportedCall, export_calls};
pub use first_call::Standing;
pub use judge::{Judged, Judgement, Retry, Terms, judge_calls};
pub use names::{NameId, Names};
pub use pass::{DayPassed, NightlyError, PassEvent, PassReport, due, run, run_under};
pub use recovery::Recovered;
pub use retention::erase;
pub use retry::WINDOW;
pub use schedule::{Hour, next_start};
pub use session::{Session, Sessions};
pub use whole::{fold_day, fold_day_with, judge_day, judge_day_under, judge_day_with};

use crate::call::CallDuration;

/// How far before a day sightings are read: a call's sightings may start this far apart.
pub const LOOK_BACK: CallDuration = CallDuration::from_secs(60 * 60);
/// How far after a day sightings are read: chains are followed for ten minutes past midnight,
/// and the calls in them must be whole.
pub const LOOK_AHEAD: CallDuration = CallDuration::from_secs(15 * 60);
