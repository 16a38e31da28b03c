//! What is declared of tools beside their spans (METHOD section 11): by the configuration, else by
//! the annotations with which their server offers them.

use std::collections::HashMap;

use super::by_number::ByNumber;
use super::call::Call;
use super::names::{NameId, Names};
use crate::call::{Emptiness, Name, OperationKind, ToolRules};
use crate::store::OfferedTool;

/// Declarations by tool name or pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Declared {
    /// What calling a tool does.
    pub kinds: ToolRules<OperationKind>,
    /// The tool of the same service that tells what became of a call.
    pub status_tools: ToolRules<String>,
    /// Tools that answer with nothing by design.
    pub return_nothing: ToolRules<()>,
    /// Annotated kinds by service, none for any, and tool.
    offered: HashMap<(Option<Name>, Name), Option<OperationKind>>,
}

impl Declared {
    /// The same with the tools that servers are known to offer.
    #[must_use]
    pub fn with_offered(mut self, offered: Vec<OfferedTool>) -> Self {
        self.offered =
            offered.into_iter().map(|tool| ((tool.service, tool.tool), tool.kind)).collect();
        self
    }

    /// The names of tools that it speaks of.
    pub(super) fn names(&self) -> impl Iterator<Item = Name> {
        let status = self.status_tools.iter().filter_map(|(_, tool)| Name::exact(tool));
        status.chain(self.offered.keys().map(|(_, tool)| tool.clone()))
    }

    fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.return_nothing.is_empty() && self.offered.is_empty()
    }

    fn offered(&self, service: &str, tool: &str) -> Option<OperationKind> {
        let tool = Name::exact(tool)?;
        let of = |service| self.offered.get(&(service, tool.clone())).copied();
        of(Name::exact(service)).or_else(|| of(None)).flatten()
    }
}

/// What is declared of the tools of one part of a day, each looked up once.
#[derive(Debug)]
pub(super) struct ToolTerms<'n> {
    names: &'n Names,
    tools: ByNumber<(NameId, NameId), Terms>,
}

/// What is declared of one tool.
#[derive(Debug, Clone, Default)]
struct Terms {
    kind: Option<OperationKind>,
    returns_nothing: bool,
    /// Its status tools, of the same service.
    status: Option<Vec<NameId>>,
}

impl<'n> ToolTerms<'n> {
    pub(super) fn new(names: &'n Names) -> Self {
        Self { names, tools: ByNumber::default() }
    }

    /// Puts what is declared to the calls: their kind where their spans do not tell it, and that
    /// an answer which holds nothing by design has no emptiness.
    pub(super) fn apply(&mut self, calls: &mut [Call]) {
        if self.names.declared().is_empty() {
            return;
        }
        for call in calls {
            let Some(tool) = call.tool else { continue };
            let terms = self.of(call.service, tool);
            let (kind, returns_nothing) = (terms.kind, terms.returns_nothing);
            if returns_nothing {
                call.emptiness = Emptiness::Unknown;
            }
            if kind.is_some() && call.kind().is_none() {
                call.recovery.get_or_insert_default().told.kind = kind;
            }
        }
    }

    /// The status tools of a call's tool that are known: the declared one; else those that the
    /// convention names, `get_X_status` and `get_operation_status`, where they are there. A read
    /// needs none, for it can be called again.
    pub(super) fn status_tools(&mut self, call: &Call) -> Vec<NameId> {
        let Some(tool) = call.tool.filter(|_| call.kind() != Some(OperationKind::Read)) else {
            return Vec::new();
        };
        let names = self.names;
        let terms = self.of(call.service, tool);
        terms.status.get_or_insert_with(|| status_tools(names, tool)).clone()
    }

    /// What is declared of one tool: what calling it does, and whether it answers with nothing.
    pub(super) fn declared(
        &mut self,
        service: NameId,
        tool: NameId,
    ) -> (Option<OperationKind>, bool) {
        let terms = self.of(service, tool);
        (terms.kind, terms.returns_nothing)
    }

    fn of(&mut self, service: NameId, tool: NameId) -> &mut Terms {
        let names = self.names;
        self.tools.entry((service, tool)).or_insert_with(|| {
            let (declared, text) = (names.declared(), names.text(tool));
            let offered = declared.offered(names.text(service), text);
            Terms {
                kind: declared.kinds.get(text).copied().or(offered),
                returns_nothing: declared.return_nothing.get(text).is_some(),
                status: None,
            }
        })
    }
}

fn status_tools(names: &Names, tool: NameId) -> Vec<NameId> {
    let text = names.text(tool);
    let declared = names.declared();
    if let Some(status) = declared.status_tools.get(text) {
        return names.find(status).into_iter().collect();
    }
    // A tool that tells the status of others can itself be called again.
    let is_status = (text.starts_with("get_") && text.ends_with("_status"))
        || declared.status_tools.iter().any(|(_, status)| status == text);
    if is_status {
        return Vec::new();
    }
    let suffixes = text.match_indices('_').filter_map(|(at, _)| text.get(at + 1..));
    let objects = std::iter::once(text).chain(suffixes).filter(|object| !object.is_empty());
    let named = objects.map(|object| format!("get_{object}_status"));
    let all = named.chain(["get_operation_status".to_owned()]);
    all.filter(|name| name != text).filter_map(|name| names.find(&name)).collect()
}
