//! Stored studies, end to end. The PostgreSQL part needs a server: `scripts/ci/with-postgres.sh cargo test -p neuralbo-cli`.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod budget;
mod changes;
mod commands;
mod conditions;
mod crowd;
mod damage;
mod dashboard;
#[path = "../cli/folder.rs"]
mod folder;
mod kills;
mod limits;
mod maintenance;
mod neighbours;
mod objectives;
mod odd;
mod passwords;
mod pruning;
mod recommend;
mod replaced;
mod resume;
mod servers;
mod spool;
mod stalls;
mod storages;
mod transfer;
mod understanding;
