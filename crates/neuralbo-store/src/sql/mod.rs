//! Studies in an SQL database.
//!
//! All SQL text is a constant of [`statements`] or [`schema`]: sessions take `&'static str` only, and values are always bound.

mod checking;
mod claiming;
#[cfg_attr(not(feature = "postgres"), allow(dead_code))]
mod conninfo;
mod driver;
mod mending;
#[cfg(all(test, feature = "sqlite"))]
#[allow(clippy::unwrap_used)]
mod plans;
#[cfg(feature = "postgres")]
mod postgres;
mod rows;
mod schema;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statements;
mod store;
mod studies;
mod telling;
#[cfg(not(feature = "postgres"))]
mod without_postgres;
#[cfg(not(feature = "sqlite"))]
mod without_sqlite;

pub use checking::Findings;
pub(crate) use conninfo::{conninfo_without_password, is_conninfo};
pub use driver::Access;
pub(crate) use driver::Driver;
pub use mending::Mended;
#[cfg(feature = "postgres")]
pub(crate) use postgres::{PostgresDriver, ProcessEnvironment, ServerSettings};
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::{SqliteDriver, guard, log_is_missing, not_a_table};
pub(crate) use store::SqlStore;
#[cfg(not(feature = "postgres"))]
pub(crate) use without_postgres::{
    NoEnvironment as ProcessEnvironment, NoPostgres as PostgresDriver,
    RefusedServer as ServerSettings,
};
#[cfg(not(feature = "sqlite"))]
pub(crate) use without_sqlite::{NoSqlite as SqliteDriver, log_is_missing};
