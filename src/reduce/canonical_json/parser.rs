//! Reads JSON text in one pass, without recursion, and drives the writer.

use super::error::{JsonError, JsonFault};
use super::writer::{Writer, needs_escape};

/// A place in the text.
pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
}

type Step = Result<(), JsonFault>;

/// Writes the canonical form of `text`.
pub(super) fn drive(text: &str, writer: &mut Writer) -> Result<(), JsonError> {
    let mut parser = Parser { text, at: 0 };
    parser.document(writer).map_err(|fault| JsonError::new(fault, parser.at))
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// The byte that comes next, which must be there.
    fn expect_some(&self) -> Result<u8, JsonFault> {
        self.peek().ok_or(JsonFault::Truncated)
    }

    fn document(&mut self, writer: &mut Writer) -> Step {
        if self.text.starts_with('\u{feff}') {
            return Err(JsonFault::ByteOrderMark);
        }
        self.skip_blanks();
        if self.peek().is_none() {
            return Err(JsonFault::EmptyInput);
        }
        loop {
            if self.value(writer)? {
                continue;
            }
            if !self.after_value(writer)? {
                break;
            }
        }
        self.skip_blanks();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(JsonFault::TrailingData),
        }
    }

    /// Reads a value or opens a container. Tells whether another value comes first: the first
    /// one of a container that is not empty.
    fn value(&mut self, writer: &mut Writer) -> Result<bool, JsonFault> {
        match self.expect_some()? {
            b'{' => return self.open(writer, true),
            b'[' => return self.open(writer, false),
            b'"' => {
                let start = writer.string_start();
                self.string(writer)?;
                writer.string_end(start);
            }
            b'-' | b'0'..=b'9' => self.number(writer)?,
            b't' => self.literal(writer, "true")?,
            b'f' => self.literal(writer, "false")?,
            b'n' => self.literal(writer, "null")?,
            _ => return Err(JsonFault::Syntax),
        }
        Ok(false)
    }

    fn open(&mut self, writer: &mut Writer, is_object: bool) -> Result<bool, JsonFault> {
        writer.open(is_object)?;
        self.at += 1;
        self.skip_blanks();
        let end = if is_object { b'}' } else { b']' };
        if self.expect_some()? == end {
            self.at += 1;
            writer.close()?;
            return Ok(false);
        }
        self.next_of(writer, is_object)?;
        Ok(true)
    }

    /// Goes to the next value of the innermost container.
    fn next_of(&mut self, writer: &mut Writer, is_object: bool) -> Step {
        if !is_object {
            writer.element();
            return Ok(());
        }
        if self.expect_some()? != b'"' {
            return Err(JsonFault::Syntax);
        }
        let start = writer.key_start();
        self.string(writer)?;
        writer.key_end(start);
        self.skip_blanks();
        if self.expect_some()? != b':' {
            return Err(JsonFault::Syntax);
        }
        self.at += 1;
        self.skip_blanks();
        writer.source_from(self.at);
        Ok(())
    }

    /// After a value: ends members and containers, goes to the next value. Tells whether there
    /// is one.
    fn after_value(&mut self, writer: &mut Writer) -> Result<bool, JsonFault> {
        while let Some(is_object) = writer.is_in_object() {
            if is_object {
                writer.member_end(self.at);
            }
            self.skip_blanks();
            match (self.expect_some()?, is_object) {
                (b',', _) => {
                    self.at += 1;
                    self.skip_blanks();
                    self.next_of(writer, is_object)?;
                    return Ok(true);
                }
                (b'}', true) | (b']', false) => {
                    writer.close()?;
                    self.at += 1;
                }
                _ => return Err(JsonFault::Syntax),
            }
        }
        Ok(false)
    }

    fn literal(&mut self, writer: &mut Writer, word: &str) -> Step {
        for expected in word.bytes() {
            if self.expect_some()? != expected {
                return Err(JsonFault::Syntax);
            }
            self.at += 1;
        }
        writer.run(word.as_bytes());
        Ok(())
    }

    fn digits(&mut self) -> Step {
        if !self.expect_some()?.is_ascii_digit() {
            return Err(JsonFault::Syntax);
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self, writer: &mut Writer) -> Step {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(JsonFault::Syntax);
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        writer.number(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Reads a string from its opening quote to past its closing one.
    fn string(&mut self, writer: &mut Writer) -> Step {
        self.at += 1;
        loop {
            let rest = self.rest();
            let Some(plain) = rest.iter().position(|byte| needs_escape(*byte)) else {
                self.at = self.text.len();
                return Err(JsonFault::Truncated);
            };
            writer.run(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape(writer)?,
                _ => return Err(JsonFault::ControlCharacter),
            }
        }
    }

    fn escape(&mut self, writer: &mut Writer) -> Step {
        self.at += 1;
        let character = match self.expect_some()? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b't' => '\t',
            b'n' => '\n',
            b'f' => '\u{c}',
            b'r' => '\r',
            b'u' => {
                self.at += 1;
                let character = self.code_unit_escape()?;
                writer.character(character);
                return Ok(());
            }
            _ => return Err(JsonFault::Syntax),
        };
        self.at += 1;
        writer.character(character);
        Ok(())
    }

    /// Reads what follows `\u`: one code unit, or the two of a surrogate pair.
    fn code_unit_escape(&mut self) -> Result<char, JsonFault> {
        let unit = self.four_digits()?;
        let code = if (0xD800..0xDC00).contains(&unit) {
            // A text that is cut between the two halves is cut, not faulty.
            match self.rest() {
                [] | [b'\\'] => return Err(JsonFault::Truncated),
                [b'\\', b'u', ..] => self.at += 2,
                _ => return Err(JsonFault::LoneSurrogate),
            }
            let low = self.four_digits()?;
            if !(0xDC00..0xE000).contains(&low) {
                return Err(JsonFault::LoneSurrogate);
            }
            0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
        } else {
            unit
        };
        char::from_u32(code).ok_or(JsonFault::LoneSurrogate)
    }

    fn four_digits(&mut self) -> Result<u32, JsonFault> {
        let Some(digits) = self.rest().first_chunk::<4>() else {
            self.at = self.text.len();
            return Err(JsonFault::Truncated);
        };
        let mut unit = 0;
        for digit in digits {
            let value = char::from(*digit).to_digit(16).ok_or(JsonFault::Syntax)?;
            unit = unit * 16 + value;
        }
        self.at += 4;
        Ok(unit)
    }
}
