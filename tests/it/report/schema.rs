//! The published JSON Schema against the documents that are written, by a small reader of the
//! keywords that the schema uses; a keyword that it does not know fails the test.

use std::collections::BTreeSet;

use serde_json::Value;

use super::report_input::{blank_day, empty, hostile, one_day, usual};
use super::site;

/// The names of METHOD section 13.
const NAMES: &str = "schema_version as_of from to covered_days rules overall tools clients pairs \
    findings quality service tool client calls judged unjudged outcomes unknown_tool_calls empty \
    emptiness_known retried retry_classes confirmed_retries look_alikes repeats \
    first_call_successes first_call_success confirmed_first_call_successes \
    confirmed_first_call_success rate low high few_calls retry_chains extra_attempts_mean \
    abandoned_chains latency_ms p50 p95 p99 result_bytes mean reworded_parameters name share \
    recovery timeouts_by_stage timeout_fate status_checked unsafe_replays duplicate_key_hits \
    key_conflicts possible_double_writes amplification unknown_outcomes unknown_resolved \
    not_instrumented restated";

struct Schema {
    root: Value,
}

impl Schema {
    fn check(&self, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
        let fail = |why: &str| Err(format!("{path}: {why}: {value:.80}"));
        for (keyword, expected) in schema.as_object().unwrap() {
            let holds = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let name = expected.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    self.check(&self.root["$defs"][name], value, path)?;
                    true
                }
                "type" => match expected {
                    Value::String(name) => is_of(value, name),
                    names => names
                        .as_array()
                        .unwrap()
                        .iter()
                        .any(|name| is_of(value, name.as_str().unwrap())),
                },
                "const" => value == expected,
                "enum" => expected.as_array().unwrap().contains(value),
                "anyOf" => {
                    let ways = expected.as_array().unwrap();
                    ways.iter().any(|way| self.check(way, value, path).is_ok())
                }
                "minimum" => value.as_f64().is_none_or(|n| n >= expected.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|n| n <= expected.as_f64().unwrap()),
                "minItems" => value
                    .as_array()
                    .is_none_or(|all| all.len() as u64 >= expected.as_u64().unwrap()),
                // The only pattern is a day's.
                "format" | "pattern" => {
                    value.as_str().is_none_or(|text| text.parse::<firstcall::call::Day>().is_ok())
                }
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(expected, item, &format!("{path}[{at}]"))?;
                    }
                    true
                }
                "required" => value.as_object().is_none_or(|object| {
                    expected
                        .as_array()
                        .unwrap()
                        .iter()
                        .all(|name| object.contains_key(name.as_str().unwrap()))
                }),
                "properties" | "additionalProperties" | "propertyNames" => {
                    self.check_object(schema, keyword, value, path)?;
                    true
                }
                unknown => panic!("the test does not know the keyword {unknown}"),
            };
            if !holds {
                return fail(keyword);
            }
        }
        Ok(())
    }

    fn check_object(
        &self,
        schema: &Value,
        keyword: &str,
        value: &Value,
        path: &str,
    ) -> Result<(), String> {
        for (name, inner) in value.as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            let described = schema["properties"].get(name);
            match keyword {
                "propertyNames" => {
                    self.check(&schema[keyword], &Value::from(name.as_str()), &path)?;
                }
                "additionalProperties" => self.check(&schema[keyword], inner, &path)?,
                // A name that is written and not described is a forgotten one.
                _ => match described {
                    Some(described) => self.check(described, inner, &path)?,
                    None => return Err(format!("{path} is not described")),
                },
            }
        }
        Ok(())
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        other => panic!("no type {other}"),
    }
}

fn schema() -> Schema {
    Schema { root: serde_json::from_str(firstcall::report::json::SCHEMA).unwrap() }
}

/// Checks the text of a report.json against the published schema.
pub(crate) fn assert_valid(report: &str, what: &str) {
    let schema = schema();
    let report = serde_json::from_str(report).unwrap();
    schema.check(&schema.root, &report, "report").unwrap_or_else(|why| panic!("{what}: {why}"));
}

#[test]
fn every_document_is_valid_and_the_site_carries_the_schema() {
    let as_of = "2026-11-29".parse().unwrap();
    let quiet = super::report_input::ReportDays {
        days: vec![blank_day(as_of)],
        as_of: Some(as_of),
        ..empty()
    };
    let inputs = [
        ("usual", usual()),
        ("hostile", hostile()),
        ("empty", empty()),
        ("a day without a call", quiet),
        ("one tool", one_day([(("a", "b"), firstcall::figures::Figures::default())])),
    ];
    for (what, input) in inputs {
        let site = site(&input);
        assert_valid(&site["report.json"], what);
        assert_eq!(site["report.schema.json"], firstcall::report::json::SCHEMA);
    }
}

#[test]
fn a_document_that_is_not_of_the_form_is_refused() {
    let schema = schema();
    let report: Value = serde_json::from_str(&site(&usual())["report.json"]).unwrap();
    let refused = |change: fn(&mut Value)| {
        let mut other = report.clone();
        change(&mut other);
        schema.check(&schema.root, &other, "report").is_err()
    };
    assert!(refused(|report| report["schema_version"] = 2.into()));
    assert!(refused(|report| report["tools"][0]["judged"] = (-1).into()));
    assert!(refused(|report| report["tools"][0]["first_call_success"]["rate"] = 1.5.into()));
    assert!(refused(|report| report["overall"]["retry_classes"]["guess"] = 1.into()));
    assert!(refused(|report| report["from"] = "yesterday".into()));
    assert!(refused(|report| {
        report["clients"][0].as_object_mut().unwrap().remove("few_calls");
    }));
}

#[test]
fn the_schema_describes_every_name_of_the_method_and_requires_it() {
    let mut described = BTreeSet::new();
    let mut nodes = vec![schema().root];
    while let Some(node) = nodes.pop() {
        if let Some(properties) = node.get("properties").and_then(Value::as_object) {
            let required = node["required"].as_array().unwrap();
            for name in properties.keys() {
                assert!(required.contains(&Value::from(name.as_str())), "{name} is not required");
                described.insert(name.clone());
            }
        }
        match node {
            Value::Object(inner) => nodes.extend(inner.into_iter().map(|(_, value)| value)),
            Value::Array(inner) => nodes.extend(inner),
            _ => {}
        }
    }
    for name in NAMES.split_whitespace() {
        assert!(described.contains(name), "{name} is not described");
    }
}
