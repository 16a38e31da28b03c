//! A request's body as it arrives: in chunks, each in time.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use super::limits::Limits;
use crate::self_report::SelfReport;

/// The body did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum SourceError {
    /// It came too slowly, or stopped.
    #[error("body did not arrive in time")]
    Stalled,
    /// The peer broke off, or broke the transport's rules.
    #[error("body was broken off")]
    Interrupted,
}

/// Reads a body, and gives up on one that is too slow.
#[derive(Debug)]
pub(super) struct Source<B> {
    body: B,
    started: Instant,
    received: u64,
    silence: Duration,
    min_rate: u64,
    report: Arc<SelfReport>,
}

impl<B: Body<Data = Bytes> + Unpin> Source<B> {
    /// Begins to read `body`; what arrives is told to `report`.
    pub(super) fn new(body: B, limits: &Limits, report: Arc<SelfReport>) -> Self {
        Self {
            body,
            started: Instant::now(),
            received: 0,
            silence: limits.body_timeout,
            min_rate: limits.min_body_rate.max(1),
            report,
        }
    }

    /// The next bytes, never none; nothing at the end of the body. Trailers are skipped.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, SourceError> {
        loop {
            let earned = Duration::from_secs(self.received / self.min_rate);
            let deadline =
                (self.started + self.silence + earned).min(Instant::now() + self.silence);
            let Ok(frame) = timeout_at(deadline, self.body.frame()).await else {
                return Err(SourceError::Stalled);
            };
            match frame {
                None => return Ok(None),
                Some(Err(_error)) => return Err(SourceError::Interrupted),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data()
                        && !data.is_empty()
                    {
                        self.received += data.len() as u64;
                        self.report.received(data.len());
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    /// Reads on and forgets, for at most a second and `most` bytes: a sender that is still
    /// writing reads an early answer only if nothing resets it.
    pub(super) async fn drain(&mut self, most: usize) {
        const PATIENCE: Duration = Duration::from_secs(1);
        let most = self.received.saturating_add(most as u64);
        let read =
            async { while self.received <= most && matches!(self.chunk().await, Ok(Some(_))) {} };
        // Whether it ended or was given up makes no difference to the answer.
        drop(tokio::time::timeout(PATIENCE, read).await);
    }
}
