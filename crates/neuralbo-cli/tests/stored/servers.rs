//! The storages under test.

use std::process::Command;

use crate::room::{NEURALBO, Room};

/// The server of `scripts/with-postgres.sh`.
pub fn postgres() -> Option<String> {
    let url = std::env::var("NEURALBO_TEST_POSTGRES").ok();
    if url.is_none() {
        eprintln!("SKIPPED: NEURALBO_TEST_POSTGRES is not set; run this test with scripts/with-postgres.sh");
    }
    url
}

/// A study's name that no other test of this run uses.
pub fn fresh(stem: &str) -> String {
    format!("{stem}-{}", std::process::id())
}

/// `neuralbo` in the room, with this storage.
pub fn neuralbo(room: &Room, storage: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(NEURALBO);
    command.current_dir(room.path("")).env("NEURALBO_STORAGE", storage).args(arguments);
    command
}
