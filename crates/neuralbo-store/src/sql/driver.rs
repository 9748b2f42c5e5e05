//! What is asked of a database client.

use super::cell::{Cell, Row};
use crate::StoreError;

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

/// Which SQL is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// An open transaction.
pub(crate) trait Session {
    /// Runs a statement; how many rows it changed.
    fn execute(&mut self, sql: &'static str, cells: &[Cell]) -> Result<u64, StoreError>;
    /// Runs a query.
    fn query(&mut self, sql: &'static str, cells: &[Cell]) -> Result<Vec<Row>, StoreError>;
    /// Milliseconds since 1970 by the storage's clock.
    fn now_ms(&self) -> i64;
    /// Which SQL is understood.
    fn dialect(&self) -> Dialect;
}
