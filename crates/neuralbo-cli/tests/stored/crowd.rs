//! Many processes on one storage.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::Instant;

use neuralbo::record::{Definition, Direction, Limits, Retries};
use neuralbo::space::Space;
use neuralbo::store::{NewStudy, StudyRecord};
use neuralbo_store::open;

use crate::folder::Folder;
use crate::servers::{PRINTER, check_values, fresh, neuralbo, postgres};

const PROCESSES: usize = 16;
const TRIALS: u64 = 1600;

pub fn make(storage: &str, name: &str, trials: Option<u64>, attempts: u64) -> StudyRecord {
    let definition = Definition {
        method: "random".to_owned(),
        seed: 1,
        retries: Retries {
            attempts,
            ..Retries::default()
        },
        ..Definition::new(
            Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]).unwrap(),
            Direction::Minimize,
        )
    };
    let study = NewStudy::new(
        name,
        definition,
        Limits {
            trials,
            ..Limits::default()
        },
    );
    open(storage).unwrap().create_study(&study).unwrap()
}

fn crowd(storage: &str, label: &str) {
    let (folder, name) = (Folder::new(), fresh("crowd"));
    let record = make(storage, &name, Some(TRIALS), 3);
    folder.write("printer.sh", PRINTER);
    let started = Instant::now();
    let start = |_| -> Child {
        let mut worker = neuralbo(
            &folder,
            storage,
            &["worker", &name, "--threads", "1", "--", "sh", "printer.sh"],
        );
        worker
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let workers: Vec<Child> = (0..PROCESSES).map(start).collect();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && !said.contains("error") && !said.contains("storage"),
            "{said}"
        );
    }
    let seconds = started.elapsed().as_secs_f64();
    eprintln!(
        "{label}: {PROCESSES} processes, {TRIALS} trials in {seconds:.1} s, {:.0} trials/s",
        TRIALS as f64 / seconds
    );
    check(storage, &folder, &record);
}

fn check(storage: &str, folder: &Folder, record: &StudyRecord) {
    let store = open(storage).unwrap();
    let finished = store.finished_since(record.id, 0, 10_000).unwrap();
    let numbers: BTreeSet<u64> = finished.iter().map(|trial| trial.number).collect();
    let points: BTreeSet<String> = finished
        .iter()
        .filter_map(|trial| Some(trial.params.as_ref()?.params().unwrap().to_json()))
        .collect();
    assert_eq!(
        (finished.len() as u64, numbers, points.len() as u64),
        (TRIALS, (0..TRIALS).collect(), TRIALS)
    );
    assert_eq!(store.counts(record.id).unwrap().complete, TRIALS);
    assert_eq!(check_values(folder, store.as_ref(), record) as u64, TRIALS);
    assert_eq!(
        folder.read("printed").lines().count() as u64,
        TRIALS,
        "none is run twice"
    );
}

#[test]
fn sixteen_processes_on_one_sqlite_file_lose_and_repeat_nothing() {
    let folder = Folder::new();
    crowd(&folder.path("studies.db").display().to_string(), "SQLite");
}

#[test]
fn sixteen_processes_on_one_postgres_lose_and_repeat_nothing() {
    if let Some(url) = postgres() {
        crowd(&url, "PostgreSQL");
    }
}

#[test]
fn workers_outlive_restarts_of_postgres() {
    let (Some(url), Ok(restart)) = (postgres(), std::env::var("NEURALBO_TEST_POSTGRES_RESTART"))
    else {
        return;
    };
    if std::env::var("NEURALBO_TEST_RESTARTS").is_err() {
        eprintln!(
            "SKIPPED: it restarts the server under the other tests; set NEURALBO_TEST_RESTARTS=1 and run it alone"
        );
        return;
    }
    let (folder, name) = (Folder::new(), fresh("restarts"));
    let record = make(&url, &name, Some(300), 3);
    folder.write("printer.sh", &PRINTER.replace("sleep 0.01", "sleep 0.1"));
    let start = |_| -> Child {
        let mut worker = neuralbo(
            &folder,
            &url,
            &["worker", &name, "--threads", "1", "--", "sh", "printer.sh"],
        );
        worker
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let workers: Vec<Child> = (0..4).map(start).collect();
    for mode in ["fast", "immediate", "fast", "immediate"] {
        std::thread::sleep(std::time::Duration::from_millis(1000));
        assert!(
            std::process::Command::new(&restart)
                .arg(mode)
                .status()
                .unwrap()
                .success()
        );
    }
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let store = open(&url).unwrap();
    let counts = store.counts(record.id).unwrap();
    assert_eq!((counts.complete, counts.running), (300, 0));
    assert_eq!(check_values(&folder, store.as_ref(), &record), 300);
}
