//! `firstcall serve`: receives until told to stop, runs the pass every night, rewrites the
//! reports after it.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::nights::Nights;
use super::{ExitCode, Failure, Globals, print};
use crate::allocator;
use crate::clock::{Clock, SystemClock};
use crate::config::{Config, Endpoint};
use crate::server::{Server, ServerError};
use crate::shutdown::{Stop, stop_on_signals};

/// How long a pass that is running may go on after everything else has ended. Left alone it
/// would leave the old figures whole as well.
const PATIENCE: Duration = Duration::from_secs(5);

/// What to do where an address is refused because others can reach it.
const EXPOSED_HINT: &str = "\
set receivers.otlp.tls and receivers.otlp.auth, or listen on 127.0.0.1; where something else \
guards the address (a proxy, a private network, a container's published port), say so with \
--insecure-listen or receivers.otlp.insecure_listen";

/// What to do where the exporter of own metrics cannot be made.
const OWN_METRICS_HINT: &str = "check telemetry.metrics.otlp, or leave it out";

/// Arguments of `firstcall serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to receive OTLP/gRPC; port 0 picks a free one [default: 127.0.0.1:4317]
    #[arg(long, value_name = "HOST:PORT")]
    grpc_endpoint: Option<Endpoint>,
    /// Where to receive OTLP/HTTP; port 0 picks a free one [default: 127.0.0.1:4318]
    #[arg(long, value_name = "HOST:PORT")]
    http_endpoint: Option<Endpoint>,
    /// Listen where other machines can reach although TLS or authentication is missing: anybody
    /// who does could send calls that falsify the figures, or read what is sent
    #[arg(long)]
    insecure_listen: bool,
}

/// Runs the command.
pub fn run(args: &ServeArgs, globals: &Globals) -> Result<(), Failure> {
    allocator::keep_little();
    let mut config = globals.load()?;
    let protocols = &mut config.receivers.otlp.protocols;
    if let Some(endpoint) = &args.grpc_endpoint {
        protocols.grpc.endpoint = endpoint.clone();
    }
    if let Some(endpoint) = &args.http_endpoint {
        protocols.http.endpoint = endpoint.clone();
    }
    config.receivers.otlp.insecure_listen |= args.insecure_listen;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(serve(&config, globals));
    runtime.shutdown_timeout(PATIENCE);
    ended
}

async fn serve(config: &Config, globals: &Globals) -> Result<(), Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let stop = Stop::new();
    stop_on_signals(stop.clone())?;
    let server = Server::start(config, Arc::clone(&clock), stop.clone()).await?;
    // Requests may be on their way by now, so whatever happens from here on ends in the order
    // that loses none.
    let announced = announce(&server, globals);
    if announced.is_err() {
        stop.request();
    }
    let report = Arc::clone(server.self_report());
    let nights = Nights::new(server.store().clone(), config, clock, report, server.writer());
    let nights = tokio::spawn(nights.run(stop));
    let drained = server.run().await?;
    // A pass in progress is not waited for here: it stands on its own.
    nights.abort();
    tracing::info!(connections.cut = drained.cut, "stopped; everything answered is on disk");
    announced
}

/// Says what was started: to people on standard error, to whoever asked for port 0 on standard
/// output.
fn announce(server: &Server, globals: &Globals) -> Result<(), Failure> {
    let (grpc, http) = (server.grpc_address(), server.http_address());
    let coverage = server.store().coverage()?;
    let covered_through =
        coverage.last().map_or_else(|| "none".to_owned(), |covered| covered.day.to_string());
    let config_file = globals
        .config
        .as_ref()
        .map_or_else(|| "none".to_owned(), |path| path.display().to_string());
    let [grpc_in_words, http_in_words] = server.addresses_in_words();
    let store = server.store();
    let (place, kind, schema) = (store.place(), store.kind(), store.schema_version());
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        grpc = %grpc,
        metrics = %server.metrics_address().map_or_else(|| "off".to_owned(), |at| at.to_string()),
        http = %http,
        data_dir = %store.dir().display(),
        store = %place,
        store.kind = kind,
        store.schema = schema,
        covered_through,
        config_file,
        "receiving OTLP/gRPC on {grpc_in_words} and OTLP/HTTP on {http_in_words} into the {kind} \
         store {place} of schema {schema}"
    );
    let metrics =
        server.metrics_address().map_or_else(String::new, |address| format!(" metrics={address}"));
    print(&format!("listening grpc={grpc} http={http}{metrics}\n"))
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        match error {
            ServerError::Bind(error) => {
                let hint = error.help();
                Self::new(ExitCode::Configuration, error).with_hint(hint)
            }
            ServerError::Metrics(error) => {
                let hint = error.help();
                Self::new(ExitCode::Configuration, error).with_hint(hint)
            }
            ServerError::OwnMetrics(_) => {
                Self::new(ExitCode::Configuration, error).with_hint(OWN_METRICS_HINT)
            }
            ServerError::Tokens(error) => {
                let hint = error.help();
                Self::new(ExitCode::Configuration, error).with_hint(hint)
            }
            ServerError::Tls(error) => {
                let hint = error.help();
                Self::new(ExitCode::Configuration, error).with_hint(hint)
            }
            ServerError::Exposed { .. } => {
                Self::new(ExitCode::Configuration, error).with_hint(EXPOSED_HINT)
            }
            ServerError::Store(error) => error.into(),
            ServerError::Defect(_) => Self::new(ExitCode::Unexpected, error),
        }
    }
}
