//! What both transports share: from a body's bytes to a committed batch.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, Version, header};
use http_body::Body;
use hyper::body::Incoming;
use tokio::sync::Semaphore;

use super::admission::{Admission, Admitted};
use super::bearer::BearerTokens;
use super::cors::{self, Cors};
use super::inflate::{Encoding, inflate};
use super::limits::Limits;
use super::options::Options;
use super::reply_body::ReplyBody;
use super::request_error::RequestError;
use super::retry_delay::RetryDelays;
use super::source::Source;
use super::{grpc, http as over_http};
use crate::ingest::{Commit, Ingest, IngestError, Outcome, Reading};
use crate::otlp::{Format, Sent};
use crate::self_report::{Over, SelfReport};

/// The telemetry that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Spans.
    Traces,
    /// Log records.
    Logs,
    /// One or the other: sent to the base address, where no path tells.
    Either,
    /// Metrics, which are taken and dropped.
    Metrics,
}

impl Signal {
    /// What a request of the signal holds, where the signal tells.
    pub(super) const fn sent(self) -> Option<Sent> {
        match self {
            Self::Traces => Some(Sent::Spans),
            Self::Logs => Some(Sent::Logs),
            Self::Either | Self::Metrics => None,
        }
    }
}

/// A message whose bytes have arrived. It has no `Debug`: it holds what nobody may print.
pub(super) struct Message {
    /// The bytes, as they were sent.
    pub(super) bytes: Vec<u8>,
    /// How they are written.
    pub(super) format: Format,
    /// What they hold, where the path told it.
    pub(super) sent: Option<Sent>,
    /// How they were compressed.
    pub(super) encoding: Encoding,
    /// What they hold of the budget.
    pub(super) admitted: Admitted,
}

impl Message {
    /// Whether opening it could keep other requests of this thread waiting: over half a
    /// millisecond of work.
    fn is_heavy(&self) -> bool {
        match self.encoding {
            Encoding::Identity => self.bytes.len() > 2 * 1024 * 1024,
            Encoding::Gzip | Encoding::Zstd => self.bytes.len() > 32 * 1024,
        }
    }
}

/// Answers requests of both transports.
#[derive(Debug)]
pub(super) struct Receiver<C> {
    ingest: Ingest<C>,
    /// The caps.
    pub(super) limits: Limits,
    /// The budget.
    pub(super) admission: Admission,
    /// When to come back.
    pub(super) retry_delays: RetryDelays,
    /// Heavy messages that are opened at once: as many as there are processors.
    heavy: Semaphore,
    tokens: Option<Arc<BearerTokens>>,
    cors: Cors,
    report: Arc<SelfReport>,
}

impl<C: Commit> Receiver<C> {
    /// A receiver into `ingest`.
    pub(super) fn new(ingest: Ingest<C>, options: Options) -> Self {
        let Options { limits, tokens, cors, tls: _, self_report: report } = options;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            ingest,
            admission: Admission::new(&limits, Arc::clone(&report)),
            limits,
            retry_delays: RetryDelays::new(),
            heavy: Semaphore::new(processors),
            tokens,
            cors,
            report,
        }
    }

    /// Answers a request of either transport on either listener.
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<ReplyBody> {
        let is_grpc = request.version() == Version::HTTP_2
            && request.method() == http::Method::POST
            && grpc::is_grpc(media_type(request.headers()));
        let (head, body) = request.into_parts();
        let origin = self.cors.allowed(&head.headers);
        // A browser asks before it sends, without credentials.
        let preflight = origin.as_ref().and_then(|_origin| cors::preflight(&head));
        let source = Source::new(body, &self.limits, Arc::clone(&self.report));
        let (over, mut response) = match preflight {
            Some(response) => (Over::Http, response),
            None if is_grpc => (Over::Grpc, grpc::answer(&self, &head, source).await),
            None => (Over::Http, over_http::answer(&self, &head, source).await),
        };
        let code = match over {
            Over::Grpc => grpc::code_of(&response),
            Over::Http => response.status().as_u16(),
        };
        self.report.answered(over, code);
        if let Some(origin) = origin {
            cors::show_to(origin, response.headers_mut());
        }
        response
    }

    /// Whether the sender may send. Asked before anything of the body is read.
    pub(super) fn authenticate(&self, head: &Parts) -> Result<(), RequestError> {
        match &self.tokens {
            Some(tokens) if !tokens.accept(&head.headers) => Err(RequestError::Unauthenticated),
            _ => Ok(()),
        }
    }

    /// Takes in a message of spans or log records; resolves when its tool calls are on disk.
    pub(super) async fn take_in(
        self: &Arc<Self>,
        message: Message,
    ) -> Result<Outcome, RequestError> {
        let (reading, admitted) = if message.is_heavy() {
            // Closed never: the receiver owns it.
            let turn = self.heavy.acquire().await.map_err(|_error| RequestError::Panicked)?;
            let receiver = Arc::clone(self);
            let read = tokio::task::spawn_blocking(move || receiver.read_guarded(message));
            let read = read.await.map_err(|_error| RequestError::Panicked)?;
            drop(turn);
            read?
        } else {
            self.read_guarded(message)?
        };
        if reading.holds_nothing_known() && self.report.held_nothing_known() {
            tracing::warn!("a request in JSON holds nothing of OTLP's; such are taken as empty");
        }
        let arrivals = reading.arrivals();
        let started = Instant::now();
        let waiting = self.report.wait_for_commit();
        let outcome = self.ingest.commit(reading).await;
        drop(waiting);
        // Held until now: what waits for the disk counts as well.
        drop(admitted);
        let outcome = outcome?;
        self.report.arrived(&arrivals);
        if outcome.duplicates > 0 {
            self.report.sent_again(outcome.duplicates);
        }
        // Without a tool call nothing was committed, which says nothing of the store.
        if outcome.kept > 0 && self.report.committed(started.elapsed()) {
            tracing::info!("store takes data again");
        }
        Ok(outcome)
    }

    /// Reads a message. A panic in here is ours, and costs this request alone.
    fn read_guarded(&self, message: Message) -> Result<(Reading, Admitted), RequestError> {
        catch_unwind(AssertUnwindSafe(|| self.read(message))).unwrap_or_else(|_panic| {
            tracing::error!("failed to read a request because of a defect in firstcall");
            Err(RequestError::Panicked)
        })
    }

    fn read(&self, message: Message) -> Result<(Reading, Admitted), RequestError> {
        let Message { bytes, format, sent, encoding, mut admitted } = message;
        let limit = self.limits.max_request_bytes;
        let bytes = inflate(encoding, bytes, limit, &mut admitted)
            .map_err(|error| RequestError::inflate(error, limit))?;
        match self.ingest.read(&bytes, format, sent) {
            Ok(reading) => Ok((reading, admitted)),
            Err(IngestError::Malformed(_)) if bytes.starts_with(&[0x1f, 0x8b]) => {
                Err(RequestError::UndeclaredGzip)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a body of metrics, which nothing is kept of but that it came, up to the size limit.
    pub(super) async fn discard<B>(&self, source: &mut Source<B>) -> Result<(), RequestError>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let limit = self.limits.max_request_bytes;
        let mut total = 0_usize;
        while let Some(chunk) = source.chunk().await? {
            total = total.saturating_add(chunk.len());
            if total > limit {
                return Err(RequestError::TooLarge { limit });
            }
        }
        self.ingest.note_metrics().await;
        Ok(())
    }

    /// Logs what an operator of firstcall can mend; a sender's mistakes only for debugging.
    pub(super) fn note(&self, error: &RequestError) {
        if let RequestError::Ingest(IngestError::Storage(cause)) = error
            && self.report.storage_failed()
        {
            let help = cause.help().unwrap_or("see the cause");
            tracing::warn!(cause = %cause, help, "store takes no data; senders are asked to wait");
        }
        tracing::debug!(%error, "request was not taken");
    }
}

/// A request's media type, without parameters, as it was written.
pub(super) fn media_type(headers: &http::HeaderMap) -> &[u8] {
    let value = headers.get(header::CONTENT_TYPE).map_or(&[][..], |value| value.as_bytes());
    value.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii()
}

/// The length that a request claims for its body.
pub(super) fn claimed_length(head: &Parts) -> Option<usize> {
    head.headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
