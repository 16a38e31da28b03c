//! Who receives: each receiver notes now and then that it does, and takes the note away in the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::engine::Engine;
use super::notes;
use crate::store::error::StoreError;

/// How often a receiver notes itself.
const EVERY: Duration = Duration::from_mins(1);

/// After how many seconds without a note a receiver counts as gone.
const GONE_AFTER_S: u64 = 180;

/// What the keys of receivers' notes begin with.
const PREFIX: &str = "receiver ";

/// The note of one receiver.
#[derive(Debug)]
pub(super) struct Receiver {
    engine: Arc<Engine>,
    key: String,
    noted: Instant,
}

impl Receiver {
    /// Notes a receiver of this process.
    pub(super) fn begin(engine: &Arc<Engine>) -> Result<Self, StoreError> {
        // A file of the kernel's; a machine without it has no name here.
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || ".-_".contains(*letter);
        let host: String = host.chars().filter(is_plain).take(60).collect();
        let key = format!("{PREFIX}{} on {host} {}", std::process::id(), engine.token());
        notes::write(engine, &key, "receives")?;
        Ok(Self { engine: Arc::clone(engine), key, noted: Instant::now() })
    }

    /// Notes it again where the time has come. Where that fails it only looks gone for a while.
    pub(super) fn beat(&mut self) {
        if self.noted.elapsed() >= EVERY {
            self.noted = Instant::now();
            if let Err(error) = notes::write(&self.engine, &self.key, "receives") {
                tracing::debug!(%error, "could not note that this receiver is there");
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if let Err(error) = notes::write(&self.engine, &self.key, "") {
            tracing::debug!(%error, "could not note that this receiver is gone");
        }
    }
}

/// The receivers that were noted lately, in words; none where there are none.
pub(super) fn read(engine: &Engine) -> Result<Option<String>, StoreError> {
    let query = format!(
        "SELECT key FROM notes WHERE startsWith(key, '{PREFIX}') GROUP BY key
         HAVING argMax(value, written_at) != ''
             AND max(written_at) > now64(9) - toIntervalSecond({GONE_AFTER_S})
         ORDER BY key"
    );
    let mut receivers = Vec::new();
    for mut row in engine.rows(&query)? {
        let key = row.text().ok_or_else(|| engine.damaged("key"))?;
        let words = key.strip_prefix(PREFIX).unwrap_or_default();
        receivers.extend(words.rsplit_once(' ').map(|(who, _token)| who.to_owned()));
    }
    Ok((!receivers.is_empty()).then(|| receivers.join(", ")))
}
