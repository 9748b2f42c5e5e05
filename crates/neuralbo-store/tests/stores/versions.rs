//! Storages of other versions, damaged ones, and several processes that create one.

use neuralbo::Registry;
use neuralbo::record::{Definition, Direction, Limits};
use neuralbo::space::Space;
use neuralbo::store::{NewStudy, StoreError, all_trials};
use neuralbo::study::Study;
use neuralbo_store::{check, mend, open};
use rusqlite::Connection;

use crate::backends::{directory, file};

#[test]
fn newer_storages_and_records_are_refused() {
    let dir = directory();
    let (path, store) = (dir.path().join("s.db"), file(&dir, "s.db"));
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let definition = Definition::new(space, Direction::Minimize);
    store
        .create_study(&NewStudy::new("plain", definition, Limits::default()))
        .unwrap();
    let raw = Connection::open(&path).unwrap();
    raw.execute("UPDATE neuralbo_definitions SET record_version = 9", [])
        .unwrap();
    let error = store.study("plain").unwrap_err().to_string();
    assert!(
        error.contains("`plain` has record version 9") && error.contains("up to version 1"),
        "{error}"
    );
    raw.execute("INSERT INTO neuralbo_schema VALUES (99)", [])
        .unwrap();
    let error = open(&path.display().to_string()).err().unwrap();
    let expected = |found, supported| (found, supported) == (99, 1);
    assert!(
        matches!(error, StoreError::Newer { found, supported, .. } if expected(found, supported)),
        "{error}"
    );
}

#[test]
fn many_openers_at_once_create_the_tables_once() {
    let dir = directory();
    std::thread::scope(|scope| {
        (0..8).for_each(|_| {
            _ = scope.spawn(|| assert!(file(&dir, "s.db").studies().unwrap().is_empty()))
        })
    });
    let raw = Connection::open(dir.path().join("s.db")).unwrap();
    let versions: i64 = raw
        .query_row("SELECT COUNT(*) FROM neuralbo_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(versions, 1);
}

/// In an index that is not in its order the last row need not be the largest, and those who read on from there never end.
#[test]
fn a_damaged_index_ends_its_readers_with_an_error() {
    let dir = directory();
    let path = dir.path().join("s.db");
    let id = {
        let store = file(&dir, "s.db");
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let definition = Definition {
            method: "random".to_owned(),
            ..Definition::new(space, Direction::Minimize)
        };
        let new = NewStudy::new("s", definition, Limits::default());
        let record = store.create_study(&new).unwrap();
        let id = record.id;
        let mut study = Study::open(store, record, Registry::standard()).unwrap();
        for _ in 0..3 {
            let trial = study.ask_one().unwrap();
            study.tell(&trial, 1.0).unwrap();
        }
        id
    };
    // The rows stay in ascending order, and SQLite believes in a descending one.
    let damage = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = \
                  replace(sql, 'PRIMARY KEY (study, number)', 'PRIMARY KEY (study, number DESC)')";
    Connection::open(&path)
        .unwrap()
        .execute_batch(damage)
        .unwrap();
    let store = file(&dir, "s.db");
    let is_damaged = |text: &str| text.contains("index is damaged");
    let error = all_trials(store.as_ref(), id).unwrap_err().to_string();
    assert!(is_damaged(&error), "{error}");
    drop(store);
    let url = path.display().to_string();
    let found = check(&url).unwrap();
    assert!(found.problems.iter().any(|p| is_damaged(p)), "{found:?}");
    let mended = mend(&url).unwrap();
    assert!(mended.left.iter().any(|p| is_damaged(p)), "{mended:?}");
}
