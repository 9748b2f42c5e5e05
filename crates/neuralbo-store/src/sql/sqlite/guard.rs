//! Files of others cost an error: no text in them is executed, and no query takes longer than the file is large.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use neuralbo::limits;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};

use super::opening::log_of;

/// Everything but tables, as SQLite understands the file. Its texts may claim something else.
const NOT_TABLES: &str = "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type NOT IN ('table', 'shadow') \
     UNION ALL SELECT tbl_name, type FROM sqlite_schema WHERE type = 'trigger'";
/// Steps of SQLite's machine between two looks at the budget.
const STEPS: i32 = 100_000;
/// Steps that any transaction may take, and how many more per byte of the file; reading all of it takes about one.
const FREE_STEPS: u64 = 20_000_000;
const STEPS_PER_BYTE: u64 = 100;

/// The steps of the current transaction. The pages of a hostile file may refer to each other such that reading them never ends.
#[derive(Default)]
pub(crate) struct StepBudget(Arc<AtomicU64>);

impl StepBudget {
    /// Begins another transaction.
    pub(super) fn renew(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Forbids views, triggers and functions in the schema of a file, and texts longer than any of ours; a query that takes too many
/// steps is interrupted.
pub(crate) fn guard(connection: &mut Connection) -> Result<StepBudget> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    for forbidden in [
        DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
        DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW,
        DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
    ] {
        connection.set_db_config(forbidden, false)?;
    }
    let longest = i32::try_from(2 * limits::DEFINITION).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    let budget = StepBudget::default();
    if let Some(path) = connection.path().filter(|path| !path.is_empty()) {
        let (path, used) = (PathBuf::from(path), Arc::clone(&budget.0));
        let is_over = move || {
            let used = used.fetch_add(STEPS as u64, Ordering::Relaxed);
            used > FREE_STEPS && used - FREE_STEPS > STEPS_PER_BYTE.saturating_mul(size(&path))
        };
        connection.progress_handler(STEPS, Some(is_over))?;
    }
    Ok(budget)
}

/// The size of a file with its log.
fn size(path: &Path) -> u64 {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    length(path) + length(&log_of(path))
}

/// What is wrong with the first of the `read` names that is not a table.
pub(crate) fn not_a_table(
    connection: &Connection,
    read: impl Fn(&str) -> bool,
) -> Result<Option<String>> {
    let mut statement = connection.prepare(NOT_TABLES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        if read(&name.to_ascii_lowercase()) {
            let problem = match kind.as_str() {
                "trigger" => format!("`{name}` has a trigger"),
                _ => format!("`{name}` is a {kind}"),
            };
            return Ok(Some(format!("{problem}; it must be a plain table")));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::sql::{Access, Driver, SqliteDriver};
    use neuralbo::store::StoreError;

    const ENDLESS: &str =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c";

    #[test]
    fn a_query_without_an_end_is_interrupted_and_the_next_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let mut driver = SqliteDriver::open(&path, "s.db", Access::Create).unwrap();
        let mut count = |sql| {
            let mut found = None;
            driver
                .read(&mut |session| {
                    found = session.row(sql, &[], |row| row.count())?;
                    Ok(())
                })
                .map(|()| found)
        };
        let endless = count(ENDLESS).unwrap_err();
        assert!(matches!(endless, StoreError::Foreign { .. }), "{endless}");
        assert_eq!(count("SELECT COUNT(*) FROM neuralbo_trials"), Ok(Some(0)));
    }
}
