//! Chunks of items that wait as bytes, one after the other: each with its key, its length, and its
//! value, which begins with its rank.

use std::io;

use smallvec::SmallVec;

use super::bytes::Out;

/// The bytes before an item's value: its key, and how many bytes follow.
pub(super) const BEFORE: usize = 8 + 4;

/// Appends an item.
pub(super) fn put_item(chunk: &mut Out, key: u64, pack: impl FnOnce(&mut Out)) {
    let begin = chunk.len();
    chunk.put(key.to_le_bytes());
    chunk.put([0; 4]);
    pack(chunk);
    let bytes = u32::try_from(chunk.len() - begin - BEFORE).unwrap_or(u32::MAX);
    chunk.overwrite(begin + 8, bytes.to_le_bytes());
}

/// An item as it waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting<'a> {
    pub(super) key: u64,
    /// Its rank among those of its key.
    pub(super) rank: u64,
    /// All its bytes, its key and length among them.
    pub(super) bytes: &'a [u8],
}

impl<'a> Waiting<'a> {
    /// Its value alone.
    pub(super) fn value(&self) -> &'a [u8] {
        self.bytes.get(BEFORE..).unwrap_or_default()
    }
}

/// Which of a chunk's items were taken out of it since it was written, by their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Gone(SmallVec<[u64; 2]>);

impl Gone {
    /// Notes that the item at `place` was taken out.
    pub(super) fn note(&mut self, place: usize) {
        let word = place / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (place % 64);
        }
    }

    fn holds(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 != 0)
    }
}

/// Hands every item of a chunk's `bytes` that is not `gone` to `visit`, with where it begins.
pub(super) fn each_item<'a>(
    bytes: &'a [u8],
    gone: &Gone,
    mut visit: impl FnMut(usize, Waiting<'a>) -> io::Result<()>,
) -> io::Result<()> {
    let (mut at, mut place) = (0, 0);
    while let Some((key, rest)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<8>) {
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(broken)?;
        let rank = u64::from_le_bytes(*rest.first_chunk::<8>().ok_or_else(broken)?);
        let after =
            at + BEFORE + usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let key = u64::from_le_bytes(*key);
        let bytes = bytes.get(at..after).ok_or_else(broken)?;
        if !gone.holds(place) {
            visit(at, Waiting { key, rank, bytes })?;
        }
        (at, place) = (after, place + 1);
    }
    if at == bytes.len() { Ok(()) } else { Err(broken()) }
}

/// The bytes are none that were written.
pub(super) fn broken() -> io::Error {
    io::Error::from(io::ErrorKind::InvalidData)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_is_not_visited() {
        let mut chunk = Out::default();
        for number in 0..200_u64 {
            put_item(&mut chunk, number, |out| out.put(number.to_le_bytes()));
        }
        let mut gone = Gone::default();
        let is_gone = |number: u64| number < 3 || number.is_multiple_of(7) || number == 199;
        (0..200_u64).zip(0..).filter(|(number, _)| is_gone(*number)).for_each(|(_, place)| {
            gone.note(place);
        });
        let mut seen = Vec::new();
        each_item(chunk.written(), &gone, |at, item| {
            assert_eq!(at, seen_at(item.key));
            assert_eq!((item.rank, item.value().len()), (item.key, 8));
            seen.push(item.key);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, (0..200).filter(|number| !is_gone(*number)).collect::<Vec<u64>>());
    }

    /// Each item takes twenty bytes.
    fn seen_at(number: u64) -> usize {
        usize::try_from(number).unwrap() * 20
    }

    #[test]
    fn torn_bytes_are_an_error() {
        let mut chunk = Out::default();
        put_item(&mut chunk, 1, |out| out.put(1_u64.to_le_bytes()));
        for length in 8..chunk.len() {
            let torn = chunk.written().get(..length).unwrap();
            let read = each_item(torn, &Gone::default(), |_, _| Ok(()));
            assert_eq!(read.unwrap_err().kind(), io::ErrorKind::InvalidData, "{length}");
        }
    }
}
