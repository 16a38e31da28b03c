//! Decoding alone, all ways over the same bytes in turn.

use std::hint::black_box;
use std::sync::Arc;

use bytes::Bytes;
use firstcall::call::InstallationSecret;
use firstcall::clock::ManualClock;
use firstcall::ingest::{Commit, Ingest};
use firstcall::otlp::{Format, Outline, ResourceView, ScopeView, Sent, SpanView, Visitor, walk};
use firstcall::recognise::{is_deciding_key, is_deciding_name, is_deciding_text};
use firstcall::store::{Batch, Committed, StoreError};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;

use super::{cpu, median, traffic};

const ROUNDS: usize = 9;

/// Times that all requests are gone through in a round. Some kernels count a thread's time in
/// ticks of four milliseconds, which is as long as the fastest way takes for all of them.
const PASSES: u32 = 12;

/// Commits nowhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nowhere;

impl Commit for Nowhere {
    async fn commit(&self, batch: Batch) -> Result<Committed, StoreError> {
        drop(black_box(batch));
        Ok(Committed::default())
    }
}

/// An ingest at the time of the traffic.
pub(crate) fn ingest<C: Commit>(commit: C) -> Ingest<C> {
    let noon = firstcall::call::UnixNanos::new(1_795_953_700_000_000_000);
    let secret = InstallationSecret::from_bytes([7; 32]);
    Ingest::new(commit, Arc::new(ManualClock::at(noon)), &secret)
}

/// Reads tool calls whole and does nothing with them.
struct Reading(u64);

impl Outline for Reading {
    fn resource(&mut self, _service_name: &str, _items: u64) {}
}

impl Visitor for Reading {
    fn is_deciding_key(&self, key: &[u8]) -> bool {
        is_deciding_key(key)
    }

    fn is_deciding_text(&self, key: &[u8], text: &[u8]) -> bool {
        is_deciding_text(key, text)
    }

    fn is_deciding_name(&self, name: &[u8]) -> bool {
        is_deciding_name(name)
    }

    fn span(&mut self, span: &SpanView<'_>, _scope: &ScopeView<'_>, _resource: &ResourceView<'_>) {
        black_box(span);
        self.0 += 1;
    }
}

/// Wants nothing: what is left is the checking of the framing.
struct Nothing;

impl Outline for Nothing {
    fn resource(&mut self, _service_name: &str, _items: u64) {}
}

impl Visitor for Nothing {
    fn is_deciding_key(&self, _key: &[u8]) -> bool {
        false
    }

    fn is_deciding_text(&self, _key: &[u8], _text: &[u8]) -> bool {
        false
    }

    fn is_deciding_name(&self, _name: &[u8]) -> bool {
        false
    }

    fn span(&mut self, _: &SpanView<'_>, _: &ScopeView<'_>, _: &ResourceView<'_>) {}
}

type Way<'a> = (&'a str, Box<dyn Fn(&[u8]) + 'a>);

/// Measures and prints.
pub(crate) fn run(requests: &[Bytes]) {
    // As the path tells the receiver.
    const SPANS: Option<Sent> = Some(Sent::Spans);
    let (both, calls) = (ingest(Nowhere), ingest(Nowhere).without_attempts());
    let ways: Vec<Way<'_>> = vec![
        (
            "full decode by opentelemetry-proto",
            Box::new(|bytes| drop(black_box(ExportTraceServiceRequest::decode(bytes).unwrap()))),
        ),
        (
            "walk, nothing wanted",
            Box::new(|bytes| walk(bytes, Format::Protobuf, &mut Nothing).unwrap()),
        ),
        (
            "walk, tool calls read whole",
            Box::new(|bytes| {
                let mut reading = Reading(0);
                walk(bytes, Format::Protobuf, &mut reading).unwrap();
                black_box(reading.0);
            }),
        ),
        (
            "walk, recognise, reduce calls",
            Box::new(|bytes| drop(black_box(calls.read(bytes, Format::Protobuf, SPANS).unwrap()))),
        ),
        (
            "the same, and downstream attempts",
            Box::new(|bytes| drop(black_box(both.read(bytes, Format::Protobuf, SPANS).unwrap()))),
        ),
        (
            "sum of the bytes as 64-bit words",
            Box::new(|bytes| {
                let words = bytes.chunks_exact(8).filter_map(<[u8]>::first_chunk);
                let sum =
                    words.fold(0_u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
                black_box(sum);
            }),
        ),
    ];

    let mut figures = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for ((_, way), figures) in ways.iter().zip(&mut figures) {
            let spent = cpu::spent_by(|| {
                (0..PASSES).for_each(|_| requests.iter().for_each(|bytes| way(bytes)));
            });
            let spans = u64::from(PASSES) * traffic::REQUESTS * traffic::SPANS;
            figures.push(spent.as_nanos() as f64 / spans as f64);
        }
    }
    let medians: Vec<f64> = figures.into_iter().map(median).collect();
    let full = medians.first().copied().unwrap_or(f64::NAN);
    let sum = medians.last().copied().unwrap_or(f64::NAN);
    println!("decode alone, one thread                  ns/span  full / it  it / sum");
    for ((name, _), nanos) in ways.iter().zip(&medians) {
        println!("  {name:<38}{nanos:>9.0}{:>11.1}{:>10.1}", full / nanos, nanos / sum);
    }
    println!();
}
