//! One file or standard input as a stream of its content: gzip and zstd are told by their first
//! bytes and opened. Nothing is held but a buffer; whoever reads caps what it takes.
#![expect(clippy::disallowed_types, reason = "one of the two places, see clippy.toml")]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The longest distance that zstd may refer back over, as a power of two: 128 MiB, zstd's own
/// limit for a reader.
const ZSTD_WINDOW_LOG: u32 = 27;

const BUFFER_BYTES: usize = 256 * 1024;

/// Where requests come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// The source that `path` names; `-` is standard input.
    pub fn of(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path.to_owned()) }
    }

    /// Its name for people.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Stdin => "standard input".to_owned(),
        }
    }

    /// Its size in bytes, as far as it is known.
    pub fn size(&self) -> u64 {
        match self {
            Self::File(path) => path.metadata().map_or(0, |found| found.len()),
            Self::Stdin => 0,
        }
    }

    /// Opens it; what is read of it is counted in `read`, as it lies on the disk.
    pub(super) fn open(&self, read: Arc<AtomicU64>) -> io::Result<Box<dyn BufRead>> {
        let raw: Box<dyn Read> = match self {
            Self::File(path) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                Box::new(file)
            }
            Self::Stdin => Box::new(io::stdin()),
        };
        content(Counted { raw, read })
    }
}

/// A stream's content, opened where it is compressed.
fn content(mut raw: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut start = Vec::new();
    raw.by_ref().take(ZSTD.len() as u64).read_to_end(&mut start)?;
    let (is_gzip, is_zstd) = (start.starts_with(GZIP), start.starts_with(ZSTD));
    let whole = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(start).chain(raw));
    Ok(if is_gzip {
        let inflated = flate2::bufread::MultiGzDecoder::new(whole);
        Box::new(BufReader::with_capacity(BUFFER_BYTES, inflated))
    } else if is_zstd {
        let mut inflated = zstd::stream::read::Decoder::with_buffer(whole)?;
        inflated.window_log_max(ZSTD_WINDOW_LOG)?;
        Box::new(BufReader::with_capacity(BUFFER_BYTES, inflated))
    } else {
        Box::new(whole)
    })
}

/// A message that its writer compressed by itself, of at most `limit` bytes; none where it is
/// damaged or longer.
pub(super) fn inflate_message(message: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut reader = zstd::stream::read::Decoder::with_buffer(message).ok()?;
    reader.window_log_max(ZSTD_WINDOW_LOG).ok()?;
    let mut inflated = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut inflated).ok()?;
    (inflated.len() <= limit).then_some(inflated)
}

/// Whether a message was compressed by itself.
pub(super) fn is_compressed(message: &[u8]) -> bool {
    message.starts_with(ZSTD)
}

/// Counts what is read.
struct Counted<R> {
    raw: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.raw.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: Vec<u8>) -> io::Result<String> {
        let mut text = String::new();
        content(Cursor::new(bytes))?.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn compressed_content_is_told_by_its_first_bytes_and_opened_member_by_member() {
        let gzip = |text: &str| {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(text.as_bytes()).unwrap();
            writer.finish().unwrap()
        };
        let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 3).unwrap();
        assert_eq!(read(b"one two".to_vec()).unwrap(), "one two");
        assert_eq!(read(b"x".to_vec()).unwrap(), "x");
        assert_eq!(read(Vec::new()).unwrap(), "");
        assert_eq!(read([gzip("one "), gzip("two")].concat()).unwrap(), "one two");
        assert_eq!(read([zstd("one "), zstd("two")].concat()).unwrap(), "one two");
        let mut cut = gzip("a text that is cut off on the disk");
        cut.truncate(20);
        assert!(read(cut).is_err());
    }

    #[test]
    fn a_message_that_inflates_past_the_limit_is_none() {
        let message = zstd::encode_all(&[7; 1000][..], 3).unwrap();
        assert!(is_compressed(&message));
        assert_eq!(inflate_message(&message, 1000), Some(vec![7; 1000]));
        assert_eq!(inflate_message(&message, 999), None);
        assert_eq!(inflate_message(&message[..10], 1000), None);
    }
}
