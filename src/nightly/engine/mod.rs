//! The pass inside the engine of a ClickHouse store: the rules of METHOD as SQL, one statement a
//! file, over the sightings where they are. This program conducts: it sends the statements, streams
//! what is not said in SQL, adds the answers up and checks them.
//!
//! Said in SQL, in this order: which sightings are calls of their own (`traces`, `attempts`,
//! `joins`, `lone`), sessions (`inferred`, `sessions`, `neighbours`), the window rule (`chosen`,
//! `runs`, `layers`, `unlike`, `unknowns`), classes (`loops`, `late`, `retries`), and all counts and
//! histograms (`figures/`).
//!
//! Streamed through the rules that a data folder uses:
//! - the fold of traces whose sightings may be one call (`shared`), for it is a search of matches
//!   along time, not a join;
//! - recovery (`recovery`), for it goes by declared patterns, keys, handles and precedence. Only
//!   the calls of one service in one session, where any of them has to do with it, are read.
//!
//! Tests hold the result against the fold and the judge in this process and against the book.

mod answer;
mod bounds;
mod call_row;
mod check;
mod conduct;
mod recovery;
mod shared;
mod statements;

pub use check::Mismatch;
pub use conduct::{Question, figures};
