//! What the configuration declares of tools, in the night's words.

use crate::call::OperationKind;
use crate::config::{ToolKind, Tools};
use crate::nightly::Declared;

/// The declarations that a pass needs.
pub(super) fn of(tools: &Tools) -> Declared {
    let kind = |kind: ToolKind| match kind {
        ToolKind::Read => OperationKind::Read,
        ToolKind::IdempotentWrite => OperationKind::IdempotentWrite,
        ToolKind::Write => OperationKind::Write,
    };
    let kinds = tools.iter().filter_map(|(name, tool)| Some((name.to_owned(), kind(tool.kind?))));
    let status_tools = tools.iter().filter_map(|(name, tool)| {
        let status = tool.status_tool.as_ref()?.as_str().to_owned();
        Some((name.to_owned(), status))
    });
    let silent = tools.iter().filter(|(_, tool)| tool.returns_nothing);
    let mut declared = Declared::default();
    declared.kinds = kinds.collect();
    declared.status_tools = status_tools.collect();
    declared.return_nothing = silent.map(|(name, _)| (name.to_owned(), ())).collect();
    declared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_reaches_the_night() {
        let text = "create: {kind: write, status_tool: get_status}\n'get_*': {kind: read}\n\
                    think: {returns_nothing: true}\nlist: {}\n";
        let declared = of(&yaml_serde::from_str(text).unwrap());
        assert_eq!(declared.kinds.get("create"), Some(&OperationKind::Write));
        assert_eq!(declared.kinds.get("get_order"), Some(&OperationKind::Read));
        assert_eq!(declared.status_tools.get("create").map(String::as_str), Some("get_status"));
        assert!(declared.return_nothing.get("think").is_some());
        assert!(declared.return_nothing.get("list").is_none());
    }
}
