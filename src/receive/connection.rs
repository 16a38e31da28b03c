//! One connection: HTTP/1.1 or HTTP/2, whichever its first bytes speak, until it ends, is idle
//! for too long, or is asked to stop.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, header};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, sleep_until};

use super::limits::Limits;
use super::receiver::Receiver;
use super::watch::{Patience, Watch, Watched};
use crate::ingest::Commit;
use crate::shutdown::Stop;

const KIB: u32 = 1024;

/// Credit that a sender has on one stream before it must wait for us.
const STREAM_WINDOW: u32 = 1024 * KIB;

/// The same for all streams of a connection.
const CONNECTION_WINDOW: u32 = 4 * 1024 * KIB;

/// The longest frame. Frames are copied into the message as they come, so a buffer that stays in
/// the processor's cache beats fewer, longer frames.
const MAX_FRAME: u32 = 64 * KIB;

/// The longest head of a request.
const MAX_HEAD: u32 = 16 * KIB;

/// How long a connection that was asked to end may take to do so without a request in flight.
const FAREWELL: Duration = Duration::from_secs(2);

/// The protocol's settings for every connection.
pub(super) fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // The watch tells slow heads from idle connections.
        .header_read_timeout(None)
        .max_headers(64)
        .max_buf_size(128 * 1024);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.max_streams)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_frame_size(MAX_FRAME)
        .max_header_list_size(MAX_HEAD)
        .keep_alive_interval(Duration::from_mins(1))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}

/// Serves `stream` to its end. After `stop` the requests in flight are answered, and no others.
pub(super) async fn serve<C: Commit>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    builder: Arc<Builder<TokioExecutor>>,
    receiver: Arc<Receiver<C>>,
    stop: Stop,
) {
    let watch = Watch::new(Instant::now());
    let io = TokioIo::new(Watched::new(stream, watch.clone()));
    let limits = receiver.limits.clone();
    let retires = sleep(receiver.retry_delays.about(limits.max_connection_age));
    let service = {
        let watch = watch.clone();
        service_fn(move |request| {
            let in_flight = watch.begin();
            let receiver = Arc::clone(&receiver);
            let watch = watch.clone();
            async move {
                let mut response = receiver.answer(request).await;
                if watch.is_last_answer() {
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(header::CONNECTION, close);
                }
                drop(in_flight);
                Ok::<_, Infallible>(response)
            }
        })
    };
    let mut connection = pin!(builder.serve_connection(io, service));
    let mut retires = pin!(retires);
    let mut is_retired = false;
    let mut is_leaving = false;
    let mut look_again = Instant::now() + limits.head_timeout;
    loop {
        tokio::select! {
            // Whether it ended well or badly, it has ended; a peer may leave as it likes.
            result = connection.as_mut() => {
                if let Err(error) = result {
                    tracing::debug!(%error, "connection ended early");
                }
                return;
            }
            () = stop.requested(), if !is_leaving => {
                connection.as_mut().graceful_shutdown();
                is_leaving = true;
                look_again = Instant::now() + FAREWELL;
            }
            () = retires.as_mut(), if !is_retired && !is_leaving => {
                is_retired = true;
                if watch.retire() {
                    connection.as_mut().graceful_shutdown();
                    is_leaving = true;
                    look_again = Instant::now() + FAREWELL;
                }
            }
            () = sleep_until(look_again) => {
                let now = Instant::now();
                match (is_leaving, watch.patience(now, &limits)) {
                    (true, _) if watch.is_busy() => look_again = now + FAREWELL,
                    (true, _) | (false, Patience::SlowHead) => return,
                    (false, Patience::Until(then)) => look_again = then,
                    (false, Patience::Idle) => {
                        connection.as_mut().graceful_shutdown();
                        is_leaving = true;
                        look_again = now + FAREWELL;
                    }
                }
            }
        }
    }
}
