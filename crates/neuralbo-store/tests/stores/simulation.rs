//! Random schedules in virtual time on real SQLite files.
//!
//! The database measures leases with the machine's clock. Time passes here by moving the ends of all leases instead: leases are so
//! long that the time the schedules take themselves does not matter.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use neuralbo::store::Store;
use neuralbo_testkit::simulation::{TimedStorage, simulate};
use rusqlite::Connection;

use crate::backends::directory;

/// A file of its own; every worker has a connection of its own.
fn world() -> TimedStorage {
    let folder = Rc::new(directory());
    let path = folder.path().join("s.db");
    let url = path.display().to_string();
    let open = move || -> Arc<dyn Store> {
        let _alive = &folder;
        neuralbo_store::open(&url).unwrap()
    };
    let pass = move |time: i64| {
        let connection = Connection::open(&path).unwrap();
        connection.busy_timeout(Duration::from_secs(10)).unwrap();
        let moved = "UPDATE neuralbo_trials SET lease_until_ms = MAX(1, lease_until_ms - ?1) WHERE lease_until_ms > 0";
        connection.execute(moved, [time]).unwrap();
    };
    TimedStorage::new(open, pass)
}

#[test]
fn sqlite_keeps_its_promises_on_random_schedules() {
    let done = simulate(world, 0..200, 80);
    println!("{done:?}");
    assert!(
        done.finished > 200 && done.taken_over > 40 && done.too_late > 40,
        "{done:?}"
    );
}
