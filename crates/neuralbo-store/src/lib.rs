//! Where neuralbo's studies live: SQLite by default, PostgreSQL for many machines, memory for trying things out.
//!
//! | item | does |
//! |---|---|
//! | [`open()`] | from a URL to a [`Store`](neuralbo::store::Store) |
//! | [`worker`] | names this process, and takes over the trials of dead ones |
//! | [`export_study`], [`read_export`] | a study as JSON lines, and back |
//! | [`read_optuna`] | a study of an Optuna storage |
//!
//! Storages of version 0.1.0 are brought to the present form when they are opened, in one transaction.

mod optuna;
mod optuna_conditions;
mod sql;
mod transfer;
mod transfer_v1;
mod url;
pub mod worker;

pub use optuna::read_optuna;
pub use transfer::{ImportError, Imported, export_study, read_export};
pub use url::open;
