//! Whether a write-ahead log is whole (SQLite file format, section 4).
//!
//! SQLite reads a log up to the first frame that does not match its checksum, and passes over
//! the rest in silence: after a power cut that is a commit that nobody was answered for. But a
//! byte that the disk has lost in the middle would take answered commits with it. So a log is
//! looked at before SQLite is, and one that is broken within is kept aside and told.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::database::At;
use crate::store::error::StoreError;

/// How a log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LogEnd {
    /// With its last frame.
    Whole,
    /// Within its last commit, as a machine without power leaves it.
    Torn,
    /// Before commits that were synced.
    Broken,
}

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Where the log of `file` is kept aside, once it was found broken.
pub(super) fn broken_log(file: &Path) -> PathBuf {
    beside(file, "-wal.damaged")
}

/// Looks at the log of `file`; one that is broken is copied aside before anything overwrites it.
/// A torn one is told only where `nobody_writes`: beside a writer its end may be on its way.
pub(super) fn look(file: &Path, nobody_writes: bool) -> Result<(), StoreError> {
    let log = beside(file, "-wal");
    let Some(mut bytes) = read(&log)? else { return Ok(()) };
    let mut end = judge(&bytes);
    if end == LogEnd::Broken {
        // A writer may have begun the log anew while it was read: damage is there twice.
        let Some(again) = read(&log)? else { return Ok(()) };
        (end, bytes) = (judge(&again), again);
    }
    match end {
        LogEnd::Whole => {}
        LogEnd::Torn if !nobody_writes => {}
        LogEnd::Torn => {
            tracing::warn!(log = %log.display(), "the log ends within a commit, which is left out");
        }
        LogEnd::Broken => keep_aside(file, &log, &bytes)?,
    }
    Ok(())
}

fn read(log: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some).at(log),
    }
}

fn keep_aside(file: &Path, log: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let aside = broken_log(file);
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside);
    let mut made = match made {
        // The first one tells more than what is left after it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        made => made.at(&aside)?,
    };
    made.write_all(bytes).at(&aside)?;
    made.sync_all().at(&aside)?;
    tracing::error!(
        log = %log.display(),
        kept_as = %aside.display(),
        "the log is damaged within: commits after the damage are lost, those before stay"
    );
    Ok(())
}

/// Four bytes as the file format has them.
fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// A log's checksum, carried on over `bytes`.
fn sum(order: fn([u8; 4]) -> u32, (mut low, mut high): (u32, u32), bytes: &[u8]) -> (u32, u32) {
    let (words, _rest) = bytes.as_chunks::<4>();
    let (pairs, _odd) = words.as_chunks::<2>();
    for [first, second] in pairs {
        low = low.wrapping_add(order(*first)).wrapping_add(high);
        high = high.wrapping_add(order(*second)).wrapping_add(low);
    }
    (low, high)
}

fn judge(log: &[u8]) -> LogEnd {
    let Some((header, frames)) = log.split_first_chunk::<HEADER>() else {
        return if log.is_empty() { LogEnd::Whole } else { LogEnd::Torn };
    };
    let order = match number(header, 0) {
        0x377f_0682 => u32::from_le_bytes,
        0x377f_0683 => u32::from_be_bytes,
        // Made longer and never written.
        0 if log.iter().all(|byte| *byte == 0) => return LogEnd::Torn,
        _ => return LogEnd::Broken,
    };
    let mut running = sum(order, (0, 0), header.get(..24).unwrap_or_default());
    let page = usize::try_from(number(header, 8)).unwrap_or(0);
    if running != (number(header, 24), number(header, 28)) || !page.is_power_of_two() {
        return LogEnd::Broken;
    }
    let salts = header.get(16..24).unwrap_or_default();
    let (mut has_ended, mut is_torn, mut has_commit_after) = (false, false, false);
    let frames = frames.chunks_exact(FRAME_HEADER + page);
    is_torn |= !frames.remainder().is_empty();
    for frame in frames {
        let (head, content) = frame.split_at_checked(FRAME_HEADER).unwrap_or_default();
        // Frames of before the log was last begun anew have other salts.
        let is_current = head.get(8..16) == Some(salts);
        let claimed = (number(head, 16), number(head, 20));
        let found = sum(order, sum(order, running, head.get(..8).unwrap_or_default()), content);
        let is_genuine = is_current && found == claimed;
        if has_ended && is_genuine && has_commit_after {
            // Written after a later commit was synced, so the end was synced as well.
            return LogEnd::Broken;
        }
        has_ended |= !is_genuine;
        is_torn |= has_ended && is_current;
        has_commit_after |= has_ended && is_current && number(head, 4) != 0;
        // A frame is genuine if it carries on from what the one before it claims.
        running = claimed;
    }
    if is_torn { LogEnd::Torn } else { LogEnd::Whole }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// The log of a database with some commits, never copied into its file.
    fn log_of(commits: u32) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.sqlite");
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x)").unwrap();
        for number in 0..commits {
            connection.execute("INSERT INTO t VALUES (zeroblob(9000) || ?1)", [number]).unwrap();
        }
        fs::read(beside(&file, "-wal")).unwrap()
    }

    #[test]
    fn sqlites_own_logs_are_whole_and_cut_ones_are_torn() {
        let log = log_of(5);
        assert_eq!(judge(&log), LogEnd::Whole);
        assert_eq!(judge(&[]), LogEnd::Whole);
        let frame = FRAME_HEADER + 4096;
        for cut in (1..log.len()).step_by(53) {
            let is_between = cut >= HEADER && (cut - HEADER).is_multiple_of(frame);
            let end = if is_between { LogEnd::Whole } else { LogEnd::Torn };
            assert_eq!(judge(&log[..cut]), end, "{cut}");
        }
    }

    #[test]
    fn a_flipped_byte_before_the_last_commit_is_damage_and_in_it_a_tear() {
        let log = log_of(5);
        let last_commit = log.len() - log_of(5).len().saturating_sub(log_of(4).len());
        for at in (0..log.len()).step_by(97) {
            let mut flipped = log.clone();
            flipped[at] ^= 0x10;
            let end = judge(&flipped);
            if at < last_commit {
                assert_eq!(end, LogEnd::Broken, "byte {at}");
            } else {
                assert_ne!(end, LogEnd::Whole, "byte {at}");
            }
        }
    }

    #[test]
    fn frames_of_before_the_log_was_begun_anew_are_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.sqlite");
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x)").unwrap();
        for _ in 0..20 {
            connection.execute("INSERT INTO t VALUES (zeroblob(9000))", []).unwrap();
        }
        let before = fs::metadata(beside(&file, "-wal")).unwrap().len();
        let checkpoint = |_: &rusqlite::Row<'_>| Ok(());
        connection.query_row("PRAGMA wal_checkpoint(FULL)", [], checkpoint).unwrap();
        connection.execute("INSERT INTO t VALUES (1)", []).unwrap();
        let log = fs::read(beside(&file, "-wal")).unwrap();
        assert_eq!(log.len() as u64, before, "the log is begun anew, not cut");
        assert_eq!(judge(&log), LogEnd::Whole);
    }
}
