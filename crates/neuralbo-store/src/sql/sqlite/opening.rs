//! Connections to new, existing and read-only files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use neuralbo::store::StoreError;

use super::described;
use crate::platform::{OperatingSystem, System};
use crate::sql::driver::Stored;

/// All pages at once, a snapshot; in pieces the copy would start again after every write.
const ALL: i32 = -1;
/// The bytes of a path that are written by their numbers in a URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
/// The wait for a process with exclusive access.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens a file; threads take turns with a connection.
fn open(path: impl AsRef<Path>, flags: OpenFlags, url: &str) -> Stored<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| described(url, &error))
}

pub(super) fn make(path: &Path, url: &str) -> Stored<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    open(path, flags, url)
}

pub(super) fn existing(path: &Path, url: &str) -> Stored<Connection> {
    if !path.exists() {
        return Err(StoreError::Missing {
            url: url.to_owned(),
        });
    }
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE, url)
}

/// A file in use by others; this connection takes read locks only.
pub(super) fn read_only(path: &Path, url: &str) -> Stored<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY, url)
}

/// A file that exists and may be written.
pub(super) fn writable(path: &Path, url: &str) -> Stored<Connection> {
    let connection = existing(path, url)?;
    let read_only = |error: std::io::Error| StoreError::ReadOnly {
        url: url.to_owned(),
        reason: error.to_string(),
    };
    System::may_write(path)
        .map(|()| connection)
        .map_err(read_only)
}

/// A file in a folder without write access, such as a read-only disk. Its `-wal` file is read from a
/// copy of both.
pub(super) fn frozen(path: &Path, url: &str) -> Stored<Connection> {
    if std::fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0) {
        return with_log(path, url);
    }
    immutable(path, url)
}

/// The file alone, without its `-wal` file.
pub(super) fn immutable(path: &Path, url: &str) -> Stored<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let absolute = std::path::absolute(path).map_err(|error| unreadable(url, &error))?;
    // No writers, hence no locks.
    let bytes = System::bytes(&absolute);
    let path = percent_encode(&bytes, ENCODED);
    open(format!("file://{path}?immutable=1"), flags, url)
}

fn with_log(path: &Path, url: &str) -> Stored<Connection> {
    let failed = |error: std::io::Error| unreadable(url, &error);
    let folder = tempfile::tempdir().map_err(failed)?;
    let copy = folder.path().join("copy.db");
    std::fs::copy(path, &copy).map_err(failed)?;
    std::fs::copy(log_of(path), log_of(&copy)).map_err(failed)?;
    for file in [&copy, &log_of(&copy)] {
        System::make_private(file).map_err(failed)?;
    }
    in_memory(&existing(&copy, url)?, url)
}

fn unreadable(url: &str, error: &std::io::Error) -> StoreError {
    StoreError::Unreachable {
        url: url.to_owned(),
        reason: error.to_string(),
    }
}

/// A copy in memory.
pub(super) fn in_memory(from: &Connection, url: &str) -> Stored<Connection> {
    let mut memory = Connection::open_in_memory().map_err(|error| described(url, &error))?;
    copy(from, &mut memory).map_err(|error| described(url, &error))?;
    Ok(memory)
}

/// Copies a snapshot of a database in use.
pub(super) fn copy(from: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(from, to)?;
    while backup.step(ALL)? != StepResult::Done {
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Writes a snapshot of a database to a single file.
pub(super) fn save(from: &Connection, file: &Path, url: &str) -> Stored<()> {
    let failed = |error: rusqlite::Error| described(url, &error);
    let mut to = make(file, url)?;
    copy(from, &mut to).map_err(failed)?;
    to.pragma_update(None, "journal_mode", "DELETE")
        .map_err(failed)?;
    to.pragma_update(None, "user_version", 0).map_err(failed)?;
    let sound: String = to
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .map_err(failed)?;
    to.close().map_err(|(_, error)| failed(error))?;
    match sound.as_str() {
        "ok" => Ok(()),
        damage => Err(StoreError::Foreign {
            url: url.to_owned(),
            reason: format!("the copy is damaged: {damage}"),
        }),
    }
}

/// The file with the latest commits of a database.
pub(super) fn log_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// The index of that file.
pub(super) fn index_of(path: &Path) -> PathBuf {
    beside(path, "-shm")
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(end);
    PathBuf::from(name)
}
