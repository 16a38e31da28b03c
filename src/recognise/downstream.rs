//! Client spans that may be a tool call's downstream attempts: what is read of them, and what kind
//! of dependency they asked (METHOD section 11).

use crate::call::{AttemptKind, SpanKind};
use crate::otlp::{Attributes, SpanView};

/// The keys that are read of such a span.
const KEYS: &[&str] = &[
    "db.collection.name",
    "db.name",
    "db.namespace",
    "db.operation",
    "db.operation.name",
    "db.query.summary",
    "db.query.text",
    "db.statement",
    "db.system",
    "db.system.name",
    "error.type",
    "firstcall.dependency",
    "http.method",
    "http.request.method",
    "http.request.resend_count",
    "http.url",
    "net.peer.name",
    "peer.service",
    "rpc.method",
    "rpc.service",
    "rpc.system",
    "rpc.system.name",
    "server.address",
    "url.full",
    "url.template",
];

/// Whether an attribute of this key is read of a client span below another one.
pub fn is_downstream_key(key: &[u8]) -> bool {
    // Asked of every attribute of every such span: the first letters tell most apart.
    matches!(
        key.first_chunk(),
        Some(b"db" | b"er" | b"fi" | b"ht" | b"ne" | b"pe" | b"rp" | b"se" | b"ur")
    ) && KEYS.binary_search_by(|known| known.as_bytes().cmp(key)).is_ok()
}

/// What kind of dependency the span asked; none where it is no request to one.
pub fn downstream_kind(span: &SpanView<'_>) -> Option<AttemptKind> {
    if span.kind != SpanKind::Client {
        return None;
    }
    let attributes = &span.attributes;
    if first(attributes, &["db.system.name", "db.system"]).is_some() {
        Some(AttemptKind::Database)
    } else if let Some(system) = first(attributes, &["rpc.system.name", "rpc.system"]) {
        // A tool that calls a tool is a call of its own.
        (!matches!(system, "mcp" | "jsonrpc")).then_some(AttemptKind::Rpc)
    } else if first(attributes, &["http.request.method", "http.method"]).is_some() {
        Some(AttemptKind::Http)
    } else {
        None
    }
}

/// The first text under these keys.
pub(crate) fn first<'s>(attributes: &'s Attributes<'_>, keys: &[&str]) -> Option<&'s str> {
    keys.iter().find_map(|key| attributes.text(key)).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_and_no_other() {
        assert!(KEYS.is_sorted());
        assert!(KEYS.iter().all(|key| is_downstream_key(key.as_bytes())));
        for key in ["", "d", "db", "db.system.namer", "http.route", "url.query", "server.port"] {
            assert!(!is_downstream_key(key.as_bytes()), "{key}");
        }
    }
}
