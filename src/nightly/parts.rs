//! Parts of a day that wait their turn: in memory while they are few, then on disk.
//!
//! What belongs together (a trace, a session) has one key and so lies in one part. However large
//! the day, one part at a time is in memory.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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

    /// The folder.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Items by part; several threads may add at once.
#[derive(Debug)]
pub(super) struct Parts<'s, T> {
    scratch: &'s Scratch,
    name: &'static str,
    waiting: Mutex<Vec<(u64, T)>>,
    files: Mutex<Vec<PartFile>>,
}

#[derive(Debug)]
struct PartFile(BufWriter<File>);

/// How many items a thread gathers before it hands them over.
const HANDFUL: usize = 4096;

impl<'s, T: Packed> Parts<'s, T> {
    /// No items yet. `name` tells these parts' files from others'.
    pub(super) fn new(scratch: &'s Scratch, name: &'static str) -> Self {
        let (waiting, files) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        Self { scratch, name, waiting, files }
    }

    /// A way to add items from one thread.
    pub(super) fn adder(&self) -> Adder<'_, 's, T> {
        Adder { parts: self, gathered: Vec::new() }
    }

    fn take_in(&self, items: &mut Vec<(u64, T)>) -> io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.is_empty() {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.append(items);
            if waiting.len() <= self.scratch.in_memory {
                return Ok(());
            }
            *files = self.make_files()?;
            *items = std::mem::take(&mut waiting);
        }
        let mut bytes = Vec::new();
        let count = u64::try_from(files.len()).unwrap_or(1).max(1);
        for (key, item) in items.drain(..) {
            bytes.clear();
            item.pack(&mut bytes);
            let part = usize::try_from(key % count).unwrap_or(0);
            if let Some(PartFile(file)) = files.get_mut(part) {
                file.write_all(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes())?;
                file.write_all(&bytes)?;
            }
        }
        Ok(())
    }

    /// Makes the files. Where the system allows it they have no name any longer, so that nothing
    /// is left when the process is killed.
    fn make_files(&self) -> io::Result<Vec<PartFile>> {
        fs::create_dir_all(self.scratch.dir())?;
        let make = |part: usize| {
            let path = self.scratch.dir().join(format!("{}-{part}", self.name));
            let file =
                File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
            // A system that keeps open files named leaves this to `Scratch::clear`.
            let _is_nameless = fs::remove_file(&path).is_ok();
            Ok(PartFile(BufWriter::with_capacity(1 << 15, file)))
        };
        (0..self.scratch.parts).map(make).collect()
    }

    /// The parts, once nothing more is added.
    pub(super) fn into_parts(self) -> io::Result<Vec<Part<T>>> {
        let files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let waiting = self.waiting.into_inner().unwrap_or_else(PoisonError::into_inner);
        if files.is_empty() {
            return Ok(vec![Part::Memory(waiting.into_iter().map(|(_, item)| item).collect())]);
        }
        let finish = |PartFile(file): PartFile| {
            let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            Ok(Part::File(file, PhantomData))
        };
        files.into_iter().map(finish).collect()
    }
}

/// Adds items from one thread.
#[derive(Debug)]
pub(super) struct Adder<'p, 's, T> {
    parts: &'p Parts<'s, T>,
    gathered: Vec<(u64, T)>,
}

impl<T: Packed> Adder<'_, '_, T> {
    /// Adds an item to the part of `key`.
    pub(super) fn add(&mut self, key: u64, item: T) -> io::Result<()> {
        self.gathered.push((spread(key), item));
        if self.gathered.len() >= HANDFUL { self.parts.take_in(&mut self.gathered) } else { Ok(()) }
    }

    /// Hands the last items over.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.parts.take_in(&mut self.gathered)
    }
}

/// One part.
#[derive(Debug)]
pub(super) enum Part<T> {
    /// All there is.
    Memory(Vec<T>),
    /// A part on disk.
    File(File, PhantomData<T>),
}

impl<T: Packed> Part<T> {
    /// The part's items.
    pub(super) fn load(self) -> io::Result<Vec<T>> {
        let file = match self {
            Self::Memory(items) => return Ok(items),
            Self::File(file, _) => file,
        };
        let mut file = BufReader::with_capacity(1 << 16, file);
        let (mut items, mut bytes) = (Vec::new(), Vec::new());
        let mut length = [0; 4];
        while !is_at_end(&mut file, &mut length)? {
            bytes.resize(usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX), 0);
            file.read_exact(&mut bytes)?;
            let item = T::unpack(&mut bytes.as_slice());
            items.push(item.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?);
        }
        Ok(items)
    }
}

fn is_at_end(file: &mut impl Read, length: &mut [u8; 4]) -> io::Result<bool> {
    match file.read_exact(length) {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(true),
        Err(error) => Err(error),
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
            let (found, all) = sorted(parts.into_parts().unwrap());
            assert_eq!(found, filled, "of {count}");
            assert_eq!(all, (0..count).collect::<Vec<u64>>());
            scratch.clear().unwrap();
            assert!(!scratch.dir().exists());
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
        for part in parts.into_parts().unwrap() {
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
    fn no_file_keeps_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::at(folder.path().join("scratch"), 0, 2).unwrap();
        let parts: Parts<'_, u64> = Parts::new(&scratch, "numbers");
        let mut adder = parts.adder();
        adder.add(1, 1).unwrap();
        adder.finish().unwrap();
        assert_eq!(fs::read_dir(scratch.dir()).unwrap().count(), 0);
    }
}
