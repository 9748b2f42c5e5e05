//! A flag in the file's header (`user_version`) that shows whether the file is complete without its
//! `-wal` file.
//!
//! Commits go to `FILE-wal` first and to the file later. A copy of the file alone, made while it is in
//! use, lacks the latest commits without any sign of it. Therefore writers set the flag, and closing
//! a complete file clears it. A file with the flag and without its `-wal` file is an incomplete copy.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::opening::{immutable, log_of};

const IN_USE: u32 = 1;

/// Sets the flag in an open transaction. Returns whether it was clear.
pub(super) fn set(connection: &Connection) -> rusqlite::Result<bool> {
    if read(connection)? == IN_USE {
        return Ok(false);
    }
    connection.pragma_update(None, "user_version", IN_USE)?;
    Ok(true)
}

fn read(connection: &Connection) -> rusqlite::Result<u32> {
    connection
        .prepare_cached("PRAGMA user_version")?
        .query_row([], |row| row.get(0))
}

/// Moves commits into the file without waiting. Returns whether all are there.
pub(super) fn write_through(connection: &Connection) -> bool {
    let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, i64>(1)?,
            row.get::<_, i64>(2)?,
        ))
    });
    matches!(moved, Ok((0, pages, written)) if pages == written)
}

/// Clears the flag of a complete file; the next writer sets it again. If that is not possible now,
/// another process will do it.
pub(super) fn clear(connection: &Connection) {
    let _ = connection.busy_timeout(Duration::from_millis(20));
    if read(connection).is_ok_and(|flag| flag == IN_USE)
        && write_through(connection)
        && connection.pragma_update(None, "user_version", 0).is_ok()
    {
        write_through(connection);
    }
}

/// Whether the `-wal` file of a file is missing.
pub(crate) fn log_is_missing(path: &Path) -> bool {
    // Another process may open or close it in between, but not twice in a row.
    let seen =
        || is_in_use(path) && std::fs::metadata(log_of(path)).map_or(true, |log| log.len() == 0);
    seen() && seen() && is_in_use(path)
}

/// The flag in the file. SQLite reads it: closing the file in any other way would drop this
/// process's locks.
fn is_in_use(path: &Path) -> bool {
    path.is_file()
        && immutable(path, "")
            .is_ok_and(|connection| read(&connection).is_ok_and(|flag| flag == IN_USE))
}
