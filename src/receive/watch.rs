//! Watches one connection from outside its protocol: is a request in flight, has a head begun?
//!
//! Neither hyper's HTTP/1 header timeout, which also closes idle connections that clients keep
//! for their next export, nor its HTTP/2 side, which has none, tells the two apart.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::limits::Limits;

/// What a connection is doing.
#[derive(Debug, Clone, Copy)]
struct State {
    in_flight: usize,
    /// When the last request ended, or the connection began.
    idle_since: Instant,
    /// When the head that is being read began; none between requests.
    head_since: Option<Instant>,
    protocol: Protocol,
    /// Its time is over; see [`Watch::retire`].
    is_retired: bool,
}

/// What a connection speaks, as far as its first bytes have told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// This many bytes fit HTTP/2's preface so far.
    Unknown(usize),
    Http1,
    Http2,
}

/// What should become of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Look again then.
    Until(Instant),
    /// It has been without a request for too long.
    Idle,
    /// Its next head takes too long.
    SlowHead,
}

/// The shared view of one connection.
#[derive(Debug, Clone)]
pub(super) struct Watch(Arc<Mutex<State>>);

impl Watch {
    /// A connection that has just begun. Its first head is due from the start.
    pub(super) fn new(now: Instant) -> Self {
        Self(Arc::new(Mutex::new(State {
            in_flight: 0,
            idle_since: now,
            head_since: Some(now),
            protocol: Protocol::Unknown(0),
            is_retired: false,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request's head is complete; it is in flight until the guard is dropped.
    pub(super) fn begin(&self) -> InFlight {
        let mut state = self.state();
        state.in_flight += 1;
        state.head_since = None;
        InFlight(self.clone())
    }

    /// The connection's time is over: after its next answer over HTTP/1, which cannot announce
    /// its end before. Returns whether it is HTTP/2, which can.
    pub(super) fn retire(&self) -> bool {
        let mut state = self.state();
        state.is_retired = true;
        state.protocol == Protocol::Http2
    }

    /// Whether the next answer over HTTP/1 should be the last.
    pub(super) fn is_last_answer(&self) -> bool {
        let state = self.state();
        state.is_retired && state.protocol == Protocol::Http1
    }

    /// Whether a request is in flight.
    pub(super) fn is_busy(&self) -> bool {
        self.state().in_flight > 0
    }

    fn saw(&self, bytes: &[u8], now: Instant) {
        const PREFACE: &[u8] = b"PRI * HTTP/2.0";
        let mut state = self.state();
        if let Protocol::Unknown(seen) = state.protocol {
            let expected = PREFACE.get(seen..).unwrap_or_default();
            let both = expected.len().min(bytes.len());
            state.protocol = if expected.get(..both) != bytes.get(..both) {
                Protocol::Http1
            } else if both == expected.len() {
                state.head_since = None;
                Protocol::Http2
            } else {
                Protocol::Unknown(seen + both)
            };
        }
        // Between HTTP/2's requests there are frames that begin none.
        if state.protocol != Protocol::Http2 && state.in_flight == 0 {
            state.head_since.get_or_insert(now);
        }
    }

    /// What should become of the connection at `now`.
    pub(super) fn patience(&self, now: Instant, limits: &Limits) -> Patience {
        let state = self.state();
        if state.in_flight > 0 {
            return Patience::Until(now + limits.idle_timeout);
        }
        let idle_end = state.idle_since + limits.idle_timeout;
        let head_end = state.head_since.map(|since| since + limits.head_timeout);
        match head_end {
            Some(end) if end <= now => Patience::SlowHead,
            _ if idle_end <= now => Patience::Idle,
            Some(end) => Patience::Until(end.min(idle_end)),
            // A head may begin at any time.
            None => Patience::Until(idle_end.min(now + limits.head_timeout)),
        }
    }
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct InFlight(Watch);

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        state.idle_since = Instant::now();
    }
}

/// A connection's stream that tells its watch what it reads.
#[derive(Debug)]
pub(super) struct Watched<S> {
    stream: S,
    watch: Watch,
}

impl<S> Watched<S> {
    /// Watches `stream`.
    pub(super) const fn new(stream: S, watch: Watch) -> Self {
        Self { stream, watch }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Some(read) = buffer.filled().get(before..)
            && !read.is_empty()
        {
            self.watch.saw(read, Instant::now());
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limits() -> Limits {
        Limits { head_timeout: 10 * SECOND, idle_timeout: 100 * SECOND, ..Limits::default() }
    }

    #[test]
    fn a_connection_that_sends_nothing_is_given_up_as_a_slow_head() {
        let start = Instant::now();
        let watch = Watch::new(start);
        assert_eq!(watch.patience(start, &limits()), Patience::Until(start + 10 * SECOND));
        assert_eq!(watch.patience(start + 10 * SECOND, &limits()), Patience::SlowHead);
    }

    #[test]
    fn a_head_that_trickles_is_slow_however_often_it_brings_a_byte() {
        let start = Instant::now();
        let watch = Watch::new(start);
        for second in 0..10 {
            watch.saw(b"P", start + second * SECOND);
        }
        assert_eq!(watch.patience(start + 10 * SECOND, &limits()), Patience::SlowHead);
    }

    #[test]
    fn an_http2_connection_without_a_request_is_idle_and_not_slow() {
        let start = Instant::now();
        let watch = Watch::new(start);
        watch.saw(b"PRI * ", start);
        watch.saw(b"HTTP/2.0\r\n\r\nSM\r\n\r\n", start);
        watch.saw(b"settings", start + SECOND);
        let later = start + 50 * SECOND;
        assert_eq!(watch.patience(later, &limits()), Patience::Until(later + 10 * SECOND));
        assert_eq!(watch.patience(start + 100 * SECOND, &limits()), Patience::Idle);
    }

    #[test]
    fn a_kept_alive_connection_waits_and_its_next_head_is_timed() {
        let start = Instant::now();
        let watch = Watch::new(start);
        watch.saw(b"POST", start);
        let request = watch.begin();
        assert!(watch.is_busy());
        assert!(matches!(watch.patience(start + 500 * SECOND, &limits()), Patience::Until(_)));
        drop(request);
        assert!(matches!(watch.patience(start + 50 * SECOND, &limits()), Patience::Until(_)));
        watch.saw(b"PO", start + 60 * SECOND);
        assert!(matches!(watch.patience(start + 69 * SECOND, &limits()), Patience::Until(_)));
        assert_eq!(watch.patience(start + 70 * SECOND, &limits()), Patience::SlowHead);
    }
}
