use std::borrow::Cow;

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::*;

const VECTORS: &str = include_str!("../../../tests/vectors/jcs.json");

fn hex12(text: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(text).into();
    let (head, _) = digest.as_chunks::<6>();
    crate::call::ArgsHash::from_bytes(head[0]).to_string()
}

fn canonical(text: &str) -> String {
    canonicalise_text(text).unwrap().as_str().to_owned()
}

#[test]
fn every_vector_is_met() {
    let vectors: Vec<serde_json::Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 183);
    for vector in vectors {
        let name = vector["name"].as_str().unwrap();
        let input = match vector["input_hex"].as_str() {
            Some(hex) => (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap())
                .collect(),
            None => vector["input"].as_str().unwrap().as_bytes().to_vec(),
        };
        // One vector nests 200 deep; the cap is ours, not the RFC's.
        let within = |integers| utf8(&input).and_then(|text| read(text, integers, 256));
        match (within(Integers::Rounded), vector["canonical"].as_str()) {
            (Ok(got), Some(expected)) => {
                assert_eq!(got.as_str(), expected, "{name}");
                assert_eq!(hex12(got.as_str()), vector["sha256_12"].as_str().unwrap(), "{name}");
                let exact = within(Integers::Exact).unwrap();
                let different = vector["exact_int_canonical"].as_str();
                assert_eq!(got.has_rounded_integers(), different.is_some(), "{name}");
                assert_eq!(exact.as_str(), different.unwrap_or(expected), "{name}");
                if let Some(hash) = vector["exact_int_sha256_12"].as_str() {
                    assert_eq!(hex12(exact.as_str()), hash, "{name}");
                }
            }
            (Err(error), None) => {
                assert_eq!(error.fault.word(), vector["error"].as_str().unwrap(), "{name}");
            }
            (got, _) => panic!("{name}: {:?}", got.map(|text| text.as_str().len())),
        }
    }
}

#[test]
fn a_hundred_and_twenty_eight_containers_are_open_at_once_and_no_more() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(canonicalise_text(&nested(128)).is_ok());
    let error = canonicalise_text(&nested(129)).unwrap_err();
    assert_eq!((error.fault, error.at), (JsonFault::TooDeep, 128));
    let objects = |depth: usize| "{\"a\":".repeat(depth) + "{}" + &"}".repeat(depth);
    assert!(canonicalise_text(&objects(127)).is_ok());
    assert_eq!(canonicalise_text(&objects(128)).unwrap_err().fault, JsonFault::TooDeep);
    // Hostile depth costs nothing.
    assert_eq!(canonicalise_text(&nested(1_000_000)).unwrap_err().fault, JsonFault::TooDeep);
}

#[test]
fn errors_tell_the_place_and_never_the_content() {
    let cases = [
        ("{\"secret\":1,\"secret\":2}", JsonFault::DuplicateKey),
        ("{'secret': 1}", JsonFault::Syntax),
        ("\"secret\\ud800\"", JsonFault::LoneSurrogate),
        ("\"secret\n\"", JsonFault::ControlCharacter),
        ("[\"secret\"] secret", JsonFault::TrailingData),
        ("{\"secret\":\"sec", JsonFault::Truncated),
    ];
    for (text, fault) in cases {
        let error = canonicalise_text(text).unwrap_err();
        assert_eq!(error.fault, fault);
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
    assert_eq!(
        canonicalise_text("{\"a\":1,}").unwrap_err().to_string(),
        "this is not JSON, at byte 7"
    );
    let cut = canonicalise(b"{\"q\":\"caf\xc3").unwrap_err();
    assert_eq!((cut.fault, cut.at, cut.is_cut), (JsonFault::InvalidUtf8, 9, true));
    assert!(!canonicalise(b"\"\xff\"").unwrap_err().is_cut);
}

#[test]
fn the_top_objects_members_are_found_in_order_with_their_sources() {
    let text = r#" { "b" : [1, 2.0] , "\u0061\n":"x", "c":{"z":1,"y":2} } "#;
    let canonical = canonicalise_text(text).unwrap();
    assert_eq!(canonical.as_str(), r#"{"a\n":"x","b":[1,2],"c":{"y":2,"z":1}}"#);
    let members: Vec<_> = canonical
        .members()
        .map(|member| (member.key, member.value, text.get(member.source.clone()).unwrap()))
        .collect();
    assert_eq!(
        members,
        [
            ("a\n", "\"x\"", "\"x\""),
            ("b", "[1,2]", "[1, 2.0]"),
            ("c", r#"{"y":2,"z":1}"#, r#"{"z":1,"y":2}"#),
        ]
    );
    let joined: Vec<_> = canonical.members().map(|member| member.text).collect();
    assert_eq!(format!("{{{}}}", joined.join(",")), canonical.as_str());
    assert_eq!(canonicalise_text("[{\"a\":1}]").unwrap().members().count(), 0);
}

#[test]
fn an_otlp_value_is_written_as_its_json_would_be() {
    let text = |text: &'static str| Value::String(Cow::Borrowed(text));
    let value = Value::Kvlist(vec![
        ("n".into(), Value::Double(1.0)),
        ("i".into(), Value::Int(1)),
        ("s".into(), text("a\"\u{1f}é")),
        ("b".into(), Value::Bytes(Cow::Borrowed(&[0xFF, 0x00]))),
        ("e".into(), Value::Empty),
        (
            "l".into(),
            Value::Array(vec![Value::Bool(true), Value::Double(-0.0), Value::Kvlist(vec![])]),
        ),
    ]);
    assert_eq!(
        canonicalise_value(&value).unwrap().as_str(),
        r#"{"b":"/wA=","e":null,"i":1,"l":[true,0,{}],"n":1,"s":"a\"\u001fé"}"#
    );
    let big = Value::Kvlist(vec![("id".into(), Value::Int(9_007_199_254_740_993))]);
    assert_eq!(canonicalise_value(&big).unwrap().as_str(), r#"{"id":9007199254740992}"#);
    assert_eq!(exact_value(&big).unwrap().as_str(), r#"{"id":9007199254740993}"#);
    let twice = Value::Kvlist(vec![("k".into(), Value::Int(2)), ("k".into(), Value::Int(1))]);
    assert_eq!(canonicalise_value(&twice).unwrap_err(), JsonFault::DuplicateKey);
    assert_eq!(value_as_received(&twice).unwrap().as_str(), r#"{"k":2,"k":1}"#);
    assert!(canonicalise_value(&Value::Double(f64::NAN)).is_err());
    let deep = (0..200).fold(Value::Empty, |inner, _| Value::Array(vec![inner]));
    assert_eq!(canonicalise_value(&deep).unwrap_err(), JsonFault::TooDeep);
}

/// JSON text of any shape, with awkward keys, strings and numbers.
fn json_text() -> impl Strategy<Value = serde_json::Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(serde_json::Value::from),
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        number,
        any::<String>().prop_map(serde_json::Value::from),
        "[\u{0}-\u{7f}\u{e000}-\u{ffff}😀]{0,4}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof!["[a-d\\\\\"\u{1}\u{fb33}😀]{0,2}", any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::btree_map(key, inner, 0..6)
                .prop_map(|map| { serde_json::Value::Object(map.into_iter().collect()) }),
        ]
    })
}

/// The same value as OTLP would carry it.
fn as_otlp(json: &serde_json::Value) -> Value<'static> {
    match json {
        serde_json::Value::Null => Value::Empty,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| Value::Double(number.as_f64().unwrap()), Value::Int)
        }
        serde_json::Value::String(text) => Value::String(Cow::Owned(text.clone())),
        serde_json::Value::Array(list) => Value::Array(list.iter().map(as_otlp).collect()),
        serde_json::Value::Object(map) => Value::Kvlist(
            // Backwards: the order of keys must not matter.
            map.iter()
                .rev()
                .map(|(key, value)| (Cow::Owned(key.clone()), as_otlp(value)))
                .collect(),
        ),
    }
}

/// A mutation of bytes: put, take or swap one somewhere.
fn mutate(bytes: &mut Vec<u8>, (at, kind, byte): (prop::sample::Index, u8, u8)) {
    if bytes.is_empty() {
        return;
    }
    let at = at.index(bytes.len());
    match kind % 4 {
        0 => bytes[at] = byte,
        1 => bytes.insert(at, byte),
        2 => drop(bytes.remove(at)),
        _ => bytes.truncate(at),
    }
}

proptest! {
    #[test]
    fn the_oracle_writes_the_same(json in json_text()) {
        let text = json.to_string();
        let oracle = jcs_admit::admit(text.as_bytes()).unwrap();
        prop_assert_eq!(canonical(&text).into_bytes(), oracle);
    }

    #[test]
    fn canonical_text_is_its_own_canonical_text(json in json_text()) {
        let once = canonical(&json.to_string());
        prop_assert_eq!(&canonical(&once), &once);
    }

    #[test]
    fn json_text_and_kvlist_of_one_value_are_written_alike(json in json_text()) {
        let text = json.to_string();
        let value = as_otlp(&json);
        let from_value = canonicalise_value(&value).unwrap();
        prop_assert_eq!(from_value.as_str(), canonical(&text));
        let (from_value, from_text) = (exact_value(&value).unwrap(), exact_text(&text).unwrap());
        prop_assert_eq!(from_value.as_str(), from_text.as_str());
    }

    #[test]
    fn the_order_of_keys_does_not_matter(
        members in prop::collection::btree_map("[a-z😀\u{e000}\\\\]{0,3}", any::<i32>(), 0..8)
            .prop_map(|map| map.into_iter().collect::<Vec<_>>())
            .prop_flat_map(|members| (Just(members.clone()), Just(members).prop_shuffle())),
    ) {
        let write = |members: &[(String, i32)]| {
            let members: Vec<_> = members
                .iter()
                .map(|(key, value)| format!("{}:{value}", serde_json::Value::from(key.as_str())))
                .collect();
            format!("{{ {} }}", members.join(" , "))
        };
        prop_assert_eq!(canonical(&write(&members.0)), canonical(&write(&members.1)));
    }

    #[test]
    fn mangled_text_never_panics_and_is_judged_as_the_oracle_judges(
        json in json_text(),
        mutations in prop::collection::vec(any::<(prop::sample::Index, u8, u8)>(), 1..4),
    ) {
        let mut bytes = json.to_string().into_bytes();
        for mutation in mutations {
            mutate(&mut bytes, mutation);
        }
        let ours = canonicalise(&bytes).ok().map(|text| text.as_str().to_owned().into_bytes());
        prop_assert_eq!(ours, jcs_admit::admit(&bytes).ok());
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = canonicalise(&bytes).map(|text| text.as_str().len());
    }
}
