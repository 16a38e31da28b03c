//! What the program says of itself, sent as OTLP metrics: the figures of `/metrics` under the
//! same names, every so often.
//!
//! The meter asks [`SelfReport`] when it sends, so that nothing is counted twice over; only the
//! times of commits are told to it as they come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter, MeterProvider};
use opentelemetry_otlp::MetricExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider, Temporality};

use super::ExportError;
use super::otlp::exporter;
use super::over_http::Cause;
use crate::config::Metrics;
use crate::self_report::{COMMITS, COMMITS_HELP, Kind, METRICS, Metric, SelfReport, ends_seconds};

/// How long the last sending may hold up the end.
const FAREWELL: Duration = Duration::from_secs(2);

/// Sends the figures until it is closed.
#[derive(Debug)]
pub struct OwnMetrics(SdkMeterProvider);

impl OwnMetrics {
    /// Starts sending what `report` counts; none where the settings name no receiver. Must be
    /// called within a tokio runtime. A receiver that cannot be reached is told once in the log.
    ///
    /// # Errors
    /// Where the settings make no exporter.
    pub fn start(
        settings: &Metrics,
        report: &Arc<SelfReport>,
    ) -> Result<Option<Self>, ExportError> {
        let Some(endpoint) = &settings.otlp.endpoint else { return Ok(None) };
        let (exporter, cause) = exporter(&settings.otlp, endpoint)?;
        let teller = Teller {
            exporter,
            cause,
            endpoint: endpoint.as_str().to_owned(),
            is_failing: AtomicBool::new(false),
        };
        let interval = Duration::from_secs(settings.interval_s.get().into());
        let reader = PeriodicReader::builder(teller).with_interval(interval).build();
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder_empty()
            .with_service_name("firstcall")
            .with_attributes([version])
            .build();
        let provider =
            SdkMeterProvider::builder().with_resource(resource).with_reader(reader).build();
        let meter = provider.meter("firstcall.self_report");
        for metric in METRICS {
            register(&meter, metric, report);
        }
        let commits = meter
            .f64_histogram(COMMITS)
            .with_description(COMMITS_HELP)
            .with_unit("s")
            .with_boundaries(ends_seconds())
            .build();
        report.on_commit(move |took| commits.record(took.as_secs_f64(), &[]));
        Ok(Some(Self(provider)))
    }

    /// Sends the figures once more and ends. Blocks for two seconds at most.
    pub fn close(self) {
        // What went wrong has been told, and the end must not wait for it.
        self.0.shutdown_with_timeout(FAREWELL).ok();
    }
}

fn register(meter: &Meter, metric: &'static Metric, report: &Arc<SelfReport>) {
    let report = Arc::clone(report);
    let observe = move |instrument: &dyn AsyncInstrument<u64>| {
        for sample in metric.samples(&report) {
            let pair = |(label, word): (&'static str, String)| KeyValue::new(label, word);
            let labels: Vec<_> = sample.labels.into_iter().map(pair).collect();
            instrument.observe(sample.value, &labels);
        }
    };
    // The meter keeps what is built here.
    match metric.kind {
        Kind::Counter => {
            let builder = meter.u64_observable_counter(metric.name);
            let _kept = builder.with_description(metric.help).with_callback(observe).build();
        }
        Kind::Gauge => {
            let builder = meter.u64_observable_gauge(metric.name);
            let _kept = builder.with_description(metric.help).with_callback(observe).build();
        }
    }
}

/// An exporter whose trouble is told once, and its end.
#[derive(Debug)]
struct Teller {
    exporter: MetricExporter,
    cause: Cause,
    endpoint: String,
    is_failing: AtomicBool,
}

impl PushMetricExporter for Teller {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let answer = self.exporter.export(metrics).await;
        let endpoint = &self.endpoint;
        let was_failing = self.is_failing.swap(answer.is_err(), Ordering::Relaxed);
        match &answer {
            Err(error) if !was_failing => {
                let error = self.cause.behind(error);
                tracing::warn!(endpoint, error, "own metrics are not taken; tried again and again");
            }
            Ok(()) if was_failing => tracing::info!(endpoint, "own metrics are taken again"),
            _ => {}
        }
        answer
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.exporter.temporality()
    }
}
