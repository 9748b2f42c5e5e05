//! Studies in an SQL database.
//!
//! All SQL text is a constant of [`statements`] or [`schema`]: sessions take `&'static str` only, and values are always bound.

mod adding;
mod cell;
mod checking;
mod claiming;
mod driver;
mod naming;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod plans;
mod postgres;
mod reading;
mod rows;
mod schema;
mod sqlite;
mod statements;
mod store;
mod studies;
mod telling;

pub use checking::Findings;
pub use driver::Access;
pub(crate) use driver::Driver;
pub(crate) use postgres::{PostgresDriver, ProcessEnvironment, Settings, is_conninfo};
pub(crate) use sqlite::{SqliteDriver, log_is_missing};
pub(crate) use store::SqlStore;
