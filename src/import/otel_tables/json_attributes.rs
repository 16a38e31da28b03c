//! Attributes out of a JSON column.
//!
//! ClickHouse takes the dots in a key for steps into objects: `gen_ai.tool.name` comes back as an
//! object within an object. So what is found deep inside is put under its whole path again. An
//! attribute that was an object itself, such as arguments, cannot be told from that by its form; it
//! is taken for one where its path is a key that is read and nothing below it is.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::otlp::{Attributes, MAX_DEPTH, Value};
use crate::recognise::is_known_key;

/// The attributes in a JSON object's text; none where it is no object.
pub(super) fn read(json: &str) -> Attributes<'static> {
    let mut pairs = Vec::new();
    if let Ok(Tree::Object(members)) = serde_json::from_str(json) {
        for (key, value) in members {
            flatten(key, value, &mut pairs, MAX_DEPTH);
        }
    }
    Attributes::new(pairs)
}

type Pairs = Vec<(Cow<'static, str>, Value<'static>)>;

/// JSON that keeps members of the same name: `error` and `error.type` are two of them.
#[derive(Debug)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

fn flatten(path: String, value: Tree, pairs: &mut Pairs, depth: usize) {
    match value {
        Tree::Object(members) if depth > 0 => {
            if is_known_key(&path) && !holds_known(&path, &members, depth) {
                pairs.push((Cow::Owned(path), Tree::Object(members).into_value(depth)));
                return;
            }
            for (key, value) in members {
                flatten(format!("{path}.{key}"), value, pairs, depth - 1);
            }
        }
        value => pairs.push((Cow::Owned(path), value.into_value(depth))),
    }
}

/// Whether a key that is read lies below `path`.
fn holds_known(path: &str, members: &[(String, Tree)], depth: usize) -> bool {
    depth > 0
        && members.iter().any(|(key, value)| {
            let path = format!("{path}.{key}");
            is_known_key(&path)
                || matches!(value, Tree::Object(members) if holds_known(&path, members, depth - 1))
        })
}

impl Tree {
    fn into_value(self, depth: usize) -> Value<'static> {
        match self {
            Self::Null => Value::Empty,
            Self::Bool(truth) => Value::Bool(truth),
            Self::Int(number) => Value::Int(number),
            Self::Double(number) => Value::Double(number),
            Self::Text(text) => Value::String(Cow::Owned(text)),
            Self::Array(_) | Self::Object(_) if depth == 0 => Value::TooDeep,
            Self::Array(items) => {
                Value::Array(items.into_iter().map(|item| item.into_value(depth - 1)).collect())
            }
            Self::Object(members) => {
                let member =
                    |(key, value): (String, Self)| (Cow::Owned(key), value.into_value(depth - 1));
                Value::Kvlist(members.into_iter().map(member).collect())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
        // Beyond an i64 no attribute was an integer.
        #[expect(clippy::cast_precision_loss, reason = "as it was written")]
        let double = number as f64;
        Ok(i64::try_from(number).map_or(Tree::Double(double), Tree::Int))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
        Ok(Tree::Double(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree, E> {
        Ok(Tree::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Tree::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree, A::Error> {
        let mut all = Vec::new();
        while let Some(member) = members.next_entry()? {
            all.push(member);
        }
        Ok(Tree::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> Vec<(String, Value<'static>)> {
        read(json).iter().map(|(key, value)| (key.to_string(), value.clone())).collect()
    }

    fn text(text: &'static str) -> Value<'static> {
        Value::String(text.into())
    }

    #[test]
    fn steps_into_objects_become_dots_again() {
        let json = r#"{"gen_ai":{"tool":{"name":"search","call":{"id":"7"}}},"a":[1,{"b.c":null}],"n":1.5}"#;
        let object = Value::Kvlist(vec![("b.c".into(), Value::Empty)]);
        assert_eq!(
            shown(json),
            [
                ("gen_ai.tool.name".to_owned(), text("search")),
                ("gen_ai.tool.call.id".to_owned(), text("7")),
                ("a".to_owned(), Value::Array(vec![Value::Int(1), object])),
                ("n".to_owned(), Value::Double(1.5)),
            ]
        );
    }

    #[test]
    fn arguments_that_were_an_object_stay_one_and_errors_with_a_type_do_not_become_one() {
        let arguments = r#"{"gen_ai":{"tool":{"call":{"arguments":{"q":"x","n":{"m":true}}}}}}"#;
        let inner = Value::Kvlist(vec![("m".into(), Value::Bool(true))]);
        let object = Value::Kvlist(vec![("q".into(), text("x")), ("n".into(), inner)]);
        assert_eq!(shown(arguments), [("gen_ai.tool.call.arguments".to_owned(), object)]);
        assert_eq!(
            shown(r#"{"error":true,"error":{"type":"t"}}"#),
            [("error".to_owned(), Value::Bool(true)), ("error.type".to_owned(), text("t"))]
        );
    }

    #[test]
    fn what_is_no_object_holds_no_attributes() {
        for json in ["", "[1]", "null", "{", "7"] {
            assert_eq!(shown(json), [], "{json}");
        }
    }
}
