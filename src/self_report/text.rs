//! The figures in Prometheus' text format.

use std::fmt::{Display, Write};
use std::sync::atomic::Ordering;

use super::{SelfReport, lock};
use crate::call::UnixNanos;
use crate::figures::counts::{Counts, Word};

/// A page that is being written.
#[derive(Default)]
struct Page(String);

impl Page {
    /// Begins a metric.
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    /// A metric of one value.
    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.metric(name, kind, help);
        self.line(format_args!("{name} {value}"));
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.single(name, "counter", help, value);
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.single(name, "gauge", help, value);
    }

    /// A counter by the words of a closed set, zeros included.
    fn words<W: Word>(&mut self, name: &str, help: &str, counts: &Counts<W>) {
        self.metric(name, "counter", help);
        for (word, count) in counts.iter() {
            self.line(format_args!("{name}{{reason=\"{}\"}} {count}", word.text()));
        }
    }

    fn line(&mut self, line: impl Display) {
        // Writing to a string cannot fail.
        writeln!(self.0, "{line}").ok();
    }
}

/// Whole seconds since the epoch.
fn seconds(time: UnixNanos) -> u64 {
    time.get() / 1_000_000_000
}

/// Microseconds as seconds, exactly.
fn as_seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The whole page.
pub(super) fn write(report: &SelfReport) -> String {
    let mut page = Page::default();
    let version = env!("CARGO_PKG_VERSION");
    page.metric("firstcall_build_info", "gauge", "The program's version.");
    page.line(format_args!("firstcall_build_info{{version=\"{version}\"}} 1"));
    spans(&mut page, report);
    requests(&mut page, report);
    commits(&mut page, report);
    nights(&mut page, report);
    exports(&mut page, report);
    page.0
}

fn spans(page: &mut Page, report: &SelfReport) {
    let arrivals = lock(&report.arrivals).clone();
    page.counter("firstcall_spans_total", "Spans in requests that were taken.", arrivals.spans);
    let name = "firstcall_kept_spans_total";
    page.metric(name, "counter", "Tool-call spans that were kept, by dialect.");
    for (dialect, count) in &arrivals.kept {
        page.line(format_args!("{name}{{dialect=\"{dialect}\"}} {count}"));
    }
    let name = "firstcall_not_call_spans_total";
    page.metric(name, "counter", "Spans that look like a tool call and are none, by reason.");
    for (reason, count) in &arrivals.not_calls {
        page.line(format_args!("{name}{{reason=\"{reason}\"}} {count}"));
    }
    let help = "Tool-call spans that could not be kept, by reason.";
    page.words("firstcall_refused_spans_total", help, &arrivals.refused);
    let help = "Repairs of kept spans, by what was mended.";
    page.words("firstcall_repairs_total", help, &arrivals.repaired);
}

fn requests(page: &mut Page, report: &SelfReport) {
    let load = |value: &std::sync::atomic::AtomicU64| value.load(Ordering::Relaxed);
    let name = "firstcall_requests_total";
    page.metric(name, "counter", "Answered requests, by transport and that transport's code.");
    for ((over, code), count) in &*lock(&report.requests) {
        let over = over.word();
        page.line(format_args!("{name}{{transport=\"{over}\",code=\"{code}\"}} {count}"));
    }
    let help = "Bytes of request bodies as they were sent.";
    page.counter("firstcall_received_bytes_total", help, load(&report.bytes_received));
    let help = "Bytes of requests that are held now.";
    page.gauge("firstcall_in_flight_bytes", help, load(&report.in_flight_bytes));
    let help = "Requests that wait for their commit.";
    page.gauge("firstcall_commit_queue_requests", help, load(&report.waiting));
}

fn commits(page: &mut Page, report: &SelfReport) {
    let name = "firstcall_commit_seconds";
    page.metric(name, "histogram", "From a request being read to its commit being on disk.");
    for (end, count) in report.commits.cumulative() {
        page.line(format_args!("{name}_bucket{{le=\"{}\"}} {count}", as_seconds(end)));
    }
    let count = report.commits.count();
    page.line(format_args!("{name}_bucket{{le=\"+Inf\"}} {count}"));
    page.line(format_args!("{name}_sum {}", as_seconds(report.commits.sum_micros())));
    page.line(format_args!("{name}_count {count}"));
    let failures = report.storage_failures.load(Ordering::Relaxed);
    page.counter("firstcall_storage_failures_total", "Commits that failed.", failures);
    let is_failing = u8::from(report.is_storage_failing.load(Ordering::Relaxed));
    let help = "Whether the last commit failed: 1 while the store takes no data.";
    page.gauge("firstcall_storage_failing", help, is_failing);
}

fn exports(page: &mut Page, report: &SelfReport) {
    let name = "firstcall_figure_exports_total";
    page.metric(name, "counter", "Exports of the figures as metrics after a pass, by result.");
    for (result, count) in [("sent", &report.exports_sent), ("failed", &report.exports_failed)] {
        let count = count.load(Ordering::Relaxed);
        page.line(format_args!("{name}{{result=\"{result}\"}} {count}"));
    }
}

/// What is not known yet has no line: a time of zero would read as 1970.
fn nights(page: &mut Page, report: &SelfReport) {
    let night = *lock(&report.night);
    if let Some((ended, is_done)) = night.last_pass {
        let help = "When the last nightly pass of this process ended, in Unix time.";
        page.gauge("firstcall_last_pass_timestamp_seconds", help, seconds(ended));
        let help = "Whether the last nightly pass did all that was due.";
        page.gauge("firstcall_last_pass_succeeded", help, u8::from(is_done));
    }
    if let Some(day) = night.covered_through {
        let help = "The end of the last covered day, in Unix time.";
        page.gauge("firstcall_covered_through_timestamp_seconds", help, seconds(day.end()));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Over;
    use super::*;
    use crate::call::Name;
    use crate::figures::{ArrivalCounts, Refusal};

    #[test]
    fn every_figure_has_its_line() {
        let report = SelfReport::new();
        let mut counts = ArrivalCounts { spans: 5, ..Default::default() };
        counts.kept.insert(Name::cut("semconv"), 3);
        counts.refused.add(Refusal::BadId, 1);
        report.arrived(&counts);
        report.answered(Over::Grpc, 0);
        report.answered(Over::Http, 503);
        report.received(17);
        report.hold(10);
        report.release(4);
        report.committed(Duration::from_micros(1_500));
        report.storage_failed();
        // 2026-11-29 12:00:00 UTC.
        let noon = UnixNanos::new(1_795_953_600_000_000_000);
        report.pass_ended(noon, true);
        report.covered_through(Some(noon.day()));
        let text = report.prometheus_text();
        for line in [
            "firstcall_spans_total 5",
            "firstcall_kept_spans_total{dialect=\"semconv\"} 3",
            "firstcall_refused_spans_total{reason=\"bad_id\"} 1",
            "firstcall_refused_spans_total{reason=\"too_old\"} 0",
            "firstcall_requests_total{transport=\"grpc\",code=\"0\"} 1",
            "firstcall_requests_total{transport=\"http\",code=\"503\"} 1",
            "firstcall_received_bytes_total 17",
            "firstcall_in_flight_bytes 6",
            "firstcall_commit_queue_requests 0",
            "firstcall_commit_seconds_bucket{le=\"0.001\"} 0",
            "firstcall_commit_seconds_bucket{le=\"0.0025\"} 1",
            "firstcall_commit_seconds_bucket{le=\"+Inf\"} 1",
            "firstcall_commit_seconds_sum 0.0015",
            "firstcall_storage_failures_total 1",
            "firstcall_storage_failing 1",
            "firstcall_last_pass_timestamp_seconds 1795953600",
            "firstcall_last_pass_succeeded 1",
            // Midnight after it: twelve hours later.
            "firstcall_covered_through_timestamp_seconds 1795996800",
        ] {
            assert!(text.lines().any(|found| found == line), "no {line:?} in:\n{text}");
        }
    }

    #[test]
    fn what_is_not_known_has_no_line() {
        let text = SelfReport::new().prometheus_text();
        assert!(!text.contains("last_pass") && !text.contains("covered_through"), "{text}");
    }
}
