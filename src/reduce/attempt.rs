//! A client span becomes a downstream attempt (METHOD section 11). What was asked ends here: of
//! the address, the statement or the method only a keyed print is kept.

use super::context::ReduceContext;
use super::name_cache::NameCache;
use crate::call::{
    Attempt, AttemptEnd, AttemptKind, CallDuration, Name, SpanId, TraceId, UnixNanos,
};
use crate::otlp::{SpanView, StatusCode, Value};
use crate::recognise::{Asked, AskedKey, downstream_kind};

/// The longest name of a dependency, in bytes.
const MAX_NAME: usize = 128;

/// The attempt that a client span is; none where it asks no dependency, has no parent, or has no
/// believable time.
pub fn attempt(
    span: &SpanView<'_>,
    emitter: Option<&Name>,
    names: &mut NameCache,
    context: &ReduceContext<'_>,
) -> Option<Attempt> {
    let asked = Asked::of(span);
    let kind = downstream_kind(span, &asked)?;
    let (start, end) = times(span, context)?;
    Some(Attempt {
        trace_id: TraceId::from_bytes(&span.trace_id)?,
        span_id: SpanId::from_bytes(&span.span_id)?,
        parent_span_id: SpanId::from_bytes(&span.parent_span_id)?,
        emitter: emitter.cloned(),
        kind,
        dependency: names.cut(dependency(&asked, kind)),
        operation: operation(span, &asked, context),
        start,
        end,
        ended: ended(span, &asked),
        resends: resends(&asked),
    })
}

fn times(span: &SpanView<'_>, context: &ReduceContext<'_>) -> Option<(UnixNanos, UnixNanos)> {
    let limits = context.limits;
    let past = CallDuration::from_secs(u64::from(limits.max_past_days) * 86_400);
    let start = UnixNanos::new(span.start_unix_nanos);
    let is_believable = span.start_unix_nanos != 0
        && start <= context.now.saturating_add(limits.max_future)
        && start >= context.now.saturating_sub(past);
    is_believable.then(|| (start, UnixNanos::new(span.end_unix_nanos).max(start)))
}

/// What was asked: as the author names it, else the host, else the system.
fn dependency<'v>(asked: &Asked<'v>, kind: AttemptKind) -> &'v str {
    use AskedKey as Key;
    const NAMES: &[Key] =
        &[Key::Dependency, Key::PeerService, Key::ServerAddress, Key::NetPeerName];
    const SYSTEMS: &[Key] =
        &[Key::DbSystemName, Key::DbSystem, Key::RpcService, Key::RpcSystemName, Key::RpcSystem];
    let url = || asked.first(&[Key::UrlFull, Key::HttpUrl]).and_then(host);
    let name =
        asked.first(NAMES).or_else(url).or_else(|| asked.first(SYSTEMS)).unwrap_or(kind.word());
    name.get(..name.floor_char_boundary(MAX_NAME)).unwrap_or_default()
}

/// A URL's host, without who asks and without the port.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next()?,
        None => host.split(':').next()?,
    };
    (!name.is_empty()).then_some(name)
}

/// Four bytes that two spans share when they asked the same thing: the name of the span, and the
/// address without its query, the statement or the method.
fn operation(span: &SpanView<'_>, asked: &Asked<'_>, context: &ReduceContext<'_>) -> [u8; 4] {
    use AskedKey as Key;
    const ASKED: &[Key] = &[
        Key::UrlTemplate,
        Key::UrlFull,
        Key::HttpUrl,
        Key::DbQuerySummary,
        Key::DbQueryText,
        Key::DbStatement,
        Key::DbOperationName,
        Key::DbOperation,
        Key::RpcMethod,
    ];
    const WITHIN: &[Key] = &[Key::DbCollectionName, Key::DbNamespace, Key::DbName, Key::RpcService];
    let what = asked.first(ASKED).unwrap_or_default();
    let what = what.split(['?', '#']).next().filter(|_| what.contains("://")).unwrap_or(what);
    let within = asked.first(WITHIN).unwrap_or_default();
    context.keys.operation(&[&span.name, what, within])
}

fn ended(span: &SpanView<'_>, asked: &Asked<'_>) -> AttemptEnd {
    let kind = asked.first(&[AskedKey::ErrorType]);
    let is_timeout = kind.is_some_and(|kind| {
        let lower = kind.to_ascii_lowercase();
        matches!(&*lower, "408" | "504" | "timed_out" | "deadline_exceeded")
            || lower.contains("timeout")
            || lower.contains("deadlineexceeded")
    });
    if is_timeout {
        AttemptEnd::TimedOut
    } else if kind.is_some() || span.status.code == StatusCode::Error {
        AttemptEnd::Failed
    } else {
        AttemptEnd::Answered
    }
}

fn resends(asked: &Asked<'_>) -> u32 {
    match asked.value(AskedKey::HttpResendCount) {
        Some(Value::Int(count)) => u32::try_from(*count).unwrap_or(0),
        Some(Value::String(text)) => text.trim().parse().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::call::{InstallationSecret, SpanKind, ToolRules};
    use crate::otlp::{Attributes, StatusView};
    use crate::reduce::{Keys, PagingRules, ReduceLimits};

    const NOON: u64 = 1_795_953_600_000_000_000;

    fn read(status: StatusCode, pairs: &[(&'static str, &'static str)]) -> Option<Attempt> {
        let pairs = pairs
            .iter()
            .map(|(key, text)| ((*key).into(), Value::String((*text).into())))
            .collect();
        let span = SpanView {
            trace_id: Cow::Borrowed(&[1; 16]),
            span_id: Cow::Borrowed(&[2; 8]),
            parent_span_id: Cow::Borrowed(&[3; 8]),
            trace_state: Cow::default(),
            name: "GET".into(),
            kind: SpanKind::Client,
            start_unix_nanos: NOON,
            end_unix_nanos: NOON + 7,
            attributes: Attributes::new(pairs),
            events: Vec::new(),
            status: StatusView { code: status, message: Cow::default() },
            is_utf8_repaired: false,
        };
        let context = ReduceContext {
            now: UnixNanos::new(NOON + 100),
            keys: &Keys::of(&InstallationSecret::from_bytes([7; 32])),
            limits: &ReduceLimits::default(),
            paging: &PagingRules::default(),
            empties: &ToolRules::default(),
            conversation_attributes: &[],
        };
        attempt(&span, Some(&Name::cut("shop")), &mut NameCache::default(), &context)
    }

    #[test]
    fn requests_to_dependencies_are_attempts_and_others_are_not() {
        let kind = |pairs: &[_]| read(StatusCode::Unset, pairs).map(|found| found.kind);
        assert_eq!(kind(&[("http.request.method", "GET")]), Some(AttemptKind::Http));
        assert_eq!(kind(&[("rpc.system", "grpc")]), Some(AttemptKind::Rpc));
        assert_eq!(
            kind(&[("db.system", "sqlite"), ("http.method", "GET")]),
            Some(AttemptKind::Database)
        );
        assert_eq!(kind(&[("rpc.system", "mcp")]), None);
        assert_eq!(kind(&[("messaging.system", "kafka")]), None);
    }

    #[test]
    fn a_dependency_is_called_by_its_authors_name_else_by_its_host() {
        let of = |pairs: &[_]| read(StatusCode::Unset, pairs).unwrap().dependency;
        let url = ("http.url", "https://me:pw@api.example.org:8443/orders/7?token=x");
        assert_eq!(of(&[("http.method", "GET"), url]).as_str(), "api.example.org");
        let named = [("http.method", "GET"), url, ("peer.service", "ledger")];
        assert_eq!(of(&named).as_str(), "ledger");
        assert_eq!(of(&[("db.system", "sqlite")]).as_str(), "sqlite");
        assert_eq!(of(&[("http.method", "GET")]).as_str(), "http");
    }

    #[test]
    fn the_same_thing_is_asked_whatever_the_query() {
        let of = |url| {
            read(StatusCode::Unset, &[("http.method", "GET"), ("url.full", url)]).unwrap().operation
        };
        assert_eq!(of("http://a/orders?x=1"), of("http://a/orders?x=2"));
        assert_ne!(of("http://a/orders/1"), of("http://a/orders/2"));
    }

    #[test]
    fn how_an_attempt_ended_is_told_by_status_and_error_type() {
        let of = |status, kind: Option<&'static str>| {
            let mut pairs = vec![("http.method", "GET")];
            pairs.extend(kind.map(|kind| ("error.type", kind)));
            read(status, &pairs).unwrap().ended
        };
        assert_eq!(of(StatusCode::Unset, None), AttemptEnd::Answered);
        assert_eq!(of(StatusCode::Error, None), AttemptEnd::Failed);
        assert_eq!(of(StatusCode::Error, Some("503")), AttemptEnd::Failed);
        assert_eq!(of(StatusCode::Error, Some("504")), AttemptEnd::TimedOut);
        assert_eq!(of(StatusCode::Error, Some("requests.ReadTimeout")), AttemptEnd::TimedOut);
    }
}
