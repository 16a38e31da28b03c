//! The dictionary of one day file: names are numbered in the order in which they first come.
//!
//! It is only ever added to, in the same transaction as the rows that use it, so any reader that
//! sees a row sees its names. A checksum beside each name tells damage.

use std::collections::HashMap;

use rusqlite::Connection;

use super::wire::checksum;
use crate::call::Name;

/// Names that one day's dictionary takes. Later ones stand in the rows in full, so that a sender
/// with ever new names costs disk and not memory.
const MAX_NAMES: u64 = 65_536;

/// The writer's side: the names of one file by their number, in memory.
#[derive(Debug, Default)]
pub(super) struct NameBook {
    numbers: HashMap<Name, u64>,
    /// Numbered since the last [`NameBook::save`], in order.
    fresh: Vec<Name>,
    last: u64,
}

impl NameBook {
    /// The names that the file holds.
    pub(super) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let mut numbers = HashMap::new();
        let mut last = 0;
        for name in read(connection)? {
            last += 1;
            // A damaged name keeps its number and is never used again.
            numbers.extend(name.map(|name| (name, last)));
        }
        Ok(Self { numbers, fresh: Vec::new(), last })
    }

    /// The name's number, a new one where it has none; none where the dictionary is full.
    pub(super) fn number(&mut self, name: &Name) -> Option<u64> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        if self.last >= MAX_NAMES {
            return None;
        }
        self.last += 1;
        self.numbers.insert(name.clone(), self.last);
        self.fresh.push(name.clone());
        Some(self.last)
    }

    /// Writes the new names. Where the transaction around it fails, the book is to be thrown away.
    pub(super) fn save(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut insert = connection
            .prepare_cached("INSERT INTO names (id, name, checksum) VALUES (?1, ?2, ?3)")?;
        let first = self.last.saturating_sub(u64::try_from(self.fresh.len()).unwrap_or(self.last));
        for (number, name) in (first + 1..).zip(self.fresh.drain(..)) {
            let text = name.as_str();
            insert.execute((number.cast_signed(), text, checksum(text.as_bytes())))?;
        }
        Ok(())
    }
}

/// The names in the order of their numbers, the first one being number 1. A name that is damaged
/// is none, and so is every name that comes after a gap.
pub(super) fn read(connection: &Connection) -> rusqlite::Result<Vec<Option<Name>>> {
    let mut select = connection.prepare("SELECT id, name, checksum FROM names ORDER BY id")?;
    let mut rows = select.query([])?;
    let mut names = Vec::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        if usize::try_from(number).ok() != Some(names.len() + 1) {
            break;
        }
        let bytes = row.get_ref(1)?.as_bytes().unwrap_or_default();
        let is_sound = i64::from(checksum(bytes)) == row.get::<_, i64>(2)?;
        let text = str::from_utf8(bytes).ok().filter(|_text| is_sound);
        names.push(text.and_then(Name::exact));
    }
    Ok(names)
}
