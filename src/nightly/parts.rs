//! Parts of a day that wait their turn: in memory while they are few, then on disk.
//!
//! What belongs together (a trace, a session) has one key and so lies in one part. However large
//! the day, one part at a time is in memory.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::packed::Packed;

/// Where parts wait, and when they leave memory.
#[derive(Debug, Clone)]
pub(super) struct Scratch {
    dir: PathBuf,
    /// How many items stay in memory.
    in_memory: usize,
    /// Into how many parts the others go.
    parts: usize,
}

impl Scratch {
    /// Waiting in the folder `dir`, which need not exist. What an earlier pass left there is
    /// removed.
    pub(super) fn at(dir: PathBuf, in_memory: usize, parts: usize) -> io::Result<Self> {
        remove(&dir)?;
        Ok(Self { dir, in_memory, parts: parts.max(1) })
    }

    /// Removes the folder.
    pub(super) fn clear(&self) -> io::Result<()> {
        remove(&self.dir)
    }
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// How many items a thread gathers before it hands them over, while they are few.
const HANDFUL: usize = 4096;
/// How many bytes of one part a thread gathers before it writes them.
const CHUNK: usize = 1 << 14;

/// Items by part; several threads may add at once.
#[derive(Debug)]
pub(super) struct Parts<'s, T> {
    scratch: &'s Scratch,
    name: &'static str,
    is_on_disk: AtomicBool,
    place: Mutex<Place<T>>,
}

#[derive(Debug)]
enum Place<T> {
    Memory(Vec<(u64, T)>),
    Disk(ChunkFile),
}

/// One file that holds chunks of all parts, in the order in which they were written.
#[derive(Debug)]
struct ChunkFile {
    file: File,
    length: u64,
    /// Each part's chunks.
    chunks: Vec<Vec<Chunk>>,
}

/// A chunk of one part: where it begins, how many bytes it has, and how many items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk {
    begin: u64,
    bytes: usize,
    items: usize,
}

/// A chunk while it is gathered: its bytes, and how many items they are.
type Gathered = (Vec<u8>, usize);

impl<'s, T: Packed> Parts<'s, T> {
    /// No items yet. `name` tells these parts' file from others'.
    pub(super) fn new(scratch: &'s Scratch, name: &'static str) -> Self {
        let place = Mutex::new(Place::Memory(Vec::new()));
        Self { scratch, name, is_on_disk: AtomicBool::new(false), place }
    }

    /// A way to add items from one thread.
    pub(super) fn adder(&self) -> Adder<'_, 's, T> {
        Adder { parts: self, gathered: Vec::new(), chunks: Vec::new() }
    }

    /// Takes items in while they are few. The one too many moves all of them to disk.
    fn take_in(&self, items: &mut Vec<(u64, T)>) -> io::Result<()> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let Place::Memory(waiting) = &mut *place else { return Ok(()) };
        waiting.append(items);
        if waiting.len() <= self.scratch.in_memory {
            return Ok(());
        }
        let all = std::mem::take(waiting);
        *place = Place::Disk(ChunkFile::make(self.scratch, self.name)?);
        self.is_on_disk.store(true, Ordering::Release);
        drop(place);
        let mut adder = self.adder();
        for (key, item) in all {
            adder.add_to_chunk(key, &item)?;
        }
        adder.finish()
    }

    fn write(&self, part: usize, (bytes, items): &mut Gathered) -> io::Result<()> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Place::Disk(file) = &mut *place {
            file.write(part, bytes, *items)?;
        }
        bytes.clear();
        *items = 0;
        Ok(())
    }

    /// The parts, once nothing more is added.
    pub(super) fn into_parts(self) -> Vec<Part<T>> {
        match self.place.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Place::Memory(items) => {
                vec![Part::Memory(items.into_iter().map(|(_, item)| item).collect())]
            }
            Place::Disk(ChunkFile { file, chunks, .. }) => {
                let file = Arc::new(file);
                let part = |chunks| Part::Disk { file: Arc::clone(&file), chunks };
                chunks.into_iter().map(part).collect()
            }
        }
    }
}

impl ChunkFile {
    /// Makes the file. Where the system allows it it has no name any longer, so that nothing is
    /// left when the process is killed.
    fn make(scratch: &Scratch, name: &str) -> io::Result<Self> {
        fs::create_dir_all(&scratch.dir)?;
        let path = scratch.dir.join(name);
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        // A system that keeps open files named leaves this to `Scratch::clear`.
        let _is_nameless = fs::remove_file(&path).is_ok();
        Ok(Self { file, length: 0, chunks: vec![Vec::new(); scratch.parts] })
    }

    fn write(&mut self, part: usize, bytes: &[u8], items: usize) -> io::Result<()> {
        self.file.write_all_at(bytes, self.length)?;
        if let Some(chunks) = self.chunks.get_mut(part) {
            chunks.push(Chunk { begin: self.length, bytes: bytes.len(), items });
        }
        self.length += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(())
    }
}

/// Adds items from one thread.
#[derive(Debug)]
pub(super) struct Adder<'p, 's, T> {
    parts: &'p Parts<'s, T>,
    gathered: Vec<(u64, T)>,
    chunks: Vec<Gathered>,
}

impl<T: Packed> Adder<'_, '_, T> {
    /// Adds an item to the part of `key`.
    pub(super) fn add(&mut self, key: u64, item: T) -> io::Result<()> {
        if self.parts.is_on_disk.load(Ordering::Acquire) {
            return self.add_to_chunk(key, &item);
        }
        self.gathered.push((key, item));
        if self.gathered.len() >= HANDFUL { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> io::Result<()> {
        self.parts.take_in(&mut self.gathered)?;
        // What was not taken in belongs on the disk, for another thread brought the one too many.
        for (key, item) in std::mem::take(&mut self.gathered) {
            self.add_to_chunk(key, &item)?;
        }
        Ok(())
    }

    fn add_to_chunk(&mut self, key: u64, item: &T) -> io::Result<()> {
        let count = self.parts.scratch.parts;
        self.chunks.resize_with(count, Gathered::default);
        let part = usize::try_from(spread(key)).unwrap_or(0) % count;
        if let Some(chunk) = self.chunks.get_mut(part) {
            item.pack(&mut chunk.0);
            chunk.1 += 1;
            if chunk.0.len() >= CHUNK {
                self.parts.write(part, chunk)?;
            }
        }
        Ok(())
    }

    /// Hands the last items over.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.hand_over()?;
        for (part, chunk) in self.chunks.iter_mut().enumerate() {
            if chunk.1 > 0 {
                self.parts.write(part, chunk)?;
            }
        }
        Ok(())
    }
}

/// One part.
#[derive(Debug)]
pub(super) enum Part<T> {
    /// All there is.
    Memory(Vec<T>),
    /// A part on disk.
    Disk {
        /// The file that it shares with the others.
        file: Arc<File>,
        /// Its chunks.
        chunks: Vec<Chunk>,
    },
}

impl<T: Packed> Part<T> {
    /// The part's items.
    pub(super) fn load(self) -> io::Result<Vec<T>> {
        let (file, chunks) = match self {
            Self::Memory(items) => return Ok(items),
            Self::Disk { file, chunks } => (file, chunks),
        };
        let count = chunks.iter().map(|chunk| chunk.items).sum();
        let (mut items, mut bytes) = (Vec::with_capacity(count), Vec::new());
        for chunk in chunks {
            bytes.resize(chunk.bytes, 0);
            file.read_exact_at(&mut bytes, chunk.begin)?;
            let mut from = bytes.as_slice();
            while !from.is_empty() {
                let item = T::unpack(&mut from);
                items.push(item.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?);
            }
        }
        Ok(items)
    }
}

/// Spreads keys, whose low bits may be anything, over the parts.
const fn spread(key: u64) -> u64 {
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

    #[test]
    fn few_items_stay_in_memory_and_many_go_to_disk_and_none_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        for (count, filled) in [(0, 0), (100, 1), (101, 8), (20_000, 8)] {
            let scratch = Scratch::at(folder.path().join("scratch"), 100, 8).unwrap();
            let parts = Parts::new(&scratch, "numbers");
            let mut adder = parts.adder();
            for number in 0..count {
                adder.add(number, number).unwrap();
            }
            adder.finish().unwrap();
            let (found, all) = sorted(parts.into_parts());
            assert_eq!(found, filled, "of {count}");
            assert_eq!(all, (0..count).collect::<Vec<u64>>());
            scratch.clear().unwrap();
            assert!(!scratch.dir.exists());
        }
    }

    #[test]
    fn what_has_one_key_lies_in_one_part() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("scratch"), 0, 8).unwrap();
        let parts = Parts::new(&scratch, "numbers");
        let mut adder = parts.adder();
        for number in 0..10_000 {
            adder.add(number % 50, number % 50).unwrap();
        }
        adder.finish().unwrap();
        let mut seen = Vec::new();
        for part in parts.into_parts() {
            let mut keys = part.load().unwrap();
            assert_eq!(keys.len() % 200, 0);
            keys.sort_unstable();
            keys.dedup();
            seen.extend(keys);
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<u64>>());
    }

    #[test]
    fn several_threads_add_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("scratch"), 10_000, 8).unwrap();
        let parts = Parts::new(&scratch, "numbers");
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let parts = &parts;
                scope.spawn(move || {
                    let mut adder = parts.adder();
                    (0..9000).for_each(|n| adder.add(n, thread * 9000 + n).unwrap());
                    adder.finish().unwrap();
                });
            }
        });
        assert_eq!(sorted(parts.into_parts()), (8, (0..36_000).collect()));
    }

    #[test]
    fn no_file_keeps_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("scratch"), 0, 2).unwrap();
        let parts: Parts<'_, u64> = Parts::new(&scratch, "numbers");
        let mut adder = parts.adder();
        adder.add(1, 1).unwrap();
        adder.finish().unwrap();
        assert_eq!(fs::read_dir(&scratch.dir).unwrap().count(), 0);
    }
}
