//! Rows as lists of JSON values (`JSONCompactEachRow`): how small tables are written and read.
#![expect(
    clippy::option_option,
    reason = "a null is one thing, a value that is not understood another"
)]

use serde_json::Value;

use crate::call::{ClientName, Day, Name, ToolKey, UnixNanos};

/// An answer's rows, a list a line, put together as its bytes come.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// A line whose end has not come.
    begun: Vec<u8>,
}

impl Lines {
    /// Adds bytes and hands every row that is whole to `visit`; none where one is no list, or
    /// `visit` cannot make sense of it.
    pub(super) fn add(
        &mut self,
        bytes: &[u8],
        visit: &mut dyn FnMut(Row) -> Option<()>,
    ) -> Option<()> {
        let mut parts = bytes.split(|byte| *byte == b'\n');
        let last = parts.next_back()?;
        for part in parts {
            self.begun.extend(part);
            self.end(visit)?;
        }
        self.begun.extend(last);
        Some(())
    }

    /// Hands on the last row, where no line's end followed it.
    pub(super) fn end(&mut self, visit: &mut dyn FnMut(Row) -> Option<()>) -> Option<()> {
        let line = std::mem::take(&mut self.begun);
        if line.is_empty() {
            return Some(());
        }
        let values: Vec<Value> = serde_json::from_slice(&line).ok()?;
        visit(Row(values.into_iter()))
    }
}

/// Rows as text, a list a line.
pub(super) fn text(rows: &[Vec<Value>]) -> Vec<u8> {
    let mut text = Vec::new();
    for row in rows {
        // A list of values is always JSON.
        text.extend(serde_json::to_vec(row).unwrap_or_default());
        text.push(b'\n');
    }
    text
}

/// The values of one row, taken one after another. None where a value is not what is asked for.
#[derive(Debug)]
pub(super) struct Row(std::vec::IntoIter<Value>);

impl Row {
    /// A count or an instant's number. Large ones may come as text.
    pub(super) fn number(&mut self) -> Option<u64> {
        number(&self.0.next()?)
    }

    /// A number, or none where there is null.
    pub(super) fn number_or_null(&mut self) -> Option<Option<u64>> {
        match self.0.next()? {
            Value::Null => Some(None),
            value => number(&value).map(Some),
        }
    }

    /// A text.
    pub(super) fn text(&mut self) -> Option<String> {
        match self.0.next()? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A text, or none where there is null.
    pub(super) fn text_or_null(&mut self) -> Option<Option<String>> {
        match self.0.next()? {
            Value::Null => Some(None),
            Value::String(text) => Some(Some(text)),
            _ => None,
        }
    }

    /// A name; cut where someone else made it longer than firstcall would.
    pub(super) fn name(&mut self) -> Option<Name> {
        self.text().map(|text| Name::cut(&text))
    }

    /// A client.
    pub(super) fn client(&mut self) -> Option<ClientName> {
        self.name().map(ClientName::new)
    }

    /// A tool, from two values side by side.
    pub(super) fn tool(&mut self) -> Option<ToolKey> {
        Some(ToolKey { service: self.name()?, tool: self.name()? })
    }

    /// A day.
    pub(super) fn day(&mut self) -> Option<Day> {
        self.text()?.parse().ok()
    }

    /// An instant.
    pub(super) fn instant(&mut self) -> Option<UnixNanos> {
        self.number().map(UnixNanos::new)
    }

    /// A flag.
    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.0.next()? {
            Value::Bool(flag) => Some(flag),
            value => number(&value).map(|number| number != 0),
        }
    }

    /// A list of numbers.
    pub(super) fn numbers(&mut self) -> Option<Vec<u64>> {
        self.list()?.iter().map(number).collect()
    }

    /// A list of names.
    pub(super) fn names(&mut self) -> Option<Vec<Name>> {
        self.list()?.iter().map(|value| value.as_str().map(Name::cut)).collect()
    }

    /// A list.
    pub(super) fn list(&mut self) -> Option<Vec<Value>> {
        match self.0.next()? {
            Value::Array(values) => Some(values),
            _ => None,
        }
    }
}

/// A number that stands as a number or as text.
pub(super) fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_lines_and_values_are_taken_in_order() {
        let mut text = text(&[vec![json!(u64::MAX), json!("a\nb")], vec![json!("7"), json!(null)]]);
        text.pop(); // the last line's end may be missing
        // However the bytes come.
        for size in 1..text.len() {
            let (mut lines, mut rows) = (Lines::default(), Vec::new());
            let mut keep = |row| {
                rows.push(row);
                Some(())
            };
            text.chunks(size).for_each(|chunk| lines.add(chunk, &mut keep).unwrap());
            lines.end(&mut keep).unwrap();
            let [first, second] = &mut rows[..] else { panic!("two rows") };
            assert_eq!(first.number(), Some(u64::MAX));
            assert_eq!(first.text().as_deref(), Some("a\nb"));
            assert_eq!(first.text(), None);
            assert_eq!((second.number(), second.text_or_null()), (Some(7), Some(None)));
        }
        assert!(Lines::default().add(b"{\"no\": 1}\n", &mut |_row| Some(())).is_none());
    }
}
