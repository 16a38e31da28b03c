//! The programs that send telemetry: each with an OpenTelemetry SDK and an OTLP exporter of its
//! own, as if it were a process.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use opentelemetry::trace::{
    Event, Span, SpanContext, SpanKind, Status, TraceContextExt, Tracer, TracerProvider,
};
use opentelemetry::{Context, InstrumentationScope, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider,
};

use super::DemoError;
use super::ids::Ids;
use super::scenario::Plan;
use crate::call::{Day, UnixNanos};

/// Room for every span that is made between two flushes; the SDK drops what does not fit.
const QUEUE_SPANS: usize = 1 << 16;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Every program of the demo, by its `service.name`.
#[derive(Debug)]
pub(super) struct Programs(BTreeMap<&'static str, Program>);

/// One program's telemetry.
#[derive(Debug)]
pub(super) struct Program {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

/// What one span tells.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) start: UnixNanos,
    pub(super) end: UnixNanos,
    pub(super) attributes: Vec<KeyValue>,
    pub(super) status: Status,
    pub(super) events: Vec<Event>,
}

impl Programs {
    /// Starts every program that `plans` need; they send to the receiver at `grpc`. Must be
    /// called within a tokio runtime.
    pub(super) fn start(
        plans: &[Plan],
        grpc: SocketAddr,
        last_day: Day,
    ) -> Result<Self, DemoError> {
        let mut programs = BTreeMap::new();
        for plan in plans {
            let services = plan.play.steps.iter().map(|step| (step.tool.service, "mcp-server"));
            for (name, scope) in services.chain([(plan.client.program, "agent")]) {
                if !name.is_empty() && !programs.contains_key(name) {
                    programs.insert(name, Program::start(name, scope, grpc, last_day)?);
                }
            }
        }
        Ok(Self(programs))
    }

    /// The program called `name`.
    pub(super) fn get(&self, name: &str) -> Result<&Program, DemoError> {
        self.0.get(name).ok_or_else(|| DemoError::NoProgram(name.to_owned()))
    }

    /// Sends everything told so far and waits until it has been received.
    pub(super) fn flush(&self) -> Result<(), DemoError> {
        self.0
            .values()
            .try_for_each(|program| program.provider.force_flush().map_err(DemoError::Export))
    }

    /// Ends every program.
    pub(super) fn stop(&self) -> Result<(), DemoError> {
        self.0
            .values()
            .try_for_each(|program| program.provider.shutdown().map_err(DemoError::Export))
    }
}

impl Program {
    fn start(
        name: &'static str,
        scope: &'static str,
        grpc: SocketAddr,
        last_day: Day,
    ) -> Result<Self, DemoError> {
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(format!("http://{grpc}"))
            .with_timeout(PATIENCE)
            .build()
            .map_err(DemoError::Exporter)?;
        // Flushed by hand; the timer would only make the shape of the requests a matter of luck.
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_SPANS)
            .with_scheduled_delay(PATIENCE)
            .build();
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::AlwaysOn)
            .with_id_generator(Ids::new(last_day, name))
            .with_resource(Resource::builder_empty().with_service_name(name).build())
            .with_span_processor(
                BatchSpanProcessor::builder(exporter).with_batch_config(batches).build(),
            )
            .build();
        let scope = InstrumentationScope::builder(scope).with_version("1.0.0").build();
        let tracer = provider.tracer_with_scope(scope);
        Ok(Self { provider, tracer })
    }

    /// Makes a span; below `parent` where there is one.
    pub(super) fn tell(&self, parent: Option<&SpanContext>, told: Told) -> SpanContext {
        let parent = parent.map_or_else(Context::new, |parent| {
            Context::new().with_remote_span_context(parent.clone())
        });
        let builder = self
            .tracer
            .span_builder(told.name)
            .with_kind(told.kind)
            .with_start_time(system_time(told.start))
            .with_attributes(told.attributes)
            .with_events(told.events);
        let mut span = self.tracer.build_with_context(builder, &parent);
        span.set_status(told.status);
        span.end_with_timestamp(system_time(told.end));
        span.span_context().clone()
    }
}

/// An instant as the SDK takes it.
pub(super) fn system_time(instant: UnixNanos) -> std::time::SystemTime {
    std::time::UNIX_EPOCH + Duration::from_nanos(instant.get())
}
