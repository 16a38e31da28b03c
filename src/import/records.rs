//! A file's content as single requests, in the two forms in which an OpenTelemetry Collector's
//! file exporter writes them: a line of JSON each, or a length of four bytes, highest first, and
//! that many bytes of protobuf. What cannot be read is told with its place, and left out.

use std::fmt;
use std::io::{self, BufRead, Read};

use super::source::{inflate_message, is_compressed};
use crate::otlp::Format;

/// Where in a file's content something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line, counted from one.
    Line(u64),
    /// An offset in bytes.
    Byte(u64),
}

/// What follows the file's name: `:12` or `, byte 12`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, ":{line}"),
            Self::Byte(byte) => write!(f, ", byte {byte}"),
        }
    }
}

/// What is wrong with a part of a file. Never holds any of it.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// The last line has no end and is no whole JSON: its writer is not done, or died.
    #[error("the last line is cut: its writer is not done with it, or ended in its middle")]
    LastLineCut,
    /// The file ends within a message.
    #[error("the last message is cut: its writer is not done with it, or ended in its middle")]
    LastMessageCut,
    /// A request over the limit of the configuration.
    #[error("longer than limits.max_request_bytes ({0})")]
    TooLong(usize),
    /// A length that no message has, after which nothing can be found any more.
    #[error("no length of a message stands here; the rest of the file cannot be read")]
    NoLength,
    /// A message that was compressed by itself and is damaged, or inflates past the limit.
    #[error("compressed message is damaged, or inflates past limits.max_request_bytes")]
    Compressed,
    /// The bytes are no request.
    #[error(transparent)]
    Request(#[from] crate::ingest::IngestError),
    /// The file cannot be read on, or its compression is damaged.
    #[error("the rest of the file cannot be read: {}", .0.kind())]
    Unreadable(#[source] io::Error),
}

/// A request, or what stands in the place of one.
pub(super) enum Record {
    /// A request's bytes. They are nothing that may be printed.
    Request(Vec<u8>, Format),
    /// Something that cannot be read.
    Damaged(Damage),
}

/// The requests of one file, one after the other, with their places.
pub(super) struct Records<R> {
    content: R,
    limit: usize,
    form: Form,
    is_over: bool,
}

enum Form {
    Unknown,
    /// The number of the line that comes next.
    Lines(u64),
    /// The offset of the length that comes next.
    Messages(u64),
}

/// Lengths below this, over 144 MiB, begin with a byte that no text begins with.
const FIRST_OF_TEXT: u8 = 0x09;

impl<R: BufRead> Records<R> {
    /// The requests in `content`, of at most `limit` bytes each.
    pub(super) const fn new(content: R, limit: usize) -> Self {
        Self { content, limit, form: Form::Unknown, is_over: false }
    }

    /// The next request or damage; none at the end.
    pub(super) fn next(&mut self) -> Option<(Place, Record)> {
        if self.is_over {
            return None;
        }
        loop {
            let (place, found) = match self.form {
                Form::Unknown => match self.content.fill_buf() {
                    Ok(start) => {
                        let is_text = start.first().is_none_or(|first| *first >= FIRST_OF_TEXT);
                        self.form = if is_text { Form::Lines(1) } else { Form::Messages(0) };
                        continue;
                    }
                    Err(error) => (Place::Byte(0), Err(error)),
                },
                Form::Lines(number) => {
                    self.form = Form::Lines(number + 1);
                    let found = line(&mut self.content, self.limit);
                    // Blank lines are none.
                    if matches!(&found, Ok(Some(Line::Whole(text))) if text.trim_ascii().is_empty())
                    {
                        continue;
                    }
                    let found = found.map(|line| line.map(|line| (line.record(self.limit), 0)));
                    (Place::Line(number), found)
                }
                Form::Messages(offset) => {
                    let found = message(&mut self.content, self.limit);
                    if let Ok(Some((_, length))) = &found {
                        self.form = Form::Messages(offset + length);
                    }
                    (Place::Byte(offset), found)
                }
            };
            let record = match found {
                Ok(None) => {
                    self.is_over = true;
                    return None;
                }
                Ok(Some((record, _))) => record,
                Err(error) => Record::Damaged(Damage::Unreadable(error)),
            };
            self.is_over = matches!(
                record,
                Record::Damaged(Damage::Unreadable(_) | Damage::NoLength | Damage::LastMessageCut)
            );
            return Some((place, record));
        }
    }
}

enum Line {
    Whole(Vec<u8>),
    /// Without a line's end after it.
    Last(Vec<u8>),
    TooLong,
}

impl Line {
    fn record(self, limit: usize) -> Record {
        match self {
            Self::Last(text) if serde_json::from_slice::<serde::de::IgnoredAny>(&text).is_err() => {
                Record::Damaged(Damage::LastLineCut)
            }
            Self::Whole(text) | Self::Last(text) => Record::Request(text, Format::Json),
            Self::TooLong => Record::Damaged(Damage::TooLong(limit)),
        }
    }
}

/// The next line without its end; of one over the limit nothing is kept.
fn line(content: &mut impl BufRead, limit: usize) -> io::Result<Option<Line>> {
    let mut text = Vec::new();
    let mut is_too_long = false;
    loop {
        let buffer = content.fill_buf()?;
        if buffer.is_empty() {
            return Ok(match (is_too_long, text.trim_ascii().is_empty()) {
                (true, _) => Some(Line::TooLong),
                (false, true) => None,
                (false, false) => Some(Line::Last(text)),
            });
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        if text.len() + part.len() > limit {
            is_too_long = true;
            text.clear();
        }
        if !is_too_long {
            text.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        content.consume(used);
        if end.is_some() {
            return Ok(Some(if is_too_long { Line::TooLong } else { Line::Whole(text) }));
        }
    }
}

/// The next message, and how many bytes it takes with its length.
fn message(content: &mut impl BufRead, limit: usize) -> io::Result<Option<(Record, u64)>> {
    let mut length = Vec::new();
    content.by_ref().take(4).read_to_end(&mut length)?;
    let Some(length) = length.first_chunk::<4>() else {
        let cut = || (Record::Damaged(Damage::LastMessageCut), 0);
        return Ok((!length.is_empty()).then(cut));
    };
    let Ok(length) = usize::try_from(u32::from_be_bytes(*length)) else {
        return Ok(Some((Record::Damaged(Damage::NoLength), 0)));
    };
    let taken = 4 + length as u64;
    if length > limit {
        // A length that cannot be one shows that the place is wrong; one that can is skipped.
        if length >= usize::from(FIRST_OF_TEXT) << 24 {
            return Ok(Some((Record::Damaged(Damage::NoLength), 0)));
        }
        let skipped = io::copy(&mut content.by_ref().take(length as u64), &mut io::sink())?;
        let is_whole = skipped == length as u64;
        let damage = if is_whole { Damage::TooLong(limit) } else { Damage::NoLength };
        return Ok(Some((Record::Damaged(damage), taken)));
    }
    let mut bytes = Vec::new();
    content.by_ref().take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Ok(Some((Record::Damaged(Damage::LastMessageCut), taken)));
    }
    if is_compressed(&bytes) {
        match inflate_message(&bytes, limit) {
            Some(inflated) => bytes = inflated,
            None => return Ok(Some((Record::Damaged(Damage::Compressed), taken))),
        }
    }
    // Where its exporter was told to compress JSON, each message is JSON.
    let format = match bytes.first() {
        Some(b'{') => Format::Json,
        _ => Format::Protobuf,
    };
    Ok(Some((Record::Request(bytes, format), taken)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Place and content of each record; of damage what is said of it.
    fn records(content: &[u8], limit: usize) -> Vec<(String, String)> {
        let mut records = Records::new(content, limit);
        let mut found = Vec::new();
        while let Some((place, record)) = records.next() {
            let shown = match record {
                Record::Request(bytes, format) => {
                    format!("{format:?} {}", String::from_utf8_lossy(&bytes))
                }
                Record::Damaged(damage) => damage.to_string(),
            };
            found.push((place.to_string(), shown));
        }
        found
    }

    fn pair(place: &str, shown: &str) -> (String, String) {
        (place.to_owned(), shown.to_owned())
    }

    fn prefixed(message: &[u8]) -> Vec<u8> {
        [&u32::try_from(message.len()).unwrap().to_be_bytes()[..], message].concat()
    }

    #[test]
    fn every_line_is_a_request_and_blank_ones_are_none() {
        assert_eq!(
            records(b"{\"a\":1}\r\n\n  \n{\"b\":2}", 100),
            [pair(":1", "Json {\"a\":1}\r"), pair(":4", "Json {\"b\":2}")]
        );
        assert!(records(b"", 100).is_empty() && records(b"\n\n", 100).is_empty());
    }

    #[test]
    fn a_torn_last_line_is_told_and_one_that_is_only_not_ended_is_read() {
        let found = records(b"{\"a\":1}\n{\"b\":[", 100);
        assert_eq!(found[0], pair(":1", "Json {\"a\":1}"));
        assert_eq!(found[1].0, ":2");
        assert!(found[1].1.contains("the last line is cut"), "{}", found[1].1);
    }

    #[test]
    fn a_line_over_the_limit_is_left_out_alone() {
        let found = records(b"{\"a\":123456}\n{\"b\":2}\n", 8);
        assert_eq!(
            found,
            [pair(":1", "longer than limits.max_request_bytes (8)"), pair(":2", "Json {\"b\":2}")]
        );
    }

    #[test]
    fn messages_stand_behind_their_lengths() {
        // A protobuf message begins with field 1, 0x0a; an empty one is an empty request.
        let whole = [prefixed(b"\x0axyz"), prefixed(b""), prefixed(b"{\"a\":1}")].concat();
        let expected = [
            pair(", byte 0", "Protobuf \nxyz"),
            pair(", byte 8", "Protobuf "),
            pair(", byte 12", "Json {\"a\":1}"),
        ];
        assert_eq!(records(&whole, 100), expected);
        for cut in [9, 11, 14, 20] {
            let found = records(&whole[..cut], 100);
            let last = found.last().unwrap();
            let start = if cut < 12 { ", byte 8" } else { ", byte 12" };
            assert!(
                last.0 == start && last.1.contains("the last message is cut"),
                "{cut} {last:?}"
            );
        }
    }

    #[test]
    fn a_message_over_the_limit_is_skipped_and_a_length_that_is_none_ends_the_file() {
        let content = [prefixed(b"\x0alonger"), prefixed(b"\x0ax")].concat();
        assert_eq!(
            records(&content, 4),
            [
                pair(", byte 0", "longer than limits.max_request_bytes (4)"),
                pair(", byte 11", "Protobuf \nx")
            ]
        );
        let lost = [&prefixed(b"\x0ax")[..], b"{no length}"].concat();
        let found = records(&lost, 100);
        assert_eq!(found.len(), 2);
        assert!(found[1].0 == ", byte 6" && found[1].1.contains("no length"), "{found:?}");
    }

    #[test]
    fn a_message_compressed_by_itself_is_opened() {
        let message = zstd::encode_all(&b"{\"a\":1}"[..], 3).unwrap();
        let damaged = &message[..message.len() - 2];
        let content = [prefixed(damaged), prefixed(&message)].concat();
        let found = records(&content, 100);
        assert!(found[0].1.contains("compressed message is damaged"), "{found:?}");
        assert_eq!(found[1].1, "Json {\"a\":1}");
    }
}
