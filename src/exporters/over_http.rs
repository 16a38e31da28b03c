//! The way over HTTP: hyper's client, plain or over TLS, which `opentelemetry-otlp` hands its
//! requests to. It works in the runtime that was entered when it was made, for the SDK asks from
//! a thread of its own that has none.

use std::error::Error;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::Handle;
use tokio_rustls::rustls::ClientConfig;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 4 * 1024 * 1024;

/// What went wrong last, in the transport's words: the SDK keeps only that something did.
#[derive(Debug, Clone, Default)]
pub(super) struct Cause(Arc<Mutex<Option<String>>>);

impl Cause {
    /// `error` with the cause behind it, which is forgotten then.
    pub(super) fn behind(&self, error: &impl Error) -> String {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        }
    }

    fn note(&self, cause: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(cause);
    }
}

/// A client whose requests take no longer than its timeout.
#[derive(Debug)]
pub(super) struct OverHttp<C> {
    client: Client<C, Full<Bytes>>,
    runtime: Handle,
    timeout: Duration,
    cause: Cause,
}

impl OverHttp<HttpConnector> {
    /// A client without TLS. Must be called within a tokio runtime.
    pub(super) fn plain(timeout: Duration, cause: Cause) -> Self {
        Self::new(HttpConnector::new(), timeout, cause)
    }
}

impl OverHttp<HttpsConnector<HttpConnector>> {
    /// A client that speaks TLS and nothing else. Must be called within a tokio runtime.
    pub(super) fn tls(config: ClientConfig, timeout: Duration, cause: Cause) -> Self {
        let connector = HttpsConnectorBuilder::new().with_tls_config(config);
        Self::new(connector.https_only().enable_http1().build(), timeout, cause)
    }
}

impl<C: Connect + Clone + Send + Sync + 'static> OverHttp<C> {
    fn new(connector: C, timeout: Duration, cause: Cause) -> Self {
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Self { client, runtime: Handle::current(), timeout, cause }
    }
}

#[async_trait]
impl<C: Connect + Clone + Debug + Send + Sync + 'static> HttpClient for OverHttp<C> {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let exchange = exchange(self.client.clone(), request);
        let timeout = self.timeout;
        let within = async move {
            let answer = tokio::time::timeout(timeout, exchange).await;
            answer.unwrap_or_else(|_late| Err(format!("no answer within {timeout:?}").into()))
        };
        let answer = self.runtime.spawn(within).await?;
        if let Err(error) = &answer {
            self.cause.note(error.to_string());
        }
        answer
    }
}

async fn exchange<C: Connect + Clone + Send + Sync + 'static>(
    client: Client<C, Full<Bytes>>,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    let answer = client.request(request.map(Full::new)).await.map_err(|error| in_words(&error))?;
    let (head, body) = answer.into_parts();
    let body = Limited::new(body, MAX_ANSWER).collect().await?;
    Ok(Response::from_parts(head, body.to_bytes()))
}

/// An error with its causes: hyper's own words end before they say what was wrong.
fn in_words(error: &dyn Error) -> HttpError {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words.into()
}
