//! Random schedules in virtual time on real SQLite files.
//!
//! The database measures leases with the machine's clock. Time passes here by moving the ends of all leases instead: leases are so
//! long that the time the schedules take themselves does not matter.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use neuralbo::record::{Ending, Trial};
use neuralbo::store::{Store, StoreError, StudyRecord, Told};
use neuralbo_store::Spooled;
use neuralbo_testkit::simulation::{TimedStorage, simulate};
use rusqlite::Connection;

use crate::backends::directory;

/// A file of its own; every worker has a connection of its own.
fn world() -> TimedStorage {
    let folder = Rc::new(directory());
    let path = folder.path().join("s.db");
    let (url, removed) = (path.display().to_string(), path.clone());
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
    let replace = move || {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", removed.display()));
        }
    };
    TimedStorage::new(open, pass)
        .replaced_by(replace)
        .keeping(keep, tell_kept)
}

/// As the spool keeps it, without the file.
fn keep(study: &StudyRecord, trial: &Trial, ending: &Ending) -> String {
    serde_json::to_string(&Spooled::new("s", study, trial, ending, &[])).unwrap()
}

fn tell_kept(store: &dyn Store, text: &str) -> Result<Told, StoreError> {
    serde_json::from_str::<Spooled>(text).unwrap().tell(store)
}

/// Schedules in memory with values that are spooled.
fn no_value_by_name_or_number(schedules: u64) {
    let world = || TimedStorage::in_memory(|store| store).keeping(keep, tell_kept);
    let done = simulate(world, 0..schedules, 120);
    println!("{done:?}");
    let expected = 3 * schedules / 10;
    assert!(
        done.recovered > expected && done.gone > expected,
        "{done:?}"
    );
}

/// `NEURALBO_SIMULATION_SCHEDULES=100000` runs that many.
#[test]
fn no_spooled_value_reaches_a_trial_by_name_or_number() {
    let given = std::env::var("NEURALBO_SIMULATION_SCHEDULES").ok();
    let given = given.map(|text| text.parse().unwrap());
    no_value_by_name_or_number(given.unwrap_or(1000));
}

#[test]
#[ignore = "long: make test-all"]
fn no_spooled_value_reaches_a_trial_by_name_or_number_in_100_000_schedules() {
    no_value_by_name_or_number(100_000);
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
