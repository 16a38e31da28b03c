//! Writes canonical text as values arrive, and orders each object's members when it ends.
//!
//! One output buffer. Every open container has a frame; every member of an open object has a
//! record in one shared list. At an object's end its records are sorted by the UTF-16 order
//! of their keys (RFC 8785 section 3.2.3), neighbours with one key are refused, and the
//! members are copied into place. Members that arrive in order are never moved.

use std::cmp::Ordering;
use std::ops::Range;

use super::error::JsonFault;
use super::numbers::{self, Integers};
use crate::reduce::marks;

/// One member of an object that is still open, or of the top object once it is closed.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The key without escapes: in the output, or in the side buffer.
    key: Range<usize>,
    is_key_aside: bool,
    /// `"key":value` in the output.
    pub(super) text: Range<usize>,
    /// Where the value begins in the output.
    pub(super) value_at: usize,
    /// Where the value stands in the input, in the input's own measure.
    pub(super) source: Range<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    is_object: bool,
    is_sorted: bool,
    is_first: bool,
    members_from: usize,
    aside_from: usize,
    at: usize,
}

/// What to do about the order of members and about repeated keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Sorted; a repeated key is a fault.
    Canonical,
    /// As they came, repeated keys and all.
    AsReceived,
}

/// The canonical text in the making.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) out: Vec<u8>,
    /// Keys that needed escapes, without them.
    aside: Vec<u8>,
    frames: Vec<Frame>,
    members: Vec<Member>,
    scratch: Vec<u8>,
    integers: Integers,
    order: Order,
    max_depth: usize,
    pub(super) has_rounded_integers: bool,
    pub(super) hides: bool,
}

impl Writer {
    pub(super) fn new(capacity: usize, integers: Integers, order: Order, max_depth: usize) -> Self {
        Self {
            out: Vec::with_capacity(capacity),
            aside: Vec::new(),
            frames: Vec::new(),
            members: Vec::new(),
            scratch: Vec::new(),
            integers,
            order,
            max_depth,
            has_rounded_integers: false,
            hides: false,
        }
    }

    /// Whether the innermost open container is an object; none where nothing is open.
    pub(super) fn is_in_object(&self) -> Option<bool> {
        self.frames.last().map(|frame| frame.is_object)
    }

    /// Opens an object or an array.
    pub(super) fn open(&mut self, is_object: bool) -> Result<(), JsonFault> {
        if self.frames.len() >= self.max_depth {
            return Err(JsonFault::TooDeep);
        }
        self.out.push(if is_object { b'{' } else { b'[' });
        self.frames.push(Frame {
            is_object,
            is_sorted: true,
            is_first: true,
            members_from: self.members.len(),
            aside_from: self.aside.len(),
            at: self.out.len(),
        });
        Ok(())
    }

    /// Makes room for the next element of the innermost array.
    pub(super) fn element(&mut self) {
        self.comma();
    }

    fn comma(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            if !frame.is_first {
                self.out.push(b',');
            }
            frame.is_first = false;
        }
    }

    /// Begins a member: its key's text follows, then [`Writer::key_end`].
    pub(super) fn key_start(&mut self) -> usize {
        self.comma();
        self.out.push(b'"');
        self.out.len()
    }

    /// Ends the key that began at `at`; its value follows and begins at `source` in the input.
    pub(super) fn key_end(&mut self, at: usize) {
        let written = at..self.out.len();
        self.out.extend_from_slice(b"\":");
        let text = self.out.get(written.clone()).unwrap_or_default();
        let is_key_aside = text.contains(&b'\\');
        let key = if is_key_aside {
            let from = self.aside.len();
            unescape(text, &mut self.aside);
            from..self.aside.len()
        } else {
            written
        };
        let value_at = self.out.len();
        let text = at.saturating_sub(1)..value_at;
        self.members.push(Member { key, is_key_aside, text, value_at, source: 0..0 });
    }

    /// Tells where the value that follows begins in the input.
    pub(super) fn source_from(&mut self, source: usize) {
        if let Some(member) = self.members.last_mut() {
            member.source.start = source;
        }
    }

    /// Ends the innermost object's last member, whose value ended at `source` in the input.
    pub(super) fn member_end(&mut self, source: usize) {
        let end = self.out.len();
        let Some(member) = self.members.last_mut() else { return };
        member.text.end = end;
        member.source.end = source;
        if self.order == Order::AsReceived {
            return;
        }
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some([.., before, last]) = self.members.get(frame.members_from..)
            && frame.is_sorted
        {
            let [before, last] = [before, last].map(|m| key_of(m, &self.out, &self.aside));
            frame.is_sorted = utf16_order(before, last) == Ordering::Less;
        }
    }

    /// Closes the innermost container.
    pub(super) fn close(&mut self) -> Result<(), JsonFault> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if !frame.is_object {
            self.out.push(b']');
            return Ok(());
        }
        if !frame.is_sorted {
            self.sort(&frame)?;
        }
        self.out.push(b'}');
        // The top object's records stay: they tell where its members are.
        if !self.frames.is_empty() {
            self.aside.truncate(frame.aside_from);
            self.members.truncate(frame.members_from);
        }
        Ok(())
    }

    fn sort(&mut self, frame: &Frame) -> Result<(), JsonFault> {
        let Self { out, aside, members, scratch, .. } = self;
        let Some(records) = members.get_mut(frame.members_from..) else { return Ok(()) };
        records.sort_by(|a, b| utf16_order(key_of(a, out, aside), key_of(b, out, aside)));
        let repeats = records.windows(2).any(|pair| match pair {
            [a, b] => key_of(a, out, aside) == key_of(b, out, aside),
            _ => false,
        });
        if repeats {
            return Err(JsonFault::DuplicateKey);
        }
        scratch.clear();
        for record in records.iter_mut() {
            if !scratch.is_empty() {
                scratch.push(b',');
            }
            let from = record.text.start;
            let to = frame.at + scratch.len();
            scratch.extend_from_slice(out.get(record.text.clone()).unwrap_or_default());
            record.value_at = record.value_at - from + to;
            if !record.is_key_aside {
                record.key = record.key.start - from + to..record.key.end - from + to;
            }
            record.text = to..frame.at + scratch.len();
        }
        out.truncate(frame.at);
        out.extend_from_slice(scratch);
        Ok(())
    }

    /// Writes text that needs no escape.
    pub(super) fn run(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// Writes one character of a string, escaped where RFC 8785 section 3.2.2.2 says so.
    pub(super) fn character(&mut self, character: char) {
        let short = match character {
            '"' => b'"',
            '\\' => b'\\',
            '\u{8}' => b'b',
            '\t' => b't',
            '\n' => b'n',
            '\u{c}' => b'f',
            '\r' => b'r',
            '\0'..='\u{1f}' => {
                let code = u32::from(character);
                let digit = |value: u32| char::from_digit(value, 16).unwrap_or('0') as u8;
                self.out.extend_from_slice(b"\\u00");
                self.out.extend_from_slice(&[digit(code >> 4), digit(code & 15)]);
                return;
            }
            _ => {
                let mut bytes = [0; 4];
                self.out.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
                return;
            }
        };
        self.out.extend_from_slice(&[b'\\', short]);
    }

    /// Writes a whole text, without its quotes.
    pub(super) fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.bytes().position(needs_escape) {
            let (plain, from) = rest.split_at(at);
            self.run(plain.as_bytes());
            let mut characters = from.chars();
            if let Some(character) = characters.next() {
                self.character(character);
            }
            rest = characters.as_str();
        }
        self.run(rest.as_bytes());
    }

    /// Begins a string that is a value.
    pub(super) fn string_start(&mut self) -> usize {
        self.out.push(b'"');
        self.out.len()
    }

    /// Ends the string that began at `at`, and notes whether it hides something.
    pub(super) fn string_end(&mut self, at: usize) {
        self.hides |= marks::leaf_hides(self.out.get(at..).unwrap_or_default());
        self.out.push(b'"');
    }

    /// Writes a number token of JSON.
    pub(super) fn number(&mut self, token: &str) -> Result<(), JsonFault> {
        let differs = numbers::write_token(&mut self.out, token, self.integers)
            .ok_or(JsonFault::NumberOutOfRange)?;
        self.has_rounded_integers |= differs;
        Ok(())
    }

    /// Writes a double.
    pub(super) fn double(&mut self, number: f64) -> Result<(), JsonFault> {
        numbers::write_double(&mut self.out, number).ok_or(JsonFault::NumberOutOfRange)
    }

    /// The finished text's parts: the text, the top object's members, keys without escapes.
    pub(super) fn finish(self) -> (Vec<u8>, Vec<Member>, Vec<u8>) {
        (self.out, self.members, self.aside)
    }
}

/// A member's key without escapes.
pub(super) fn key_of<'a>(member: &Member, out: &'a [u8], aside: &'a [u8]) -> &'a [u8] {
    let buffer = if member.is_key_aside { aside } else { out };
    buffer.get(member.key.clone()).unwrap_or_default()
}

/// Whether a byte of UTF-8 must be escaped in a string, or ends it.
pub(super) const fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Compares UTF-8 as its UTF-16 would compare. The two orders differ only between characters
/// beyond U+FFFF, whose first byte is 0xF0 or more, and those from U+E000, 0xEE or more.
fn utf16_order(a: &[u8], b: &[u8]) -> Ordering {
    match a.iter().zip(b).find(|(x, y)| x != y) {
        None => a.len().cmp(&b.len()),
        Some((x, y)) if *x >= 0xEE && *y >= 0xEE && (*x >= 0xF0) != (*y >= 0xF0) => y.cmp(x),
        Some((x, y)) => x.cmp(y),
    }
}

/// Takes the escapes out of a canonical string's text.
fn unescape(text: &[u8], to: &mut Vec<u8>) {
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            to.push(byte);
            continue;
        }
        to.push(match bytes.next() {
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(b'u') => {
                let digits = bytes.by_ref().take(4);
                let code = digits.filter_map(|digit| char::from(digit).to_digit(16));
                // Canonical text has \u only below U+0020.
                u8::try_from(code.fold(0, |sum, digit| sum * 16 + digit)).unwrap_or_default()
            }
            Some(other) => other,
            None => break,
        });
    }
}
