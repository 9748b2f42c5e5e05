//! Whether a file is whole without its `-wal` file.
//!
//! What is told goes to `FILE-wal` first, and to the file itself later. A copy of the file alone, made while somebody works, lacks
//! what was in the other one, and nothing in it says so. So whoever writes sets a mark in the file's header (`user_version`), and
//! whoever closes a file that is whole removes it. A file with the mark and without its `-wal` file was copied without it.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::opening::{immutable, log_of};

const IN_USE: u32 = 1;

/// Sets the mark in an open transaction; whether it was not set before.
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

/// Brings what was committed into the file itself; whether all of it is there now. Nobody is waited for.
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

/// Removes the mark from a file that is whole; whoever goes on to write sets it again. Where that is not possible now, another
/// one will do it.
pub(super) fn clear(connection: &Connection) {
    let in_the_way = Duration::from_millis(20);
    let _ = connection.busy_timeout(in_the_way);
    if read(connection).is_ok_and(|mark| mark == IN_USE)
        && write_through(connection)
        && connection.pragma_update(None, "user_version", 0).is_ok()
    {
        write_through(connection);
    }
}

/// Whether a file has lost its `-wal` file.
pub(crate) fn log_is_missing(path: &Path) -> bool {
    // Somebody may close or open it between two looks; twice in a row that does not happen.
    let seen =
        || is_marked(path) && std::fs::metadata(log_of(path)).map_or(true, |log| log.len() == 0);
    seen() && seen() && is_marked(path)
}

/// What the file itself says. It is read by SQLite: closing a file in any other way would end the locks of this process on it.
fn is_marked(path: &Path) -> bool {
    path.is_file()
        && immutable(path, "")
            .is_ok_and(|connection| read(&connection).is_ok_and(|mark| mark == IN_USE))
}
