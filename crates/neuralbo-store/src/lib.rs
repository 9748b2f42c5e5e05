//! Storage of neuralbo's studies: SQLite by default, PostgreSQL for many machines, memory for tests.
//!
//! | item | does |
//! | --- | --- |
//! | [`open()`], [`open_for`] | open a [`Store`](neuralbo::store::Store) by its URL |
//! | [`check`], [`mend`], [`backup`], [`restore`] | check, mend, copy and restore a storage |
//! | [`Secret`], [`without_passwords`] | show addresses without their passwords |
//! | [`Spool`], [`Keeper`] | files of results that could not be stored yet |
//! | [`worker`] | names processes, and takes over the trials of dead ones |
//! | [`export_study`], [`read_export`] | write and read a study as JSON lines |
//! | [`read_optuna`] | read a study of an Optuna storage |
//!
//! Features, both on by default: `sqlite` for files (also Optuna's), `postgres` for servers. Without a
//! feature its storages are refused by name; storages in memory are always available.
//!
//! Storages of an earlier schema version are migrated when they are opened, in one transaction.

mod checkpoints;
mod maintenance;
#[cfg(feature = "sqlite")]
mod optuna;
mod platform;
mod secret;
mod spool;
// Without a database there is nothing that opens one.
#[cfg_attr(not(any(feature = "sqlite", feature = "postgres")), allow(dead_code))]
mod sql;
mod transfer;
mod url;
pub mod worker;

pub use checkpoints::Checkpoints;
pub use maintenance::{RestoreError, Saved, backup, check, mend, restore};
#[cfg(feature = "sqlite")]
pub use optuna::read_optuna;
pub use secret::{Secret, without_passwords};
pub use spool::{Keeper, Recovered, RecoveryError, Spool, Spooled};
pub use sql::{Access, Findings, Mended};
pub use transfer::{ImportError, Imported, export_study, read_export, read_exports};
pub use url::{has_password, identity, open, open_for, sqlite_path, suspicion};
