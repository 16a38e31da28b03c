//! Rows 44 to 51: data as senders make it.

use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, any_value::Value};
use prost::Message;

use super::target::{Target, span};
use crate::receive::spans::request;

fn attribute(key: &str, value: Option<Value>) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value }), ..KeyValue::default() }
}

#[tokio::test]
async fn row_45_bug_39_times_that_run_backwards_or_are_missing_cost_no_span() {
    let target = Target::get();
    for (start, end) in [(10, 5), (0, 10), (0, 0)] {
        let mut odd = span(1);
        // Relative to now, but for those that are missing.
        let now = odd.start_time_unix_nano;
        odd.start_time_unix_nano = if start == 0 { 0 } else { now + start };
        odd.end_time_unix_nano = if end == 0 { 0 } else { now + end };
        target.takes(&request(vec![odd]).encode_to_vec()).await;
    }
}

#[tokio::test]
async fn rows_46_47_keys_may_repeat_and_values_be_of_any_kind() {
    let target = Target::get();
    let mut odd = span(1);
    let text = |text: &str| AnyValue { value: Some(Value::StringValue(text.to_owned())) };
    let mixed = ArrayValue { values: vec![text("a"), AnyValue { value: None }] };
    odd.attributes.extend([
        attribute("args", None),
        attribute("args", Some(Value::BytesValue(vec![0xff, 0]))),
        attribute("args", Some(Value::ArrayValue(mixed))),
        attribute("", Some(Value::DoubleValue(f64::NAN))),
    ]);
    target.takes(&request(vec![odd]).encode_to_vec()).await;
}

#[tokio::test]
async fn rows_48_50_flags_and_enums_of_tomorrow_cost_no_span() {
    let target = Target::get();
    let mut odd = span(1);
    odd.flags = u32::MAX;
    odd.kind = 77;
    target.takes(&request(vec![odd]).encode_to_vec()).await;
}

#[tokio::test]
async fn row_51_bug_1_bad_utf8_costs_no_span() {
    let target = Target::get();
    let mut odd = span(1);
    odd.attributes.push(attribute("note", Some(Value::StringValue("MARK".to_owned()))));
    let mut bytes = request(vec![odd]).encode_to_vec();
    let at = bytes.windows(4).position(|window| window == b"MARK").unwrap();
    // A rune that was cut.
    bytes[at + 2] = 0xe2;
    bytes[at + 3] = 0x82;
    target.takes(&bytes).await;
}
