//! Damaged database files.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use neuralbo::store::{MemoryStore, StoreError, all_trials};
use neuralbo::study::replay;
use neuralbo_store::{check, export_study, mend, open, read_export, read_optuna};

use super::export::example;
use crate::Target;

/// A file of this thread in a folder of this process; in memory where the system has a place for it.
pub fn scratch(name: &str) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let made = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        made.expect("a temporary folder can be made")
    });
    folder
        .path()
        .join(format!("{:?}-{name}", std::thread::current().id()).replace(['(', ')'], ""))
}

fn written(name: &str, input: &[u8]) -> PathBuf {
    let path = scratch(name);
    for end in ["-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    std::fs::write(&path, input).expect("the file can be written");
    path
}

/// A storage file: opening, reading, replaying, checking and mending it gives an answer or an error, what it gives is a study,
/// and an export of it can be read.
pub const SQLITE: Target = Target {
    name: "sqlite",
    seeds: sqlite_seeds,
    words: &[],
    check: sqlite,
    few: 300,
};

fn sqlite_seeds() -> Vec<Vec<u8>> {
    let path = scratch("seed.db");
    {
        let store = open(&path.display().to_string()).expect("a new storage");
        example(store.as_ref(), "s");
        let registry = neuralbo_paper::registry();
        let record = store.study("s").expect("the study");
        let mut study =
            neuralbo::study::Study::open(store.clone(), record, registry).expect("a study");
        for _ in 0..5 {
            let trial = study.ask_one().expect("a trial");
            study.tell(&trial, 0.5).expect("a result");
        }
        study.ask_one().expect("a trial");
    }
    vec![std::fs::read(&path).expect("the file can be read")]
}

fn sqlite(input: &[u8]) -> bool {
    let path = written("fuzz.db", input);
    let Ok(store) = open(&path.display().to_string()) else {
        return false;
    };
    let Ok(studies) = store.studies() else {
        return false;
    };
    for study in studies.iter().take(10) {
        let _ = all_trials(store.as_ref(), study.id);
        let _ = store.running(study.id);
        let _ = store.finished_since(study.id, 0, 100);
        let _ = store.counts(study.id);
        let best = store
            .best(study.id)
            .ok()
            .flatten()
            .and_then(|trial| trial.value(study.definition.objective()));
        assert!(best.is_none_or(f64::is_finite), "{best:?}");
        let _ = replay(store.as_ref(), study, &neuralbo_paper::registry());
        let mut lines = String::new();
        let exported = export_study(store.as_ref(), study, |line| {
            lines += &format!("{line}\n");
            Ok::<(), StoreError>(())
        });
        let read = read_export(lines.as_bytes());
        assert!(exported.is_err() || read.is_ok(), "{read:?}");
    }
    drop(store);
    let url = path.display().to_string();
    let _ = check(&url);
    let _ = mend(&url);
    !studies.is_empty()
}

/// A storage file of Optuna: reading it gives a study that can be stored, or an error.
pub const OPTUNA: Target = Target {
    name: "optuna",
    seeds: optuna_seeds,
    words: &[],
    check: optuna,
    few: 300,
};

fn optuna_seeds() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../../crates/neuralbo-store/tests/fixtures/optuna.db").to_vec()]
}

fn optuna(input: &[u8]) -> bool {
    let mut accepted = false;
    let path = written("optuna.db", input);
    for study in [None, Some("plain")] {
        let Ok(imported) = read_optuna(&path, study) else {
            continue;
        };
        accepted |= imported.store(&MemoryStore::new(), "copy").is_ok();
    }
    accepted
}
