//! What a span tells of how its call can be recovered (METHOD section 11): the vocabulary under
//! `firstcall.`, which `docs/recovery.md` explains.

use super::ids::Name;
use super::outcome::words;

words! {
    /// What calling a tool does. Not told is a kind as well: unknown.
    OperationKind {
        /// It changes nothing.
        Read = "read",
        /// It changes something, and doing it twice does no more than doing it once.
        IdempotentWrite = "idempotent_write",
        /// It changes something each time.
        Write = "write",
    }
}

words! {
    /// Where the time of a call goes, and where it ran out.
    Stage {
        /// Waiting to be worked on.
        Queue = "queue",
        /// Asking whether the caller may.
        Auth = "auth",
        /// Waiting for what the tool depends on.
        Downstream = "downstream",
        /// Making the answer.
        Transform = "transform",
        /// Writing down that it was done.
        Audit = "audit",
    }
}

words! {
    /// What the server made of an idempotency key.
    KeyStatus {
        /// It had not seen the key before.
        First = "first",
        /// It answered from the first result.
        Replayed = "replayed",
        /// The key had come with other arguments.
        Conflict = "conflict",
        /// The first call with the key is still being worked on.
        InFlight = "in_flight",
        /// It has forgotten the key's first result.
        Expired = "expired",
    }
}

words! {
    /// What became of the business operation, whatever became of the call.
    BusinessOutcome {
        /// It was done.
        Committed = "committed",
        /// It was not done, and will not be.
        Rejected = "rejected",
        /// The server itself does not know.
        Unknown = "unknown",
    }
}

/// An idempotency key or an operation's handle, kept as the first eight bytes of its HMAC-SHA-256
/// under this installation's secret: equality is all that judging needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPrint([u8; 8]);

impl KeyPrint {
    /// A print from its bytes.
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

/// The time that a call was given, and how it was spent; milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeBudget {
    /// What the call was given in all.
    pub total_ms: Option<u32>,
    /// What each stage took, in the order of [`Stage::ALL`].
    pub spent_ms: [Option<u32>; 5],
}

const _: () = assert!(Stage::ALL.len() == 5);

impl TimeBudget {
    /// What a stage took, where that is told.
    pub fn spent(&self, stage: Stage) -> Option<u32> {
        self.spent_ms.get(usize::from(stage.index())).copied().flatten()
    }

    /// Notes what a stage took.
    pub fn spend(&mut self, stage: Stage, millis: u32) {
        if let Some(spent) = self.spent_ms.get_mut(usize::from(stage.index())) {
            *spent = Some(millis);
        }
    }
}

/// What one span tells. `N` is how a name is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery<N = Name> {
    /// What calling the tool does.
    pub kind: Option<OperationKind>,
    /// What the call mainly depends on.
    pub dependency: Option<N>,
    /// How often the dependency was tried for this call, the first time included.
    pub attempts: Option<u32>,
    /// Where the time ran out.
    pub stage: Option<Stage>,
    /// The time given, and how it was spent.
    pub budget: Option<TimeBudget>,
    /// The idempotency key.
    pub key: Option<KeyPrint>,
    /// What the server made of it.
    pub key_status: Option<KeyStatus>,
    /// What became of the business operation.
    pub business_outcome: Option<BusinessOutcome>,
    /// The operation's handle, by which its status can be asked for.
    pub handle: Option<KeyPrint>,
    /// Whether the server says that the call may be sent again as it is.
    pub is_retry_safe: Option<bool>,
}

impl<N> Default for Recovery<N> {
    fn default() -> Self {
        Self {
            kind: None,
            dependency: None,
            attempts: None,
            stage: None,
            budget: None,
            key: None,
            key_status: None,
            business_outcome: None,
            handle: None,
            is_retry_safe: None,
        }
    }
}

impl<N: Clone + PartialEq> Recovery<N> {
    /// Whether nothing is told.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The same with the name held otherwise.
    pub fn with_name<M>(&self, name: impl FnOnce(&N) -> M) -> Recovery<M> {
        Recovery {
            kind: self.kind,
            dependency: self.dependency.as_ref().map(name),
            attempts: self.attempts,
            stage: self.stage,
            budget: self.budget,
            key: self.key,
            key_status: self.key_status,
            business_outcome: self.business_outcome,
            handle: self.handle,
            is_retry_safe: self.is_retry_safe,
        }
    }

    /// Takes from `outer`, a sighting nearer to the model, what is not told here. The inner one is
    /// nearer to what happened, and wins; but the key is what the client sent, so there the outer
    /// one wins.
    pub fn fill_from(&mut self, outer: &Self) {
        self.kind = self.kind.or(outer.kind);
        self.dependency = self.dependency.take().or_else(|| outer.dependency.clone());
        self.attempts = self.attempts.or(outer.attempts);
        self.stage = self.stage.or(outer.stage);
        self.budget = self.budget.or(outer.budget);
        self.key = outer.key.or(self.key);
        self.key_status = self.key_status.or(outer.key_status);
        self.business_outcome = self.business_outcome.or(outer.business_outcome);
        self.handle = self.handle.or(outer.handle);
        self.is_retry_safe = self.is_retry_safe.or(outer.is_retry_safe);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_sighting_wins_but_for_the_key() {
        let key = |byte| Some(KeyPrint::from_bytes([byte; 8]));
        let outer = Recovery {
            key: key(1),
            kind: Some(OperationKind::Read),
            stage: Some(Stage::Queue),
            ..Recovery::<Name>::default()
        };
        let mut inner =
            Recovery { key: key(2), kind: Some(OperationKind::Write), ..Recovery::default() };
        inner.fill_from(&outer);
        assert_eq!(inner.key, key(1));
        assert_eq!((inner.kind, inner.stage), (Some(OperationKind::Write), Some(Stage::Queue)));
        assert!(!inner.is_nothing() && Recovery::<Name>::default().is_nothing());
    }

    #[test]
    fn a_budget_is_spent_by_stage() {
        let mut budget = TimeBudget::default();
        budget.spend(Stage::Transform, 7);
        assert_eq!(budget.spent(Stage::Transform), Some(7));
        assert_eq!(budget.spent(Stage::Queue), None);
    }
}
