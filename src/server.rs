//! The receiver put together: listeners, ingest, writer and store, started in an order that
//! leaves nothing behind when one of them cannot start, and ended in an order that loses nothing.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::task::{JoinError, JoinHandle};

use crate::call::{CallDuration, InstallationSecret, ToolRules};
use crate::clock::Clock;
use crate::config::{self, Config};
use crate::exporters::{ExportError, OwnMetrics};
use crate::ingest::Ingest;
use crate::receive::{
    BearerTokens, BindError, Cors, Drained, Limits, Listeners, Options, Tls, TlsError, TlsFiles,
    TokenError, Transport,
};
use crate::reduce::{EmptyDeclaration, PagingDeclaration, PagingRules, ReduceLimits};
use crate::self_report::{MetricsBindError, MetricsListener, SelfReport};
use crate::shutdown::Stop;
use crate::store::{Store, StoreError, Writer, WriterOptions};

/// How often it is looked whether the writer still lives.
const WATCH: Duration = Duration::from_secs(1);

/// How often certificates and tokens are read again.
const RELOAD: Duration = Duration::from_secs(5);

/// Open files that the store, the reports and the logs may need beside connections.
const OTHER_FILES: u64 = 256;

/// A receiver that runs until it is stopped.
#[derive(Debug)]
pub struct Server {
    grpc: SocketAddr,
    http: SocketAddr,
    takes_ipv4_too: [Option<bool>; 2],
    store: Store,
    writer: Arc<Writer>,
    stop: Stop,
    serving: JoinHandle<Drained>,
    metrics: Option<SocketAddr>,
    report: Arc<SelfReport>,
    own_metrics: Option<OwnMetrics>,
    helpers: Vec<JoinHandle<()>>,
}

/// Why a receiver could not start, or ended without having been asked to.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// An address could not be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The address for metrics could not be listened on.
    #[error(transparent)]
    Metrics(#[from] MetricsBindError),
    /// The exporter of the program's own metrics could not be made.
    #[error("cannot send own metrics (telemetry.metrics.otlp)")]
    OwnMetrics(#[from] ExportError),
    /// The bearer tokens could not be used.
    #[error(transparent)]
    Tokens(#[from] TokenError),
    /// The certificate could not be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address can be reached by others, and nothing keeps them out.
    #[error("refused to listen on `{address}` {lack}")]
    Exposed {
        /// The address.
        address: SocketAddr,
        /// What is missing.
        lack: Lack,
    },
    /// The data folder could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A part of the receiver broke.
    #[error("the receiver ended because of a defect in firstcall")]
    Defect(#[source] JoinError),
}

/// What is missing on an address that others can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Anybody may send, and anybody on the way may read.
    Both,
    /// Anybody on the way may read.
    Tls,
    /// Anybody may send.
    Authentication,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Both => {
                "without TLS and authentication: anybody who reaches it could send calls that \
                 falsify the figures, and anybody on the way could read arguments and results"
            }
            Self::Tls => "without TLS: anybody on the way could read tokens, arguments and results",
            Self::Authentication => {
                "without authentication: anybody who reaches it could send calls that falsify the \
                 figures"
            }
        })
    }
}

impl Server {
    /// Starts receiving. Both addresses are bound first, then the data folder is made or opened;
    /// only when both are there is anything accepted. Ends when `stop` is requested. Must be
    /// called within a tokio runtime.
    pub async fn start(
        config: &Config,
        clock: Arc<dyn Clock>,
        stop: Stop,
    ) -> Result<Self, ServerError> {
        let protocols = &config.receivers.otlp.protocols;
        let (grpc, http) = (&protocols.grpc.endpoint, &protocols.http.endpoint);
        let listeners = Listeners::bind(grpc.as_str(), http.as_str()).await?;
        let (grpc, http) = (listeners.grpc_address(), listeners.http_address());
        let takes_ipv4_too =
            [Transport::Grpc, Transport::Http].map(|one| listeners.takes_ipv4_too(one));
        let metrics = match &config.telemetry.metrics.endpoint {
            Some(endpoint) => Some(MetricsListener::bind(endpoint.as_str()).await?),
            None => None,
        };
        let report = Arc::new(SelfReport::new());
        let own_metrics = OwnMetrics::start(&config.telemetry.metrics, &report)?;
        let options = options(config, Arc::clone(&report))?;
        guard(&[grpc, http], &options, config.receivers.otlp.insecure_listen)?;
        let store = Store::create_configured(&config.store)?;
        let secret = store.secret()?;
        let writer = Arc::new(Writer::start(&store, WriterOptions::default())?);
        let ingest = ingest(config, Arc::clone(&writer), clock, &secret);
        let mut helpers =
            vec![tokio::spawn(reload_for_ever(options.tokens.clone(), options.tls.clone()))];
        let metrics_address = metrics.as_ref().map(MetricsListener::address);
        if let Some(metrics) = metrics {
            helpers.push(tokio::spawn(metrics.serve(Arc::clone(&report))));
        }
        let serving = tokio::spawn(listeners.serve(ingest, options, stop.clone()));
        Ok(Self {
            grpc,
            http,
            takes_ipv4_too,
            store,
            writer,
            stop,
            serving,
            metrics: metrics_address,
            report,
            own_metrics,
            helpers,
        })
    }

    /// Where OTLP/gRPC is received.
    pub const fn grpc_address(&self) -> SocketAddr {
        self.grpc
    }

    /// Where OTLP/HTTP is received.
    pub const fn http_address(&self) -> SocketAddr {
        self.http
    }

    /// Where both are received, for people: with IPv4 or without where the address does not say.
    pub fn addresses_in_words(&self) -> [String; 2] {
        let [grpc, http] = self.takes_ipv4_too;
        [(self.grpc, grpc), (self.http, http)].map(|(address, takes_ipv4_too)| match takes_ipv4_too
        {
            None => address.to_string(),
            Some(true) => format!("{address} (IPv6 and IPv4)"),
            Some(false) => format!("{address} (IPv6 only)"),
        })
    }

    /// Where metrics are served; none where they are not.
    pub const fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Where the receiver counts what it does.
    pub const fn self_report(&self) -> &Arc<SelfReport> {
        &self.report
    }

    /// The store that is received into.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// The writer that everything received goes through.
    pub const fn writer(&self) -> &Arc<Writer> {
        &self.writer
    }

    /// Waits until the stop is requested or the writer dies; then finishes the requests in
    /// flight, commits what waits, and closes the store.
    ///
    /// # Errors
    /// Where the writer died or could not be closed in order; everything that was answered is on
    /// disk all the same.
    pub async fn run(self) -> Result<Drained, ServerError> {
        let mut has_died = false;
        loop {
            tokio::select! {
                () = self.stop.requested() => break,
                () = tokio::time::sleep(WATCH) => {
                    // Without a writer nothing can be answered with success any more.
                    if self.writer.has_stopped() {
                        has_died = true;
                        self.report.writer_stopped();
                        tracing::error!("the store's writer has stopped; ending");
                        self.stop.request();
                    }
                }
            }
        }
        // Metrics are served to the end: that it drains is worth knowing.
        self.report.draining();
        let drained = self.serving.await.map_err(ServerError::Defect)?;
        let (writer, own_metrics) = (self.writer, self.own_metrics);
        let closing = tokio::task::spawn_blocking(move || {
            let closed = writer.close();
            // The last figures are those of the end.
            if let Some(own_metrics) = own_metrics {
                own_metrics.close();
            }
            closed
        });
        closing.await.map_err(ServerError::Defect)??;
        self.helpers.iter().for_each(JoinHandle::abort);
        if has_died { Err(StoreError::WriterStopped.into()) } else { Ok(drained) }
    }
}

/// Takes requests into `writer` by the rules of `config`.
pub fn ingest(
    config: &Config,
    writer: Arc<Writer>,
    clock: Arc<dyn Clock>,
    secret: &InstallationSecret,
) -> Ingest<Arc<Writer>> {
    let ingest = Ingest::new(writer, clock, secret)
        .with_limits(reduce_limits(config))
        .with_paging(paging_rules(&config.tools))
        .with_empties(empty_rules(&config.tools))
        .with_conversation_attributes(config.sessions.conversation_attributes.clone());
    if config.recovery.downstream_attempts { ingest } else { ingest.without_attempts() }
}

fn options(config: &Config, self_report: Arc<SelfReport>) -> Result<Options, ServerError> {
    let otlp = &config.receivers.otlp;
    let tls = match (&otlp.tls.cert_file, &otlp.tls.key_file) {
        (Some(certificates), Some(key)) => Some(Tls::load(TlsFiles {
            certificates: certificates.clone(),
            key: key.clone(),
            client_roots: otlp.tls.client_ca_file.clone(),
        })?),
        _ => None,
    };
    let tokens = if otlp.auth.is_on() {
        let value = |name: &String| std::env::var(name).unwrap_or_default();
        let variable = otlp.auth.bearer_tokens_env.as_ref().map(|name| (name, value(name)));
        let variable = variable.as_ref().map(|(name, value)| (name.as_str(), value.as_str()));
        Some(BearerTokens::load(otlp.auth.bearer_tokens_file.as_deref(), variable)?)
    } else {
        None
    };
    Ok(Options {
        limits: receive_limits(&config.limits),
        tokens: tokens.map(Arc::new),
        cors: Cors::new(otlp.cors.allowed_origins.clone()),
        tls: tls.map(Arc::new),
        self_report,
    })
}

/// Refuses addresses that others can reach where nothing keeps them out, unless that is wanted.
fn guard(addresses: &[SocketAddr], options: &Options, is_wanted: bool) -> Result<(), ServerError> {
    let has_certificates = options.tls.as_ref().is_some_and(|tls| tls.asks_for_certificates());
    let lack = match (options.tls.is_some(), options.tokens.is_some() || has_certificates) {
        (true, true) => return Ok(()),
        (true, false) => Lack::Authentication,
        (false, true) => Lack::Tls,
        (false, false) => Lack::Both,
    };
    for &address in addresses.iter().filter(|address| !address.ip().to_canonical().is_loopback()) {
        if !is_wanted {
            return Err(ServerError::Exposed { address, lack });
        }
        tracing::warn!(%address, "listening on `{address}` {lack}");
    }
    Ok(())
}

/// Reads tokens and certificates again and again; what cannot be used is told once and changes
/// nothing.
async fn reload_for_ever(tokens: Option<Arc<BearerTokens>>, tls: Option<Arc<Tls>>) {
    let mut told: [Option<String>; 2] = [None, None];
    loop {
        tokio::time::sleep(RELOAD).await;
        let (tokens, tls) = (tokens.clone(), tls.clone());
        let read = tokio::task::spawn_blocking(move || {
            [
                ("bearer tokens", tokens.map(|tokens| tokens.reload().map_err(in_words))),
                ("certificate", tls.map(|tls| tls.reload().map_err(in_words))),
            ]
        });
        let Ok(results) = read.await else { continue };
        for (told, (what, result)) in told.iter_mut().zip(results) {
            match result {
                Some(Ok(true)) => tracing::info!("{what}: the new ones are in force"),
                Some(Err(trouble)) if told.as_ref() != Some(&trouble) => {
                    tracing::warn!(trouble, "{what}: those of before stay in force");
                    *told = Some(trouble);
                    continue;
                }
                Some(Err(_)) => continue,
                _ => {}
            }
            *told = None;
        }
    }
}

/// An error and its cause.
fn in_words(error: impl std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

fn reduce_limits(config: &Config) -> ReduceLimits {
    ReduceLimits {
        max_future: CallDuration::from_secs(config.limits.max_future_s.get().into()),
        max_past_days: config.limits.max_past_days.get(),
        prints: config.privacy.prints,
        keyed_hashes: config.privacy.keyed_hashes,
    }
}

/// Connections on each address that leave the store its files: out of descriptors, nothing could
/// be committed. Asks the system for as many as this process may have first.
fn affordable_connections() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let wanted = Rlimit { current: limit.maximum, ..limit };
        if setrlimit(Resource::Nofile, wanted).is_ok() {
            limit.current = limit.maximum;
        }
    }
    limit.current.map_or(u64::MAX, |files| (files.saturating_sub(OTHER_FILES) / 2).max(1))
}

fn paging_rules(tools: &config::Tools) -> PagingRules {
    let declared = tools.iter().filter_map(|(name, tool)| {
        let paging = tool.paging.as_ref()?;
        let declaration = PagingDeclaration {
            position: paging.position.clone(),
            size: paging.size.clone(),
            ignore: paging.ignore.clone(),
        };
        Some((name.to_owned(), declaration))
    });
    PagingRules { tools: declared.collect() }
}

fn empty_rules(tools: &config::Tools) -> ToolRules<EmptyDeclaration> {
    let declared = tools.iter().filter_map(|(name, tool)| {
        let config::Empty { texts, fields } = tool.empty.clone()?;
        Some((name.to_owned(), EmptyDeclaration { texts, fields }))
    });
    declared.collect()
}

fn receive_limits(limits: &config::Limits) -> Limits {
    // Numbers beyond the machine's own width mean "as much as there is".
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let connections = u64::from(limits.max_connections.get()).min(affordable_connections());
    Limits {
        max_request_bytes: size(limits.max_request_bytes.get().into()),
        max_in_flight_bytes: size(limits.max_in_flight_bytes.get()),
        max_requests: size(limits.max_requests.get().into()),
        max_connections: size(connections),
        max_connection_age: Duration::from_secs(limits.max_connection_age_s.get().into()),
        drain_timeout: Duration::from_secs(limits.drain_timeout_s.get().into()),
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::config::{Endpoint, Folder};

    #[tokio::test]
    async fn a_server_whose_writer_has_died_is_sick_and_ends_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.receivers.otlp.protocols.grpc.endpoint = Endpoint::loopback(0);
        config.receivers.otlp.protocols.http.endpoint = Endpoint::loopback(0);
        config.store.sqlite.data_dir = Folder::new(folder.path().join("data"));
        let server = Server::start(&config, Arc::new(SystemClock), Stop::new()).await.unwrap();
        let report = Arc::clone(server.self_report());
        assert_eq!(report.sickness(), None);
        server.writer.close().unwrap();
        let ended = server.run().await;
        assert!(matches!(ended, Err(ServerError::Store(StoreError::WriterStopped))), "{ended:?}");
        assert!(report.sickness().is_some());
    }
}
