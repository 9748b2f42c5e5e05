//! Ways to a connection: to a file that is made, that exists, or that nobody may write.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use neuralbo::store::StoreError;

use super::described;
use crate::platform::{Platform, System};

/// All pages at once: one state of the database, whoever writes meanwhile; in pieces it would begin again after every write.
const ALL: i32 = -1;
/// How long is waited for somebody who has the file for himself.
const PAUSE: Duration = Duration::from_millis(5);

pub(super) fn make(path: &Path, url: &str) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| described(url, &error))
}

pub(super) fn existing(path: &Path, url: &str) -> Result<Connection, StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing {
            url: url.to_owned(),
        });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| described(url, &error))
}

/// A file that others work on; this connection takes part in its locks as a reader only.
pub(super) fn read_only(path: &Path, url: &str) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| described(url, &error))
}

/// A file that exists and may be written.
pub(super) fn writable(path: &Path, url: &str) -> Result<Connection, StoreError> {
    let connection = existing(path, url)?;
    match System::may_write(path) {
        Ok(()) => Ok(connection),
        Err(error) => Err(StoreError::ReadOnly {
            url: url.to_owned(),
            reason: error.to_string(),
        }),
    }
}

/// A file beside which nothing can be made, as on a read-only disk. What its `-wal` file holds is read from a copy of both.
pub(super) fn frozen(path: &Path, url: &str) -> Result<Connection, StoreError> {
    if std::fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0) {
        return with_log(path, url);
    }
    immutable(path, url)
}

/// The file itself, without looking at anything beside it.
pub(super) fn immutable(path: &Path, url: &str) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let absolute = std::path::absolute(path).map_err(|error| unreadable(url, &error))?;
    Connection::open_with_flags(uri(&absolute), flags).map_err(|error| described(url, &error))
}

/// `file:///path?immutable=1`: nobody writes, so nothing need be locked.
fn uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = System::bytes(path);
    let encoded = bytes.iter().map(|byte| match plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file://{}?immutable=1", encoded.collect::<String>())
}

fn with_log(path: &Path, url: &str) -> Result<Connection, StoreError> {
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
pub(super) fn in_memory(from: &Connection, url: &str) -> Result<Connection, StoreError> {
    let mut memory = Connection::open_in_memory().map_err(|error| described(url, &error))?;
    copy(from, &mut memory).map_err(|error| described(url, &error))?;
    Ok(memory)
}

/// Copies one state of a database while others work on it.
pub(super) fn copy(from: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(from, to)?;
    while backup.step(ALL)? != StepResult::Done {
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Writes one state of a database to a file that is complete without any other.
pub(super) fn save(from: &Connection, file: &Path, url: &str) -> Result<(), StoreError> {
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

/// The file beside a database that holds what was committed last.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push("-wal");
    PathBuf::from(name)
}
