//! Parts of a day that wait their turn, as bytes: in memory while they are few, then on disk.
//!
//! What belongs together (a trace, a session) has one key, and so lies in one part and there in
//! one piece. However large the day, each thread has one part in memory at a time.

use std::fs::{self, File};
use std::io;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use super::bytes::{In, Out};
use super::packed::Packed;
use super::scratch::Scratch;

/// How many bytes of one part a thread gathers before it hands them over.
const CHUNK: usize = 1 << 13;
/// How much of a file is written as one.
const PAGE: u64 = 4096;
/// A thread keeps buffers of at most this many bytes from one part to the next.
const KEPT: usize = 1 << 24;

/// Items by part; several threads may add at once.
#[derive(Debug)]
pub(super) struct Parts<'s, T> {
    scratch: &'s Scratch,
    name: &'static str,
    place: Mutex<Place>,
    items: PhantomData<fn(T) -> T>,
}

#[derive(Debug)]
enum Place {
    /// Chunks with their part, and how many bytes they have together.
    Memory(Vec<(usize, Vec<u8>)>, usize),
    Disk(ChunkFile),
}

/// One file that holds chunks of all parts, in the order in which they were written.
#[derive(Debug)]
struct ChunkFile {
    file: Arc<File>,
    length: u64,
    /// Each part's chunks.
    chunks: Vec<Vec<Chunk>>,
}

/// A chunk of one part: where it begins, and how many bytes it has.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    begin: u64,
    bytes: usize,
}

impl<'s, T: Packed> Parts<'s, T> {
    /// No items yet. `name` tells these parts' file from others'.
    pub(super) fn new(scratch: &'s Scratch, name: &'static str) -> Self {
        let place = Mutex::new(Place::Memory(Vec::new(), 0));
        Self { scratch, name, place, items: PhantomData }
    }

    /// A way to add items from one thread.
    pub(super) fn adder(&self) -> Adder<'_, 's, T> {
        Adder { parts: self, chunks: vec![Out::default(); self.scratch.parts()] }
    }

    /// Takes a chunk in. The one too many for memory moves all of them to disk.
    fn put(&self, part: usize, chunk: &[u8]) -> io::Result<()> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Place::Memory(waiting, bytes) = &mut *place {
            *bytes += chunk.len();
            waiting.push((part, chunk.to_vec()));
            if *bytes > self.scratch.in_memory() {
                let waiting = std::mem::take(waiting);
                let mut file = ChunkFile::make(self.scratch, self.name)?;
                for (part, chunk) in waiting {
                    let begin = file.reserve(part, chunk.len());
                    file.file.write_all_at(&chunk, begin)?;
                }
                *place = Place::Disk(file);
            }
        } else if let Place::Disk(file) = &mut *place {
            let (begin, file) = (file.reserve(part, chunk.len()), Arc::clone(&file.file));
            drop(place);
            file.write_all_at(chunk, begin)?;
        }
        Ok(())
    }

    /// Where these parts wait.
    pub(super) const fn scratch(&self) -> &'s Scratch {
        self.scratch
    }

    /// The parts, once nothing more is added: one where all are in memory.
    pub(super) fn into_parts(self) -> Vec<Part<T>> {
        let items = PhantomData;
        match self.place.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Place::Memory(chunks, _) => {
                let chunks = chunks.into_iter().map(|(_, chunk)| chunk).collect();
                vec![Part { place: PartPlace::Memory(chunks), items }]
            }
            Place::Disk(ChunkFile { file, chunks, .. }) => {
                let part = |chunks| {
                    let place = PartPlace::Disk(Arc::clone(&file), chunks);
                    Part { place, items }
                };
                chunks.into_iter().map(part).collect()
            }
        }
    }
}

impl ChunkFile {
    /// Makes the file. Where the system allows it it has no name any longer, so that nothing is
    /// left when the process is killed.
    fn make(scratch: &Scratch, name: &str) -> io::Result<Self> {
        let path = scratch.new_file(name)?;
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        // A system that keeps open files named leaves this to `Scratch::clear`.
        let _is_nameless = fs::remove_file(&path).is_ok();
        Ok(Self { file: Arc::new(file), length: 0, chunks: vec![Vec::new(); scratch.parts()] })
    }

    /// The place of a part's next chunk, where a page of the file begins: no page is written twice.
    fn reserve(&mut self, part: usize, bytes: usize) -> u64 {
        let begin = self.length.next_multiple_of(PAGE);
        if let Some(chunks) = self.chunks.get_mut(part) {
            chunks.push(Chunk { begin, bytes });
        }
        self.length = begin.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        begin
    }
}

/// Adds items from one thread.
#[derive(Debug)]
pub(super) struct Adder<'p, 's, T> {
    parts: &'p Parts<'s, T>,
    /// What is gathered of each part.
    chunks: Vec<Out>,
}

impl<T: Packed> Adder<'_, '_, T> {
    /// Adds an item to the part of `key`.
    pub(super) fn add(&mut self, key: u64, item: &T) -> io::Result<()> {
        let part = usize::try_from(spread(key)).unwrap_or(0) % self.chunks.len();
        let Some(chunk) = self.chunks.get_mut(part) else { return Ok(()) };
        put_item(chunk, key, item);
        self.hand_over_full(part)
    }

    /// Adds an item as it waited elsewhere to a part.
    pub(super) fn add_waiting(&mut self, part: usize, item: &Waiting<'_>) -> io::Result<()> {
        let Some(chunk) = self.chunks.get_mut(part) else { return Ok(()) };
        chunk.append(item.bytes);
        self.hand_over_full(part)
    }

    fn hand_over_full(&mut self, part: usize) -> io::Result<()> {
        if let Some(chunk) = self.chunks.get_mut(part).filter(|chunk| chunk.len() >= CHUNK) {
            self.parts.put(part, chunk.written())?;
            chunk.clear();
        }
        Ok(())
    }

    /// Hands the last items over.
    pub(super) fn finish(self) -> io::Result<()> {
        for (part, chunk) in self.chunks.iter().enumerate().filter(|(_, chunk)| chunk.len() > 0) {
            self.parts.put(part, chunk.written())?;
        }
        Ok(())
    }
}

/// One part.
#[derive(Debug, Clone)]
pub(super) struct Part<T> {
    place: PartPlace,
    items: PhantomData<fn(T) -> T>,
}

#[derive(Debug, Clone)]
enum PartPlace {
    Memory(Vec<Vec<u8>>),
    /// In a file that it shares with the others.
    Disk(Arc<File>, Vec<Chunk>),
}

/// What a thread needs to read parts, one after the other.
#[derive(Debug)]
pub(super) struct Reading<T> {
    bytes: Vec<u8>,
    /// Each item's key and rank, and where it stands.
    index: Vec<(u64, u64, usize)>,
    items: Vec<T>,
}

impl<T> Default for Reading<T> {
    fn default() -> Self {
        Self { bytes: Vec::new(), index: Vec::new(), items: Vec::new() }
    }
}

impl<T: Packed> Part<T> {
    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        match &self.place {
            PartPlace::Memory(chunks) => chunks.iter().map(Vec::len).sum(),
            PartPlace::Disk(_, chunks) => chunks.iter().map(|chunk| chunk.bytes).sum(),
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
        self.read(bytes)?;
        index_items(bytes, index)?;
        index.sort_unstable();
        items.clear();
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
                chunks.iter().try_for_each(|chunk| each_item(chunk, &mut |_, item| visit(item)))
            }
            PartPlace::Disk(file, chunks) => chunks.iter().try_for_each(|chunk| {
                bytes.resize(chunk.bytes, 0);
                file.read_exact_at(&mut bytes, chunk.begin)?;
                each_item(&bytes, &mut |_, item| visit(item))
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

    fn read(self, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        match self.place {
            PartPlace::Memory(chunks) => {
                for chunk in chunks {
                    bytes.extend_from_slice(&chunk);
                }
            }
            PartPlace::Disk(file, chunks) => {
                bytes.resize(chunks.iter().map(|chunk| chunk.bytes).sum(), 0);
                let mut rest = bytes.as_mut_slice();
                for chunk in chunks {
                    let Some((to, after)) = rest.split_at_mut_checked(chunk.bytes) else {
                        return Err(broken());
                    };
                    file.read_exact_at(to, chunk.begin)?;
                    rest = after;
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

/// The bytes before an item: its key, and how many bytes follow.
const BEFORE: usize = 8 + 4;

fn put_item<T: Packed>(chunk: &mut Out, key: u64, item: &T) {
    let begin = chunk.len();
    chunk.put(key.to_le_bytes());
    chunk.put([0; 4]);
    item.pack(chunk);
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

/// Hands every item of these bytes to `visit`, with where it begins.
fn each_item(
    bytes: &[u8],
    visit: &mut impl FnMut(usize, Waiting<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut at = 0;
    while let Some((key, rest)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<8>) {
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(broken)?;
        let rank = u64::from_le_bytes(*rest.first_chunk::<8>().ok_or_else(broken)?);
        let after =
            at + BEFORE + usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let key = u64::from_le_bytes(*key);
        visit(at, Waiting { key, rank, bytes: bytes.get(at..after).ok_or_else(broken)? })?;
        at = after;
    }
    if at == bytes.len() { Ok(()) } else { Err(broken()) }
}

fn index_items(bytes: &[u8], index: &mut Vec<(u64, u64, usize)>) -> io::Result<()> {
    index.clear();
    each_item(bytes, &mut |at, item| {
        index.push((item.key, item.rank, at + BEFORE));
        Ok(())
    })
}

fn item_at<T: Packed>(bytes: &[u8], at: usize) -> io::Result<T> {
    T::unpack(&mut In(bytes.get(at..).unwrap_or_default())).ok_or_else(broken)
}

fn broken() -> io::Error {
    io::Error::from(io::ErrorKind::InvalidData)
}

/// Spreads keys, whose low bits may be anything, over the parts.
pub(super) const fn spread(key: u64) -> u64 {
    let key = (key ^ (key >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    key >> 20
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(parts: Vec<Part<u64>>) -> (usize, Vec<u64>) {
        let loaded: Vec<Vec<u64>> = parts.into_iter().map(|part| part.load().unwrap()).collect();
        let filled = loaded.iter().filter(|part| !part.is_empty()).count();
        let mut all: Vec<u64> = loaded.into_iter().flatten().collect();
        all.sort_unstable();
        (filled, all)
    }

    /// Each number takes twenty bytes: its key, its length, itself.
    #[test]
    fn few_items_stay_in_memory_and_many_go_to_disk_and_none_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        for (count, filled) in [(0, 0), (100, 1), (101, 8), (20_000, 8)] {
            let scratch = Scratch::at(folder.path().join("scratch"), 2000, 8, 2).unwrap();
            let parts = Parts::new(&scratch, "numbers");
            let mut adder = parts.adder();
            for number in 0..count {
                adder.add(number, &number).unwrap();
            }
            adder.finish().unwrap();
            let (found, all) = sorted(parts.into_parts());
            assert_eq!(found, filled, "of {count}");
            assert_eq!(all, (0..count).collect::<Vec<u64>>());
            scratch.clear().unwrap();
            assert!(!scratch.dir().exists());
        }
    }

    #[test]
    fn what_has_one_key_lies_in_one_part_and_there_in_one_piece() {
        let folder = tempfile::tempdir().unwrap();
        for in_memory in [0, usize::MAX] {
            let scratch = Scratch::at(folder.path().join("scratch"), in_memory, 8, 2).unwrap();
            let parts = Parts::new(&scratch, "numbers");
            let mut adder = parts.adder();
            for number in 0..10_000 {
                adder.add(number % 50, &(number % 50)).unwrap();
            }
            adder.finish().unwrap();
            let (mut seen, mut reading) = (Vec::new(), Reading::default());
            for part in parts.into_parts() {
                part.each_piece(&mut reading, 300, |piece| {
                    assert_eq!(piece.len() % 200, 0);
                    assert!(piece.len() <= 400, "no more keys than are enough");
                    piece.dedup();
                    seen.append(piece);
                    Ok(())
                })
                .unwrap();
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..50).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_key_that_is_most_of_its_part_comes_last_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("scratch"), 0, 1, 2).unwrap();
        let parts = Parts::new(&scratch, "numbers");
        let mut adder = parts.adder();
        for number in 0..1000_u64 {
            adder.add(if number < 600 { 1 } else { number }, &number).unwrap();
        }
        adder.finish().unwrap();
        let mut pieces: Vec<Vec<u64>> = Vec::new();
        for part in parts.into_parts() {
            part.each_piece(&mut Reading::default(), 150, |piece| {
                pieces.push(std::mem::take(piece));
                Ok(())
            })
            .unwrap();
        }
        let lengths: Vec<usize> = pieces.iter().map(Vec::len).collect();
        assert_eq!(lengths, [150, 150, 100, 600]);
        // Within a key in order of rank, which for numbers is their own.
        assert_eq!(pieces[3], (0..600).collect::<Vec<u64>>());
    }

    #[test]
    fn several_threads_add_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("scratch"), 200_000, 8, 2).unwrap();
        let parts = Parts::new(&scratch, "numbers");
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let parts = &parts;
                scope.spawn(move || {
                    let mut adder = parts.adder();
                    (0..9000).for_each(|n| adder.add(n, &(thread * 9000 + n)).unwrap());
                    adder.finish().unwrap();
                });
            }
        });
        assert_eq!(sorted(parts.into_parts()), (8, (0..36_000).collect()));
    }

    #[test]
    fn no_file_keeps_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("scratch"), 0, 2, 2).unwrap();
        let parts: Parts<'_, u64> = Parts::new(&scratch, "numbers");
        let mut adder = parts.adder();
        adder.add(1, &1).unwrap();
        adder.finish().unwrap();
        assert_eq!(fs::read_dir(scratch.dir()).unwrap().count(), 0);
    }
}
