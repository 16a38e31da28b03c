//! What a span tells of recovery (METHOD section 11). Keys and handles end here: of each only a
//! keyed print is kept.

use super::keys::{Keys, first};
use super::repairs::Repairs;
use crate::call::{
    BusinessOutcome, KeyPrint, KeyStatus, OperationKind, Recovery, Stage, TimeBudget,
};
use crate::recognise::{Key, Seen, word};

/// Where each stage's share of the time is.
const SPENT: [(Stage, Key); 5] = [
    (Stage::Queue, Key::FirstcallBudgetQueue),
    (Stage::Auth, Key::FirstcallBudgetAuth),
    (Stage::Downstream, Key::FirstcallBudgetDownstream),
    (Stage::Transform, Key::FirstcallBudgetTransform),
    (Stage::Audit, Key::FirstcallBudgetAudit),
];

/// What the span tells; none where it tells nothing. A word that is not in the vocabulary is not
/// told, and neither is a number that cannot be.
pub(super) fn recovery(
    seen: &Seen<'_>,
    keys: &Keys,
    repairs: &mut Repairs,
) -> Option<Box<Recovery>> {
    let said = |key| seen.text(key).map(|text| text.trim().to_ascii_lowercase());
    let recovery = Recovery {
        kind: said(Key::FirstcallOperationKind).and_then(|word| OperationKind::from_word(&word)),
        dependency: seen.text(Key::FirstcallDependency).map(|text| repairs.name(text)),
        attempts: attempts(seen),
        stage: said(Key::FirstcallTimeoutStage).and_then(|word| Stage::from_word(&word)),
        budget: budget(seen),
        key: print(seen, Key::FirstcallIdempotencyKey, keys),
        key_status: said(Key::FirstcallIdempotencyStatus)
            .and_then(|word| KeyStatus::from_word(&word)),
        business_outcome: said(Key::FirstcallBusinessOutcome)
            .and_then(|word| BusinessOutcome::from_word(&word)),
        handle: print(seen, Key::FirstcallOperationHandle, keys),
        is_retry_safe: seen.flag(Key::FirstcallRetrySafe),
    };
    (!recovery.is_nothing()).then(|| Box::new(recovery))
}

/// As the server counted them, else what the ordinal of a request sent again tells: the second
/// time it is sent it carries a one.
fn attempts(seen: &Seen<'_>) -> Option<u32> {
    let count = |key| seen.integer(key).and_then(|count| u32::try_from(count).ok());
    count(Key::FirstcallAttempts)
        .or_else(|| count(Key::HttpResendCount).map(|ordinal| ordinal.saturating_add(1)))
}

fn budget(seen: &Seen<'_>) -> Option<TimeBudget> {
    let mut budget =
        TimeBudget { total_ms: millis(seen, Key::FirstcallBudgetTotal), ..TimeBudget::default() };
    for (stage, key) in SPENT {
        if let Some(spent) = millis(seen, key) {
            budget.spend(stage, spent);
        }
    }
    (budget != TimeBudget::default()).then_some(budget)
}

/// Whole milliseconds; a part of one is left out.
fn millis(seen: &Seen<'_>, key: Key) -> Option<u32> {
    if let Some(crate::otlp::Value::Double(millis)) = seen.value(key) {
        let is_in_range = *millis >= 0.0 && *millis <= f64::from(u32::MAX);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        return is_in_range.then_some(*millis as u32);
    }
    seen.integer(key).and_then(|millis| u32::try_from(millis).ok())
}

/// The keyed print of a key or handle. The attribute's name is part of it, so that a key and a
/// handle of one text are not alike.
fn print(seen: &Seen<'_>, key: Key, keys: &Keys) -> Option<KeyPrint> {
    let text = word(seen.value(key)?)?;
    let parts: [&[u8]; 3] = [key.text().as_bytes(), &[0], text.as_bytes()];
    Some(KeyPrint::from_bytes(first(keys.mac(&parts))))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::call::{InstallationSecret, SpanKind};
    use crate::otlp::{Attributes, ResourceView, ScopeView, SpanView, StatusView, Value};

    fn told(pairs: Vec<(&'static str, Value<'static>)>) -> Option<Box<Recovery>> {
        told_under([7; 32], pairs)
    }

    fn told_under(
        secret: [u8; 32],
        pairs: Vec<(&'static str, Value<'static>)>,
    ) -> Option<Box<Recovery>> {
        let pairs = pairs.into_iter().map(|(key, value)| (Cow::Borrowed(key), value)).collect();
        let span = SpanView {
            trace_id: Cow::default(),
            span_id: Cow::default(),
            parent_span_id: Cow::default(),
            trace_state: Cow::default(),
            name: Cow::default(),
            kind: SpanKind::Server,
            start_unix_nanos: 0,
            end_unix_nanos: 0,
            attributes: Attributes::new(pairs),
            events: Vec::new(),
            status: StatusView::default(),
            is_utf8_repaired: false,
        };
        let (scope, resource) = (ScopeView::default(), ResourceView::default());
        let seen = Seen::new(&span, &scope, &resource);
        let keys = Keys::of(&InstallationSecret::from_bytes(secret));
        recovery(&seen, &keys, &mut Repairs::default())
    }

    fn text(text: &'static str) -> Value<'static> {
        Value::String(Cow::Borrowed(text))
    }

    #[test]
    fn a_span_without_the_vocabulary_tells_nothing() {
        assert_eq!(told(vec![("error.type", text("timeout"))]), None);
        assert_eq!(told(vec![("firstcall.operation.kind", text("perhaps"))]), None);
        assert_eq!(told(vec![("firstcall.attempts", Value::Int(-1))]), None);
    }

    #[test]
    fn every_word_of_the_vocabulary_is_read() {
        let found = told(vec![
            ("firstcall.operation.kind", text("Write")),
            ("firstcall.dependency", text("ledger")),
            ("firstcall.attempts", Value::Int(3)),
            ("firstcall.timeout.stage", text("downstream")),
            ("firstcall.budget.total_ms", Value::Int(5000)),
            ("firstcall.budget.queue_ms", Value::Double(1250.9)),
            ("firstcall.idempotency.status", text("replayed")),
            ("firstcall.business.outcome", text("unknown")),
            ("firstcall.retry.safe", Value::Bool(true)),
        ]);
        let mut budget = TimeBudget { total_ms: Some(5000), ..TimeBudget::default() };
        budget.spend(Stage::Queue, 1250);
        let expected = Recovery {
            kind: Some(OperationKind::Write),
            dependency: Some(crate::call::Name::cut("ledger")),
            attempts: Some(3),
            stage: Some(Stage::Downstream),
            budget: Some(budget),
            key: None,
            key_status: Some(KeyStatus::Replayed),
            business_outcome: Some(BusinessOutcome::Unknown),
            handle: None,
            is_retry_safe: Some(true),
        };
        assert_eq!(found, Some(Box::new(expected)));
    }

    #[test]
    fn the_second_sending_of_a_request_is_the_second_attempt() {
        let found = told(vec![("http.request.resend_count", Value::Int(1))]);
        assert_eq!(found.and_then(|recovery| recovery.attempts), Some(2));
    }

    #[test]
    fn of_keys_and_handles_only_prints_are_kept() {
        let both = |secret| {
            let pairs = vec![
                ("firstcall.idempotency.key", text("order-7")),
                ("firstcall.operation.handle", text("order-7")),
            ];
            let found = told_under(secret, pairs).unwrap();
            assert!(!format!("{found:?}").contains("order-7"));
            (found.key.unwrap(), found.handle.unwrap())
        };
        let (key, handle) = both([7; 32]);
        assert_ne!(key, handle);
        assert_eq!(both([7; 32]), (key, handle));
        assert_ne!(both([8; 32]).0, key);
    }
}
