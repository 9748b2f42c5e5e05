//! The storages under test, and the oracle: what programs printed last.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use neuralbo::store::{Store, StudyRecord, all_trials};

use crate::folder::{Folder, program};

/// Prints intermediate values that nobody could take for the result, writes the result down beside them and prints it last. No
/// two attempts of a trial have the same result.
pub const PRINTER: &str = r#"
echo '{"step": 0, "value": 1000000}'
echo '{"step": 1, "value": 2000000}'
sleep 0.01
v=$NEURALBO_TRIAL.1$(printf %08d $$)
echo $NEURALBO_TRIAL $v >> printed
echo '{"step": 2, "value": 3000000}'
echo $v"#;

/// Compares every stored value with what a program printed last in that trial; returns how many there are.
pub fn check_values(folder: &Folder, store: &dyn Store, record: &StudyRecord) -> usize {
    let mut printed: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for line in folder.read("printed").lines() {
        let (number, value) = line.split_once(' ').unwrap();
        printed
            .entry(number.parse().unwrap())
            .or_default()
            .insert(value.parse::<f64>().unwrap().to_bits());
    }
    let trials = all_trials(store, record.id).unwrap();
    let values: Vec<(u64, f64)> = trials
        .iter()
        .filter_map(|trial| Some((trial.number, trial.value("value")?)))
        .collect();
    for (number, value) in &values {
        assert!(
            printed[number].contains(&value.to_bits()),
            "trial {number} has {value}, printed: {:?}",
            printed[number]
        );
    }
    values.len()
}

/// The server of `scripts/ci/with-postgres.sh`.
pub fn postgres() -> Option<String> {
    let url = std::env::var("NEURALBO_TEST_POSTGRES").ok();
    if url.is_none() {
        eprintln!(
            "SKIPPED: NEURALBO_TEST_POSTGRES is not set; run this test with scripts/ci/with-postgres.sh"
        );
    }
    url
}

/// A study's name that no other test of this run uses.
pub fn fresh(stem: &str) -> String {
    format!("{stem}-{}", std::process::id())
}

/// `neuralbo` in the folder, with this storage.
pub fn neuralbo(folder: &Folder, storage: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .current_dir(folder.path(""))
        .env("NEURALBO_STORAGE", storage)
        .args(arguments);
    command.env("NEURALBO_SPOOL", folder.path("spool"));
    command
}
