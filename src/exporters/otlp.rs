//! The way out: an OpenTelemetry meter whose reader sends through `opentelemetry-otlp`.
//!
//! Points are gathered into requests that a receiver with the usual limit of 4 MiB takes. Each
//! request has a meter of its own, which ends with it, so that memory stays bounded.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::metrics::{Gauge, Meter, MeterProvider};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::tonic_types::metadata::MetadataMap;
use opentelemetry_otlp::tonic_types::transport::{Certificate, ClientTlsConfig, Identity};
use opentelemetry_otlp::{MetricExporter, WithExportConfig, WithHttpConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::metrics::{
    Instrument, PeriodicReader, SdkMeterProvider, Stream, Temporality,
};
use tokio_rustls::rustls::ClientConfig;

use super::metrics::{AS_OF, COVERED_DAYS, Metric, Point, Value, points};
use super::over_http::{Cause, OverHttp};
use super::{ExportError, Of, Sent};
use crate::call::Day;
use crate::config::exporters::Receiver;
use crate::config::{OtlpExporter, OtlpProtocol};
use crate::figures::{Figures, RULE_EVIDENCE, RULE_WINDOW};
use crate::tls_client::{TlsClientError, TlsClientFiles};

/// About how many bytes one request holds; receivers take 4 MiB.
const REQUEST_BYTES: usize = 2 * 1024 * 1024;
/// What a point weighs beside its names.
const POINT_BYTES: usize = 64;
/// More series of one metric than a request can hold; the SDK would fold what is beyond its own
/// limit into one.
const SERIES: usize = REQUEST_BYTES / POINT_BYTES;
/// The reader sends when it is told to, and never by itself.
const NEVER: Duration = Duration::from_hours(365 * 24);

/// Everything between the figures and the receiver.
pub(super) struct Pipeline {
    exporter: Shared,
    endpoint: String,
    request: Option<Request>,
    sent: Sent,
    /// Drives the connection; the last to go.
    _runtime: tokio::runtime::Runtime,
}

impl Pipeline {
    pub(super) fn start(settings: &OtlpExporter, to: &Receiver) -> Result<Self, ExportError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(ExportError::Start)?;
        let (exporter, cause) = {
            let _within = runtime.enter();
            exporter(settings, to)?
        };
        let exporter = Shared(Arc::new(Inner {
            exporter,
            cause,
            is_sent: AtomicBool::new(false),
            failure: Mutex::new(None),
        }));
        let endpoint = to.as_str().to_owned();
        let sent = Sent::default();
        Ok(Self { exporter, endpoint, request: None, sent, _runtime: runtime })
    }

    /// Adds what is said of the range itself.
    pub(super) fn add_range(&mut self, as_of: Day, covered_days: u64) {
        let end = Value::Count(as_of.end().get() / 1_000_000_000);
        for (metric, value) in [(AS_OF, end), (COVERED_DAYS, Value::Count(covered_days))] {
            self.record(&[], &Point { metric, word: None, value });
        }
    }

    /// Adds the figures of one tool, client, both, or all; sends a request that is full.
    pub(super) fn add(&mut self, of: Of<'_>, figures: &Figures) -> Result<(), ExportError> {
        let attributes = attributes(of);
        let knows_unknown_tools = matches!(of, Of::Overall | Of::Client(_));
        for point in points(figures, knows_unknown_tools) {
            self.record(&attributes, &point);
        }
        match &self.request {
            Some(request) if request.bytes >= REQUEST_BYTES => self.flush(),
            _ => Ok(()),
        }
    }

    /// Sends what is left.
    pub(super) fn finish(mut self) -> Result<Sent, ExportError> {
        self.flush()?;
        Ok(self.sent)
    }

    fn record(&mut self, attributes: &[KeyValue], point: &Point<'_>) {
        let request = self.request.get_or_insert_with(|| Request::new(self.exporter.clone()));
        request.record(attributes, point);
    }

    fn flush(&mut self) -> Result<(), ExportError> {
        let Some(request) = self.request.take() else { return Ok(()) };
        self.exporter.0.is_sent.store(false, Ordering::Relaxed);
        // The answer is a plain yes or no; what went wrong is kept by the exporter.
        let answer = request.provider.force_flush();
        self.exporter.0.is_sent.store(true, Ordering::Relaxed);
        let failure = self.exporter.0.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(request.provider);
        match (answer, failure) {
            (Ok(()), None) => {
                self.sent.points += request.points;
                self.sent.requests += 1;
                Ok(())
            }
            (answer, failure) => Err(ExportError::Refused {
                endpoint: self.endpoint.clone(),
                why: failure
                    .or_else(|| answer.err().map(|error| error.to_string()))
                    .unwrap_or_default(),
            }),
        }
    }
}

/// The exporter that the settings ask for, and where the causes of its failures are kept. It lives in the runtime that is entered.
pub(super) fn exporter(
    settings: &OtlpExporter,
    to: &Receiver,
) -> Result<(MetricExporter, Cause), ExportError> {
    let cause = Cause::default();
    let timeout = Duration::from_secs(settings.timeout_s.get().into());
    let headers = settings.headers.iter().map(|(name, value)| (name.clone(), value.as_str()));
    let built = match settings.protocol {
        OtlpProtocol::Grpc => {
            let headers = headers.filter_map(|(name, value)| {
                let name = http::HeaderName::try_from(name).ok()?;
                Some((name, http::HeaderValue::try_from(value).ok()?))
            });
            let metadata = MetadataMap::from_headers(headers.collect());
            let builder = MetricExporter::builder()
                .with_tonic()
                .with_endpoint(to.as_str())
                .with_timeout(timeout)
                .with_metadata(metadata);
            match tls(settings, to)? {
                Some(tls) => builder.with_tls_config(tls).build(),
                None => builder.build(),
            }
        }
        OtlpProtocol::HttpProtobuf => {
            let builder = MetricExporter::builder()
                .with_http()
                .with_endpoint(format!("{}/v1/metrics", to.as_str()))
                .with_timeout(timeout)
                .with_headers(headers.map(|(name, value)| (name, value.to_owned())).collect());
            if to.is_https() {
                builder
                    .with_http_client(OverHttp::tls(
                        tls_over_http(settings)?,
                        timeout,
                        cause.clone(),
                    ))
                    .build()
            } else {
                builder.with_http_client(OverHttp::plain(timeout, cause.clone())).build()
            }
        }
    };
    Ok((built.map_err(ExportError::Settings)?, cause))
}

fn tls_over_http(settings: &OtlpExporter) -> Result<ClientConfig, ExportError> {
    let files = &settings.tls;
    let identity = files.cert_file.as_deref().zip(files.key_file.as_deref());
    let files = TlsClientFiles { roots: files.ca_file.as_deref(), identity };
    files.config().map_err(|TlsClientError { path, source }| ExportError::Unusable { path, source })
}

fn tls(settings: &OtlpExporter, to: &Receiver) -> Result<Option<ClientTlsConfig>, ExportError> {
    if !to.is_https() {
        return Ok(None);
    }
    let read = |path: &Path| {
        std::fs::read(path)
            .map_err(|source| ExportError::Unusable { path: path.to_owned(), source })
    };
    let files = &settings.tls;
    let tls = match &files.ca_file {
        Some(path) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(path)?)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    Ok(Some(match (&files.cert_file, &files.key_file) {
        (Some(cert), Some(key)) => tls.identity(Identity::from_pem(read(cert)?, read(key)?)),
        _ => tls,
    }))
}

fn attributes(of: Of<'_>) -> Vec<KeyValue> {
    let pair = |key: &'static str, value: &str| KeyValue::new(key, value.to_owned());
    let mut attributes = vec![pair(
        "of",
        match of {
            Of::Overall => "overall",
            Of::Tool(_) => "tool",
            Of::Client(_) => "client",
            Of::ToolClient(..) => "tool_client",
        },
    )];
    if let Of::Tool(key) | Of::ToolClient(key, _) = of {
        attributes.push(pair("service", key.service.as_str()));
        attributes.push(pair("tool", key.tool.as_str()));
    }
    if let Of::Client(client) | Of::ToolClient(_, client) = of {
        attributes.push(pair("client", client.as_str()));
    }
    attributes
}

/// One request that is being filled.
struct Request {
    provider: SdkMeterProvider,
    meter: Meter,
    counts: BTreeMap<&'static str, Gauge<u64>>,
    numbers: BTreeMap<&'static str, Gauge<f64>>,
    points: u64,
    bytes: usize,
}

impl Request {
    fn new(exporter: Shared) -> Self {
        let reader = PeriodicReader::builder(exporter).with_interval(NEVER).build();
        let own = [KeyValue::new("service.version", env!("CARGO_PKG_VERSION"))];
        let provider = SdkMeterProvider::builder()
            .with_resource(
                Resource::builder_empty()
                    .with_service_name("firstcall")
                    .with_attributes(own)
                    .build(),
            )
            .with_view(|_: &Instrument| {
                Stream::builder().with_cardinality_limit(SERIES).build().ok()
            })
            .with_reader(reader)
            .build();
        let scope = InstrumentationScope::builder("firstcall.figures")
            .with_version(env!("CARGO_PKG_VERSION"))
            .with_attributes([KeyValue::new(
                "firstcall.rules",
                format!("{RULE_WINDOW} {RULE_EVIDENCE}"),
            )])
            .build();
        let meter = provider.meter_with_scope(scope);
        let (counts, numbers) = (BTreeMap::new(), BTreeMap::new());
        Self { provider, meter, counts, numbers, points: 0, bytes: 0 }
    }

    fn record(&mut self, attributes: &[KeyValue], point: &Point<'_>) {
        let mut attributes = attributes.to_vec();
        attributes.extend(point.word.map(|(key, word)| KeyValue::new(key, word.to_owned())));
        let names =
            attributes.iter().map(|pair| pair.key.as_str().len() + pair.value.as_str().len());
        self.bytes += POINT_BYTES + names.sum::<usize>();
        self.points += 1;
        let Metric { name, unit, description } = point.metric;
        match point.value {
            Value::Count(count) => self
                .counts
                .entry(name)
                .or_insert_with(|| {
                    let gauge = self.meter.u64_gauge(name);
                    gauge.with_unit(unit).with_description(description).build()
                })
                .record(count, &attributes),
            Value::Number(number) => self
                .numbers
                .entry(name)
                .or_insert_with(|| {
                    let gauge = self.meter.f64_gauge(name);
                    gauge.with_unit(unit).with_description(description).build()
                })
                .record(number, &attributes),
        }
    }
}

/// The exporter as each request's reader holds it.
#[derive(Debug, Clone)]
struct Shared(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    exporter: MetricExporter,
    cause: Cause,
    /// Whether the request at hand is sent: its reader would send it again as it ends.
    is_sent: AtomicBool,
    /// What went wrong, in the exporter's words.
    failure: Mutex<Option<String>>,
}

impl PushMetricExporter for Shared {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        if self.0.is_sent.load(Ordering::Relaxed) {
            return Ok(());
        }
        let answer = self.0.exporter.export(metrics).await;
        if let Err(error) = &answer {
            let mut failure = self.0.failure.lock().unwrap_or_else(PoisonError::into_inner);
            *failure = Some(self.0.cause.behind(error));
        }
        answer
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.exporter.force_flush()
    }

    /// Other requests follow through the same connection.
    fn shutdown_with_timeout(&self, _timeout: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        self.0.exporter.temporality()
    }
}
