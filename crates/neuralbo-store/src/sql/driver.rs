//! What is asked of a database client.

use neuralbo::store::StoreError;

use super::cell::{Cell, Row};

/// A unit of work, called again from the start when its transaction has to be repeated.
pub(crate) type Work<'a> = &'a mut dyn FnMut(&mut dyn Session) -> Result<(), StoreError>;

/// A connection that runs transactions.
///
/// # Contract
/// A transaction is committed when its work returns `Ok` and rolled back otherwise. Contention and lost connections are waited
/// out by repeating the work, for up to a minute.
pub(crate) trait Driver: Send {
    /// Runs a transaction that may write; SQLite admits one at a time.
    fn write(&mut self, work: Work<'_>) -> Result<(), StoreError>;
    /// Runs a transaction that only reads; it sees one state of the database.
    fn read(&mut self, work: Work<'_>) -> Result<(), StoreError>;
}

/// What is done with a storage, and so what opening it may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anything; a storage that does not exist is made.
    Create,
    /// Anything with a storage that exists.
    Write,
    /// Looking only: nothing is made, and what nobody may write can be read.
    Read,
    /// Looking for a long time while others work: by a connection that cannot write, whatever is asked of it.
    Watch,
}

/// Which SQL is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// What is done with each row of a query.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&mut Row<'_>) -> Result<(), StoreError>;

/// An open transaction.
pub(crate) trait Session {
    /// Runs a statement; how many rows it changed.
    fn execute(&mut self, sql: &'static str, cells: &[Cell]) -> Result<u64, StoreError>;
    /// Runs a query and passes its rows to `each`, up to the first error.
    fn query(
        &mut self,
        sql: &'static str,
        cells: &[Cell],
        each: Each<'_>,
    ) -> Result<(), StoreError>;
    /// Milliseconds since 1970 by the storage's clock; the same throughout a transaction.
    fn now_ms(&mut self) -> Result<i64, StoreError>;
    /// Which SQL is understood.
    fn dialect(&self) -> Dialect;
}

impl dyn Session + '_ {
    /// All rows of a query.
    pub(crate) fn rows<T>(
        &mut self,
        sql: &'static str,
        cells: &[Cell],
        mut read: impl FnMut(&mut Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::new();
        self.query(sql, cells, &mut |row| {
            read(row).map(|record| found.push(record))
        })?;
        Ok(found)
    }

    /// The only row of a query, if there is one.
    pub(crate) fn row<T>(
        &mut self,
        sql: &'static str,
        cells: &[Cell],
        read: impl FnMut(&mut Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.rows(sql, cells, read)?.pop())
    }
}
