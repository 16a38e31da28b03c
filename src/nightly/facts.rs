//! What must be known of all calls of a giant before any slice of them can be judged: which clients
//! its keys held, where its inferred sessions begin, and which layer each run is compared by.

use std::collections::BTreeMap;

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
    keys: BTreeMap<Key, OfKey>,
    /// Where the inferred sessions of a service and client begin, and the start of the last call.
    inferred: BTreeMap<(NameId, NameId), (Vec<UnixNanos>, UnixNanos)>,
    has_several_layers: bool,
    votes: BTreeMap<(SessionId, Tool), Votes>,
    layers: BTreeMap<(SessionId, Tool), Layer>,
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
        let (keys, inferred) = (BTreeMap::new(), BTreeMap::new());
        let (votes, layers) = (BTreeMap::new(), BTreeMap::new());
        let has_several_layers = false;
        Self { day, terms, unknown, keys, inferred, has_several_layers, votes, layers }
    }

    /// Takes in the calls of one slice, which are in order of start, as the slices are.
    pub(super) fn add(&mut self, calls: &[Call]) {
        let day = self.day;
        for call in calls.iter().filter(|call| is_judged_beside(day, call)) {
            self.add_call(call);
        }
    }

    /// Whether any call was seen from several layers, so that its run has to choose one.
    pub(super) const fn has_several_layers(&self) -> bool {
        self.has_several_layers
    }

    /// Takes in the calls of one slice again, once all were taken in.
    pub(super) fn vote(&mut self, calls: &[Call]) {
        let day = self.day;
        for call in calls.iter().filter(|call| is_judged_beside(day, call)) {
            if let Some((key, number, client)) = self.session(call)
                && let Some(tool) = call.tool.filter(|_| call.is_time_known && is_of_a_tool(call))
            {
                let session = (key, number, self.settled(key, client));
                self.votes.entry((session, (call.service, tool))).or_default().add(call);
            }
        }
    }

    /// Settles which layers were voted for.
    pub(super) fn choose_layers(&mut self) {
        let votes = std::mem::take(&mut self.votes).into_iter();
        self.layers = votes.filter_map(|(run, votes)| Some((run, votes.best()?))).collect();
    }

    fn add_call(&mut self, call: &Call) {
        self.has_several_layers |= call.args.len() > 1;
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
        if self.layers.is_empty() {
            return None;
        }
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
