//! Stopping: one token that every long-lived part listens to, and the signals that set it.
//!
//! The order of the end is the caller's: the listeners stop accepting and finish what is in
//! flight, then the store's writer commits and closes, then the program exits.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Asks everything that holds a clone of it to end.
#[derive(Debug, Clone, Default)]
pub struct Stop(CancellationToken);

impl Stop {
    /// A token that nobody has set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the token; it is never unset.
    pub fn request(&self) {
        self.0.cancel();
    }

    /// Whether the token is set.
    pub fn is_requested(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Resolves when the token is set.
    pub async fn requested(&self) {
        self.0.cancelled().await;
    }
}

/// The exit code after a second signal: something unexpected.
const EXIT_AT_ONCE: i32 = 1;

/// Listens for SIGTERM and SIGINT from now on: the first sets `stop`, a second ends the process
/// at once. Must be called within a tokio runtime.
///
/// # Errors
/// Where the signals cannot be listened for.
pub fn stop_on_signals(stop: Stop) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        let mut next = async || {
            tokio::select! {
                _ = terminate.recv() => "SIGTERM",
                _ = interrupt.recv() => "SIGINT",
            }
        };
        let name = next().await;
        tracing::info!(signal = name, "stopping; a second signal ends at once");
        stop.request();
        let name = next().await;
        tracing::warn!(signal = name, "ended at once; requests in flight were not answered");
        #[expect(clippy::exit, reason = "the second signal asks for no more order")]
        std::process::exit(EXIT_AT_ONCE);
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_clone_hears_the_stop() {
        let stop = Stop::new();
        let other = stop.clone();
        let waiter = tokio::spawn(async move { other.requested().await });
        assert!(!stop.is_requested());
        stop.request();
        waiter.await.unwrap();
        assert!(stop.is_requested());
    }
}
