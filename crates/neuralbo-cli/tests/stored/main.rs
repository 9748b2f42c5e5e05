//! Stored studies, end to end. The PostgreSQL part needs a server: `scripts/with-postgres.sh cargo test -p neuralbo-cli`.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod commands;
mod crowd;
mod damage;
mod kills;
mod pruning;
mod recommend;
#[path = "../cli/room.rs"]
mod room;
mod servers;
mod transfer;
