//! The calls of a day for `firstcall export calls`: what was counted, without any fingerprint.

use std::fmt::Write;

use serde::Serialize;

use super::by_parts::each_judged;
use super::call::Call;
use super::declared::Declared;
use super::judge::{Judged, Terms};
use super::names::Names;
use super::ordinals::Ordinals;
use super::pass::{NightlyError, Source, with_calls};
use crate::call::{Day, Emptiness, Outcome, SessionGrade, UnixNanos};
use crate::store::Store;

/// One call. The field names are the columns and keys of the export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedCall {
    /// Who offers the tool.
    pub service: String,
    /// The tool's name; none where no sighting names it.
    pub tool: Option<String>,
    /// The client.
    pub client: String,
    /// The client's version.
    pub client_version: Option<String>,
    /// The session's number within this export; none for grade E.
    pub session: Option<u32>,
    /// How well the session is known: `a` to `e`.
    pub grade: &'static str,
    /// Start, RFC 3339 with nanoseconds, UTC.
    pub start: String,
    /// End, likewise.
    pub end: String,
    /// The outcome's word.
    pub outcome: &'static str,
    /// `yes`, `no` or `unknown`.
    pub is_empty: &'static str,
    /// The result's size.
    pub result_bytes: Option<u64>,
    /// The outermost sighting's dialect.
    pub dialect: String,
    /// The outermost sighting's trace, 32 lowercase hex characters.
    pub trace_id: String,
    /// The outermost sighting's span, 16 lowercase hex characters.
    pub span_id: String,
}

/// Hands every call that starts on `day` to `visit`, always in the same order: by start, or, on
/// a day too large for memory, part by part and within a part by start.
pub fn export_calls(
    store: &Store,
    terms: Terms,
    day: Day,
    visit: &mut dyn FnMut(ExportedCall),
) -> Result<(), NightlyError> {
    let folder = format!("export-{}.tmp", std::process::id());
    let source = Source { store, declared: &Declared::default(), folder: &folder };
    with_calls(source, terms, day, &mut |_| {}, |calls, names, _| {
        let mut ordinals = Ordinals::default();
        each_judged(terms, day, calls, names, &mut |judged| {
            export_judged(judged, names, &mut ordinals, visit);
        })
    })
}

/// Hands the day's calls among these to `visit`, in order.
fn export_judged(
    judged: &Judged,
    names: &Names,
    ordinals: &mut Ordinals,
    visit: &mut dyn FnMut(ExportedCall),
) {
    ordinals.begin_part();
    for (call, judgement) in judged.calls.iter().zip(&judged.judgements) {
        if !judged.is_of_day(call) {
            continue;
        }
        let session = judgement.session.and_then(|at| judged.sessions.all.get(at as usize));
        let grade = session.map_or(SessionGrade::E, |session| session.grade);
        visit(exported(call, ordinals.of(judgement.session), grade, names));
    }
}

fn exported(call: &Call, session: Option<u32>, grade: SessionGrade, names: &Names) -> ExportedCall {
    let text = |id| names.text(id).to_owned();
    let emptiness = if call.outcome == Outcome::Ok { call.emptiness } else { Emptiness::Unknown };
    ExportedCall {
        service: text(call.service),
        tool: call.tool.map(text),
        client: text(call.client),
        client_version: call.client_version.map(text),
        session,
        grade: grade.word(),
        start: rfc_3339(call.start),
        end: rfc_3339(call.end),
        outcome: call.outcome.word(),
        is_empty: emptiness.word(),
        result_bytes: call.result_bytes,
        dialect: text(call.dialect),
        trace_id: hex(call.trace_id.as_bytes()),
        span_id: hex(call.span_id.as_bytes()),
    }
}

/// An instant as RFC 3339 with nanoseconds, UTC.
pub(super) fn rfc_3339(instant: UnixNanos) -> String {
    const NANOS: u64 = 1_000_000_000;
    let seconds = i64::try_from(instant.get() / NANOS).unwrap_or(i64::MAX);
    let nanos = u32::try_from(instant.get() % NANOS).unwrap_or(0);
    match chrono::DateTime::from_timestamp(seconds, nanos) {
        Some(time) => time.format("%Y-%m-%dT%H:%M:%S%.9fZ").to_string(),
        None => String::new(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _cannot_fail = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::arbitrary::plain_sighting;
    use crate::nightly::{fold_day, judge_calls};

    #[test]
    fn a_call_is_exported_without_fingerprints() {
        let day: Day = "2026-11-29".parse().unwrap();
        let mut names = Names::new();
        let calls = fold_day(day, vec![plain_sighting()], &mut names);
        let judged = judge_calls(Terms::default(), day, calls, &names);
        let mut exported = Vec::new();
        let mut visit = |call| exported.push(call);
        export_judged(&judged, &names, &mut Ordinals::default(), &mut visit);
        let json = serde_json::to_string(&exported).unwrap();
        assert_eq!(
            json,
            r#"[{"service":"shop","tool":"search_orders","client":"claude-code","#.to_owned()
                + r#""client_version":"2.1","session":1,"grade":"a","#
                + r#""start":"2026-11-29T12:00:00.000000000Z","#
                + r#""end":"2026-11-29T12:00:01.500000000Z","outcome":"ok","is_empty":"no","#
                + r#""result_bytes":300,"dialect":"plain","#
                + r#""trace_id":"01010101010101010101010101010101","#
                + r#""span_id":"0202020202020202"}]"#
        );
    }
}
