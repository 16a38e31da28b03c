//! A minute of very many rows: read in parts, so that its sightings are never held at once, and
//! still nothing is kept twice where reading ends between two parts.

use firstcall::call::CallDuration;

use super::*;
use crate::support::clickhouse::{Fault, FaultKind};

const ROWS: usize = 25_000;

/// One span over a minute as often as wanted, each with ids and a start of its own.
fn fill(engine: &ClickHouse, now: UnixNanos) {
    let start = now.saturating_sub(CallDuration::from_secs(600)).get() / 60_000_000_000;
    Layout::Maps.create(engine);
    engine.execute(&format!(
        "INSERT INTO otel_traces (Timestamp, TraceId, SpanId, SpanName, SpanKind, ServiceName, \
         SpanAttributes, Duration, ScopeName, StatusCode) \
         SELECT fromUnixTimestamp64Nano(toInt64({start} * 60000000000 + number * 2000000)), \
         lower(hex(sipHash128(number))), leftPad(lower(hex(sipHash64(number))), 16, '0'), 'tools/call find', \
         'Server', 'shop', map('mcp.method.name', 'tools/call', 'gen_ai.tool.name', 'find', \
         'mcp.session.id', toString(number % 100)), 1000000, 'any', 'Ok' FROM numbers({ROWS})"
    ));
}

#[test]
fn a_minute_of_many_rows_is_read_in_parts_and_goes_on_where_it_ended() {
    let engine = ClickHouse::start();
    let now = traffic::NOW;
    fill(&engine, now);
    let whole = World::new(now, None);
    let read = whole.read(&engine).unwrap();
    assert_eq!((read.calls(), read.requests), (ROWS as u64, 1));
    if !engine.can_fail() {
        return;
    }
    let cut = World::new(now, Some(&whole));
    engine.fault(Fault::new(FaultKind::Fail(241)).of("AS is_wanted").after(2).times(1));
    assert!(matches!(cut.read(&engine).unwrap_err(), ImportError::Tables(_)));
    // Two parts of three are kept, and not the minute.
    let kept = cut.sightings().len();
    assert!((ROWS / 2..ROWS).contains(&kept), "{kept}");
    let read = cut.read(&engine).unwrap();
    assert_eq!(read.calls(), (ROWS - kept) as u64);
    assert_eq!(cut.sightings(), whole.sightings());
    assert_eq!(cut.read(&engine).unwrap().requests, 0);
}
