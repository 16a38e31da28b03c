//! A receiver of metrics on loopback that keeps what it gets.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_server::{
    MetricsService, MetricsServiceServer,
};
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as ProtoValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use prost::Message;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};

/// One data point as it was received.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Got {
    pub(crate) metric: String,
    pub(crate) unit: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) value: f64,
}

/// What was received so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taken {
    requests: Arc<Mutex<Vec<ExportMetricsServiceRequest>>>,
    headers: Arc<Mutex<Vec<String>>>,
    refuse: bool,
}

impl Taken {
    pub(crate) fn refusing() -> Self {
        Self { refuse: true, ..Self::default() }
    }

    pub(crate) fn add(&self, request: ExportMetricsServiceRequest, header: &str) {
        self.requests.lock().unwrap().push(request);
        self.headers.lock().unwrap().push(header.to_owned());
    }

    pub(crate) fn headers(&self) -> Vec<String> {
        self.headers.lock().unwrap().clone()
    }

    /// The size of each request as it was sent.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.requests.lock().unwrap().iter().map(Message::encoded_len).collect()
    }

    pub(crate) fn requests(&self) -> Vec<ExportMetricsServiceRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Every data point of every request.
    pub(crate) fn points(&self) -> Vec<Got> {
        let mut found = Vec::new();
        for request in self.requests() {
            let scopes = request.resource_metrics.into_iter().flat_map(|one| one.scope_metrics);
            for metric in scopes.flat_map(|scope| scope.metrics) {
                let Some(Data::Gauge(gauge)) = metric.data else {
                    panic!("{} is no gauge", metric.name)
                };
                found.extend(gauge.data_points.into_iter().map(|point| Got {
                    metric: metric.name.clone(),
                    unit: metric.unit.clone(),
                    attributes: texts(point.attributes),
                    value: match point.value.unwrap() {
                        Value::AsDouble(number) => number,
                        #[expect(clippy::cast_precision_loss, reason = "counts of tests are small")]
                        Value::AsInt(count) => count as f64,
                    },
                }));
            }
        }
        found
    }
}

pub(crate) fn texts(attributes: Vec<KeyValue>) -> Vec<(String, String)> {
    let text = |pair: KeyValue| match pair.value.unwrap().value.unwrap() {
        ProtoValue::StringValue(text) => (pair.key, text),
        other => panic!("{}: {other:?}", pair.key),
    };
    let mut texts: Vec<_> = attributes.into_iter().map(text).collect();
    texts.sort();
    texts
}

#[tonic::async_trait]
impl MetricsService for Taken {
    async fn export(
        &self,
        request: tonic::Request<ExportMetricsServiceRequest>,
    ) -> Result<tonic::Response<ExportMetricsServiceResponse>, tonic::Status> {
        if self.refuse {
            return Err(tonic::Status::permission_denied("metrics are not for you"));
        }
        let header = request.metadata().get("x-scope-orgid");
        let header = header.map_or_else(String::new, |value| value.to_str().unwrap().to_owned());
        self.add(request.into_inner(), &header);
        Ok(tonic::Response::new(ExportMetricsServiceResponse::default()))
    }
}

/// TLS of the receiver: its own identity, and the roots of those who may send.
pub(crate) struct ReceiverTls {
    pub(crate) cert: String,
    pub(crate) key: String,
    pub(crate) client_roots: Option<String>,
}

/// Starts a gRPC receiver on a free port; it ends with the test.
pub(crate) async fn start(taken: Taken, tls: Option<ReceiverTls>) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut server = Server::builder();
    if let Some(tls) = tls {
        let identity = Identity::from_pem(tls.cert, tls.key);
        let config = ServerTlsConfig::new().identity(identity);
        let config = match tls.client_roots {
            Some(roots) => config.client_ca_root(Certificate::from_pem(roots)),
            None => config,
        };
        server = server.tls_config(config).unwrap();
    }
    let service = MetricsServiceServer::new(taken);
    let incoming = TcpIncoming::from(listener);
    tokio::spawn(server.add_service(service).serve_with_incoming(incoming));
    address
}

/// Starts a receiver over HTTP/1.1 and TLS on a free port; it ends with the test.
pub(crate) async fn start_over_https(taken: Taken, tls: ReceiverTls) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(server_config(&tls)));
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // One that does not greet as it should is not served.
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            let taken = taken.clone();
            let service = service_fn(move |request| take(taken.clone(), request));
            let serving = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service);
            tokio::spawn(serving);
        }
    });
    address
}

fn server_config(tls: &ReceiverTls) -> ServerConfig {
    let chain = |pem: &str| -> Vec<CertificateDer<'static>> {
        CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>().unwrap()
    };
    let mut roots = RootCertStore::empty();
    for root in chain(tls.client_roots.as_deref().unwrap()) {
        roots.add(root).unwrap();
    }
    let provider = Arc::new(default_provider());
    let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone());
    let key = PrivateKeyDer::from_pem_slice(tls.key.as_bytes()).unwrap();
    ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients.build().unwrap())
        .with_single_cert(chain(&tls.cert), key)
        .unwrap()
}

async fn take(
    taken: Taken,
    request: Request<Incoming>,
) -> Result<Response<Empty<Bytes>>, hyper::Error> {
    assert_eq!(request.uri().path(), "/v1/metrics");
    let body = request.into_body().collect().await?.to_bytes();
    taken.add(ExportMetricsServiceRequest::decode(body).unwrap(), "");
    Ok(Response::new(Empty::new()))
}
