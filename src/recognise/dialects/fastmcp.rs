//! FastMCP 3 and 4: server, client, and the inner spans of mounted and proxied servers, which
//! are folded into the call at night.

use super::super::attribute_names::Key;
use super::super::dialect::{Dialect, Side, ToolFrom};
use super::super::never::calls_by_method;

/// Either side of a call (M5, M5a), and its inner spans (M5b).
pub(super) static FASTMCP: Dialect = Dialect {
    name: "fastmcp",
    test: |seen| seen.is_scope("fastmcp") && calls_by_method(seen) == Some(true),
    side: Side::ByKind,
    tool: &[
        ToolFrom::Key(Key::GenAiToolName),
        ToolFrom::NameAfter("tools/call "),
        ToolFrom::ComponentKey,
    ],
    ..Dialect::BASE
};
