//! Where neuralbo's studies live: SQLite by default, PostgreSQL for many machines, memory for trying things out.
//!
//! | item | does |
//! | --- | --- |
//! | [`open()`], [`open_for`] | from a URL to a [`Store`](neuralbo::store::Store) |
//! | [`check`], [`backup`], [`restore`] | whether a storage is sound, a copy of it, and the way back |
//! | [`Spool`] | results that could not be told, until they are |
//! | [`worker`] | names this process, and takes over the trials of dead ones |
//! | [`export_study`], [`read_export`] | a study as JSON lines, and back |
//! | [`read_optuna`] | a study of an Optuna storage |
//!
//! Features, both on by default: `sqlite` has files and reads Optuna's, `postgres` has servers. Without one of them its storages are
//! refused by name; storages in memory are always there.
//!
//! Storages of version 0.1.0 are brought to the present form when they are opened, in one transaction.

mod checkpoints;
mod maintenance;
#[cfg(feature = "sqlite")]
mod optuna;
#[cfg(feature = "sqlite")]
#[cfg(feature = "sqlite")]
mod optuna_goals;
mod platform;
mod spool;
mod sql;
mod transfer;
mod transfer_v1;
mod url;
pub mod worker;

pub use checkpoints::Checkpoints;
pub use maintenance::{RestoreError, Saved, backup, check, restore};
#[cfg(feature = "sqlite")]
pub use optuna::read_optuna;
pub use spool::{Spool, Spooled};
pub use sql::{Access, Findings};
pub use transfer::{ImportError, Imported, export_study, read_export, read_exports};
pub use url::{has_password, identity, open, open_for, suspicion};
