//! Parts of a day that wait their turn, as bytes: in memory while they are few, then on disk.
//!
//! What belongs together (a trace, a session) has one key, and so lies in one part and there in
//! one piece. However large the day, each thread has one part in memory at a time.

use std::fs::{self, File};
use std::io;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use super::bytes::Out;
use super::chunk::{Gone, Waiting, each_item, put_item};
use super::packed::{PackAs, Unpack};
use super::part::{Chunk, Held, Part, PartPlace};
use super::scratch::Scratch;
use super::threads;

/// How many bytes of one part a thread gathers before it hands them over: nearly four pages, with
/// room for the item that is one too many, so that it seldom begins a fifth.
const CHUNK: usize = (4 << 12) - 192;
/// How much of a file is written as one.
const PAGE: u64 = 4096;

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
    Memory(Vec<(usize, Held)>, usize),
    /// Each part's chunks.
    Disk(Vec<Vec<Chunk>>),
}

/// A file that holds chunks of all parts, in the order in which one thread wrote them: two that
/// wrote into one file would wait for each other.
#[derive(Debug)]
struct ChunkFile {
    file: Arc<File>,
    length: u64,
}

impl<'s, T: Unpack> Parts<'s, T> {
    /// No items yet. `name` tells these parts' file from others'.
    pub(super) fn new(scratch: &'s Scratch, name: &'static str) -> Self {
        let place = Mutex::new(Place::Memory(Vec::new(), 0));
        Self { scratch, name, place, items: PhantomData }
    }

    /// A way to add items from one thread.
    pub(super) fn adder(&self) -> Adder<'_, 's, T> {
        Adder { parts: self, chunks: vec![Out::default(); self.scratch.parts()], file: None }
    }

    /// Takes a chunk in, into the `file` of the thread that gives it, made where there is none. The
    /// one too many for memory moves all of them to disk.
    fn put(&self, part: usize, chunk: &[u8], file: &mut Option<ChunkFile>) -> io::Result<()> {
        let mut place = self.lock();
        if let Place::Memory(waiting, bytes) = &mut *place {
            *bytes += chunk.len();
            waiting.push((part, Held { bytes: chunk.to_vec(), gone: Gone::default() }));
            if *bytes > self.scratch.in_memory() {
                let waiting = std::mem::take(waiting);
                let mut chunks = vec![Vec::new(); self.scratch.parts()];
                for (part, chunk) in waiting {
                    let written = self.file(file)?.write(&chunk.bytes)?;
                    note(&mut chunks, part, written);
                }
                *place = Place::Disk(chunks);
            }
            return Ok(());
        }
        drop(place);
        let written = self.file(file)?.write(chunk)?;
        if let Place::Disk(chunks) = &mut *self.lock() {
            note(chunks, part, written);
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file<'f>(&self, file: &'f mut Option<ChunkFile>) -> io::Result<&'f mut ChunkFile> {
        let made = match file.take() {
            Some(made) => made,
            None => ChunkFile::make(self.scratch, self.name)?,
        };
        Ok(file.insert(made))
    }

    /// Where these parts wait.
    pub(super) const fn scratch(&self) -> &'s Scratch {
        self.scratch
    }

    /// Looks through the chunks, once a round of adding is over, on several threads: `sift` gets
    /// a chunk's items and notes those that it takes out. Each thread begins with a state of its
    /// own and finishes it in the end.
    pub(super) fn sift<S>(
        &mut self,
        begin: impl Fn() -> S + Sync,
        sift: impl Fn(&mut S, &[Waiting<'_>], &mut Gone) -> io::Result<()> + Sync,
        finish: impl Fn(S) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let threads = self.scratch.threads();
        match self.place.get_mut().unwrap_or_else(PoisonError::into_inner) {
            Place::Memory(held, _) => {
                let mut state = begin();
                for (_, Held { bytes, gone }) in held {
                    sift(&mut state, &items_of(bytes)?, gone)?;
                }
                finish(state)
            }
            Place::Disk(chunks) => {
                let chunks = Mutex::new(chunks.iter_mut().flatten());
                let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
                threads::on(threads, &|| {
                    let (mut state, mut bytes) = (begin(), Vec::new());
                    while let Some(chunk) = next() {
                        bytes.resize(chunk.bytes, 0);
                        chunk.read(&mut bytes)?;
                        sift(&mut state, &items_of(&bytes)?, &mut chunk.gone)?;
                    }
                    finish(state)
                })
            }
        }
    }

    /// The parts, once nothing more is added: one where all are in memory.
    pub(super) fn into_parts(self) -> Vec<Part<T>> {
        match self.place.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Place::Memory(chunks, _) => {
                let chunks = chunks.into_iter().map(|(_, chunk)| chunk).collect();
                vec![Part::at(PartPlace::Memory(chunks))]
            }
            Place::Disk(chunks) => {
                chunks.into_iter().map(|chunks| Part::at(PartPlace::Disk(chunks))).collect()
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
        Ok(Self { file: Arc::new(file), length: 0 })
    }

    /// Writes a chunk where a page of the file begins: no page is written twice.
    fn write(&mut self, chunk: &[u8]) -> io::Result<Chunk> {
        let begin = self.length.next_multiple_of(PAGE);
        self.length = begin.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        self.file.write_all_at(chunk, begin)?;
        let file = Arc::clone(&self.file);
        Ok(Chunk { file, begin, bytes: chunk.len(), gone: Gone::default() })
    }
}

fn note(chunks: &mut [Vec<Chunk>], part: usize, chunk: Chunk) {
    if let Some(chunks) = chunks.get_mut(part) {
        chunks.push(chunk);
    }
}

/// Adds items from one thread.
#[derive(Debug)]
pub(super) struct Adder<'p, 's, T> {
    parts: &'p Parts<'s, T>,
    /// What is gathered of each part.
    chunks: Vec<Out>,
    file: Option<ChunkFile>,
}

impl<T: Unpack> Adder<'_, '_, T> {
    /// Adds an item to the part of `key`.
    pub(super) fn add(&mut self, key: u64, item: &impl PackAs<T>) -> io::Result<()> {
        let part = self.part_of(key);
        let Some(chunk) = self.chunks.get_mut(part) else { return Ok(()) };
        put_item(chunk, key, |out| item.pack_as(out));
        self.hand_over_full(part)
    }

    /// Adds a value that waited elsewhere, under another key.
    pub(super) fn add_value(&mut self, key: u64, value: &[u8]) -> io::Result<()> {
        let part = self.part_of(key);
        let Some(chunk) = self.chunks.get_mut(part) else { return Ok(()) };
        put_item(chunk, key, |out| out.append(value));
        self.hand_over_full(part)
    }

    fn part_of(&self, key: u64) -> usize {
        usize::try_from(spread(key)).unwrap_or(0) % self.chunks.len()
    }

    /// Adds an item as it waited elsewhere to a part.
    pub(super) fn add_waiting(&mut self, part: usize, item: &Waiting<'_>) -> io::Result<()> {
        let Some(chunk) = self.chunks.get_mut(part) else { return Ok(()) };
        chunk.append(item.bytes);
        self.hand_over_full(part)
    }

    fn hand_over_full(&mut self, part: usize) -> io::Result<()> {
        if let Some(chunk) = self.chunks.get_mut(part).filter(|chunk| chunk.len() >= CHUNK) {
            self.parts.put(part, chunk.written(), &mut self.file)?;
            chunk.clear();
        }
        Ok(())
    }

    /// Hands the last items over.
    pub(super) fn finish(mut self) -> io::Result<()> {
        for (part, chunk) in self.chunks.iter().enumerate().filter(|(_, chunk)| chunk.len() > 0) {
            self.parts.put(part, chunk.written(), &mut self.file)?;
        }
        Ok(())
    }
}

fn items_of(chunk: &[u8]) -> io::Result<Vec<Waiting<'_>>> {
    let mut items = Vec::new();
    each_item(chunk, &Gone::default(), |_, item| {
        items.push(item);
        Ok(())
    })?;
    Ok(items)
}

/// Spreads keys, whose low bits may be anything, over the parts.
pub(super) const fn spread(key: u64) -> u64 {
    let key = (key ^ (key >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    key >> 20
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nightly::part::Reading;

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
