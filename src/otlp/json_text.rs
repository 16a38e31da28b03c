//! JSON's grammar over bytes: tokens and whole values, nothing of OTLP.
//!
//! What is skipped is checked as strictly as what is read, without recursion, so a value may nest
//! as deep as it is long. Of texts, bytes that are no UTF-8 and lone surrogates are replaced by
//! U+FFFD rather than refused.

use std::borrow::Cow;

use super::DecodeError;

type Read<T> = Result<T, DecodeError>;

/// Reads one JSON document from its first byte to its last.
#[derive(Debug, Clone)]
pub(super) struct JsonText<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A text as it stands between its quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawText<'a> {
    bytes: &'a [u8],
    has_escapes: bool,
}

/// What a value is, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Text,
    Number,
    True,
    False,
    Null,
}

impl<'a> JsonText<'a> {
    /// A document, or a value cut out of one by [`JsonText::skip`].
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        // Some writers begin with a byte order mark.
        Self { at: if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }, bytes }
    }

    /// What lies between here and `end`, a later place in the same document.
    pub(super) fn until(&self, end: &Self) -> &'a [u8] {
        self.bytes.get(self.at..end.at).unwrap_or_default()
    }

    /// That nothing but blanks follows.
    pub(super) fn end(&mut self) -> Read<()> {
        self.blanks();
        if self.at == self.bytes.len() { Ok(()) } else { Err(DecodeError::Json) }
    }

    /// What the next value is.
    pub(super) fn kind(&mut self) -> Read<Kind> {
        self.blanks();
        match self.bytes.get(self.at) {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::Text),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(DecodeError::Json),
        }
    }

    /// Goes through the members of an object: `member` is called with each key and must read or
    /// skip its value. A null has no members.
    pub(super) fn object(
        &mut self,
        field: &'static str,
        mut member: impl FnMut(&mut Self, &str) -> Read<()>,
    ) -> Read<()> {
        match self.kind()? {
            Kind::Null => return self.word(b"null"),
            Kind::Object => self.at += 1,
            _ => return Err(DecodeError::Shape(field)),
        }
        if self.takes(b'}') {
            return Ok(());
        }
        loop {
            self.blanks();
            let key = self.text()?.unescaped();
            self.expect(b':')?;
            member(self, &key)?;
            if self.takes(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Goes through the elements of a list: `element` must read or skip each. A null has none.
    pub(super) fn array(
        &mut self,
        field: &'static str,
        mut element: impl FnMut(&mut Self) -> Read<()>,
    ) -> Read<()> {
        match self.kind()? {
            Kind::Null => return self.word(b"null"),
            Kind::Array => self.at += 1,
            _ => return Err(DecodeError::Shape(field)),
        }
        if self.takes(b']') {
            return Ok(());
        }
        loop {
            element(self)?;
            if self.takes(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// A text.
    pub(super) fn text(&mut self) -> Read<RawText<'a>> {
        self.expect(b'"')?;
        let start = self.at;
        let mut has_escapes = false;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
            self.at += plain.ok_or(DecodeError::Json)?;
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    self.escape()?;
                }
                _ => return Err(DecodeError::Json),
            }
        }
        let bytes = self.bytes.get(start..self.at).unwrap_or_default();
        self.at += 1;
        Ok(RawText { bytes, has_escapes })
    }

    /// Checks one escape, whose backslash is next.
    fn escape(&mut self) -> Read<()> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(DecodeError::Json);
                }
                self.at += 6;
            }
            _ => return Err(DecodeError::Json),
        }
        Ok(())
    }

    /// A number, as it is written.
    pub(super) fn number(&mut self) -> Read<&'a str> {
        let start = self.at;
        self.takes_here(b'-');
        if !self.takes_here(b'0') && self.digits() == 0 {
            return Err(DecodeError::Json);
        }
        if self.takes_here(b'.') && self.digits() == 0 {
            return Err(DecodeError::Json);
        }
        if self.takes_here(b'e') || self.takes_here(b'E') {
            if !self.takes_here(b'+') {
                self.takes_here(b'-');
            }
            if self.digits() == 0 {
                return Err(DecodeError::Json);
            }
        }
        let written = self.bytes.get(start..self.at).unwrap_or_default();
        str::from_utf8(written).map_err(|_error| DecodeError::Json)
    }

    /// One of the three words.
    pub(super) fn word(&mut self, word: &[u8]) -> Read<()> {
        if self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(());
        }
        Err(DecodeError::Json)
    }

    /// Skips the next value, checking its grammar; returns its bytes.
    pub(super) fn skip(&mut self) -> Read<&'a [u8]> {
        self.blanks();
        let start = self.at;
        let mut open = Open::default();
        loop {
            match self.kind()? {
                Kind::Text => drop(self.text()?),
                Kind::Number => drop(self.number()?),
                Kind::True => self.word(b"true")?,
                Kind::False => self.word(b"false")?,
                Kind::Null => self.word(b"null")?,
                Kind::Object => {
                    self.at += 1;
                    if !self.takes(b'}') {
                        open.push(true);
                        self.key()?;
                        continue;
                    }
                }
                Kind::Array => {
                    self.at += 1;
                    if !self.takes(b']') {
                        open.push(false);
                        continue;
                    }
                }
            }
            if self.close(&mut open)? {
                return Ok(self.bytes.get(start..self.at).unwrap_or_default());
            }
        }
    }

    /// Closes what the value that was just skipped ends; true where that is everything.
    fn close(&mut self, open: &mut Open) -> Read<bool> {
        while let Some(is_object) = open.innermost() {
            if self.takes(if is_object { b'}' } else { b']' }) {
                open.pop();
                continue;
            }
            self.expect(b',')?;
            if is_object {
                self.key()?;
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn key(&mut self) -> Read<()> {
        self.blanks();
        self.text()?;
        self.expect(b':')
    }

    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes `byte` where it comes next after blanks.
    fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        self.takes_here(byte)
    }

    fn takes_here(&mut self, byte: u8) -> bool {
        let is_next = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Read<()> {
        if self.takes(byte) { Ok(()) } else { Err(DecodeError::Json) }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }
}

/// The lists and objects that are open, one bit each: a sender chooses how many there are.
#[derive(Debug, Default)]
struct Open {
    words: Vec<u64>,
    len: usize,
}

impl Open {
    fn push(&mut self, is_object: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        let bit = 1 << (self.len % 64);
        if let Some(word) = self.words.last_mut() {
            *word = if is_object { *word | bit } else { *word & !bit };
        }
        self.len += 1;
    }

    fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
        if self.len.is_multiple_of(64) {
            self.words.pop();
        }
    }

    fn innermost(&self) -> Option<bool> {
        let last = self.len.checked_sub(1)?;
        Some(self.words.last()? & (1 << (last % 64)) != 0)
    }
}

impl<'a> RawText<'a> {
    /// The bytes between the quotes, where they are the text itself.
    pub(super) const fn plain(self) -> Option<&'a [u8]> {
        if self.has_escapes { None } else { Some(self.bytes) }
    }

    /// The text.
    pub(super) fn unescaped(self) -> Cow<'a, str> {
        let text = match str::from_utf8(self.bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(self.bytes),
        };
        if self.has_escapes { Cow::Owned(unescape(&text)) } else { text }
    }

    /// Whether the text's UTF-8, or its surrogates, had to be mended.
    pub(super) fn is_mended(self, text: &str) -> bool {
        let replaced = text.matches(char::REPLACEMENT_CHARACTER).count();
        replaced > 0 && {
            let raw = String::from_utf8(self.bytes.to_vec()).unwrap_or_default();
            let written = raw.matches(char::REPLACEMENT_CHARACTER).count();
            let lower = raw.to_ascii_lowercase();
            replaced != written + lower.matches("\\ufffd").count()
        }
    }
}

/// Replaces the escapes of `text`, which are known to be well-formed.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        out.push_str(plain);
        let mut chars = escaped.chars();
        let named = chars.next().unwrap_or('\\');
        rest = chars.as_str();
        match named {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let (character, after) = code_point(rest);
                out.push(character);
                rest = after;
            }
            other => out.push(other),
        }
    }
    out.push_str(rest);
    out
}

/// The character that the four digits in front of `rest` stand for, together with a second
/// escape where they are the first half of a pair; and what follows.
fn code_point(rest: &str) -> (char, &str) {
    let unit = |text: &str| {
        text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0xfffd)
    };
    let first = unit(rest);
    let after = rest.get(4..).unwrap_or_default();
    if (0xd800..0xdc00).contains(&first)
        && let Some(next) = after.strip_prefix("\\u")
    {
        let second = unit(next);
        if (0xdc00..0xe000).contains(&second) {
            let pair = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            let character = char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER);
            return (character, next.get(4..).unwrap_or_default());
        }
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_document(text: &[u8]) -> bool {
        let mut json = JsonText::of(text);
        json.skip().and_then(|_| json.end()).is_ok()
    }

    #[test]
    fn what_is_skipped_is_checked() {
        for good in [
            "null",
            " {} ",
            "[]",
            "[1,-0,0.5,1e9,1E-2,true,false,null]",
            r#"{"a":{"b":[{"c":[]},"d\"\\\u00e9"]}}"#,
            "\u{feff}1",
        ] {
            assert!(is_document(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            "nul",
            "{",
            "[",
            "[1",
            "[1,]",
            "[,1]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "1.",
            "-",
            "1e",
            "+1",
            ".5",
            "\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\n\"",
            "1 2",
            "[1}",
            "{\"a\":1]",
            "NaN",
            "'a'",
        ] {
            assert!(!is_document(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn a_hundred_thousand_levels_are_skipped() {
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        assert!(is_document(&deep));
        assert!(!is_document(&b"[".repeat(100_000)));
        let mixed = [b"[{\"a\":".repeat(70), b"1".to_vec(), b"}]".repeat(70)].concat();
        assert!(is_document(&mixed));
    }

    #[test]
    fn escapes_are_replaced_and_lone_halves_mended() {
        let read = |text: &'static str| {
            let raw = JsonText::of(text.as_bytes()).text().unwrap();
            let text = raw.unescaped().into_owned();
            let is_mended = raw.is_mended(&text);
            (text, is_mended)
        };
        assert_eq!(read(r#""a\n\"\\\/\u00e9""#), ("a\n\"\\/é".to_owned(), false));
        assert_eq!(read(r#""\ud83d\ude00!""#), ("😀!".to_owned(), false));
        assert_eq!(read(r#""\ud83dx""#), ("\u{fffd}x".to_owned(), true));
        assert_eq!(read(r#""\ude00\ud83d""#), ("\u{fffd}\u{fffd}".to_owned(), true));
        assert_eq!(read(r#""\uFFFD""#), ("\u{fffd}".to_owned(), false));
        let raw = JsonText::of(b"\"a\xff\"").text().unwrap();
        assert_eq!((&*raw.unescaped(), raw.is_mended(&raw.unescaped())), ("a\u{fffd}", true));
    }
}
