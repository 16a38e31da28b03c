//! A minute of very many rows: read in parts, so that its sightings are never held at once, and
//! still nothing is kept twice where reading ends between two parts.

use std::sync::atomic::{AtomicU64, Ordering};

use firstcall::call::CallDuration;

use super::*;
use crate::support::clickhouse::{Fault, FaultKind};

const ROWS: usize = 40_000;

/// One span over a minute as often as wanted, each with ids and a start of its own.
fn fill(engine: &ClickHouse, now: UnixNanos) {
    let start = now.saturating_sub(CallDuration::from_secs(600)).get() / 60_000_000_000;
    Layout::Maps.create(engine);
    engine.execute(&format!(
        "INSERT INTO otel_traces (Timestamp, TraceId, SpanId, SpanName, SpanKind, ServiceName, \
         SpanAttributes, Duration, ScopeName, StatusCode) \
         SELECT fromUnixTimestamp64Nano(toInt64({start} * 60000000000 + number * 1000000)), \
         lower(hex(sipHash128(number))), leftPad(lower(hex(sipHash64(number))), 16, '0'), 'tools/call find', \
         'Server', 'shop', map('mcp.method.name', 'tools/call', 'gen_ai.tool.name', 'find', \
         'mcp.session.id', toString(number % 100)), 1000000, 'any', 'Ok' FROM numbers({ROWS})"
    ));
}

/// A clock that goes on by a nanosecond whenever it is looked at.
#[derive(Debug)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> UnixNanos {
        UnixNanos::new(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

fn ids(world: &World) -> Vec<([u8; 16], [u8; 8])> {
    let id = |one: &Sighting| (*one.trace_id.as_bytes(), *one.span_id.as_bytes());
    world.sightings().iter().map(id).collect()
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
    let clock: Arc<dyn Clock> = Arc::new(Ticking(AtomicU64::new(now.get())));
    let read = || otel_tables::run(&source(&engine), &cut.config, &clock, &mut Silent);
    engine.fault(Fault::new(FaultKind::Fail(241)).of("AS is_wanted").after(1).times(1));
    assert!(matches!(read().unwrap_err(), ImportError::Tables(_)));
    // One part of two is kept, and not the minute.
    let kept = cut.sightings().len();
    assert!((ROWS / 3..ROWS * 2 / 3).contains(&kept), "{kept}");
    // What was read is told, and what was there already is left out.
    assert_eq!(read().unwrap().calls(), ROWS as u64);
    assert_eq!(ids(&cut), ids(&whole));
    let arrived = |world: &World| world.store().arrival_counts(now.day(), now.day()).unwrap();
    assert_eq!(arrived(&cut), arrived(&whole));
    let counted = arrived(&cut).values().map(|counts| counts.spans).sum::<u64>();
    assert_eq!(counted, ROWS as u64);
    assert_eq!(read().unwrap().requests, 0);
}
