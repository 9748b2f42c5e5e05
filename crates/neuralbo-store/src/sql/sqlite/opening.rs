//! Connections to new, existing and read-only files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use neuralbo::store::StoreError;

use super::described;
use crate::platform::{OperatingSystem, System};
use crate::sql::driver::Stored;

/// All pages at once, a snapshot; in pieces the copy would start again after every write.
const ALL: i32 = -1;
/// The wait for a process with exclusive access.
const PAUSE: Duration = Duration::from_millis(5);

pub(super) fn make(path: &Path, url: &str) -> Stored<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| described(url, &error))
}

pub(super) fn existing(path: &Path, url: &str) -> Stored<Connection> {
    if !path.exists() {
        return Err(StoreError::Missing {
            url: url.to_owned(),
        });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| described(url, &error))
}

/// A file in use by others; this connection takes read locks only.
pub(super) fn read_only(path: &Path, url: &str) -> Stored<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| described(url, &error))
}

/// A file that exists and may be written.
pub(super) fn writable(path: &Path, url: &str) -> Stored<Connection> {
    let connection = existing(path, url)?;
    match System::may_write(path) {
        Ok(()) => Ok(connection),
        Err(error) => Err(StoreError::ReadOnly {
            url: url.to_owned(),
            reason: error.to_string(),
        }),
    }
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
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let absolute = std::path::absolute(path).map_err(|error| unreadable(url, &error))?;
    Connection::open_with_flags(uri(&absolute), flags).map_err(|error| described(url, &error))
}

/// `file:///path?immutable=1`: no writers, hence no locks.
fn uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = System::bytes(path);
    let encoded = bytes.iter().map(|byte| match plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file://{}?immutable=1", encoded.collect::<String>())
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
