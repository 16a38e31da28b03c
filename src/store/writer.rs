//! The writer of sightings: a thread that takes everything that waits, commits it in one group, and
//! only then answers each request. Where groups go is the store's affair ([`Sink`]).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::arrivals::ArrivalBook;
use super::batch::{Batch, Committed};
use super::erased::may_be_closed;
use super::error::StoreError;
use super::handle::Store;
use super::recent::Recent;
use super::sink::{Patience, Sink};

/// How the writer works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterOptions {
    /// Sightings that may wait for their commit; further commits wait for room.
    pub queue_sightings: u32,
    /// Sightings after which no further request joins a group commit.
    pub group_sightings: usize,
    /// Day files that are kept open; at least one is.
    pub open_days: usize,
    /// Longest time for which arrival counts stay in memory.
    pub arrivals_every: Duration,
    /// The size at which a day file counts as full; none for as large as the disk allows.
    pub max_day_file_bytes: Option<u64>,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            queue_sightings: 100_000,
            group_sightings: 20_000,
            open_days: 4,
            arrivals_every: Duration::from_secs(3),
            max_day_file_bytes: None,
        }
    }
}

/// The writer of sightings of this process.
#[derive(Debug)]
pub struct Writer {
    shared: Arc<Shared>,
    queue: Sender<Message>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
}

/// What callers and the thread both touch.
#[derive(Debug)]
struct Shared {
    /// One permit per sighting that may wait. Closed once the writer takes no more.
    room: Arc<Semaphore>,
    queue_sightings: u32,
    arrivals: Mutex<ArrivalBook>,
    has_stopped: AtomicBool,
}

enum Message {
    Commit(Box<Waiting>),
    Close,
}

/// A request that waits for its commit.
struct Waiting {
    batch: Batch,
    answer: oneshot::Sender<Result<Committed, StoreError>>,
    /// Given back when the answer is.
    _room: OwnedSemaphorePermit,
}

impl Writer {
    /// Starts the writer of `store`. At most one writer at a time writes into a data folder,
    /// whatever process it is in: a second one is [`StoreError::WriterRunning`].
    pub fn start(store: &Store, options: WriterOptions) -> Result<Self, StoreError> {
        Self::start_with(store, options, Thread::run)
    }

    /// Starts a writer whose thread does `run`.
    fn start_with(
        store: &Store,
        options: WriterOptions,
        run: fn(Thread) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let sink = store.sink(&options)?;
        let (queue, messages) = mpsc::channel();
        let shared = Arc::new(Shared {
            room: Arc::new(Semaphore::new(
                usize::try_from(options.queue_sightings).unwrap_or(0).max(1),
            )),
            queue_sightings: options.queue_sightings.max(1),
            arrivals: Mutex::default(),
            has_stopped: AtomicBool::new(false),
        });
        let state = Thread {
            messages,
            sink,
            shared: Arc::clone(&shared),
            ledger: Ledger { saved: Instant::now() },
            recent: Recent::default(),
            options,
        };
        let thread = std::thread::Builder::new().name("store-writer".to_owned());
        let thread = thread.spawn(move || run(state));
        let thread = thread.map_err(|error| StoreError::io(store.dir(), error))?;
        Ok(Self { shared, queue, thread: Mutex::new(Some(thread)) })
    }

    /// Commits a request's batch. Resolves once every sighting is on disk and synced, or with an
    /// error that [is retryable](StoreError::is_retryable): the same batch may be sent again, for
    /// sightings are counted once however often they are stored. A batch without sightings
    /// resolves at once; its counts reach the disk a few seconds later. Dropping the future is
    /// safe: what was queued is committed all the same. Sightings of closed days are refused and
    /// told in the answer, however often they are sent.
    pub fn commit(
        &self,
        batch: Batch,
    ) -> impl Future<Output = Result<Committed, StoreError>> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        let queue = self.queue.clone();
        async move {
            if batch.rows() == 0 {
                return shared.count(&batch).map(|()| Committed::default());
            }
            // A batch larger than the whole queue waits until it is alone.
            let rows = u32::try_from(batch.rows()).unwrap_or(u32::MAX);
            let permits = rows.min(shared.queue_sightings);
            let room = Arc::clone(&shared.room).acquire_many_owned(permits).await;
            let room = room.map_err(|_closed| StoreError::WriterStopped)?;
            let (answer, answered) = oneshot::channel();
            let waiting = Waiting { batch, answer, _room: room };
            queue
                .send(Message::Commit(Box::new(waiting)))
                .map_err(|_gone| StoreError::WriterStopped)?;
            answered.await.map_err(|_gone| StoreError::WriterStopped)?
        }
    }

    /// Whether the writer takes no more commits: it was closed, or its thread died.
    pub fn has_stopped(&self) -> bool {
        self.shared.has_stopped.load(Ordering::Acquire)
    }

    /// Commits everything that is queued, writes the arrival counts and ends the thread. Later
    /// commits are [`StoreError::WriterStopped`]. Blocks for as long as the last commit takes; a
    /// second call does nothing. Fails where arrival counts could not be written or the thread
    /// had died; what was answered is safe in either case.
    pub fn close(&self) -> Result<(), StoreError> {
        self.shared.room.close();
        // Fails only where the thread is gone, which joining tells.
        let _is_sent = self.queue.send(Message::Close).is_ok();
        let thread = lock_of(&self.thread).take();
        match thread.map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(ended)) => ended,
            Some(Err(_panic)) => Err(StoreError::WriterStopped),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "failed to close the store's writer");
        }
    }
}

impl Shared {
    fn count(&self, batch: &Batch) -> Result<(), StoreError> {
        if self.has_stopped.load(Ordering::Acquire) {
            return Err(StoreError::WriterStopped);
        }
        lock_of(&self.arrivals).add(batch);
        Ok(())
    }
}

/// The counts in a mutex are whole after every statement, so a panic elsewhere spoils nothing.
fn lock_of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the writer's thread owns.
struct Thread {
    messages: Receiver<Message>,
    /// Held until the thread ends: where one writer at a time writes, nobody else does before the
    /// last commit is done.
    sink: Box<dyn Sink>,
    shared: Arc<Shared>,
    ledger: Ledger,
    recent: Recent,
    options: WriterOptions,
}

/// However the thread ends, nobody waits for it any longer: messages that are still queued are
/// dropped with the receiver, and with them their answers.
impl Drop for Thread {
    fn drop(&mut self) {
        self.shared.has_stopped.store(true, Ordering::Release);
        self.shared.room.close();
    }
}

impl Thread {
    fn run(mut self) -> Result<(), StoreError> {
        let mut is_open = true;
        while is_open {
            let mut waiting = VecDeque::new();
            match self.messages.recv_timeout(self.options.arrivals_every) {
                Ok(Message::Commit(first)) => waiting.push_back(*first),
                Ok(Message::Close) | Err(RecvTimeoutError::Disconnected) => is_open = false,
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Everything that was queued while the last group was synced.
            while let Ok(message) = self.messages.try_recv() {
                match message {
                    Message::Commit(next) => waiting.push_back(*next),
                    Message::Close => is_open = false,
                }
            }
            while !waiting.is_empty() {
                let group = next_group(&mut waiting, self.options.group_sightings);
                self.commit(group);
            }
            if is_open {
                self.sink.rest();
                let every = self.options.arrivals_every;
                self.ledger.save_when_due(&mut *self.sink, &self.shared.arrivals, every);
            }
        }
        // From here on an empty batch is refused rather than counted and lost.
        self.shared.has_stopped.store(true, Ordering::Release);
        self.ledger.save(&mut *self.sink, &self.shared.arrivals, Patience::Usual)
    }

    fn commit(&mut self, mut group: Vec<Waiting>) {
        let refused = self.refuse_closed(&mut group);
        let batches: Vec<&Batch> = group.iter().map(|waiting| &waiting.batch).collect();
        let results = self.sink.commit(&batches);
        for ((waiting, result), refused) in group.into_iter().zip(results).zip(refused) {
            let mut result = refused.and_then(|committed| result.map(|()| committed));
            if let Ok(committed) = &mut result {
                lock_of(&self.shared.arrivals).add(&waiting.batch);
                committed.duplicates = self.recent.note(&waiting.batch.sightings);
            }
            // Whoever waited may have gone; the commit stands.
            let _is_heard = waiting.answer.send(result).is_ok();
        }
    }

    /// Takes the sightings of closed days out of each request of the group. Only late ones are
    /// looked at; where the erased days cannot be read, such a request keeps nothing and fails.
    fn refuse_closed(&mut self, group: &mut [Waiting]) -> Vec<Result<Committed, StoreError>> {
        if !group.iter().any(|waiting| may_be_closed(&waiting.batch)) {
            return vec![Ok(Committed::default()); group.len()];
        }
        let erased = self.sink.erased_days();
        let refuse = |waiting: &mut Waiting| match &erased {
            _ if !may_be_closed(&waiting.batch) => Ok(Committed::default()),
            Ok(erased) => {
                Ok(Committed { refused: erased.refuse(&mut waiting.batch), duplicates: 0 })
            }
            Err(error) => {
                waiting.batch.sightings.clear();
                waiting.batch.attempts.clear();
                Err(error.clone())
            }
        };
        group.iter_mut().map(refuse).collect()
    }
}

/// Takes requests from the front until they hold `limit` sightings or more.
fn next_group(waiting: &mut VecDeque<Waiting>, limit: usize) -> Vec<Waiting> {
    let mut group = Vec::new();
    let mut sightings = 0_usize;
    while sightings < limit.max(1) {
        let Some(next) = waiting.pop_front() else { break };
        sightings = sightings.saturating_add(next.batch.rows());
        group.push(next);
    }
    group
}

/// Writes arrival counts, between commits and never in their way.
struct Ledger {
    saved: Instant,
}

impl Ledger {
    /// Writes the counts where the time has come. A failure keeps them for the next time.
    fn save_when_due(
        &mut self,
        sink: &mut dyn Sink,
        arrivals: &Mutex<ArrivalBook>,
        every: Duration,
    ) {
        if self.saved.elapsed() < every {
            return;
        }
        // A pass that publishes just now is not waited for.
        if let Err(error) = self.save(sink, arrivals, Patience::None) {
            tracing::debug!(%error, "kept arrival counts in memory for later");
        }
    }

    /// Writes the counts; where that fails they stay in `arrivals`.
    fn save(
        &mut self,
        sink: &mut dyn Sink,
        arrivals: &Mutex<ArrivalBook>,
        patience: Patience,
    ) -> Result<(), StoreError> {
        self.saved = Instant::now();
        let book = std::mem::take(&mut *lock_of(arrivals));
        let saved = sink.save_arrivals(&book, patience);
        if saved.is_err() {
            lock_of(arrivals).merge(&book);
        }
        saved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::arbitrary::plain_sighting;

    #[test]
    fn a_thread_that_dies_leaves_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let dies_with_its_first_message = |thread: Thread| {
            drop(thread.messages.recv());
            panic!("the thread dies");
        };
        let writer =
            Writer::start_with(&store, WriterOptions::default(), dies_with_its_first_message)
                .unwrap();
        let batch = |sightings| Batch::of(plain_sighting().received, sightings);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let waiting: Vec<_> = (0..3)
                .map(|_| tokio::spawn(writer.commit(batch(vec![plain_sighting()]))))
                .collect();
            for waiting in waiting {
                assert!(matches!(waiting.await.unwrap(), Err(StoreError::WriterStopped)));
            }
            let later = writer.commit(batch(vec![plain_sighting()])).await;
            assert!(matches!(later, Err(StoreError::WriterStopped)));
        });
        assert!(matches!(writer.close(), Err(StoreError::WriterStopped)));
        assert!(writer.has_stopped());
        // The lock went with the thread.
        Writer::start(&store, WriterOptions::default()).unwrap();
    }
}
