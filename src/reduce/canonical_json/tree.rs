//! Walks an OTLP value, without recursion, and drives the writer (args-hash.md section 8).

use std::borrow::Cow;
use std::slice;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::error::JsonFault;
use super::writer::Writer;
use crate::otlp::Value;

/// What is left of an open container.
enum Open<'v, 'a> {
    Array(slice::Iter<'v, Value<'a>>),
    Object(slice::Iter<'v, (Cow<'a, str>, Value<'a>)>),
}

/// Writes the canonical form of `value`.
pub(super) fn drive(value: &Value<'_>, writer: &mut Writer) -> Result<(), JsonFault> {
    let mut open = Vec::new();
    enter(value, writer, &mut open)?;
    while let Some(innermost) = open.last_mut() {
        let next = match innermost {
            Open::Array(rest) => {
                let next = rest.next();
                if next.is_some() {
                    writer.element();
                }
                next
            }
            Open::Object(rest) => rest.next().map(|(key, value)| {
                let start = writer.key_start();
                writer.text(key);
                writer.key_end(start);
                value
            }),
        };
        let has_ended = if let Some(value) = next {
            enter(value, writer, &mut open)? == Entered::Leaf
        } else {
            open.pop();
            writer.close()?;
            true
        };
        if has_ended {
            after_value(writer);
        }
    }
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Entered {
    Leaf,
    Container,
}

fn after_value(writer: &mut Writer) {
    if writer.is_in_object() == Some(true) {
        writer.member_end(0);
    }
}

fn enter<'v, 'a>(
    value: &'v Value<'a>,
    writer: &mut Writer,
    open: &mut Vec<Open<'v, 'a>>,
) -> Result<Entered, JsonFault> {
    match value {
        Value::Array(elements) => {
            writer.open(false)?;
            open.push(Open::Array(elements.iter()));
            return Ok(Entered::Container);
        }
        Value::Kvlist(pairs) => {
            writer.open(true)?;
            open.push(Open::Object(pairs.iter()));
            return Ok(Entered::Container);
        }
        Value::Empty => writer.run(b"null"),
        Value::Bool(true) => writer.run(b"true"),
        Value::Bool(false) => writer.run(b"false"),
        Value::Int(number) => writer.number(&number.to_string())?,
        Value::Double(number) => writer.double(*number)?,
        Value::String(text) => string(writer, text),
        Value::Bytes(bytes) => string(writer, &STANDARD.encode(bytes)),
        Value::TooDeep => return Err(JsonFault::TooDeep),
    }
    Ok(Entered::Leaf)
}

fn string(writer: &mut Writer, text: &str) {
    let start = writer.string_start();
    writer.text(text);
    writer.string_end(start);
}
