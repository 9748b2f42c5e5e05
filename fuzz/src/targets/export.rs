//! Exports of studies.

use neuralbo::record::{Definition, Direction, Failure, FailureKind, Limits};
use neuralbo::space::{Params, Space};
use neuralbo::store::{MemoryStore, NewStudy, Store, StoreError};
use neuralbo::study::Study;
use neuralbo_store::{export_study, read_export};

use crate::Target;

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\n",
    "\"params\"",
    "\"state\"",
    "\"values\"",
    "\"seq\"",
    "\"number\"",
    "\"version\"",
    "\"definitions\"",
    "null",
    "\"complete\"",
    "\"failed\"",
    "\"running\"",
    "1",
    "-1",
    "\"reports\"",
    "\"attributes\"",
    "\"space\"",
];

/// An export: what is read and can be stored is exported again, and that is read as the same.
pub const EXPORT: Target = Target {
    name: "export",
    seeds,
    words: WORDS,
    check,
    few: 5_000,
};

fn lines(store: &dyn Store, name: &str) -> Vec<u8> {
    let record = store.study(name).expect("the study is there");
    let mut lines = Vec::new();
    let sink = |line: &str| {
        lines.extend(line.bytes());
        lines.push(b'\n');
        Ok::<(), StoreError>(())
    };
    export_study(store, &record, sink).expect("a stored study can be exported");
    lines
}

/// A small study with trials of all kinds.
pub fn example(store: &dyn Store, name: &str) {
    let space = Space::new(vec![
        "x=float(0,1)".parse().expect("x"),
        "o=choice(a,b,3)".parse().expect("o"),
    ])
    .expect("a space");
    let definition = Definition {
        method: "random".to_owned(),
        seed: 3,
        ..Definition::new(space, Direction::Minimize)
    };
    let limits = Limits {
        trials: Some(9),
        ..Limits::default()
    };
    store
        .create_study(&NewStudy::new(name, definition, limits))
        .expect("a new study");
}

fn seeds() -> Vec<Vec<u8>> {
    let store = std::sync::Arc::new(MemoryStore::new());
    example(store.as_ref(), "s");
    let registry = neuralbo_paper::registry();
    let mut study = Study::open(
        store.clone(),
        store.study("s").expect("the study"),
        registry,
    )
    .expect("a study");
    for number in 0..4 {
        let trial = study.ask_one().expect("a trial");
        let _ = match number {
            0 => study.tell(&trial, 0.5),
            1 => study.tell(&trial, Failure::new(FailureKind::Exit, "exit status 1")),
            2 => study.tell(&trial, f64::NAN),
            _ => continue,
        };
    }
    study.add_known(Params::from_iter([("x", 0.25)]), 2.0).ok();
    vec![lines(store.as_ref(), "s")]
}

fn check(input: &[u8]) -> bool {
    let Ok(imported) = read_export(input) else {
        return false;
    };
    let store = MemoryStore::new();
    if imported.store(&store, "copy").is_err() {
        return false;
    }
    let first = lines(&store, "copy");
    let again = read_export(first.as_slice()).expect("an export can be read");
    let other = MemoryStore::new();
    again
        .store(&other, "copy")
        .expect("what was stored can be stored elsewhere");
    let second = lines(&other, "copy");
    // The time at which it was made is the store's.
    let trials = |lines: &[u8]| {
        String::from_utf8_lossy(lines)
            .lines()
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(trials(&first), trials(&second));
    true
}
