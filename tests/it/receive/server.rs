//! A receiver in this process, on free ports, that commits into memory.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use firstcall::call::{InstallationSecret, UnixNanos};
use firstcall::clock::ManualClock;
use firstcall::ingest::{Commit, Ingest};
use firstcall::receive::{Drained, Limits, Listeners, Options};
use firstcall::shutdown::Stop;
use firstcall::store::{Batch, Committed, StoreError};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::spans::NOON;

/// Keeps what is committed; fails or waits where a test asks for it.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    batches: Arc<Mutex<Vec<Batch>>>,
    trouble: Arc<Mutex<Option<StoreError>>>,
    /// Commits that may pass; none pass while it is empty.
    pub(crate) gate: Arc<Semaphore>,
}

impl Memory {
    fn new() -> Self {
        Self {
            batches: Arc::default(),
            trouble: Arc::default(),
            gate: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
        }
    }

    /// Fails every further commit, or none.
    pub(crate) fn set_trouble(&self, trouble: Option<StoreError>) {
        *self.trouble.lock().unwrap() = trouble;
    }

    /// How many sightings were committed.
    pub(crate) fn sightings(&self) -> usize {
        self.batches.lock().unwrap().iter().map(|batch| batch.sightings.len()).sum()
    }

    /// What was committed.
    pub(crate) fn batches(&self) -> Vec<Batch> {
        self.batches.lock().unwrap().clone()
    }
}

impl Commit for Memory {
    async fn commit(&self, batch: Batch) -> Result<Committed, StoreError> {
        let _passed = self.gate.acquire().await.unwrap();
        if let Some(trouble) = self.trouble.lock().unwrap().clone() {
            return Err(trouble);
        }
        self.batches.lock().unwrap().push(batch);
        Ok(Committed::default())
    }
}

/// A running receiver.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) grpc: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) memory: Memory,
    stop: Stop,
    serving: JoinHandle<Drained>,
}

impl Server {
    /// Starts one with the default limits.
    pub(crate) async fn start() -> Self {
        Self::with(Limits::default()).await
    }

    /// Starts one with these limits or options.
    pub(crate) async fn with(options: impl Into<Options>) -> Self {
        let options = options.into();
        let listeners = Listeners::bind("127.0.0.1:0", "127.0.0.1:0").await.unwrap();
        let memory = Memory::new();
        let clock = Arc::new(ManualClock::at(UnixNanos::new(NOON)));
        let secret = InstallationSecret::from_bytes([7; 32]);
        let ingest = Ingest::new(memory.clone(), clock, &secret);
        let stop = Stop::new();
        Self {
            grpc: listeners.grpc_address(),
            http: listeners.http_address(),
            memory,
            stop: stop.clone(),
            serving: tokio::spawn(listeners.serve(ingest, options, stop)),
        }
    }

    /// Asks it to stop.
    pub(crate) fn stop(&self) {
        self.stop.request();
    }

    /// Waits until it has stopped.
    pub(crate) async fn stopped(self) -> Drained {
        self.serving.await.unwrap()
    }
}
