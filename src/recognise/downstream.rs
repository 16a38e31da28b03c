//! Client spans that may be a tool call's downstream attempts: what is read of them, and what kind
//! of dependency they asked (METHOD section 11).

use super::key_table::KeyTable;
use crate::call::{AttemptKind, SpanKind};
use crate::otlp::{SpanView, Value};

macro_rules! keys {
    ($($name:ident = $text:literal;)+) => {
        /// An attribute that is read of a client span.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum AskedKey { $($name,)+ }

        const KEYS: &[&str] = &[$($text),+];
    };
}

keys! {
    DbCollectionName = "db.collection.name";
    DbName = "db.name";
    DbNamespace = "db.namespace";
    DbOperation = "db.operation";
    DbOperationName = "db.operation.name";
    DbQuerySummary = "db.query.summary";
    DbQueryText = "db.query.text";
    DbStatement = "db.statement";
    DbSystem = "db.system";
    DbSystemName = "db.system.name";
    ErrorType = "error.type";
    Dependency = "firstcall.dependency";
    HttpMethod = "http.method";
    HttpRequestMethod = "http.request.method";
    HttpResendCount = "http.request.resend_count";
    HttpUrl = "http.url";
    NetPeerName = "net.peer.name";
    PeerService = "peer.service";
    RpcMethod = "rpc.method";
    RpcService = "rpc.service";
    RpcSystem = "rpc.system";
    RpcSystemName = "rpc.system.name";
    ServerAddress = "server.address";
    UrlFull = "url.full";
    UrlTemplate = "url.template";
}

static TABLE: KeyTable = KeyTable::of(KEYS);

/// Whether an attribute of this key is read of a client span below another one.
pub fn is_downstream_key(key: &[u8]) -> bool {
    TABLE.find(key).is_some()
}

/// A client span's attributes that are read, found once.
pub(crate) struct Asked<'v> {
    values: [Option<&'v Value<'v>>; KEYS.len()],
}

impl<'v> Asked<'v> {
    /// Finds the attributes of `span`. Where a key repeats, the last one holds.
    pub(crate) fn of(span: &'v SpanView<'v>) -> Self {
        let mut values = [None; KEYS.len()];
        for (key, value) in span.attributes.iter() {
            let place = TABLE.find(key.as_bytes()).and_then(|at| values.get_mut(at));
            if let Some(place) = place {
                *place = Some(value);
            }
        }
        Self { values }
    }

    /// The value under a key.
    pub(crate) fn value(&self, key: AskedKey) -> Option<&'v Value<'v>> {
        self.values.get(key as usize).copied().flatten()
    }

    /// The first text under these keys that is not blank.
    pub(crate) fn first(&self, keys: &[AskedKey]) -> Option<&'v str> {
        let texts = keys.iter().filter_map(|key| self.value(*key)?.as_str());
        texts.into_iter().find(|text| !text.trim_start().is_empty())
    }
}

/// What kind of dependency was asked; none where it is no request to one.
pub(crate) fn downstream_kind(span: &SpanView<'_>, asked: &Asked<'_>) -> Option<AttemptKind> {
    if span.kind != SpanKind::Client {
        return None;
    }
    if asked.first(&[AskedKey::DbSystemName, AskedKey::DbSystem]).is_some() {
        Some(AttemptKind::Database)
    } else if let Some(system) = asked.first(&[AskedKey::RpcSystemName, AskedKey::RpcSystem]) {
        // A tool that calls a tool is a call of its own.
        (!matches!(system, "mcp" | "jsonrpc")).then_some(AttemptKind::Rpc)
    } else if asked.first(&[AskedKey::HttpRequestMethod, AskedKey::HttpMethod]).is_some() {
        Some(AttemptKind::Http)
    } else {
        None
    }
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
        assert_eq!(KEYS[AskedKey::DbCollectionName as usize], "db.collection.name");
        assert_eq!(KEYS[AskedKey::HttpResendCount as usize], "http.request.resend_count");
        assert_eq!(KEYS[AskedKey::UrlTemplate as usize], "url.template");
    }
}
