//! How the document is laid out: a line for each value down to the clients of a tool, which have
//! a line each. Of thousands of tools by hundreds of clients, indenting further would be half of
//! the file.

use std::io::{Result, Write};

use serde_json::ser::Formatter;

/// How deep values have lines of their own: the document, a list in it, an entry of the list, a
/// list in that entry, its entries.
const LINES_DOWN_TO: usize = 4;

/// Indents down to [`LINES_DOWN_TO`].
#[derive(Debug, Default)]
pub(super) struct Layout {
    depth: usize,
    has_value: bool,
}

impl Layout {
    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> Result<()> {
        self.depth -= 1;
        if self.has_value && self.depth < LINES_DOWN_TO {
            self.line(out)?;
        }
        self.has_value = true;
        out.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> Result<()> {
        if !is_first {
            out.write_all(b",")?;
        }
        if self.depth <= LINES_DOWN_TO {
            return self.line(out);
        }
        if is_first { Ok(()) } else { out.write_all(b" ") }
    }

    fn line<W: ?Sized + Write>(&self, out: &mut W) -> Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.begin(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.next(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _out: &mut W) -> Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.begin(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.end(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _out: &mut W) -> Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[test]
    fn a_client_of_a_tool_has_a_line() {
        let mut out = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, Layout::default());
        let document = serde_json::json!({
            "clients": [],
            "tools": [{"clients": [{"calls": 1, "empty": {}}, {"calls": 2, "grades": {"a": [2]}}]}],
        });
        document.serialize(&mut serializer).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines = [
            "{",
            "  \"clients\": [],",
            "  \"tools\": [",
            "    {",
            "      \"clients\": [",
            "        {\"calls\": 1, \"empty\": {}},",
            "        {\"calls\": 2, \"grades\": {\"a\": [2]}}",
            "      ]",
            "    }",
            "  ]",
            "}",
        ];
        assert_eq!(text, lines.join("\n"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), document);
    }
}
