//! Storages of other versions, and several processes that create one.

use neuralbo::record::{Definition, Direction, Limits};
use neuralbo::space::Space;
use neuralbo::store::{NewStudy, StoreError};
use neuralbo_store::open;
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
