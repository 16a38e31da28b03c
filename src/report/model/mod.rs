//! What each page says, in words and numbers; no markup, no I/O, no clock.
//!
//! [`Facts`] adds up the input once. Each page then has one struct and one function that fills
//! it from the facts. HTML and Markdown show the same structs.

pub mod client_page;
pub mod facts;
pub mod figures_text;
pub mod findings;
pub mod frame;
pub mod grid;
pub mod night_page;
pub mod overview;
pub mod quality;
pub mod rate_text;
pub mod recovery;
pub mod retries;
pub mod summary;
pub mod table;
pub mod tool_list;
pub mod tool_page;
pub mod verdict;

pub use facts::{Facts, Standing};
pub use frame::Frame;
pub use rate_text::{ChangeText, RateText};
