//! Studies in an SQL database.
//!
//! All SQL text is a constant of [`statements`] or [`schema`]: sessions take `&'static str` only, and values are always bound.

mod checking;
mod claiming;
#[cfg_attr(not(feature = "postgres"), allow(dead_code))]
mod conninfo;
mod driver;
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
pub use driver::Access;
pub(crate) use driver::Driver;
#[cfg(feature = "postgres")]
pub(crate) use postgres::{PostgresDriver, ProcessEnvironment, ServerSettings, is_conninfo};
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::{SqliteDriver, log_is_missing};
pub(crate) use store::SqlStore;
#[cfg(not(feature = "postgres"))]
pub(crate) use without_postgres::{
    NoEnvironment as ProcessEnvironment, NoPostgres as PostgresDriver,
    RefusedServer as ServerSettings, is_conninfo,
};
#[cfg(not(feature = "sqlite"))]
pub(crate) use without_sqlite::{NoSqlite as SqliteDriver, log_is_missing};
