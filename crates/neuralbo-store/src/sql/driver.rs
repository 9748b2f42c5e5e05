//! The interface of database clients.

pub(crate) use super::rows::Stored;
use super::rows::{SqlRow, SqlValue};

/// A unit of work, called again when its transaction has to be repeated.
pub(crate) type Work<'a> = &'a mut dyn FnMut(&mut dyn Session) -> Stored<()>;

/// A statement with its parameters.
#[derive(Clone, Copy)]
pub(crate) struct Statement<'a> {
    pub(crate) sql: &'static str,
    pub(crate) cells: &'a [SqlValue],
}

/// A connection that runs transactions.
///
/// # Contract
/// A transaction is committed if its work returns `Ok` and rolled back otherwise. After contention or
/// a lost connection the work is repeated, for up to a minute.
pub(crate) trait Driver: Send {
    /// Runs a transaction that may write; SQLite admits one at a time.
    fn write(&mut self, work: Work<'_>) -> Stored<()>;
    /// Runs a transaction that only reads; it sees one state of the database.
    fn read(&mut self, work: Work<'_>) -> Stored<()>;
    /// Runs a statement as one transaction, after another one that locks something, and passes its rows to `each`: one round trip to
    /// a server. `false`, and nothing was done, where there is none.
    fn at_once(
        &mut self,
        _lock: Option<Statement<'_>>,
        _statement: Statement<'_>,
        _each: Each<'_>,
    ) -> Stored<bool> {
        Ok(false)
    }
}

/// What a storage is opened for, which limits what opening may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anything; a missing storage is created.
    Create,
    /// Anything with an existing storage.
    Write,
    /// Reading only: nothing is created, and read-only files can be opened.
    Read,
    /// Reading for a long time while others work, by a connection that cannot write.
    Watch,
}

/// The SQL dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// Called with each row of a query.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&mut SqlRow<'_>) -> Stored<()>;

/// An open transaction.
pub(crate) trait Session {
    /// Runs a statement. Returns the number of changed rows.
    fn execute(&mut self, sql: &'static str, cells: &[SqlValue]) -> Stored<u64>;
    /// Runs a query and passes its rows to `each` until the first error.
    fn query(&mut self, sql: &'static str, cells: &[SqlValue], each: Each<'_>) -> Stored<()>;
    /// Milliseconds since 1970 by the storage's clock; constant within a transaction.
    fn now_ms(&mut self) -> Stored<i64>;
    /// The SQL dialect.
    fn dialect(&self) -> Dialect;
}

impl dyn Session + '_ {
    /// All rows of a query.
    pub(crate) fn rows<T>(
        &mut self,
        sql: &'static str,
        cells: &[SqlValue],
        mut read: impl FnMut(&mut SqlRow<'_>) -> Stored<T>,
    ) -> Stored<Vec<T>> {
        let mut found = Vec::new();
        self.query(sql, cells, &mut |row| {
            read(row).map(|record| found.push(record))
        })?;
        Ok(found)
    }

    /// The only row of a query, if any.
    pub(crate) fn row<T>(
        &mut self,
        sql: &'static str,
        cells: &[SqlValue],
        read: impl FnMut(&mut SqlRow<'_>) -> Stored<T>,
    ) -> Stored<Option<T>> {
        Ok(self.rows(sql, cells, read)?.pop())
    }
}
