//! Recovery of uncertain calls (METHOD section 11) is not said in SQL: what followed a call depends
//! on declarations by pattern, on handles and keys, and on an order of precedence. The calls of one
//! service in one session, where any of them has to do with it, are streamed through the same rules
//! as a store in a folder uses; what is held at a time is one session's calls of one service.

use std::collections::BTreeMap;

use clickhouse::Row;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::conduct::Work;
use super::statements::Slice;
use crate::call::{
    ArgsForm, ClientName, Confidence, Emptiness, Name, Outcome, SessionGrade, SpanId, SpanKind,
    ToolKey, TraceId, UnixNanos,
};
use crate::figures::DayFigures;
use crate::nightly::bytes::In;
use crate::nightly::call::{Call, Joint};
use crate::nightly::call_recovery::CallRecovery;
use crate::nightly::declared::ToolTerms;
use crate::nightly::names::{NameId, Names};
use crate::nightly::packed::Packed;
use crate::nightly::pass::NightlyError;
use crate::nightly::recovery::judge_session;
use crate::nightly::recovery_tally::RecoveryTally;
use crate::nightly::retry::RunLayer;
use crate::nightly::seen::{Args, Layer};
use crate::nightly::session::{Session, is_of_a_tool};
use crate::nightly::stretch::Stretch;

/// The columns whose names the rules may ask for.
const NAMED: [&str; 9] = [
    "service",
    "tool",
    "client",
    "client_version",
    "emitter",
    "scope",
    "dialect",
    "args_source",
    "dependency",
];

/// Takes in the names of the day: whether a status tool is there is asked by name.
pub(super) fn learn_names(work: &Work<'_>, names: &mut Names) -> Result<(), NightlyError> {
    let columns = NAMED.into_iter().map(|name| format!("toString({name})"));
    for column in columns.chain(["toString(arrayJoin(print_names))".to_owned()]) {
        let query = format!(
            "SELECT DISTINCT assumeNotNull({column}) AS name FROM sightings
             WHERE {{near}}
                AND {column} IS NOT NULL"
        );
        for name in work.names(&query)? {
            names.id(&name);
        }
    }
    Ok(())
}

/// One row of `pass_terms`.
#[derive(Debug, Row, Serialize, Deserialize)]
struct TermsRow {
    service: String,
    tool: String,
    kind: u8,
    returns_nothing: u8,
}

/// Tells the engine what is declared of the day's tools.
pub(super) fn put_terms(work: &Work<'_>, names: &Names) -> Result<(), NightlyError> {
    let query = "SELECT DISTINCT toString(service), toString(tool) FROM pass_calls WHERE is_named";
    let text = work.statements.text(query, Slice { number: 0, of: 1 });
    let mut rows = Vec::new();
    let mut terms = ToolTerms::new(names);
    for row in work.engine.rows(&text)? {
        let mut cells = super::answer::Cells::of(row);
        let (service, tool) = cells.name().zip(cells.name()).ok_or(NightlyError::Answer)?;
        let of = |name: &Name| names.find(name.as_str()).ok_or(NightlyError::Answer);
        let (kind, returns_nothing) = terms.declared(of(&service)?, of(&tool)?);
        if kind.is_some() || returns_nothing {
            rows.push(TermsRow {
                service: service.as_str().to_owned(),
                tool: tool.as_str().to_owned(),
                kind: kind.map_or(0, |kind| kind.index() + 1),
                returns_nothing: u8::from(returns_nothing),
            });
        }
    }
    Ok(work.engine.add(&work.statements.table("terms"), &rows)?)
}

/// A call as far as recovery goes.
#[derive(Debug, Row, Serialize, Deserialize)]
struct UncertainRow {
    key: u128,
    grade: u8,
    service: String,
    tool: String,
    is_named: u8,
    client: String,
    trace: [u8; 16],
    span: [u8; 8],
    start: u64,
    end: u64,
    is_time_known: u8,
    outcome: u8,
    emptiness: u8,
    recovery: Vec<u8>,
    /// Layer, value and whether it hides a difference, the outermost first.
    args: Vec<(String, u64, u8)>,
}

const UNCERTAIN: &str = "SELECT key, grade, toString(service) AS service, toString(tool) AS tool,
        is_named, toString(client) AS client, trace, span, start, end, is_time_known, outcome,
        emptiness, recovery,
        arrayConcat(if(layer = '', [], [(toString(layer), value, hides)]),
            arrayMap(one -> (one.1, one.2, one.5), more))
            ::Array(Tuple(String, UInt64, UInt8)) AS args
    FROM pass_placed
    WHERE if(key = 0, notEmpty(recovery), (key, service) IN (SELECT key, service FROM pass_uncertain))
    ORDER BY key, client, service, start, end, span, trace";

/// What was found, by tool and client.
#[derive(Debug, Default)]
pub(super) struct Found(BTreeMap<(NameId, NameId, NameId), RecoveryTally>);

/// The session and service whose calls are judged together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Together {
    key: u128,
    client: NameId,
    service: NameId,
    grade: SessionGrade,
}

impl Found {
    /// Adds what followed the uncertain calls of the slice that was judged last.
    pub(super) fn add(&mut self, work: &Work<'_>, names: &Names) -> Result<(), NightlyError> {
        let query = work.statements.text(UNCERTAIN, Slice { number: 0, of: 1 });
        let mut waiting: Vec<Call> = Vec::new();
        let mut of: Option<Together> = None;
        let take = |row: UncertainRow| {
            let (together, call) = row.call(names)?;
            if together.key == 0 || of != Some(together) {
                self.judge(work, names, of, &mut waiting);
                of = Some(together);
            }
            waiting.push(call);
            Some(())
        };
        work.engine.each::<UncertainRow>(&query, take)?;
        self.judge(work, names, of, &mut waiting);
        Ok(())
    }

    /// Judges the calls of one service in one session, and empties the list.
    fn judge(
        &mut self,
        work: &Work<'_>,
        names: &Names,
        of: Option<Together>,
        calls: &mut Vec<Call>,
    ) {
        let Some(of) = of.filter(|_| !calls.is_empty()) else { return };
        let mut terms = ToolTerms::new(names);
        terms.apply(calls);
        let mut found = vec![None; calls.len()];
        if of.key != 0 {
            let places = (0_u32..).zip(calls.iter()).map(|(at, _)| at).collect();
            let Together { grade, client, .. } = of;
            let session = Session { grade, client, is_shared: false, key: 0, calls: places };
            let layers = |_: &Call| RunLayer::Asked;
            let counted = Stretch::of(work.day);
            let recovered = judge_session(&session, calls, counted, &layers, &mut terms);
            for (at, recovered) in recovered {
                if let Some(found) = found.get_mut(at as usize) {
                    *found = Some(recovered);
                }
            }
        }
        for (call, recovered) in calls.iter().zip(&found) {
            let is_of_day = call.start >= work.day.start() && call.start < work.day.end();
            if let Some(tool) = call.tool.filter(|_| is_of_day && is_of_a_tool(call)) {
                let tally = self.0.entry((call.service, tool, call.client)).or_default();
                tally.add(call, recovered.as_ref());
            }
        }
        calls.clear();
    }

    /// Adds it to the day's figures.
    pub(super) fn put_into(self, day: &mut DayFigures, names: &Names) {
        for ((service, tool, client), tally) in self.0 {
            let tool = ToolKey { service: names.name(service), tool: names.name(tool) };
            let key = (tool, ClientName::new(names.name(client)));
            day.tools.entry(key).or_default().recovery.merge(&tally.into_figures(names));
        }
    }
}

impl UncertainRow {
    /// The call as far as recovery goes; none where a value is none that a pass writes.
    fn call(&self, names: &Names) -> Option<(Together, Call)> {
        let (service, client) = (names.find(&self.service)?, names.find(&self.client)?);
        let grade = SessionGrade::from_index(self.grade)?;
        let recovery = if self.recovery.is_empty() {
            None
        } else {
            Some(Box::new(CallRecovery::unpack(&mut In(&self.recovery))?))
        };
        let args: Option<SmallVec<[Args; 1]>> =
            self.args.iter().map(|args| of_layer(args, names)).collect();
        let call = Call {
            trace_id: TraceId::from_bytes(&self.trace)?,
            span_id: SpanId::from_bytes(&self.span)?,
            service,
            tool: if self.is_named == 1 { Some(names.find(&self.tool)?) } else { None },
            client,
            start: UnixNanos::new(self.start),
            end: UnixNanos::new(self.end),
            is_time_known: self.is_time_known == 1,
            outcome: Outcome::from_index(self.outcome)?,
            emptiness: Emptiness::from_index(self.emptiness)?,
            recovery,
            args: args?,
            // The rest has no say in recovery.
            has_parent: false,
            has_company: false,
            client_version: None,
            conversation: None,
            transport: None,
            latency: None,
            confidence: Confidence::High,
            result_bytes: None,
            dialect: NameId::UNKNOWN,
            is_sampled: false,
            is_label: false,
            received: UnixNanos::new(self.start),
            sightings: 1,
            duplicates: 0,
            joint: Joint {
                request: None,
                call: None,
                outer: (SpanKind::Unspecified, NameId::UNKNOWN),
                has_server: false,
                is_service_told: false,
                is_client_told: false,
                is_class_named: false,
            },
        };
        Some((Together { key: self.key, client, service, grade }, call))
    }
}

/// One layer's arguments as far as they compare.
fn of_layer((layer, value, hides): &(String, u64, u8), names: &Names) -> Option<Args> {
    let (form, source) = layer.split_once(' ')?;
    let [_, _, value @ ..] = value.to_be_bytes();
    Some(Args {
        layer: Layer {
            source: names.find(source)?,
            form: ArgsForm::from_index(form.parse().ok()?)?,
        },
        value,
        core: None,
        pos: None,
        hides: *hides == 1,
        is_empty_object: false,
        prints: SmallVec::new(),
    })
}
