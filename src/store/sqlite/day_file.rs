//! One file of sightings: adding batches, reading them back, and how far they have come.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, Statement};

use super::database::{self, At, FileIdentity, to_sql};
use super::log_check;
use super::name_code::Numberer;
use super::names::NameBook;
use super::read_attempts::numbered_names;
use super::row::{self, Packed};
use super::unpack::{self, NameReader};
use super::wire::checksum;
use super::{attempt_row, recovery_row};
use crate::call::{Attempt, CallDuration, Day, Name, Sighting, UnixNanos};
use crate::store::error::{Damage, StoreError};
use crate::store::stored::StoredSighting;
use crate::store::watermark::FileMark;

/// How much of a day's beginning can touch the figures of the day before.
const HEAD: CallDuration = CallDuration::from_secs(15 * 60);

/// How much of a day's end can touch the figures of the day after.
const TAIL: CallDuration = CallDuration::from_secs(60 * 60);

/// Rows of one BLOB at most, so that a reader's memory has a bound.
const MAX_BLOB_ROWS: usize = 10_000;

/// The columns of `batches` that are written.
pub(super) const BATCHES: &[&str] = &[
    "id",
    "sightings",
    "min_start",
    "max_start",
    "received",
    "touches_head",
    "touches_tail",
    "head_checksum",
    "checksum",
    "packed",
    "recovery",
    "attempts",
];

/// A day file that is open for writing, with its dictionary in memory.
#[derive(Debug)]
pub(super) struct DayWriter {
    day: Day,
    file: PathBuf,
    identity: Option<FileIdentity>,
    connection: Connection,
    names: NameBook,
}

impl DayWriter {
    /// Opens or makes the day's file.
    pub(super) fn open(
        file: PathBuf,
        day: Day,
        max_bytes: Option<u64>,
    ) -> Result<Self, StoreError> {
        let connection = database::open_or_make(&file, &database::DAY)?;
        if let Some(max_bytes) = max_bytes {
            let pages = to_sql(max_bytes / database::PAGE_BYTES).max(1);
            connection
                .pragma_update_and_check(None, "max_page_count", pages, |_row| Ok(()))
                .at(&file)?;
        }
        let names = NameBook::load(&connection).at(&file)?;
        Ok(Self { day, identity: FileIdentity::of(&file), file, connection, names })
    }

    /// The day.
    pub(super) const fn day(&self) -> Day {
        self.day
    }

    /// Whether the path still leads to the file that is open: writing on into a deleted file
    /// would answer for sightings that are gone.
    pub(super) fn is_in_place(&self) -> bool {
        self.identity.is_some() && self.identity == FileIdentity::of(&self.file)
    }

    /// Begins a transaction and adds rows to it. After an error, here or in what follows, the
    /// writer is to be dropped, which rolls back what was begun.
    pub(super) fn begin(&mut self, rows: &DayRows<'_>) -> Result<(), StoreError> {
        let Self { day, file, connection, names, .. } = self;
        append(connection, names, *day, rows).at(file)
    }

    /// Writes what was begun to the disk, which shows whether there is room, and commits nothing.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.connection.cache_flush().at(&self.file)
    }

    /// Commits what was begun, synced when this returns.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        self.connection.execute_batch("COMMIT").at(&self.file)
    }
}

/// What one group commit adds to one day's file.
#[derive(Debug, Default)]
pub(super) struct DayRows<'a> {
    pub(super) sightings: Vec<&'a Sighting>,
    pub(super) attempts: Vec<&'a Attempt>,
    /// When the attempts were received.
    pub(super) received: Option<UnixNanos>,
}

fn append(
    connection: &Connection,
    names: &mut NameBook,
    day: Day,
    rows: &DayRows<'_>,
) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let last = "SELECT coalesce(max(id), 0) FROM batches";
    let last: i64 = connection.query_row(last, [], |row| row.get(0))?;
    let received = rows.received.unwrap_or(day.start());
    let mut sightings = rows.sightings.chunks(MAX_BLOB_ROWS);
    let mut attempts = rows.attempts.chunks(MAX_BLOB_ROWS);
    for id in last.saturating_add(1).. {
        let (next, beside) = (sightings.next(), attempts.next());
        if next.is_none() && beside.is_none() {
            break;
        }
        let (rows, beside) = (next.unwrap_or_default(), beside.unwrap_or_default());
        let number = &mut |name: &Name| names.number(name);
        let Some(packed) = pack(rows, beside, received, number) else { continue };
        let further = Further {
            recovery: recovery_row::pack(rows, number),
            attempts: attempt_row::pack(beside, number),
        };
        names.save(connection)?;
        let head = Head {
            id,
            sightings: i64::try_from(rows.len()).unwrap_or(i64::MAX),
            min_start: to_sql(packed.min_start.get()),
            max_start: to_sql(packed.max_start.get()),
            received: to_sql(packed.received.get()),
        };
        insert(connection, day, &head, &packed, &further)?;
    }
    Ok(())
}

/// What stands in columns of its own beside a batch's packed sightings.
struct Further {
    recovery: Option<Vec<u8>>,
    attempts: Option<Vec<u8>>,
}

/// The packed sightings of one batch. Its times span the attempts beside them as well.
fn pack(
    rows: &[&Sighting],
    attempts: &[&Attempt],
    received: UnixNanos,
    number: &mut Numberer<'_>,
) -> Option<Packed> {
    let starts = || attempts.iter().map(|attempt| attempt.start);
    let Some((first, last)) = starts().min().zip(starts().max()) else {
        return row::pack(rows, number);
    };
    let packed = row::pack(rows, number).unwrap_or_else(|| row::pack_none(first, last, received));
    let (min_start, max_start) = (packed.min_start.min(first), packed.max_start.max(last));
    Some(Packed { min_start, max_start, ..packed })
}

/// What is known of a batch without its BLOB, with a checksum of its own: a damaged number must
/// not make a reader pass a batch over in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) id: i64,
    pub(super) sightings: i64,
    min_start: i64,
    max_start: i64,
    pub(super) received: i64,
}

impl Head {
    fn checksum(&self) -> u32 {
        let Self { id, sightings, min_start, max_start, received } = *self;
        let numbers = [id, sightings, min_start, max_start, received].map(i64::to_le_bytes);
        checksum(numbers.as_flattened())
    }

    fn is_within(&self, from: i64, to: i64) -> bool {
        self.max_start >= from && self.min_start <= to
    }
}

fn insert(
    connection: &Connection,
    day: Day,
    head: &Head,
    packed: &Packed,
    further: &Further,
) -> rusqlite::Result<()> {
    let touches_head = packed.min_start < day.start().saturating_add(HEAD);
    let touches_tail = packed.max_start >= day.end().saturating_sub(TAIL);
    let mut insert =
        connection.prepare_cached(&crate::store::columns::insert_into("batches", BATCHES))?;
    insert.execute((
        head.id,
        head.sightings,
        head.min_start,
        head.max_start,
        head.received,
        touches_head,
        touches_tail,
        head.checksum(),
        checksum(&packed.bytes),
        &packed.bytes,
        &further.recovery,
        &further.attempts,
    ))?;
    Ok(())
}

/// Hands every sighting of `file` that starts in `[from, to)` to `visit`, batch by batch, with
/// each name as what `name` makes of it. Damaged batches are left out and the first of them is the
/// error, once all were visited. An absent file holds nothing.
pub(super) fn read<N: Clone>(
    file: &Path,
    (from, to): (UnixNanos, UnixNanos),
    name: &mut dyn FnMut(&Name) -> N,
    visit: &mut dyn FnMut(StoredSighting<'_, N>),
) -> Result<(), StoreError> {
    let Some(mut connection) = database::open_existing(file, &database::DAY)? else {
        return Ok(());
    };
    // One read transaction: the names are those of the batches that it sees.
    let transaction = connection.transaction().at(file)?;
    let numbered = numbered_names(&transaction, name).at(file)?;
    let mut names = NameReader { numbered: &numbered, in_full: name };
    let mut heads = transaction.prepare(HEADS).at(file)?;
    let mut blobs = transaction.prepare(BLOB).at(file)?;
    let mut rows = heads.query([]).at(file)?;
    let (mut damaged, mut next) = (None, 1_i64);
    while let Some(row) = rows.next().at(file)? {
        let (head, is_sound) = head(row).at(file)?;
        // Ids have no gaps; where one is missing, SQLite lost it.
        let is_sound = is_sound && head.id == next;
        next = head.id.saturating_add(1);
        // Instants past 2^63 are kept as 2^63 - 1, so the upper bound is compared inclusively
        // here and exactly below.
        if is_sound && !head.is_within(to_sql(from.get()), to_sql(to.get())) {
            continue;
        }
        let mut visit = |row: StoredSighting<'_, N>| {
            if from <= row.start && row.start < to {
                visit(row);
            }
        };
        if !is_sound || !blob(&mut blobs, &head, &mut names, &mut visit).at(file)? {
            damaged = damaged.or(Some(head.id));
        }
    }
    damaged.map_or(Ok(()), |batch| {
        Err(StoreError::Corrupt { file: file.into(), damage: Damage::Batch(batch) })
    })
}

/// Fails where commits of the day's log were lost and what is read is more than a margin of a
/// neighbour, whose figures the loss must not hold up.
pub(super) fn check_log(
    file: &Path,
    day: Day,
    (from, to): (UnixNanos, UnixNanos),
) -> Result<(), StoreError> {
    let log = log_check::broken_log(file);
    let is_margin =
        to <= day.start().saturating_add(HEAD) || from >= day.end().saturating_sub(TAIL);
    if !is_margin && fs::exists(&log).at(&log)? {
        return Err(StoreError::Corrupt { file: log, damage: Damage::Log });
    }
    Ok(())
}

pub(super) const HEADS: &str = "SELECT id, sightings, min_start, max_start, received, head_checksum
    FROM batches ORDER BY id";

pub(super) const BLOB: &str = "SELECT checksum, packed, recovery FROM batches WHERE id = ?1";

/// A batch's head, and whether its checksum holds.
pub(super) fn head(row: &Row<'_>) -> rusqlite::Result<(Head, bool)> {
    let head = Head {
        id: row.get(0)?,
        sightings: row.get(1)?,
        min_start: row.get(2)?,
        max_start: row.get(3)?,
        received: row.get(4)?,
    };
    Ok((head, i64::from(head.checksum()) == row.get::<_, i64>(5)?))
}

/// Visits the sightings of one batch. Whether it is sound: of one whose checksum holds and whose
/// rows are none all the same, those before the damage have been visited.
pub(super) fn blob<N: Clone>(
    select: &mut Statement<'_>,
    head: &Head,
    names: &mut NameReader<'_, N>,
    visit: &mut impl FnMut(StoredSighting<'_, N>),
) -> rusqlite::Result<bool> {
    let mut rows = select.query([head.id])?;
    let Some(row) = rows.next()? else {
        return Ok(false);
    };
    let packed = row.get_ref(1)?.as_blob().unwrap_or_default();
    if i64::from(checksum(packed)) != row.get::<_, i64>(0)? {
        return Ok(false);
    }
    // The names of both are read by one reader, so the recovery comes first and whole.
    let told = match row.get_ref(2)?.as_blob() {
        Ok(recovery) => recovery_row::unpack(recovery, names),
        Err(_) => Ok(Vec::new()), // null
    };
    let Ok(told) = told else { return Ok(false) };
    let count = unpack::unpack(packed, told, names, visit);
    Ok(count.is_ok_and(|count| u64::try_from(head.sightings) == Ok(count)))
}

/// Which batches of a file count for a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Those that touch the first quarter of an hour.
    Head,
    /// All.
    Whole,
    /// Those that touch the last hour.
    Tail,
}

impl Part {
    /// The query for the last batch's id.
    pub(super) const fn query(self) -> &'static str {
        match self {
            Self::Head => {
                "SELECT token, (SELECT max(id) FROM batches WHERE touches_head = 1) FROM file"
            }
            Self::Whole => "SELECT token, (SELECT max(id) FROM batches) FROM file",
            Self::Tail => {
                "SELECT token, (SELECT max(id) FROM batches WHERE touches_tail = 1) FROM file"
            }
        }
    }
}

/// How far a part of the file has come; none where there is no file or nothing in that part.
pub(super) fn mark(file: &Path, part: Part) -> Result<Option<FileMark>, StoreError> {
    let Some(connection) = database::open_existing(file, &database::DAY)? else {
        return Ok(None);
    };
    let found = connection
        .query_row(part.query(), [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
        })
        .optional()
        .at(file)?;
    let Some((token, Some(last))) = found else {
        return Ok(None);
    };
    Ok(Some(FileMark { file: token.cast_unsigned(), last_batch: last.cast_unsigned() }))
}
