//! Which metrics there are: their names, units, and how each is read from the figures.
//!
//! A name is `firstcall.` and METHOD section 13's name, `.` where that has parts. A figure that
//! is null has no point: null is not zero.

use crate::figures::counts::Word;
use crate::figures::finding::SESSIONS_TO_NAME;
use crate::figures::format::fraction;
use crate::figures::{Counts, Figures, Rate};

/// A metric: a gauge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    /// In UCUM, as OpenTelemetry wants it.
    pub(super) unit: &'static str,
    pub(super) description: &'static str,
}

const fn metric(name: &'static str, unit: &'static str, description: &'static str) -> Metric {
    Metric { name, unit, description }
}

/// What a point says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Count(u64),
    Number(f64),
}

/// One point of one metric, with the attribute that sets it apart from the metric's others of
/// the same tool and client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point<'f> {
    pub(super) metric: Metric,
    pub(super) word: Option<(&'static str, &'f str)>,
    pub(super) value: Value,
}

/// The last covered day's end.
pub(super) const AS_OF: Metric =
    metric("firstcall.as_of", "s", "End of the last covered day, in Unix time.");
/// How much of the range is covered.
pub(super) const COVERED_DAYS: Metric =
    metric("firstcall.covered_days", "d", "Covered days of the range.");

type Count = (Metric, fn(&Figures) -> u64);
type Number = (Metric, fn(&Figures) -> Option<f64>);

const COUNTS: [Count; 13] = [
    (metric("firstcall.calls", "{call}", "Calls."), |f| f.calls),
    (metric("firstcall.judged", "{call}", "Judged calls."), |f| f.judged),
    (metric("firstcall.empty", "{call}", "Ok calls whose answer held nothing."), |f| f.empty),
    (metric("firstcall.emptiness_known", "{call}", "Ok calls whose emptiness is known."), |f| {
        f.emptiness_known
    }),
    (metric("firstcall.retried", "{call}", "Calls retried by the rule window-30s."), |f| f.retried),
    (metric("firstcall.confirmed_retries", "{call}", "Retries that are no look-alikes."), |f| {
        f.confirmed_retries()
    }),
    (
        metric("firstcall.look_alikes", "{call}", "Retries that are parallel, pages or loops."),
        Figures::look_alikes,
    ),
    (metric("firstcall.repeats", "{call}", "The same arguments again within 30 s."), |f| f.repeats),
    (
        metric(
            "firstcall.first_call_successes",
            "{call}",
            "Judged calls: ok, not empty, not retried.",
        ),
        |f| f.first_call_successes,
    ),
    (
        metric(
            "firstcall.confirmed_first_call_successes",
            "{call}",
            "Judged calls: ok, not empty, not a confirmed retry.",
        ),
        |f| f.confirmed_first_call_successes,
    ),
    (metric("firstcall.retry_chains", "{chain}", "Retry chains."), |f| f.retry_chains),
    (metric("firstcall.abandoned_chains", "{chain}", "Retry chains without a usable end."), |f| {
        f.abandoned_chains
    }),
    (metric("firstcall.few_calls", "1", "1 below 20 judged calls, 0 otherwise."), |f| {
        u64::from(f.few_calls())
    }),
];

const UNKNOWN_TOOL_CALLS: Metric =
    metric("firstcall.unknown_tool_calls", "{call}", "Calls of tools that are not there.");
const UNJUDGED: Metric = metric("firstcall.unjudged", "{call}", "Calls not judged, by reason.");
const OUTCOMES: Metric = metric("firstcall.outcomes", "{call}", "Calls by outcome.");
const CLASSES: Metric = metric("firstcall.retry_classes", "{call}", "Retries by class.");
const REWORDED: Metric = metric(
    "firstcall.reworded_parameters.share",
    "1",
    "Share of confirmed retries that changed the parameter.",
);

const NUMBERS: [Number; 12] = [
    (metric("firstcall.first_call_success.rate", "1", "First-call success."), |f| {
        rate(f.first_call_success(), Rate::fraction)
    }),
    (metric("firstcall.first_call_success.low", "1", "Low end of its 95 % interval."), |f| {
        rate(f.first_call_success(), |rate| rate.interval().low)
    }),
    (metric("firstcall.first_call_success.high", "1", "High end of its 95 % interval."), |f| {
        rate(f.first_call_success(), |rate| rate.interval().high)
    }),
    (
        metric("firstcall.confirmed_first_call_success.rate", "1", "Confirmed first-call success."),
        |f| rate(f.confirmed_first_call_success(), Rate::fraction),
    ),
    (
        metric("firstcall.confirmed_first_call_success.low", "1", "Low end of its 95 % interval."),
        |f| rate(f.confirmed_first_call_success(), |rate| rate.interval().low),
    ),
    (
        metric(
            "firstcall.confirmed_first_call_success.high",
            "1",
            "High end of its 95 % interval.",
        ),
        |f| rate(f.confirmed_first_call_success(), |rate| rate.interval().high),
    ),
    (
        metric("firstcall.extra_attempts_mean", "1", "Mean extra attempts of usable retry chains."),
        Figures::extra_attempts_mean,
    ),
    (metric("firstcall.latency_ms.p50", "ms", "Median latency."), |f| latency(f, 50)),
    (metric("firstcall.latency_ms.p95", "ms", "95th percentile of latency."), |f| latency(f, 95)),
    (metric("firstcall.latency_ms.p99", "ms", "99th percentile of latency."), |f| latency(f, 99)),
    (
        metric("firstcall.result_bytes.mean", "By", "Mean size of a result."),
        Figures::result_bytes_mean,
    ),
    (metric("firstcall.result_bytes.p95", "By", "95th percentile of sizes."), |f| {
        f.result_sizes.percentile(95).filter(|_| f.result_bytes_mean().is_some())
    }),
];

fn rate(rate: Option<Rate>, of: fn(Rate) -> f64) -> Option<f64> {
    rate.map(of)
}

fn latency(figures: &Figures, percent: u8) -> Option<f64> {
    figures.latency.percentile(percent.into()).map(|nanos| nanos / 1e6)
}

/// The points of one tool, client, both, or all calls. `counts_unknown_tools` where calls of
/// tools that are not there are among them: overall and per client.
pub(super) fn points(figures: &Figures, counts_unknown_tools: bool) -> Vec<Point<'_>> {
    let plain = |metric, value| Point { metric, word: None, value };
    let mut points: Vec<Point<'_>> =
        COUNTS.iter().map(|(metric, read)| plain(*metric, Value::Count(read(figures)))).collect();
    if counts_unknown_tools {
        points.push(plain(UNKNOWN_TOOL_CALLS, Value::Count(figures.unknown_tool_calls)));
    }
    points.extend(words(UNJUDGED, "reason", &figures.unjudged));
    points.extend(words(OUTCOMES, "outcome", &figures.outcomes));
    points.extend(words(CLASSES, "class", &figures.retry_classes));
    let numbers = NUMBERS.iter().filter_map(|(metric, read)| Some((*metric, read(figures)?)));
    points.extend(numbers.map(|(metric, value)| plain(metric, Value::Number(value))));
    let named = figures.reworded.iter();
    let named = named.filter(|(_, times)| times.sessions >= SESSIONS_TO_NAME && times.retries > 0);
    points.extend(named.map(|(name, times)| Point {
        metric: REWORDED,
        word: Some(("name", name.as_str())),
        value: Value::Number(fraction(times.retries, figures.reworded_known)),
    }));
    points
}

/// Zeros are sent: a gauge that falls silent would be taken to stand where it was.
fn words<'f, W: Word>(
    metric: Metric,
    key: &'static str,
    counts: &'f Counts<W>,
) -> impl Iterator<Item = Point<'f>> + use<'f, W> {
    counts.iter().map(move |(word, times)| Point {
        metric,
        word: Some((key, word.text())),
        value: Value::Count(times),
    })
}

/// Every metric that there is.
#[cfg(test)]
pub(super) fn all() -> Vec<Metric> {
    let fixed = [AS_OF, COVERED_DAYS, UNKNOWN_TOOL_CALLS, UNJUDGED, OUTCOMES, CLASSES, REWORDED];
    let counts = COUNTS.iter().map(|(metric, _)| *metric);
    let numbers = NUMBERS.iter().map(|(metric, _)| *metric);
    fixed.into_iter().chain(counts).chain(numbers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{Name, Outcome};
    use crate::figures::{RetryClass, RewordedCount};

    #[test]
    fn the_documentation_lists_every_metric_with_its_unit_and_no_other() {
        let page = include_str!("../../docs/metrics.md");
        let listed = page.lines().filter(|line| line.starts_with("| `firstcall.")).count();
        assert_eq!(listed, all().len());
        for Metric { name, unit, .. } in all() {
            assert!(page.contains(&format!("| `{name}` | `{unit}` |")), "{name}");
        }
    }

    #[test]
    fn a_null_has_no_point_and_a_zero_has_one() {
        let nothing = Figures::default();
        let found = points(&nothing, false);
        assert!(found.iter().all(|point| matches!(point.value, Value::Count(_))));
        assert!(
            found.iter().any(|p| p.metric.name == "firstcall.judged" && p.value == Value::Count(0))
        );
        assert!(!found.iter().any(|p| p.metric == UNKNOWN_TOOL_CALLS));
        assert!(points(&nothing, true).iter().any(|p| p.metric == UNKNOWN_TOOL_CALLS));
    }

    #[test]
    fn values_are_those_of_the_figures() {
        let mut figures = Figures {
            calls: 50,
            judged: 40,
            first_call_successes: 30,
            confirmed_first_call_successes: 34,
            retried: 9,
            reworded_known: 4,
            ..Figures::default()
        };
        figures.outcomes.add(Outcome::Timeout, 3);
        figures.retry_classes.add(RetryClass::Sweep, 4);
        figures.retry_classes.add(RetryClass::AfterOk, 5);
        figures.reworded.insert(Name::cut("status"), RewordedCount { retries: 3, sessions: 5 });
        figures.reworded.insert(Name::cut("rare"), RewordedCount { retries: 3, sessions: 4 });
        let found = points(&figures, false);
        let value = |name: &str, word: Option<&str>| {
            let name = format!("firstcall.{name}");
            let is_it =
                |p: &&Point<'_>| p.metric.name == name && p.word.map(|(_, word)| word) == word;
            found.iter().find(is_it).map(|point| point.value)
        };
        assert_eq!(value("first_call_success.rate", None), Some(Value::Number(0.75)));
        assert_eq!(value("confirmed_first_call_success.rate", None), Some(Value::Number(0.85)));
        assert_eq!(value("look_alikes", None), Some(Value::Count(4)));
        assert_eq!(value("confirmed_retries", None), Some(Value::Count(5)));
        assert_eq!(value("outcomes", Some("timeout")), Some(Value::Count(3)));
        assert_eq!(value("outcomes", Some("crashed")), Some(Value::Count(0)));
        assert_eq!(value("reworded_parameters.share", Some("status")), Some(Value::Number(0.75)));
        assert_eq!(value("reworded_parameters.share", Some("rare")), None);
        assert_eq!(value("latency_ms.p95", None), None);
    }
}
