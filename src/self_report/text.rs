//! The figures in Prometheus' text format.

use std::fmt::Write;

use super::SelfReport;
use super::histogram::{COMMITS, COMMITS_HELP};
use super::metric::{Kind, METRICS, Sample};

/// The whole page.
pub(super) fn write(report: &SelfReport) -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    try_write(&mut page, report).ok();
    page
}

fn try_write(page: &mut String, report: &SelfReport) -> std::fmt::Result {
    for metric in METRICS {
        let samples = metric.samples(report);
        let kind = match metric.kind {
            Kind::Counter => "counter",
            // What is not known has no line at all.
            Kind::Gauge if samples.is_empty() => continue,
            Kind::Gauge => "gauge",
        };
        let name = metric.name;
        writeln!(page, "# HELP {name} {}\n# TYPE {name} {kind}", metric.help)?;
        for Sample { labels, value } in samples {
            let labels: Vec<_> =
                labels.iter().map(|(label, word)| format!("{label}=\"{word}\"")).collect();
            let labels = labels.join(",");
            let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            writeln!(page, "{name}{labels} {value}")?;
        }
    }
    commits(page, report)
}

fn commits(page: &mut String, report: &SelfReport) -> std::fmt::Result {
    let name = COMMITS;
    writeln!(page, "# HELP {name} {COMMITS_HELP}\n# TYPE {name} histogram")?;
    for (end, count) in report.commits.cumulative() {
        writeln!(page, "{name}_bucket{{le=\"{}\"}} {count}", as_seconds(end))?;
    }
    let count = report.commits.count();
    writeln!(page, "{name}_bucket{{le=\"+Inf\"}} {count}")?;
    writeln!(page, "{name}_sum {}", as_seconds(report.commits.sum_micros()))?;
    writeln!(page, "{name}_count {count}")
}

/// Microseconds as seconds, exactly.
fn as_seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Over;
    use super::*;
    use crate::call::{Name, UnixNanos};
    use crate::figures::{ArrivalCounts, Refusal};

    #[test]
    fn every_figure_has_its_line() {
        let report = SelfReport::new();
        let mut counts = ArrivalCounts { spans: 5, log_records: 2, ..Default::default() };
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
        report.sent_again(2);
        assert!(report.held_nothing_known() && !report.held_nothing_known());
        // 2026-11-29 12:00:00 UTC.
        let noon = UnixNanos::new(1_795_953_600_000_000_000);
        report.pass_ended(noon, true);
        report.covered_through(Some(noon.day()));
        let text = report.prometheus_text();
        for line in [
            "firstcall_spans_total 5",
            "firstcall_log_records_total 2",
            "firstcall_kept_spans_total{dialect=\"semconv\"} 3",
            "firstcall_refused_spans_total{reason=\"bad_id\"} 1",
            "firstcall_refused_spans_total{reason=\"too_old\"} 0",
            "firstcall_duplicate_spans_total 2",
            "firstcall_unknown_requests_total 2",
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
