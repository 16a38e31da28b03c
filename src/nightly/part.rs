//! One part of a day, whose items wait as bytes, and how it is read.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::bytes::In;
use super::chunk::{BEFORE, Gone, Waiting, broken, each_item};
use super::packed::Unpack;

/// A thread keeps buffers of at most this many bytes from one part to the next.
const KEPT: usize = 1 << 24;

/// A chunk of one part: the file that it lies in, where it begins there, and how many bytes it has.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) file: Arc<File>,
    pub(super) begin: u64,
    pub(super) bytes: usize,
    pub(super) gone: Gone,
}

impl Chunk {
    /// Reads it into as many bytes as it has.
    pub(super) fn read(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(bytes, self.begin)
    }
}

/// A chunk in memory.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) bytes: Vec<u8>,
    pub(super) gone: Gone,
}

/// One part.
#[derive(Debug, Clone)]
pub(super) struct Part<T> {
    place: PartPlace,
    items: PhantomData<fn(T) -> T>,
}

#[derive(Debug, Clone)]
pub(super) enum PartPlace {
    Memory(Vec<Held>),
    Disk(Vec<Chunk>),
}

/// Each item's key and rank, and where it stands.
type Index = Vec<(u64, u64, usize)>;

/// What a thread needs to read parts, one after the other.
#[derive(Debug)]
pub(super) struct Reading<T> {
    bytes: Vec<u8>,
    index: Index,
    items: Vec<T>,
}

impl<T> Default for Reading<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), index: Vec::new(), items: Vec::new() }
    }
}

impl<T: Unpack> Part<T> {
    /// The part that waits there.
    pub(super) const fn at(place: PartPlace) -> Self {
        Self { place, items: PhantomData }
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        match &self.place {
            PartPlace::Memory(chunks) => chunks.iter().map(|chunk| chunk.bytes.len()).sum(),
            PartPlace::Disk(chunks) => chunks.iter().map(|chunk| chunk.bytes).sum(),
        }
    }

    /// Hands its items to `visit`, piece by piece in order of their keys and ranks: as many whole
    /// keys at a time as make `enough` items. `visit` may take the items out.
    pub(super) fn each_piece(
        self,
        reading: &mut Reading<T>,
        enough: usize,
        mut visit: impl FnMut(&mut Vec<T>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Reading { bytes, index, items } = reading;
        self.read(bytes, index)?;
        index.sort_unstable();
        items.clear();
        items.reserve(enough.min(index.len()));
        let by_key = || index.chunk_by(|a, b| a.0 == b.0);
        let is_giant = |of_key: &&[_]| of_key.len() > enough.max(index.len() / 2);
        for of_key in by_key().filter(|of_key| !is_giant(of_key)) {
            for (.., at) in of_key {
                items.push(item_at(bytes, *at)?);
            }
            if items.len() >= enough {
                visit(items)?;
                items.clear();
            }
        }
        if !items.is_empty() {
            visit(items)?;
            items.clear();
        }
        // A key that is most of its part comes last, when the bytes need no longer be kept.
        if let Some(of_key) = by_key().find(is_giant) {
            items.reserve_exact(of_key.len());
            for (.., at) in of_key {
                items.push(item_at(bytes, *at)?);
            }
            (*bytes, *index) = (Vec::new(), Vec::new());
            visit(items)?;
            items.clear();
        }
        reading.let_go();
        Ok(())
    }

    /// Hands its items to `visit` as they wait, in no particular order.
    pub(super) fn each_waiting(
        &self,
        mut visit: impl FnMut(Waiting<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        match &self.place {
            PartPlace::Memory(chunks) => {
                let mut each =
                    |chunk: &Held| each_item(&chunk.bytes, &chunk.gone, |_, item| visit(item));
                chunks.iter().try_for_each(&mut each)
            }
            PartPlace::Disk(chunks) => chunks.iter().try_for_each(|chunk| {
                bytes.resize(chunk.bytes, 0);
                chunk.read(&mut bytes)?;
                each_item(&bytes, &chunk.gone, |_, item| visit(item))
            }),
        }
    }

    /// All items, in order of their keys and ranks but for a key that is most of its part.
    pub(super) fn load(self) -> io::Result<Vec<T>> {
        let mut all = Vec::new();
        self.each_piece(&mut Reading::default(), usize::MAX, |items| {
            all = std::mem::take(items);
            Ok(())
        })?;
        Ok(all)
    }

    /// Reads all chunks into `bytes`, and into `index` where their items stand.
    fn read(self, bytes: &mut Vec<u8>, index: &mut Index) -> io::Result<()> {
        bytes.clear();
        index.clear();
        match self.place {
            PartPlace::Memory(chunks) => {
                for Held { bytes: chunk, gone } in chunks {
                    index_items(&chunk, &gone, bytes.len(), index)?;
                    bytes.extend_from_slice(&chunk);
                }
            }
            PartPlace::Disk(chunks) => {
                bytes.resize(chunks.iter().map(|chunk| chunk.bytes).sum(), 0);
                let (mut rest, mut at) = (bytes.as_mut_slice(), 0);
                for chunk in chunks {
                    let (to, after) = rest.split_at_mut_checked(chunk.bytes).ok_or_else(broken)?;
                    chunk.read(to)?;
                    index_items(to, &chunk.gone, at, index)?;
                    (rest, at) = (after, at + chunk.bytes);
                }
            }
        }
        Ok(())
    }
}

impl<T> Reading<T> {
    /// Gives back what one part far larger than the others needed.
    fn let_go(&mut self) {
        if self.bytes.capacity().max(self.items.capacity() * size_of::<T>()) > KEPT {
            *self = Self::default();
        }
    }
}

/// Notes where the items of a chunk, which begins at `begin`, stand.
fn index_items(chunk: &[u8], gone: &Gone, begin: usize, index: &mut Index) -> io::Result<()> {
    each_item(chunk, gone, |at, item| {
        index.push((item.key, item.rank, begin + at + BEFORE));
        Ok(())
    })
}

fn item_at<T: Unpack>(bytes: &[u8], at: usize) -> io::Result<T> {
    T::unpack_from(&mut In(bytes.get(at..).unwrap_or_default())).ok_or_else(broken)
}
