//! Marks that a sender kept only a share of its spans (dialects.md section 9).

use crate::otlp::Value;
use crate::recognise::{Key, SAMPLING_PREFIX, Seen};

/// Whether the span carries such a mark. No mark proves nothing: most samplers leave none.
pub(super) fn is_sampled(seen: &Seen<'_>) -> bool {
    let is_share = |key| seen.value(key).and_then(number).is_some_and(|share| share < 1.0);
    let one_in = seen.value(Key::SampleRate).and_then(number);
    has_threshold(&seen.span.trace_state)
        || is_share(Key::LogfireSampleRate)
        || is_share(Key::SentrySampleRate)
        || one_in.is_some_and(|rate| rate > 1.0)
        || seen.span.attributes.iter().any(|(key, value)| {
            // A rate of one kept everything; any other mark of a sampler counts.
            key.strip_prefix(SAMPLING_PREFIX).is_some_and(|mark| {
                let keeps_all =
                    number(value).is_some_and(|rate| rate.to_bits() == 1.0_f64.to_bits());
                !(keeps_all && matches!(mark, "rate" | "probability" | "ratio"))
            })
        })
}

/// Whether the `ot` member of a W3C tracestate rejects a part: `th:0` keeps everything.
fn has_threshold(trace_state: &str) -> bool {
    trace_state
        .split(',')
        .filter_map(|member| member.trim().strip_prefix("ot="))
        .flat_map(|fields| fields.split(';'))
        .filter_map(|field| field.strip_prefix("th:"))
        .any(|threshold| threshold.bytes().any(|digit| digit != b'0'))
}

fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Double(number) => Some(*number),
        #[expect(clippy::cast_precision_loss, reason = "only compared with one")]
        Value::Int(number) => Some(*number as f64),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_of_zero_keeps_everything() {
        assert!(!has_threshold("") && !has_threshold("ot=th:0") && !has_threshold("x=th:8"));
        assert!(has_threshold("vendor=1, ot=rv:abc;th:8") && has_threshold("ot=th:0c"));
    }
}
