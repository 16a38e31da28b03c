//! Every figure once, with its name and how it is read: the Prometheus page and the OTLP
//! exporter show the same ones under the same names. The histogram of commits stands beside them
//! in [`super::histogram`].

use std::sync::atomic::{AtomicU64, Ordering};

use super::{SelfReport, lock};
use crate::call::UnixNanos;
use crate::figures::ArrivalCounts;
use crate::figures::counts::{Counts, Word};

/// How a figure moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, from zero when the process begins.
    Counter,
    /// It goes up and down.
    Gauge,
}

/// A figure.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name in both formats.
    pub name: &'static str,
    /// How it moves.
    pub kind: Kind,
    /// What it is, for people.
    pub help: &'static str,
    read: fn(&SelfReport) -> Vec<Sample>,
}

/// One value of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The labels that tell it from the figure's other values; none from a request.
    pub labels: Vec<(&'static str, String)>,
    /// The value.
    pub value: u64,
}

impl Metric {
    /// The values now; none where it is not known yet.
    pub fn samples(&self, report: &SelfReport) -> Vec<Sample> {
        (self.read)(report)
    }
}

const fn counter(
    name: &'static str,
    help: &'static str,
    read: fn(&SelfReport) -> Vec<Sample>,
) -> Metric {
    Metric { name, kind: Kind::Counter, help, read }
}

const fn gauge(
    name: &'static str,
    help: &'static str,
    read: fn(&SelfReport) -> Vec<Sample>,
) -> Metric {
    Metric { name, kind: Kind::Gauge, help, read }
}

/// All of them, in the order in which they are shown.
pub const METRICS: &[Metric] = &[
    gauge("firstcall_build_info", "The program's version.", |_report| {
        let labels = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
        vec![Sample { labels, value: 1 }]
    }),
    counter("firstcall_spans_total", "Spans in requests that were taken.", |report| {
        arrivals(report, |arrivals| one(arrivals.spans))
    }),
    counter("firstcall_log_records_total", "Log records in requests that were taken.", |report| {
        arrivals(report, |arrivals| one(arrivals.log_records))
    }),
    counter(
        "firstcall_kept_spans_total",
        "Tool-call spans that were kept, by dialect.",
        |report| arrivals(report, |arrivals| named("dialect", &arrivals.kept)),
    ),
    counter(
        "firstcall_not_call_spans_total",
        "Spans that look like a tool call and are none, by reason.",
        |report| arrivals(report, |arrivals| named("reason", &arrivals.not_calls)),
    ),
    counter(
        "firstcall_refused_spans_total",
        "Tool-call spans that could not be kept, by reason.",
        |report| arrivals(report, |arrivals| words(&arrivals.refused)),
    ),
    counter("firstcall_repairs_total", "Repairs of kept spans, by what was mended.", |report| {
        arrivals(report, |arrivals| words(&arrivals.repaired))
    }),
    counter(
        "firstcall_duplicate_spans_total",
        "Kept spans whose trace and span id are among the last 65536 kept: sent again.",
        |report| one(load(&report.duplicates)),
    ),
    counter(
        "firstcall_unknown_requests_total",
        "Requests in JSON that hold no member of OTLP's: taken as empty.",
        |report| one(load(&report.unknown_requests)),
    ),
    counter(
        "firstcall_requests_total",
        "Answered requests, by transport and that transport's code.",
        |report| {
            let requests = lock(&report.requests);
            let sample = |((over, code), count): (&(super::Over, u16), &u64)| Sample {
                labels: vec![("transport", over.word().to_owned()), ("code", code.to_string())],
                value: *count,
            };
            requests.iter().map(sample).collect()
        },
    ),
    counter(
        "firstcall_received_bytes_total",
        "Bytes of request bodies as they were sent.",
        |report| one(load(&report.bytes_received)),
    ),
    gauge("firstcall_in_flight_bytes", "Bytes of requests that are held now.", |report| {
        one(load(&report.in_flight_bytes))
    }),
    gauge("firstcall_commit_queue_requests", "Requests that wait for their commit.", |report| {
        one(load(&report.waiting))
    }),
    counter("firstcall_storage_failures_total", "Commits that failed.", |report| {
        one(load(&report.storage_failures))
    }),
    gauge(
        "firstcall_storage_failing",
        "Whether the last commit failed: 1 while the store takes no data.",
        |report| one(report.is_storage_failing.load(Ordering::Relaxed).into()),
    ),
    // What is not known yet has no value: a time of zero would read as 1970.
    gauge(
        "firstcall_last_pass_timestamp_seconds",
        "When the last nightly pass of this process ended, in Unix time.",
        |report| known(lock(&report.night).last_pass.map(|(ended, _)| seconds(ended))),
    ),
    gauge(
        "firstcall_last_pass_succeeded",
        "Whether the last nightly pass did all that was due.",
        |report| known(lock(&report.night).last_pass.map(|(_, is_done)| is_done.into())),
    ),
    gauge(
        "firstcall_covered_through_timestamp_seconds",
        "The end of the last covered day, in Unix time.",
        |report| known(lock(&report.night).covered_through.map(|day| seconds(day.end()))),
    ),
    counter(
        "firstcall_figure_exports_total",
        "Exports of the figures as metrics after a pass, by result.",
        |report| {
            let exports = [("sent", &report.exports_sent), ("failed", &report.exports_failed)];
            let sample = |(result, count): (&str, &AtomicU64)| Sample {
                labels: vec![("result", result.to_owned())],
                value: load(count),
            };
            exports.into_iter().map(sample).collect()
        },
    ),
];

fn load(value: &AtomicU64) -> u64 {
    value.load(Ordering::Relaxed)
}

fn arrivals(report: &SelfReport, read: impl Fn(&ArrivalCounts) -> Vec<Sample>) -> Vec<Sample> {
    read(&lock(&report.arrivals))
}

fn one(value: u64) -> Vec<Sample> {
    vec![Sample { labels: Vec::new(), value }]
}

fn known(value: Option<u64>) -> Vec<Sample> {
    value.map(one).unwrap_or_default()
}

/// Values by a name of a closed set.
fn named<N: std::fmt::Display>(
    label: &'static str,
    counts: &std::collections::BTreeMap<N, u64>,
) -> Vec<Sample> {
    let sample = |(name, count): (&N, &u64)| Sample {
        labels: vec![(label, name.to_string())],
        value: *count,
    };
    counts.iter().map(sample).collect()
}

/// Values by the words of a closed set, zeros included.
fn words<W: Word>(counts: &Counts<W>) -> Vec<Sample> {
    let sample = |(word, value): (W, u64)| Sample {
        labels: vec![("reason", word.text().to_owned())],
        value,
    };
    counts.iter().map(sample).collect()
}

/// Whole seconds since the epoch.
fn seconds(time: UnixNanos) -> u64 {
    time.get() / 1_000_000_000
}
