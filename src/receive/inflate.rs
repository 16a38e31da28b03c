//! Inflating: the one place that opens compressed bytes. All of it is capped.
//!
//! The cap counts bytes after inflating, and the budget is taken as the output grows, so a small
//! body that inflates without end stops one byte past the limit. All members of a gzip body are
//! read; bytes after the last are an error, never ignored, for what is not read must not be
//! acknowledged.
#![expect(clippy::disallowed_types, reason = "this is the place")]

use std::io::Read;

use super::admission::{Admitted, Busy};

/// How a body's bytes were compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Not at all.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Encoding {
    /// What is accepted, as both transports list it.
    pub(super) const ACCEPTED: &'static str = "identity,gzip,zstd";

    /// The encoding with this name; none for one that is not read.
    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        let is = |known: &str| name.trim_ascii().eq_ignore_ascii_case(known.as_bytes());
        match () {
            () if is("") || is("identity") => Some(Self::Identity),
            () if is("gzip") || is("x-gzip") => Some(Self::Gzip),
            () if is("zstd") => Some(Self::Zstd),
            () => None,
        }
    }
}

/// The body could not be inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum InflateError {
    /// It is not what its encoding says, or it is cut, or something follows it.
    #[error("compressed body is damaged")]
    Damaged,
    /// It inflates past the limit.
    #[error("inflated body is over the limit")]
    TooLarge,
    /// There is no room for it now.
    #[error(transparent)]
    Busy(#[from] Busy),
}

/// The longest distance that a zstd body may refer back over, as a power of two: 8 MiB, which
/// RFC 8878 asks every reader to support. The frame's header chooses how much is allocated.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Inflates `body` to at most `limit` bytes.
pub(super) fn inflate(
    encoding: Encoding,
    body: Vec<u8>,
    limit: usize,
    admitted: &mut Admitted,
) -> Result<Vec<u8>, InflateError> {
    match encoding {
        Encoding::Identity => Ok(body),
        // An empty body is an empty request, also where a client labels what it did not compress.
        Encoding::Gzip | Encoding::Zstd if body.is_empty() => Ok(body),
        Encoding::Gzip => {
            let reader = flate2::bufread::MultiGzDecoder::new(body.as_slice());
            read_capped(reader, gzip_size_hint(&body), limit, admitted)
        }
        Encoding::Zstd => {
            let mut reader = zstd::stream::read::Decoder::with_buffer(body.as_slice())
                .map_err(|_error| InflateError::Damaged)?;
            reader.window_log_max(ZSTD_WINDOW_LOG).map_err(|_error| InflateError::Damaged)?;
            read_capped(reader, body.len().saturating_mul(4), limit, admitted)
        }
    }
}

/// The size that a gzip body's last four bytes claim, where it is believable.
fn gzip_size_hint(body: &[u8]) -> usize {
    let claimed = body.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let most = body.len().saturating_mul(16);
    usize::try_from(claimed).unwrap_or(most).min(most)
}

fn read_capped(
    mut reader: impl Read,
    hint: usize,
    limit: usize,
    admitted: &mut Admitted,
) -> Result<Vec<u8>, InflateError> {
    const FIRST_STEP: usize = 4 * 1024;
    let mut out = Vec::new();
    // One byte of room beyond what is expected shows the end without another step.
    let mut step = hint.saturating_add(1).max(FIRST_STEP);
    loop {
        let room = limit.saturating_add(1).saturating_sub(out.len());
        if room == 0 {
            return Err(InflateError::TooLarge);
        }
        let take = step.min(room);
        admitted.take(take)?;
        out.reserve_exact(take);
        let mut part = reader.by_ref().take(take as u64);
        let read = part.read_to_end(&mut out).map_err(|_error| InflateError::Damaged)?;
        if read < take {
            return Ok(out);
        }
        step = out.len();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::admission::Admission;
    use super::super::limits::Limits;
    use super::*;

    fn admitted() -> Admitted {
        Admission::new(&Limits::default(), std::sync::Arc::default()).admit().unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 1).unwrap()
    }

    #[track_caller]
    fn check(encoding: Encoding, body: Vec<u8>, limit: usize) -> Result<Vec<u8>, InflateError> {
        inflate(encoding, body, limit, &mut admitted())
    }

    #[test]
    fn what_was_compressed_comes_out_again_up_to_the_limit() {
        for len in [0, 1, 4095, 4096, 4097, 100_000] {
            let bytes: Vec<u8> = (0..len).map(|at: u32| (at % 251) as u8).collect();
            for (encoding, body) in [(Encoding::Gzip, gzip(&bytes)), (Encoding::Zstd, zstd(&bytes))]
            {
                let limit = bytes.len();
                assert_eq!(check(encoding, body.clone(), limit), Ok(bytes.clone()));
                assert_eq!(check(encoding, body.clone(), limit + 1), Ok(bytes.clone()));
                if limit > 0 {
                    assert_eq!(check(encoding, body, limit - 1), Err(InflateError::TooLarge));
                }
            }
        }
    }

    #[test]
    fn every_member_of_a_gzip_body_is_read() {
        let body = [gzip(b"one "), gzip(b""), gzip(b"two")].concat();
        assert_eq!(check(Encoding::Gzip, body, 100), Ok(b"one two".to_vec()));
    }

    #[test]
    fn what_follows_the_last_member_is_damage() {
        for encoding in [Encoding::Gzip, Encoding::Zstd] {
            let body = if encoding == Encoding::Gzip { gzip(b"one") } else { zstd(b"one") };
            let longer = [body.clone(), b"junk".to_vec()].concat();
            assert_eq!(check(encoding, longer, 100), Err(InflateError::Damaged));
            for len in 1..body.len() {
                let cut = body[..len].to_vec();
                assert_eq!(
                    check(encoding, cut, 100),
                    Err(InflateError::Damaged),
                    "{encoding:?} {len}"
                );
            }
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit_and_at_the_budget() {
        let bomb = gzip(&vec![0; 10_000_000]);
        assert!(bomb.len() < 100_000);
        assert_eq!(check(Encoding::Gzip, bomb.clone(), 1_000_000), Err(InflateError::TooLarge));
        let limits =
            Limits { max_request_bytes: 1, max_in_flight_bytes: 1_000_000, ..Limits::default() };
        let small = Admission::new(&limits, std::sync::Arc::default());
        let result = inflate(Encoding::Gzip, bomb, 20_000_000, &mut small.admit().unwrap());
        assert_eq!(result, Err(InflateError::Busy(Busy)));
    }

    #[test]
    fn a_zstd_window_past_eight_mebibytes_is_refused() {
        // Magic number, a descriptor without content size, a window of 2^31, an empty last block.
        let body = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00];
        assert_eq!(check(Encoding::Zstd, body, 100), Err(InflateError::Damaged));
        // The same with a window of 2^20.
        let body = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50, 0x01, 0x00, 0x00];
        assert_eq!(check(Encoding::Zstd, body, 100), Ok(Vec::new()));
    }

    #[test]
    fn names_are_compared_without_case() {
        assert_eq!(Encoding::from_name(b"GZip"), Some(Encoding::Gzip));
        assert_eq!(Encoding::from_name(b" identity "), Some(Encoding::Identity));
        assert_eq!(Encoding::from_name(b"gzip, zstd"), None);
        assert_eq!(Encoding::from_name(b"snappy"), None);
    }
}
