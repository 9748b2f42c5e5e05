//! The stores of this crate and the one in memory. The PostgreSQL part needs a server:
//! `scripts/ci/with-postgres.sh cargo test -p neuralbo-store`.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod agreement;
mod backends;
mod conformance;
mod faults;
mod optuna;
mod server;
mod simulation;
mod spool;
mod transfer;
mod versions;
