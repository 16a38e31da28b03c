//! What must be known of all calls of a giant before any slice of them can be judged: which clients
//! its keys held, where its inferred sessions begin, and which layer each run is compared by.

use std::collections::{BTreeMap, HashMap};

use super::call::Call;
use super::judge::{Terms, is_judged_beside};
use super::names::NameId;
use super::retry::Votes;
use super::seen::Layer;
use super::session::{self, Key, LONGEST, PAUSE, is_of_a_tool};
use crate::call::{Day, SessionGrade, UnixNanos};

/// A tool, by its service and name.
pub(super) type Tool = (NameId, NameId);

/// A session among a giant's: its key, which of the key's sessions where these are inferred, and
/// its client.
pub(super) type SessionId = (Key, usize, NameId);

/// What is known of a giant's calls.
#[derive(Debug)]
pub(super) struct Facts {
    day: Day,
    terms: Terms,
    unknown: NameId,
    keys: HashMap<Key, OfKey>,
    /// Where the inferred sessions of a service and client begin, and the start of the last call.
    inferred: HashMap<(NameId, NameId), (Vec<UnixNanos>, UnixNanos)>,
    votes: BTreeMap<(SessionId, Tool), Votes>,
    layers: HashMap<(SessionId, Tool), Layer>,
}

/// What is known of one key.
#[derive(Debug, Clone, Copy)]
struct OfKey {
    /// A known client.
    client: Option<NameId>,
    has_two_clients: bool,
    first: UnixNanos,
    last: UnixNanos,
}

impl Facts {
    /// Nothing known yet.
    pub(super) fn new(day: Day, terms: Terms, unknown: NameId) -> Self {
        let (keys, inferred) = (HashMap::new(), HashMap::new());
        let (votes, layers) = (BTreeMap::new(), HashMap::new());
        Self { day, terms, unknown, keys, inferred, votes, layers }
    }

    /// Takes in the calls of one slice; slices come in order of time.
    pub(super) fn add(&mut self, calls: &mut [Call]) {
        calls.sort_unstable_by_key(session::order);
        let day = self.day;
        for call in calls.iter().filter(|call| is_judged_beside(day, call)) {
            self.add_call(call);
        }
    }

    fn add_call(&mut self, call: &Call) {
        if let Some(key) = session::key(call) {
            let (client, unknown) = (call.client, self.unknown);
            let new =
                OfKey { client: None, has_two_clients: false, first: call.start, last: call.start };
            let known = self.keys.entry(key).or_insert(new);
            if client != unknown {
                known.has_two_clients |= known.client.is_some_and(|first| first != client);
                known.client = Some(client);
            }
            known.first = known.first.min(call.start);
            known.last = known.last.max(call.start);
        } else if self.terms.infer_sessions {
            let pair = (call.service, call.client);
            let (begins, last) =
                self.inferred.entry(pair).or_insert_with(|| (vec![call.start], call.start));
            if call.start > last.saturating_add(PAUSE) {
                begins.push(call.start);
            }
            *last = call.start;
        }
        if let Some(session) = self.session(call)
            && let Some(tool) = call.tool.filter(|_| call.is_time_known && is_of_a_tool(call))
        {
            self.votes.entry((session, (call.service, tool))).or_default().add(call);
        }
    }

    /// Settles what depends on all slices, once all were added.
    pub(super) fn finish(&mut self) {
        let mut votes: BTreeMap<(SessionId, Tool), Votes> = BTreeMap::new();
        for (((key, number, client), tool), of_run) in std::mem::take(&mut self.votes) {
            let client = self.settled(key, client);
            votes.entry(((key, number, client), tool)).or_default().merge(&of_run);
        }
        let best = votes.into_iter().filter_map(|(run, votes)| Some((run, votes.best()?)));
        self.layers = best.collect();
    }

    /// Gives calls of an unknown client their key's only known client, where there is exactly one.
    pub(super) fn settle(&self, calls: &mut [Call]) {
        for call in calls.iter_mut().filter(|call| call.client == self.unknown) {
            if let Some(key) = session::key(call) {
                call.client = self.settled(key, call.client);
            }
        }
    }

    fn settled(&self, key: Key, client: NameId) -> NameId {
        let only = self.keys.get(&key).filter(|of| !of.has_two_clients).and_then(|of| of.client);
        if client == self.unknown { only.unwrap_or(client) } else { client }
    }

    /// A call's session; none for grade E.
    pub(super) fn session(&self, call: &Call) -> Option<SessionId> {
        if let Some(key) = session::key(call) {
            return Some((key, 0, call.client));
        }
        let (begins, _) = self.inferred.get(&(call.service, call.client))?;
        let number = begins.partition_point(|begin| *begin <= call.start);
        Some(((0, SessionGrade::D, Some(call.service)), number, call.client))
    }

    /// The layer that the calls of a call's run are compared by; none where no call has two.
    pub(super) fn layer(&self, call: &Call) -> Option<Layer> {
        let run = (self.session(call)?, (call.service, call.tool?));
        self.layers.get(&run).copied()
    }

    /// Whether a key held two or more clients, or calls over more than 24 hours; an inferred
    /// session lasted from `first` to `last`.
    pub(super) fn is_shared(
        &self,
        (key, ..): SessionId,
        first: UnixNanos,
        last: UnixNanos,
    ) -> bool {
        let of_key = self.keys.get(&key);
        let (first, last) = of_key.map_or((first, last), |of| (of.first, of.last));
        of_key.is_some_and(|of| of.has_two_clients)
            || last.since(first).is_some_and(|span| span > LONGEST)
    }
}
