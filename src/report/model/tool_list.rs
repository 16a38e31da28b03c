//! The list of all tools, in pages, and in several orders so that sorting needs no script.

use std::cmp::Reverse;

use super::facts::Facts;
use super::frame::Frame;
use super::table::{self, ToolRow};
use crate::call::ToolKey;
use crate::figures::format::counted;
use crate::figures::{Change, Figures};

/// How many tools stand on one page.
const TOOLS_PER_PAGE: usize = 200;

/// What the list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// What needs attention first.
    Need,
    /// The name.
    Name,
    /// The most calls first.
    Calls,
    /// The deepest fall first.
    Change,
}

impl Order {
    /// Every order.
    pub const ALL: [Self; 4] = [Self::Need, Self::Name, Self::Calls, Self::Change];

    /// The order in words, after \u{201c}sorted by\u{201d}.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Need => "attention",
            Self::Name => "name",
            Self::Calls => "calls",
            Self::Change => "change",
        }
    }

    /// The file of a page of the list in this order, from 1.
    fn file(self, number: usize) -> String {
        match (self, number) {
            (Self::Need, 1) => "index.html".to_owned(),
            (Self::Need, number) => format!("page-{number}.html"),
            (order, 1) => format!("by-{}.html", order.words()),
            (order, number) => format!("by-{}-{number}.html", order.words()),
        }
    }
}

/// Whether a file of the folder of tools is a page of the list that a shorter list leaves out.
pub fn is_later_page(name: &str) -> bool {
    let starts = ["page-", "by-name-", "by-calls-", "by-change-"];
    let number = starts.iter().find_map(|start| name.strip_prefix(start)?.strip_suffix(".html"));
    // A tool's page ends in ten characters of a hash, which may all be digits.
    number.is_some_and(|number| {
        (1..=6).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolList {
    /// The frame.
    pub frame: Frame,
    /// Its file's name within the folder.
    pub file: String,
    /// What it is sorted by.
    pub order: Order,
    /// The first page of the list in each order.
    pub orders: Vec<(Order, String)>,
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

/// All tools in this order.
pub fn sorted(facts: &Facts<'_>, order: Order) -> Vec<ToolKey> {
    let mut keys = table::tools_by_need(facts);
    match order {
        Order::Need => {}
        Order::Name => {
            keys.sort_by_cached_key(|key| {
                (key.tool.as_str().to_lowercase(), key.tool.clone(), key.service.clone())
            });
        }
        Order::Calls => keys.sort_by_key(|key| Reverse(facts.tool(key).calls)),
        Order::Change => keys.sort_by(|a, b| {
            let change = |key: &ToolKey| {
                let before = facts.tool_before(key).and_then(Figures::first_call_success);
                Change::between(before, facts.tool(key).first_call_success())
            };
            match (change(a), change(b)) {
                (Some(a), Some(b)) => a.difference().total_cmp(&b.difference()),
                (a, b) => b.is_some().cmp(&a.is_some()),
            }
        }),
    }
    keys
}

/// A page of the list in this order; none beyond the last. There is always a first one.
pub fn tool_list(
    facts: &Facts<'_>,
    (order, keys): (Order, &[ToolKey]),
    number: usize,
) -> Option<ToolList> {
    let pages = keys.len().div_ceil(TOOLS_PER_PAGE).max(1);
    let shown = match keys.chunks(TOOLS_PER_PAGE).nth(number - 1) {
        Some(shown) => shown,
        None if number == 1 => &[],
        None => return None,
    };
    Some(ToolList {
        frame: Frame::below(facts, "Tools"),
        file: order.file(number),
        order,
        orders: Order::ALL.iter().map(|order| (*order, order.file(1))).collect(),
        tools: table::rows(facts, shown),
        count: counted(facts.tools.len() as u64, "tool", "tools"),
        number,
        pages,
        before: (number > 1).then(|| order.file(number - 1)),
        after: (number < pages).then(|| order.file(number + 1)),
        against: table::against(facts),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_pages_are_told_from_the_pages_of_tools() {
        for name in ["page-2.html", "page-17.html", "by-name-2.html", "by-change-10.html"] {
            assert!(is_later_page(name), "{name}");
        }
        // Tools called `page` and `by name`.
        for name in ["page-0123456789.html", "by-name-31ed624222.html", "index.html", "page-2.md"] {
            assert!(!is_later_page(name), "{name}");
        }
    }
}
