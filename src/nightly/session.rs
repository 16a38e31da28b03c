//! Which calls belong to one session, and how well that is known (METHOD section 2).

use super::call::Call;
use super::names::NameId;
use crate::call::{CallDuration, Outcome, SessionGrade, SessionKey, UnixNanos};

/// Where nothing came for this long, an inferred session ends.
pub(super) const PAUSE: CallDuration = CallDuration::from_secs(30 * 60);
/// A key whose calls span more than this is no session.
pub(super) const LONGEST: CallDuration = CallDuration::from_secs(24 * 60 * 60);

/// One session: the calls that one client made under one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// How well it is known; never E.
    pub grade: SessionGrade,
    /// Its client.
    pub client: NameId,
    /// Whether its key held two or more clients, or calls over more than 24 hours.
    pub is_shared: bool,
    /// The ordinal of its key: several clients' sessions may have one.
    pub key: u32,
    /// Its calls by their place among all calls, in order of (start, end, trace, span).
    pub calls: Vec<u32>,
}

/// The sessions of a set of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sessions {
    /// Every session.
    pub all: Vec<Session>,
    /// The calls that belong to none: grade E.
    pub without: Vec<u32>,
}

/// A key: equal texts of two grades are two keys, and so are those of two services where a
/// service hands them out itself (grade B) or stands in for one (grade D). The text's digest is
/// read as a number whose order is that of its bytes.
pub(super) type Key = (u128, SessionGrade, Option<NameId>);

/// Puts `calls` into sessions. A call whose client is unknown gets its key's only known client,
/// unless that was settled before. `infer` asks for grade D.
pub(super) fn find(calls: &mut [Call], unknown: NameId, infer: bool, is_settled: bool) -> Sessions {
    let mut keyed: Vec<(Key, u32)> = Vec::with_capacity(calls.len());
    let mut without = Vec::new();
    for (at, call) in (0_u32..).zip(calls.iter()) {
        match key(call) {
            Some(key) => keyed.push((key, at)),
            None => without.push(at),
        }
    }
    if infer {
        keyed.extend(inferred(calls, &without));
        without.clear();
    }
    keyed.sort_unstable();
    let mut all = Vec::new();
    for (key, of_key) in (0_u32..).zip(keyed.chunk_by(|a, b| a.0 == b.0)) {
        let Some(((_, grade, _), _)) = of_key.first().copied() else { continue };
        let members: Vec<u32> = of_key.iter().map(|(_, at)| *at).collect();
        let is_shared = (!is_settled && settle_clients(calls, &members, unknown))
            || is_too_long(calls, &members);
        split(calls, members, (grade, key, is_shared), &mut all);
    }
    Sessions { all, without }
}

/// The first of conversation, transport's session and trace that is present. A trace is one only
/// where it holds more than one call or the call's span has a parent.
pub(super) fn key(call: &Call) -> Option<Key> {
    let number = |bytes: &[u8; 16]| u128::from_be_bytes(*bytes);
    let conversation = call.conversation.map(|key| (number(key.as_bytes()), SessionGrade::A, None));
    let transport =
        call.transport.map(|key| (number(key.as_bytes()), SessionGrade::B, Some(call.service)));
    let trace = || {
        let is_session = call.has_company || call.has_parent;
        is_session.then(|| (number(call.trace_id.as_bytes()), SessionGrade::C, None))
    };
    conversation.or(transport).or_else(trace)
}

/// Grade D: one service and client, split where nothing came for 30 minutes.
fn inferred(calls: &[Call], without: &[u32]) -> Vec<(Key, u32)> {
    let mut by_pair: Vec<(&Call, u32)> =
        without.iter().filter_map(|at| Some((calls.get(*at as usize)?, *at))).collect();
    by_pair.sort_unstable_by_key(|(call, _)| ((call.service, call.client), order(call)));
    let mut keyed = Vec::with_capacity(by_pair.len());
    let mut last: Option<(&Call, u128)> = None;
    for (call, at) in by_pair {
        let key = match last {
            Some((before, key))
                if (before.service, before.client) == (call.service, call.client)
                    && call.start <= before.start.saturating_add(PAUSE) =>
            {
                key
            }
            // The first call names the session: a call begins one session at most.
            _ => name_of(call),
        };
        keyed.push(((key, SessionGrade::D, Some(call.service)), at));
        last = Some((call, key));
    }
    keyed
}

fn name_of(first: &Call) -> u128 {
    let mut text = String::new();
    for byte in first.trace_id.as_bytes().iter().chain(first.span_id.as_bytes()) {
        text.push(char::from(*byte));
    }
    u128::from_be_bytes(*SessionKey::of(&text).as_bytes())
}

/// Start, end, span and trace.
pub(super) type Order = (UnixNanos, UnixNanos, [u8; 8], [u8; 16]);

/// The order of a session's calls: by start, ties by end, then by trace and span.
pub(super) fn order(call: &Call) -> Order {
    (call.start, call.end, *call.span_id.as_bytes(), *call.trace_id.as_bytes())
}

/// Gives a key's calls of an unknown client its only known client, where there is exactly one.
/// Answers whether there are two or more.
fn settle_clients(calls: &mut [Call], members: &[u32], unknown: NameId) -> bool {
    let of = |at: &u32| calls.get(*at as usize).map(|call| call.client);
    let mut known = members.iter().filter_map(of).filter(|client| *client != unknown);
    let Some(only) = known.next() else { return false };
    if known.any(|client| client != only) {
        return true;
    }
    for at in members {
        if let Some(call) = calls.get_mut(*at as usize)
            && call.client == unknown
        {
            call.client = only;
        }
    }
    false
}

fn is_too_long(calls: &[Call], members: &[u32]) -> bool {
    let starts = || members.iter().filter_map(|at| calls.get(*at as usize)).map(|call| call.start);
    let span = starts().max().zip(starts().min()).and_then(|(last, first)| last.since(first));
    span.is_some_and(|span| span > LONGEST)
}

/// Splits one key's calls into the sessions of its clients.
fn split(
    calls: &[Call],
    mut members: Vec<u32>,
    (grade, key, is_shared): (SessionGrade, u32, bool),
    all: &mut Vec<Session>,
) {
    let client = |at: u32| calls.get(at as usize).map(|call| call.client);
    members
        .sort_unstable_by_key(|at| calls.get(*at as usize).map(|call| (call.client, order(call))));
    let is_one = members.first().map(|at| client(*at)) == members.last().map(|at| client(*at));
    if let Some(client) = members.first().and_then(|first| client(*first)).filter(|_| is_one) {
        all.push(Session { grade, client, is_shared, key, calls: members });
        return;
    }
    for session in members.chunk_by(|a, b| client(*a) == client(*b)) {
        if let Some(client) = session.first().and_then(|first| client(*first)) {
            all.push(Session { grade, client, is_shared, key, calls: session.to_vec() });
        }
    }
}

/// Whether a call asked for a tool that is there, and names it: only such a call is one of a
/// tool.
pub(super) const fn is_of_a_tool(call: &Call) -> bool {
    call.tool.is_some() && !matches!(call.outcome, Outcome::UnknownTool)
}
