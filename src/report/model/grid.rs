//! The tool by client grid.

use super::facts::Facts;
use super::rate_text::RateText;
use super::table::{ToolLabel, tools_by_need};
use crate::call::ClientName;
use crate::figures::format::count;
use crate::report::names;

/// The most tools in the grid; the rest have their own pages.
pub const GRID_TOOLS: usize = 200;
/// The most clients in the grid; the rest have their own pages.
pub const GRID_CLIENTS: usize = 20;

/// The most clients for which cells keep a width of their own.
const NARROW: usize = 5;

/// The most cells that each carry a link.
const LINKED_CELLS: usize = 1_000;

/// Tools by clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The clients, the busiest first.
    pub clients: Vec<ClientLabel>,
    /// One row per tool, by what needs attention.
    pub rows: Vec<GridRow>,
    /// Whether each cell links to its place on the tool's page; in a large grid the links alone
    /// would make the page twice as heavy, and the tool's name leads there as well.
    pub has_links: bool,
    /// Whether it has so few clients that cells as wide as the page would carry nothing.
    pub is_narrow: bool,
    /// Tools that are not in it.
    pub hidden_tools: usize,
    /// Clients that are not in it.
    pub hidden_clients: usize,
}

/// A client's name and page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientLabel {
    /// The name as it is shown.
    pub name: String,
    /// The slug of its page.
    pub slug: String,
}

impl ClientLabel {
    /// The label of a client.
    pub fn of(facts: &Facts<'_>, client: &ClientName) -> Self {
        Self { name: names::shown(client.as_str()), slug: facts.client_slug(client) }
    }
}

/// A tool's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridRow {
    /// The tool.
    pub tool: ToolLabel,
    /// One cell per client of the grid.
    pub cells: Vec<Cell>,
}

/// A tool with a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The rate.
    pub rate: RateText,
    /// The slug of the client's page.
    pub client_slug: String,
    /// The number beneath it: judged calls, else calls.
    pub beneath: String,
}

/// The clients of the range, the busiest first.
pub fn clients_by_calls<'f>(facts: &'f Facts<'_>) -> Vec<&'f ClientName> {
    let mut clients: Vec<_> = facts.now.clients.iter().collect();
    clients.sort_by(|a, b| b.1.calls.cmp(&a.1.calls).then_with(|| a.0.cmp(b.0)));
    clients.into_iter().map(|(client, _)| client).collect()
}

/// The grid of the range.
pub fn grid(facts: &Facts<'_>) -> Grid {
    let all_clients = clients_by_calls(facts);
    let clients: Vec<_> = all_clients.iter().take(GRID_CLIENTS).copied().collect();
    let tools = tools_by_need(facts);
    let called: Vec<_> = tools.iter().filter(|key| facts.tool(key).calls > 0).collect();
    let rows: Vec<_> = called
        .iter()
        .take(GRID_TOOLS)
        .map(|key| GridRow {
            tool: ToolLabel::of(facts, key),
            cells: clients
                .iter()
                .map(|client| {
                    let figures = &facts.cell(key, client).unwrap_or_default();
                    let judged = if figures.judged > 0 { figures.judged } else { figures.calls };
                    Cell {
                        rate: RateText::first_call(figures),
                        client_slug: facts.client_slug(client),
                        beneath: count(judged),
                    }
                })
                .collect(),
        })
        .collect();
    Grid {
        is_narrow: clients.len() <= NARROW,
        has_links: rows.len() * clients.len() <= LINKED_CELLS,
        hidden_tools: called.len().saturating_sub(GRID_TOOLS),
        hidden_clients: all_clients.len() - clients.len(),
        clients: clients.into_iter().map(|client| ClientLabel::of(facts, client)).collect(),
        rows,
    }
}
