//! Who and what takes part: three servers, eight tools, six clients.

use super::scenario::{Client, Tool};

const fn tool(
    service: &'static str,
    name: &'static str,
    lasts_ms: u64,
    answer: &'static str,
) -> Tool {
    Tool { service, name, lasts_ms, answer }
}

/// Looks for orders: its description does not say which states there are.
pub static SEARCH_ORDERS: Tool =
    tool("orders-mcp", "search_orders", 420, r#"[{"order_id":"A-1001","total":42.5}]"#);
/// Shows one order.
pub static GET_ORDER: Tool =
    tool("orders-mcp", "get_order", 90, r#"{"order_id":"A-1001","state":"paid"}"#);
/// Tells how far an order is.
pub static ORDER_STATUS: Tool = tool("orders-mcp", "order_status", 60, r#"{"state":"packing"}"#);
/// Gives money back: its description does not say that amounts are in cents.
pub static CREATE_REFUND: Tool =
    tool("orders-mcp", "create_refund", 310, r#"{"refund_id":"R-77"}"#);
/// A tool that models ask for and that is not there.
pub static CANCEL_ORDER: Tool = tool("orders-mcp", "cancel_order", 5, "");
/// Looks through the documentation, page by page.
pub static SEARCH_DOCS: Tool =
    tool("docs-mcp", "search_docs", 240, r#"{"hits":["refunds.md","states.md"],"cursor":"b2"}"#);
/// Shows one page.
pub static READ_PAGE: Tool =
    tool("docs-mcp", "read_page", 130, r##"["# Refunds","Amounts are in cents."]"##);
/// Fetches invoices; it has been broken for weeks.
pub static SYNC_INVOICES: Tool = tool("billing-mcp", "sync_invoices", 2600, r#"{"synced":12}"#);
/// Writes the ledger; seldom asked for.
pub static EXPORT_LEDGER: Tool = tool("billing-mcp", "export_ledger", 1400, r#"{"rows":9120}"#);

const fn client(name: &'static str, version: &'static str, program: &'static str) -> Client {
    Client { name, version, program }
}

/// A coding agent that tells the conversation.
pub static CLAUDE_CODE: Client = client("Claude Code", "2.1.4", "claude-code");
/// An editor whose calls only the server tells of.
pub static CURSOR: Client = client("Cursor", "3.0.1", "cursor");
/// A coding agent that tells the transport's session.
pub static CODEX: Client = client("Codex", "0.98.0", "codex");
/// An agent of one's own, built on a framework.
pub static SUPPORT_AGENT: Client = client("support-agent", "1.7.0", "support-agent");
/// An editor whose calls come without arguments.
pub static VS_CODE: Client = client("VS Code", "1.121.0", "vscode");
/// Whoever does not say.
pub static UNKNOWN: Client = client("unknown", "", "");
