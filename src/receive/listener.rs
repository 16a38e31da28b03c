//! The two listeners: bound both before either is served, served alike, drained together.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioExecutor;
use hyper_util::server::conn::auto::Builder;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection;
use super::options::Options;
use super::receiver::Receiver;
use super::tls::Tls;
use crate::ingest::{Commit, Ingest};
use crate::shutdown::Stop;

/// The two transports of OTLP. Each listener understands both; the names say what clients expect
/// where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// OTLP/gRPC.
    Grpc,
    /// OTLP/HTTP.
    Http,
}

impl Transport {
    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Http => "http",
        }
    }
}

/// A listener could not be started; none of them was.
#[derive(Debug, thiserror::Error)]
#[error("failed to listen for OTLP/{} on `{endpoint}`", .transport.name())]
pub struct BindError {
    /// Which listener.
    pub transport: Transport,
    /// Where it should have listened.
    pub endpoint: String,
    /// What the operating system said.
    #[source]
    pub source: io::Error,
}

impl BindError {
    /// What a person can do about it.
    pub fn help(&self) -> String {
        let name = self.transport.name();
        let change =
            format!("set receivers.otlp.protocols.{name}.endpoint or --{name}-endpoint to");
        match self.source.kind() {
            io::ErrorKind::AddrInUse => {
                format!("another program listens there; stop it, or {change} another port")
            }
            io::ErrorKind::PermissionDenied => {
                format!("ports below 1024 need privileges; {change} a higher one")
            }
            io::ErrorKind::AddrNotAvailable => {
                format!("this machine does not have that address; {change} one that it has")
            }
            _ => format!("{change} host:port, such as 127.0.0.1:4317 or [::1]:4317"),
        }
    }
}

/// What the end of serving left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Connections that had to be cut at the deadline, with a request in flight or without.
    pub cut: usize,
}

/// Two bound listeners that nothing is accepted on yet.
#[derive(Debug)]
pub struct Listeners {
    grpc: (TcpListener, SocketAddr),
    http: (TcpListener, SocketAddr),
}

impl Listeners {
    /// Binds both endpoints, `host:port` each; port 0 picks a free one. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// Where either cannot be bound. Then neither is.
    pub async fn bind(grpc: &str, http: &str) -> Result<Self, BindError> {
        Ok(Self {
            grpc: bind(Transport::Grpc, grpc).await?,
            http: bind(Transport::Http, http).await?,
        })
    }

    /// Where OTLP/gRPC is received.
    pub const fn grpc_address(&self) -> SocketAddr {
        self.grpc.1
    }

    /// Where OTLP/HTTP is received.
    pub const fn http_address(&self) -> SocketAddr {
        self.http.1
    }

    /// Whether an address is one of IPv6 on which senders over IPv4 are heard too, by the system's
    /// setting; none where the address leaves no doubt.
    pub fn takes_ipv4_too(&self, transport: Transport) -> Option<bool> {
        let (listener, address) = match transport {
            Transport::Grpc => &self.grpc,
            Transport::Http => &self.http,
        };
        let is_any = address.is_ipv6() && address.ip().is_unspecified();
        is_any.then(|| SockRef::from(listener).only_v6().is_ok_and(|only| !only))
    }

    /// Serves both until `stop`, then finishes what is in flight within the limits' deadline.
    /// When this returns nothing more is committed through `ingest`.
    pub async fn serve<C: Commit>(
        self,
        ingest: Ingest<C>,
        options: impl Into<Options>,
        stop: Stop,
    ) -> Drained {
        let options = options.into();
        let drain_timeout = options.limits.drain_timeout;
        let builder = Arc::new(connection::builder(&options.limits));
        let max_connections = options.limits.max_connections;
        let tls = options.tls.clone();
        let receiver = Arc::new(Receiver::new(ingest, options));
        let connections = TaskTracker::new();
        let cut = CancellationToken::new();
        let accepting = [self.grpc.0, self.http.0].map(|listener| {
            let accept = Accept {
                listener,
                slots: Arc::new(Semaphore::new(max_connections)),
                builder: Arc::clone(&builder),
                receiver: Arc::clone(&receiver),
                tls: tls.clone(),
                connections: connections.clone(),
                cut: cut.clone(),
                stop: stop.clone(),
            };
            tokio::spawn(accept.run())
        });
        for task in accepting {
            // A task fails only by a panic; the other listener goes on, and the stop ends both.
            if task.await.is_err() {
                tracing::error!("a listener died because of a defect in firstcall");
                stop.request();
            }
        }
        connections.close();
        if timeout(drain_timeout, connections.wait()).await.is_ok() {
            return Drained { cut: 0 };
        }
        let left = connections.len();
        cut.cancel();
        connections.wait().await;
        tracing::warn!(connections = left, "cut connections that did not end in time");
        Drained { cut: left }
    }
}

async fn bind(
    transport: Transport,
    endpoint: &str,
) -> Result<(TcpListener, SocketAddr), BindError> {
    let refuse =
        |source| BindError { transport, endpoint: endpoint.chars().take(100).collect(), source };
    // The last colon would be taken for the port's, and another address listened on than meant.
    if endpoint.rsplit_once(':').is_some_and(|(host, _)| host.contains(':') && !host.ends_with(']'))
    {
        let text = "an IPv6 address stands in brackets";
        return Err(refuse(io::Error::new(io::ErrorKind::InvalidInput, text)));
    }
    let listener = TcpListener::bind(endpoint).await.map_err(refuse)?;
    let address = listener.local_addr().map_err(refuse)?;
    Ok((listener, address))
}

/// Accepts the connections of one listener.
struct Accept<C> {
    listener: TcpListener,
    slots: Arc<Semaphore>,
    builder: Arc<Builder<TokioExecutor>>,
    receiver: Arc<Receiver<C>>,
    tls: Option<Arc<Tls>>,
    connections: TaskTracker,
    cut: CancellationToken,
    stop: Stop,
}

impl<C: Commit> Accept<C> {
    async fn run(self) {
        loop {
            let accepted = tokio::select! {
                () = self.stop.requested() => return,
                accepted = self.next() => accepted,
            };
            let Some((stream, slot)) = accepted else { return };
            // Answers are small and awaited: none should wait for more to send with it.
            drop(stream.set_nodelay(true));
            let serving = self.serve(stream);
            let cut = self.cut.clone();
            self.connections.spawn(async move {
                tokio::select! {
                    () = serving => {}
                    () = cut.cancelled() => {}
                }
                drop(slot);
            });
        }
    }

    /// Serves a connection to its end, behind TLS where there is a certificate.
    fn serve(&self, stream: TcpStream) -> impl Future<Output = ()> + use<C> {
        let (builder, receiver) = (Arc::clone(&self.builder), Arc::clone(&self.receiver));
        let (tls, stop) = (self.tls.clone(), self.stop.clone());
        async move {
            let Some(tls) = tls else {
                return connection::serve(stream, builder, receiver, stop).await;
            };
            let greeting = timeout(receiver.limits.head_timeout, tls.greet(stream));
            let greeted = tokio::select! {
                () = stop.requested() => return,
                greeted = greeting => greeted,
            };
            match greeted {
                Ok(Ok(stream)) => connection::serve(stream, builder, receiver, stop).await,
                Ok(Err(error)) => tracing::debug!(%error, "TLS was not agreed on"),
                Err(_elapsed) => tracing::debug!("TLS was not agreed on in time"),
            }
        }
    }

    /// The next connection, when there is a slot for it. None only if the slots are closed,
    /// which they never are.
    async fn next(&self) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
        /// While descriptors are used up, accepting fails at once, again and again.
        const PAUSE: Duration = Duration::from_millis(100);
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok()?;
        loop {
            match self.listener.accept().await {
                Ok((stream, _peer)) => return Some((stream, slot)),
                Err(error) => {
                    tracing::debug!(%error, "failed to accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}
