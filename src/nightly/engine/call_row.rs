//! A folded call as a row of the engine's `calls` table, and back.
//!
//! Names are texts there, for the numbers of a night's [`Names`] mean nothing outside of it.
//! Optional hashes are numbers of six bytes; one that no six bytes make stands for none.

use clickhouse::Row;
use serde::{Deserialize, Serialize};

use crate::call::{Confidence, SessionGrade};
use crate::nightly::bytes::Out;
use crate::nightly::call::Call;
use crate::nightly::call_recovery::CallRecovery;
use crate::nightly::names::{NameId, Names};
use crate::nightly::packed::Packed;
use crate::nightly::seen::Args;

/// What stands for no hash.
const NO_HASH: u64 = u64::MAX;

/// One row of `calls`; the columns of `engine/tables.sql` in the same order, but for those that
/// the engine fills itself.
#[derive(Debug, Clone, PartialEq, Eq, Row, Serialize, Deserialize)]
pub(super) struct CallRow {
    trace: [u8; 16],
    span: [u8; 8],
    digest: [u8; 16],
    grade: u8,
    service: String,
    tool: String,
    is_named: u8,
    told_client: String,
    start: u64,
    end: u64,
    is_time_known: u8,
    latency: Option<u64>,
    outcome: u8,
    is_low: u8,
    emptiness: u8,
    result_bytes: Option<u64>,
    is_sampled: u8,
    received: u64,
    sightings: u32,
    duplicates: u32,
    recovery: Vec<u8>,
    layer: String,
    value: u64,
    core: u64,
    pos: u64,
    hides: u8,
    shows_pages: u8,
    shows_parameters: u8,
    parameters: Vec<String>,
    prints: Vec<u32>,
    more: Vec<MoreArgs>,
}

/// The same columns of another layer: layer, value, core, pos, hides, shows_pages,
/// shows_parameters, parameters, prints.
type MoreArgs = (String, u64, u64, u64, u8, u8, u8, Vec<String>, Vec<u32>);

impl CallRow {
    /// The row of a call.
    pub(super) fn of(call: &Call, names: &Names) -> Self {
        let (grade, digest) = session(call);
        let mut layers = call.args.iter().map(|args| columns(args, names));
        let (layer, value, core, pos, hides, shows_pages, shows_parameters, parameters, prints) =
            layers.next().unwrap_or_default();
        let text = |id: NameId| names.text(id).to_owned();
        Self {
            trace: *call.trace_id.as_bytes(),
            span: *call.span_id.as_bytes(),
            digest,
            grade: grade.index(),
            service: text(call.service),
            tool: call.tool.map(text).unwrap_or_default(),
            is_named: u8::from(call.tool.is_some()),
            told_client: text(call.client),
            start: call.start.get(),
            end: call.end.get(),
            is_time_known: u8::from(call.is_time_known),
            latency: call.latency.map(crate::call::CallDuration::as_nanos),
            outcome: call.outcome.index(),
            is_low: u8::from(call.confidence == Confidence::Low),
            emptiness: call.emptiness.index(),
            result_bytes: call.result_bytes,
            is_sampled: u8::from(call.is_sampled),
            received: call.received.get(),
            sightings: call.sightings,
            duplicates: call.duplicates,
            recovery: call.recovery.as_deref().map(packed).unwrap_or_default(),
            layer,
            value,
            core,
            pos,
            hides,
            shows_pages,
            shows_parameters,
            parameters,
            prints,
            more: layers.collect(),
        }
    }
}

/// The first of conversation, transport's session and trace that names the call's session
/// (METHOD section 2), as `nightly::session` has it.
fn session(call: &Call) -> (SessionGrade, [u8; 16]) {
    if let Some(key) = call.conversation {
        (SessionGrade::A, *key.as_bytes())
    } else if let Some(key) = call.transport {
        (SessionGrade::B, *key.as_bytes())
    } else if call.has_company || call.has_parent {
        (SessionGrade::C, *call.trace_id.as_bytes())
    } else {
        (SessionGrade::E, [0; 16])
    }
}

fn columns(args: &Args, names: &Names) -> MoreArgs {
    (
        format!("{} {}", args.layer.form.index(), names.text(args.layer.source)),
        number(args.value),
        number(args.core.unwrap_or(args.value)),
        args.pos.map_or(NO_HASH, number),
        u8::from(args.hides),
        u8::from(args.shows_pages()),
        u8::from(args.shows_parameters()),
        args.prints.iter().map(|print| names.text(print.name).to_owned()).collect(),
        args.prints.iter().map(|print| u32::from_be_bytes(print.print)).collect(),
    )
}

/// What a call tells of recovery as bytes; only the process that wrote them can read its names.
fn packed(recovery: &CallRecovery) -> Vec<u8> {
    let mut out = Out::default();
    recovery.pack(&mut out);
    out.written().to_vec()
}

/// Six bytes as a number.
fn number(hash: [u8; 6]) -> u64 {
    hash.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
