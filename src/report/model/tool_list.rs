//! The list of all tools, in pages.

use super::facts::Facts;
use super::frame::Frame;
use super::table::{self, ToolRow};
use crate::figures::format::counted;

/// How many tools stand on one page.
const TOOLS_PER_PAGE: usize = 200;

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolList {
    /// The frame.
    pub frame: Frame,
    /// Its file's name within the folder.
    pub file: String,
    /// The tools.
    pub tools: Vec<ToolRow>,
    /// How many tools there are in all, in words.
    pub count: String,
    /// This page's number, from 1.
    pub number: usize,
    /// How many pages there are.
    pub pages: usize,
    /// The file of the page before.
    pub before: Option<String>,
    /// The file of the page after.
    pub after: Option<String>,
    /// The period before, in words.
    pub against: Option<String>,
}

/// All pages of the list; one where there is no tool.
pub fn tool_lists(facts: &Facts<'_>) -> Vec<ToolList> {
    let keys = table::tools_by_need(facts);
    let mut chunks: Vec<&[_]> = keys.chunks(TOOLS_PER_PAGE).collect();
    if chunks.is_empty() {
        chunks.push(&[]);
    }
    let pages = chunks.len();
    let list = |(number, keys): (usize, &[_])| ToolList {
        frame: Frame::below(facts, "Tools"),
        file: file(number),
        tools: table::rows(facts, keys),
        count: counted(facts.tools.len() as u64, "tool", "tools"),
        number,
        pages,
        before: (number > 1).then(|| file(number - 1)),
        after: (number < pages).then(|| file(number + 1)),
        against: table::against(facts),
    };
    (1..).zip(chunks).map(list).collect()
}

fn file(number: usize) -> String {
    if number == 1 { "index.html".to_owned() } else { format!("page-{number}.html") }
}
