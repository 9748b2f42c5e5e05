//! SQLite through `rusqlite`, which compiles its own copy of the library.

mod guard;
mod in_use;
mod open_file;
mod opening;

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql};

use neuralbo::store::StoreError;

use super::driver::{Access, Dialect, Driver, Each, Session, Stored, Work};
use super::rows::{Fields, SqlRow, SqlValue};
use super::schema;

use open_file::OpenFile;

pub(crate) use guard::{guard, not_a_table};
pub(crate) use in_use::log_is_missing;

const TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
const VERSION_TABLE: &str = "neuralbo_schema";
const WRITE: &str = "BEGIN IMMEDIATE";
/// The longest wait for a lock of another process.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to a file.
pub(crate) struct SqliteDriver {
    connection: Connection,
    url: String,
    /// Whether this connection may change the file.
    writes: bool,
    /// The file and its `-wal` file, which may be removed or replaced meanwhile.
    file: Option<OpenFile>,
    steps: guard::StepBudget,
}

impl SqliteDriver {
    /// Opens the file; [`Access::Create`] creates it.
    pub(crate) fn open(path: &Path, url: &str, access: Access) -> Stored<Self> {
        match access {
            Access::Create => Self::to_change(opening::make(path, url)?, path, url),
            Access::Write => Self::to_change(opening::writable(path, url)?, path, url),
            Access::Read => Self::to_read(path, url),
            Access::Watch => Self::to_watch(path, url),
        }
    }

    fn to_change(connection: Connection, path: &Path, url: &str) -> Stored<Self> {
        let mut driver = Self::to_write(connection, url)?;
        driver.file = OpenFile::at(path);
        Ok(driver)
    }

    /// Writes a snapshot of a storage to a new file, while others work on it.
    pub(crate) fn save(path: &Path, url: &str, file: &Path) -> Stored<()> {
        let driver = Self::open(path, url, Access::Read)?;
        opening::save(&driver.connection, file, &file.display().to_string())
    }

    fn to_write(connection: Connection, url: &str) -> Stored<Self> {
        let (mut driver, version) = Self::inspected(connection, url, true)?;
        driver.use_write_ahead_log()?;
        if version < schema::VERSION {
            driver.write(&mut |session| schema::migrate(session, url))?;
        }
        Ok(driver)
    }

    /// A read-only file is read as it is; one of an earlier version is migrated in memory.
    fn to_read(path: &Path, url: &str) -> Stored<Self> {
        let opened = opening::existing(path, url)
            .and_then(|connection| Self::inspected(connection, url, true));
        let (driver, version) = match opened {
            Err(StoreError::Unreachable { .. } | StoreError::ReadOnly { .. }) if path.is_file() => {
                Self::inspected(opening::frozen(path, url)?, url, false)?
            }
            opened => opened?,
        };
        match version {
            schema::VERSION => Ok(driver),
            _ if driver.writes && !driver.connection.is_readonly("main").unwrap_or(true) => {
                drop(driver);
                Self::open(path, url, Access::Write)
            }
            _ => Self::to_write(opening::in_memory(&driver.connection, url)?, url),
        }
    }

    /// A file of this version is opened by a read-only connection, any other one as for reading.
    fn to_watch(path: &Path, url: &str) -> Stored<Self> {
        let readable = Self::to_read(path, url)?;
        if !readable.writes || readable.connection.path().is_none_or(str::is_empty) {
            return Ok(readable);
        }
        Ok(Self::inspected(opening::read_only(path, url)?, url, false)?.0)
    }

    /// A connection to a storage of a supported version.
    fn inspected(mut connection: Connection, url: &str, writes: bool) -> Stored<(Self, i64)> {
        let steps = guard(&mut connection).map_err(|error| described(url, &error))?;
        let mut driver = Self {
            connection,
            url: url.to_owned(),
            writes,
            file: None,
            steps,
        };
        let handled = driver.connection.busy_handler(Some(wait_a_little));
        handled.map_err(|error| described(url, &error))?;
        driver.connection.set_prepared_statement_cache_capacity(64);
        let version = driver.inspect()?;
        schema::check(version, url)?;
        Ok((driver, version))
    }

    /// The version of the tables, 0 for an empty file; an error for any other file.
    fn inspect(&mut self) -> Stored<i64> {
        let foreign = not_a_table(&self.connection, |name| name.starts_with("neuralbo_"));
        if let Some(reason) = foreign.map_err(|error| described(&self.url, &error))? {
            return Err(StoreError::Foreign {
                url: self.url.clone(),
                reason,
            });
        }
        let mut tables: Vec<String> = Vec::new();
        let mut version = 0;
        self.read(&mut |session| {
            tables = session.rows(TABLES, &[], |row| Ok(row.text()?.to_owned()))?;
            if tables.iter().any(|table| table == VERSION_TABLE) {
                version = schema::version(session)?;
            }
            Ok(())
        })?;
        if version > 0 || tables.iter().all(|table| table == VERSION_TABLE) {
            return Ok(version);
        }
        let hint = match tables.iter().any(|table| table == "trial_params") {
            true => " (an Optuna storage? use `neuralbo import`)",
            false => "",
        };
        let reason = format!("its tables are {}{hint}", tables.join(", "));
        Err(StoreError::Foreign {
            url: self.url.clone(),
            reason,
        })
    }

    /// Readers and the writer do not wait for each other, and commits are durable.
    fn use_write_ahead_log(&mut self) -> Stored<()> {
        let started = Instant::now();
        loop {
            match self.connection.pragma_update(None, "journal_mode", "WAL") {
                Ok(()) => break,
                // Changing the mode does not call the busy handler.
                Err(error) if is_busy(&error) && started.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(5))
                }
                Err(error) if code(&error) == Some(ErrorCode::ReadOnly) => break,
                Err(error) => return Err(described(&self.url, &error)),
            }
        }
        self.connection
            .pragma_update(None, "synchronous", "FULL")
            .map_err(|error| described(&self.url, &error))
    }

    /// Runs a transaction, and again while other processes block it.
    fn transact(&mut self, begin: &'static str, work: Work<'_>) -> Stored<()> {
        let started = Instant::now();
        loop {
            self.steps.renew();
            let mut session = SqliteSession {
                connection: &self.connection,
                url: &self.url,
                busy: false,
                now_ms: None,
            };
            let mut marked = false;
            let outcome = session
                .batch(begin)
                .and_then(|()| work(&mut session))
                .and_then(|()| {
                    marked = begin == WRITE
                        && in_use::set(session.connection)
                            .map_err(|error| session.failed(&error))?;
                    session.batch("COMMIT")
                });
            let busy = session.busy;
            if marked && outcome.is_ok() {
                in_use::write_through(&self.connection);
            }
            if outcome.is_err() && !self.connection.is_autocommit() {
                // If the rollback fails, the next transaction reports it.
                let _ = self.connection.execute_batch("ROLLBACK");
            }
            if outcome.is_ok() || !busy || started.elapsed() > PATIENCE {
                return outcome;
            }
        }
    }

    fn is_in_place(&mut self) -> bool {
        self.file.as_mut().is_none_or(OpenFile::is_in_place)
    }

    fn check_file(&mut self) -> Stored<()> {
        if self.is_in_place() {
            return Ok(());
        }
        Err(StoreError::Database {
            url: self.url.clone(),
            reason: "the file was removed or replaced while it was in use".to_owned(),
        })
    }
}

impl Driver for SqliteDriver {
    /// A file that was removed is still there for those who have it open, and nobody will ever see
    /// what they write: it is looked for before and after.
    fn write(&mut self, work: Work<'_>) -> Stored<()> {
        self.check_file()?;
        self.transact(WRITE, work)?;
        self.check_file()
    }

    fn read(&mut self, work: Work<'_>) -> Stored<()> {
        self.transact("BEGIN DEFERRED", work)
    }
}

impl Drop for SqliteDriver {
    fn drop(&mut self) {
        if self.is_in_place() && self.writes {
            in_use::clear(&self.connection);
        }
    }
}

/// Waits for the lock in steps of a few milliseconds that differ between processes. SQLite's own
/// steps grow to 100 ms, which starves some of many workers.
fn wait_a_little(count: i32) -> bool {
    let turn = (count as u64)
        .wrapping_mul(7)
        .wrapping_add(u64::from(std::process::id()))
        % 5;
    std::thread::sleep(Duration::from_micros(500 + 700 * turn));
    // About 2 ms per step; the loop around transactions measures the time.
    count < 5_000
}

struct SqliteSession<'a> {
    connection: &'a Connection,
    url: &'a str,
    busy: bool,
    now_ms: Option<i64>,
}

impl SqliteSession<'_> {
    fn batch(&mut self, sql: &'static str) -> Stored<()> {
        self.connection
            .execute_batch(sql)
            .map_err(|error| self.failed(&error))
    }

    fn failed(&mut self, error: &rusqlite::Error) -> StoreError {
        self.busy |= is_busy(error);
        described(self.url, error)
    }

    fn bound(
        &mut self,
        sql: &'static str,
        cells: &[SqlValue],
    ) -> Result<rusqlite::CachedStatement<'_>, rusqlite::Error> {
        let mut statement = self.connection.prepare_cached(sql)?;
        for (index, cell) in cells.iter().enumerate() {
            // To SQLite `$3` is a name, numbered by its first appearance.
            if let Some(position) = statement.parameter_index(&format!("${}", index + 1))? {
                statement.raw_bind_parameter(position, cell)?;
            }
        }
        Ok(statement)
    }
}

impl Session for SqliteSession<'_> {
    fn execute(&mut self, sql: &'static str, cells: &[SqlValue]) -> Stored<u64> {
        let changed = self
            .bound(sql, cells)
            .and_then(|mut statement| statement.raw_execute());
        changed
            .map(|count| count as u64)
            .map_err(|error| self.failed(&error))
    }

    fn query(&mut self, sql: &'static str, cells: &[SqlValue], each: Each<'_>) -> Stored<()> {
        let passed = self.bound(sql, cells).and_then(|mut statement| {
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                if let Err(error) = each(&mut SqlRow::new(row)) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        });
        passed.map_err(|error| self.failed(&error))?
    }

    /// The machine's clock, read in every transaction: it advances while the machine sleeps.
    fn now_ms(&mut self) -> Stored<i64> {
        let read = || {
            let since = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        };
        Ok(*self.now_ms.get_or_insert_with(read))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}

impl Fields for rusqlite::Row<'_> {
    fn int(&self, at: usize) -> Result<Option<i64>, String> {
        match field(self, at)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(value) => Ok(Some(value)),
            other => Err(format!("{other:?} is not a whole number")),
        }
    }

    fn real(&self, at: usize) -> Result<Option<f64>, String> {
        match field(self, at)? {
            ValueRef::Null => Ok(None),
            ValueRef::Real(value) => Ok(Some(value)),
            ValueRef::Integer(value) => Ok(Some(value as f64)),
            other => Err(format!("{other:?} is not a number")),
        }
    }

    fn text(&self, at: usize) -> Result<Option<&str>, String> {
        match field(self, at)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => std::str::from_utf8(bytes)
                .map(Some)
                .map_err(|error| error.to_string()),
            other => Err(format!("{other:?} is not a text")),
        }
    }
}

fn field<'a>(row: &'a rusqlite::Row<'_>, at: usize) -> Result<ValueRef<'a>, String> {
    row.get_ref(at).map_err(|error| error.to_string())
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

fn code(error: &rusqlite::Error) -> Option<ErrorCode> {
    error.sqlite_error_code()
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DatabaseBusy, DatabaseLocked, FileLockingProtocolFailed};
    matches!(
        code(error),
        Some(DatabaseBusy | DatabaseLocked | FileLockingProtocolFailed)
    )
}

fn described(url: &str, error: &rusqlite::Error) -> StoreError {
    let (url, reason) = (url.to_owned(), error.to_string());
    match code(error) {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            StoreError::Foreign { url, reason }
        }
        Some(ErrorCode::OperationInterrupted) => StoreError::Foreign {
            url,
            reason: "a query takes far more steps than its size explains".to_owned(),
        },
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { url, reason },
        Some(ErrorCode::DiskFull) => StoreError::Full { url, reason },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::Unreachable { url, reason }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Unreachable {
            url,
            reason: format!("another process has locked the file for a minute ({reason})"),
        },
        _ => StoreError::Database { url, reason },
    }
}
