//! Queries of an Optuna storage.

use rusqlite::{Connection, Row};

use crate::ImportError;

pub(super) fn unreadable(error: &rusqlite::Error) -> ImportError {
    ImportError::NoStudy(format!("it cannot be read as an Optuna storage: {error}"))
}

/// All rows of a query, which may refer to a study.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &'static str,
    study: Option<i64>,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, ImportError> {
    let mut statement = connection.prepare(sql).map_err(|e| unreadable(&e))?;
    let found = statement.query_map(rusqlite::params_from_iter(study), read);
    let found: rusqlite::Result<_> = found.and_then(Iterator::collect);
    found.map_err(|error| unreadable(&error))
}
