//! The receiver put together: listeners, ingest, writer and store, started in an order that
//! leaves nothing behind when one of them cannot start, and ended in an order that loses nothing.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};

use crate::call::CallDuration;
use crate::clock::Clock;
use crate::config::{self, Config};
use crate::ingest::Ingest;
use crate::receive::{BindError, Drained, Limits, Listeners};
use crate::reduce::{PagingDeclaration, PagingRules, ReduceLimits};
use crate::shutdown::Stop;
use crate::store::{Store, StoreError, Writer, WriterOptions};

/// How often it is looked whether the writer still lives.
const WATCH: Duration = Duration::from_secs(1);

/// A receiver that runs until it is stopped.
#[derive(Debug)]
pub struct Server {
    grpc: SocketAddr,
    http: SocketAddr,
    store: Store,
    writer: Arc<Writer>,
    stop: Stop,
    serving: JoinHandle<Drained>,
}

/// Why a receiver could not start, or ended without having been asked to.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// An address could not be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The data folder could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A part of the receiver broke.
    #[error("the receiver ended because of a defect in firstcall")]
    Defect(#[source] JoinError),
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
        let store = Store::create(config.store.sqlite.data_dir.as_path())?;
        let secret = store.secret()?;
        let writer = Arc::new(Writer::start(&store, WriterOptions::default())?);
        let ingest = Ingest::new(Arc::clone(&writer), clock, secret)
            .with_limits(reduce_limits(config))
            .with_paging(paging_rules(&config.tools))
            .with_conversation_attributes(config.sessions.conversation_attributes.clone());
        let limits = receive_limits(&config.limits);
        let serving = tokio::spawn(listeners.serve(ingest, limits, stop.clone()));
        Ok(Self { grpc, http, store, writer, stop, serving })
    }

    /// Where OTLP/gRPC is received.
    pub const fn grpc_address(&self) -> SocketAddr {
        self.grpc
    }

    /// Where OTLP/HTTP is received.
    pub const fn http_address(&self) -> SocketAddr {
        self.http
    }

    /// The store that is received into.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Waits until the stop is requested or the writer dies; then finishes the requests in
    /// flight, commits what waits, and closes the store.
    pub async fn run(self) -> Result<Drained, ServerError> {
        loop {
            tokio::select! {
                () = self.stop.requested() => break,
                () = tokio::time::sleep(WATCH) => {
                    // Without a writer nothing can be answered with success any more.
                    if self.writer.has_stopped() {
                        self.stop.request();
                    }
                }
            }
        }
        let drained = self.serving.await.map_err(ServerError::Defect)?;
        let writer = self.writer;
        let closing = tokio::task::spawn_blocking(move || writer.close());
        closing.await.map_err(ServerError::Defect)??;
        Ok(drained)
    }
}

fn reduce_limits(config: &Config) -> ReduceLimits {
    ReduceLimits {
        max_future: CallDuration::from_secs(config.limits.max_future_s.get().into()),
        max_past_days: config.limits.max_past_days.get(),
        prints: config.privacy.prints,
        keyed_hashes: config.privacy.keyed_hashes,
    }
}

fn paging_rules(tools: &config::Tools) -> PagingRules {
    let declared = tools.iter().filter_map(|(name, tool)| {
        let paging = tool.paging.as_ref()?;
        let declaration = PagingDeclaration {
            position: paging.position.clone(),
            size: paging.size.clone(),
            ignore: paging.ignore.clone(),
        };
        Some((name.clone(), declaration))
    });
    PagingRules { tools: declared.collect() }
}

fn receive_limits(limits: &config::Limits) -> Limits {
    // Numbers beyond the machine's own width mean "as much as there is".
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    Limits {
        max_request_bytes: size(limits.max_request_bytes.get().into()),
        max_in_flight_bytes: size(limits.max_in_flight_bytes.get()),
        max_requests: size(limits.max_requests.get().into()),
        max_connections: size(limits.max_connections.get().into()),
        drain_timeout: Duration::from_secs(limits.drain_timeout_s.get().into()),
        ..Limits::default()
    }
}
