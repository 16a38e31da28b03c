//! `/healthz`, `/readyz` and `/metrics` over HTTP/1.1, on an address of their own.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::SelfReport;

/// Scrapers and probes are few; further ones wait.
const MAX_CONNECTIONS: usize = 64;

/// How long a connection may take to ask, or to ask again.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// The address could not be listened on.
#[derive(Debug, thiserror::Error)]
#[error("failed to listen for metrics on `{endpoint}`")]
pub struct MetricsBindError {
    /// Where it should have listened.
    pub endpoint: String,
    /// What the operating system said.
    #[source]
    pub source: io::Error,
}

impl MetricsBindError {
    /// What a person can do about it.
    pub const fn help(&self) -> &'static str {
        "set telemetry.metrics.endpoint to a free host:port of this machine, or leave it out"
    }
}

/// A bound listener that nothing is accepted on yet.
#[derive(Debug)]
pub struct MetricsListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl MetricsListener {
    /// Binds `endpoint`, `host:port`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Where it cannot be bound.
    pub async fn bind(endpoint: &str) -> Result<Self, MetricsBindError> {
        let refuse = |source| MetricsBindError { endpoint: endpoint.to_owned(), source };
        let listener = TcpListener::bind(endpoint).await.map_err(refuse)?;
        let address = listener.local_addr().map_err(refuse)?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Shows `report` until the future is dropped. Connections that are open then end by
    /// themselves.
    pub async fn serve(self, report: Arc<SelfReport>) {
        /// While descriptors are used up, accepting fails at once, again and again.
        const PAUSE: Duration = Duration::from_millis(100);
        let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
            let Ok((stream, _peer)) = self.listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let report = Arc::clone(&report);
            tokio::spawn(async move {
                talk(stream, report).await;
                drop(slot);
            });
        }
    }
}

async fn talk(stream: TcpStream, report: Arc<SelfReport>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let response = answer(&report, &request);
        async move { Ok::<_, Infallible>(response) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_headers(64)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "connection for metrics ended early");
    }
}

fn answer<B>(report: &SelfReport, request: &Request<B>) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET is understood here\n");
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match request.uri().path() {
        "/healthz" => state(report.sickness()),
        "/readyz" => state(report.unreadiness()),
        "/metrics" => {
            let mut response = text(StatusCode::OK, report.prometheus_text());
            let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, format);
            response
        }
        _ => text(StatusCode::NOT_FOUND, "here are /healthz, /readyz and /metrics\n"),
    }
}

fn state(trouble: Option<&'static str>) -> Response<Full<Bytes>> {
    match trouble {
        None => text(StatusCode::OK, "ok\n"),
        Some(trouble) => text(StatusCode::SERVICE_UNAVAILABLE, format!("{trouble}\n")),
    }
}

fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(report: &SelfReport, method: &str, path: &str) -> u16 {
        let request = Request::builder().method(method).uri(path).body(()).unwrap();
        answer(report, &request).status().as_u16()
    }

    #[test]
    fn the_three_pages_answer_and_nothing_else_does() {
        let report = SelfReport::new();
        for path in ["/healthz", "/readyz", "/metrics"] {
            assert_eq!(status(&report, "GET", path), 200, "{path}");
            assert_eq!(status(&report, "POST", path), 405, "{path}");
        }
        assert_eq!(status(&report, "GET", "/"), 404);
        report.draining();
        assert_eq!(
            (status(&report, "GET", "/healthz"), status(&report, "GET", "/readyz")),
            (200, 503)
        );
        report.writer_stopped();
        assert_eq!(status(&report, "GET", "/healthz"), 503);
    }
}
