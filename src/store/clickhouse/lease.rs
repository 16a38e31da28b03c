//! The right to run a pass, across machines (METHOD section 10).
//!
//! Terms are numbered. A term is taken by inserting its first row with a deduplication token of its
//! own: of several who try at once the engine keeps one row, and each reads back whose. The right
//! ends when it is given back, or when nothing renewed it for [`LASTS_S`] seconds of the server's
//! clock, as after a machine died. A holder that was cut off for longer and still runs cannot spoil
//! anything: publications carry the term, the highest counts, and it looks for a later term before
//! each. What this rests on is that inserts are deduplicated by token: as long as the table's
//! window (10,000 inserts, or the time that a replicated table's settings say).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::engine::{Engine, random};
use super::json::{self, Row};
use crate::call::UnixNanos;
use crate::store::error::StoreError;
use crate::store::lease::cleaned;

/// For how many seconds a right lasts that nobody renews.
const LASTS_S: u64 = 300;

/// How often it is renewed: four attempts may fail.
const RENEW_EVERY: Duration = Duration::from_mins(1);

/// Publications of one term that are told apart.
const NUMBERS: u64 = 1 << 24;

/// How often a row that was just added is looked for, where a replica may not have it yet.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(300);

const COLUMNS: [&str; 6] = ["term", "holder", "owner", "since", "lasts_s", "is_released"];

/// The right to run a pass over one database: held by one process at a time, given back when
/// dropped.
#[derive(Debug)]
pub(in crate::store) struct DatabaseLease {
    engine: Arc<Engine>,
    term: u64,
    holder: u64,
    numbers: AtomicU64,
    /// Ends the renewing when dropped.
    _renewing: oneshot::Sender<()>,
}

impl DatabaseLease {
    pub(super) fn take(
        engine: &Arc<Engine>,
        now: UnixNanos,
        owner: &str,
    ) -> Result<Self, StoreError> {
        let last = last_term(engine)?;
        if let Some(last) = last.as_ref().filter(|last| last.is_live) {
            return Err(last.running());
        }
        let term = last.map_or(0, |last| last.term).saturating_add(1);
        let holder = random()?;
        let row = row(term, holder, &cleaned(owner), now.get(), false);
        engine.insert("leases", &COLUMNS, &[row], &format!("term {term}"))?;
        for look in 0..LOOKS {
            if look > 0 {
                std::thread::sleep(PAUSE);
            }
            match last_term(engine)? {
                Some(last) if last.term == term && last.holder == holder => {
                    let renewing = renew(engine, term, holder);
                    let numbers = AtomicU64::new(0);
                    let engine = Arc::clone(engine);
                    return Ok(Self { engine, term, holder, numbers, _renewing: renewing });
                }
                Some(last) if last.term >= term => return Err(last.running()),
                _ => {}
            }
        }
        Err(StoreError::PassRunning { owner: "another process".to_owned(), since: None })
    }

    /// Whether this is the right to a pass over `engine`'s database.
    pub(super) fn is_for(&self, engine: &Arc<Engine>) -> bool {
        self.engine.place() == engine.place()
    }

    /// A number for a publication: higher than all of earlier terms, and than those before.
    pub(super) fn next_number(&self) -> u64 {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        self.term.saturating_mul(NUMBERS).saturating_add(number)
    }

    /// Fails where a later term was taken ([`StoreError::LeaseLost`]).
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let last = last_term(&self.engine)?;
        let is_last = last.is_none_or(|last| last.term <= self.term);
        if is_last { Ok(()) } else { Err(StoreError::LeaseLost) }
    }
}

impl Drop for DatabaseLease {
    fn drop(&mut self) {
        let row = row(self.term, self.holder, "", 0, true);
        let given_back = self.engine.insert("leases", &COLUMNS, &[row], &self.engine.token());
        if let Err(error) = given_back {
            tracing::warn!(%error, "the right to run a pass was not given back; it ends in {LASTS_S} s");
        }
    }
}

fn row(term: u64, holder: u64, owner: &str, since: u64, is_released: bool) -> Vec<Value> {
    vec![json!(term), json!(holder), json!(owner), json!(since), json!(LASTS_S), json!(is_released)]
}

/// The last term that was taken.
struct LastTerm {
    term: u64,
    holder: u64,
    owner: String,
    since: UnixNanos,
    is_live: bool,
}

impl LastTerm {
    fn of(mut row: Row) -> Option<Self> {
        Some(Self {
            term: row.number()?,
            holder: row.number()?,
            owner: row.text()?,
            since: row.instant()?,
            is_live: row.flag()?,
        })
    }

    fn running(&self) -> StoreError {
        StoreError::PassRunning { owner: self.owner.clone(), since: Some(self.since) }
    }
}

fn last_term(engine: &Engine) -> Result<Option<LastTerm>, StoreError> {
    // Only rows of whoever took the term count; others of it there are none, as long as the engine
    // deduplicates by token, and even then the order below is the same for all who look.
    let query = "SELECT term, argMin(holder, (written_at, holder)),
             argMin(owner, (written_at, holder)), argMin(since, (written_at, holder)),
             max(written_at + toIntervalSecond(lasts_s)) > now64(3) AND NOT max(is_released)
         FROM leases GROUP BY term ORDER BY term DESC LIMIT 1";
    let row = engine.rows(query)?.pop();
    row.map(|row| LastTerm::of(row).ok_or_else(|| engine.damaged("leases"))).transpose()
}

/// Renews the right until what is returned is dropped.
fn renew(engine: &Engine, term: u64, holder: u64) -> oneshot::Sender<()> {
    let (renewing, mut ended) = oneshot::channel::<()>();
    let client = engine.client().clone();
    let statement = format!("INSERT INTO leases({}) FORMAT JSONCompactEachRow", COLUMNS.join(", "));
    let text = Bytes::from(json::text(&[row(term, holder, "", 0, false)]));
    engine.spawn(async move {
        loop {
            tokio::select! {
                _ended = &mut ended => return,
                () = tokio::time::sleep(RENEW_EVERY) => {}
            }
            let renew = async {
                let mut insert = client.insert_formatted_with(&statement);
                insert.send(text.clone()).await?;
                insert.end().await
            };
            if let Err(error) = renew.await {
                let error = super::failure::failure(error, "the server");
                tracing::warn!(%error, "the right to run a pass could not be renewed this time");
            }
        }
    });
    renewing
}
