//! `kill -9` at random moments.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use neuralbo::record::{Limits, State, Values};
use neuralbo::store::{Store, StudyRecord};
use neuralbo_store::open;

use crate::crowd::make;
use crate::folder::Folder;
use crate::servers::{PRINTER, check_values, fresh, neuralbo, postgres};

/// What was told of a trial: its position, its state and its values.
type Results = BTreeMap<u64, (u64, State, Values)>;

const KILLS: usize = 200;
const WORKERS: usize = 4;
/// A trial of a dead worker is free after this time.
const LEASE: &str = "400ms";

/// A worker, or a `run` that continues the study.
fn start(folder: &Folder, storage: &str, name: &str, index: usize) -> Child {
    let worker = [
        "worker",
        name,
        "--lease",
        LEASE,
        "--threads",
        "1",
        "--quiet",
        "--",
        "sh",
        "printer.sh",
    ];
    let run = [
        "run",
        "--study",
        name,
        "--method",
        "random",
        "--param",
        "x0=float(0,1)",
        "--param",
        "x1=float(0,1)",
    ];
    let rest = [
        "--attempts",
        "1000",
        "--lease",
        LEASE,
        "--threads",
        "1",
        "--quiet",
        "--",
        "sh",
        "printer.sh",
    ];
    let mut command = if index.is_multiple_of(2) {
        neuralbo(folder, storage, &worker)
    } else {
        neuralbo(folder, storage, &run)
    };
    if !index.is_multiple_of(2) {
        command.args(rest);
    }
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Everything that was told so far.
fn told(store: &dyn Store, record: &StudyRecord) -> Results {
    let finished = store.finished_since(record.id, 0, 100_000).unwrap();
    finished
        .into_iter()
        .map(|trial| (trial.number, (trial.seq, trial.state, trial.values)))
        .collect()
}

fn kills(storage: &str) {
    let (folder, name) = (Folder::new(), fresh("kills"));
    folder.write("printer.sh", PRINTER);
    let record = make(storage, &name, None, 1000);
    let store = open(storage).unwrap();
    let mut random = 12345_u64;
    let mut draw = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut workers: Vec<Child> = (0..WORKERS)
        .map(|i| start(&folder, storage, &name, i))
        .collect();
    let mut acknowledged = BTreeMap::new();
    for kill in 0..KILLS {
        std::thread::sleep(Duration::from_millis(draw(120)));
        let victim = draw(WORKERS as u64) as usize;
        workers[victim].kill().unwrap();
        workers[victim].wait().unwrap();
        acknowledged.extend(told(store.as_ref(), &record));
        workers[victim] = start(&folder, storage, &name, kill);
    }
    workers.iter_mut().for_each(|worker| worker.kill().unwrap());
    workers
        .iter_mut()
        .for_each(|worker| _ = worker.wait().unwrap());
    acknowledged.extend(told(store.as_ref(), &record));
    finish(&folder, storage, &name, &record, &acknowledged);
}

/// Resumes, and checks that everything is there and nothing is stuck.
fn finish(
    folder: &Folder,
    storage: &str,
    name: &str,
    record: &StudyRecord,
    acknowledged: &Results,
) {
    let store = open(storage).unwrap();
    let counts = store.counts(record.id).unwrap();
    let total = counts.finished() + counts.running + 20;
    store
        .limit(
            record.id,
            &Limits {
                trials: Some(total),
                ..Limits::default()
            },
        )
        .unwrap();
    let started = Instant::now();
    let workers: Vec<Child> = (0..WORKERS)
        .map(|i| start(folder, storage, name, i))
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "no trial is stuck"
    );
    let all = told(store.as_ref(), record);
    assert!(
        acknowledged
            .iter()
            .all(|(number, result)| all.get(number) == Some(result)),
        "what was told stays"
    );
    assert_eq!(
        all.keys().copied().collect::<Vec<_>>(),
        (0..total).collect::<Vec<_>>()
    );
    let counts = store.counts(record.id).unwrap();
    assert_eq!((counts.complete, counts.running), (total, 0));
    assert_eq!(
        check_values(folder, store.as_ref(), record) as u64,
        total,
        "every value is what the program printed last"
    );
    eprintln!(
        "{KILLS} kills, {} results were told before them, {total} trials in the end",
        acknowledged.len()
    );
}

#[test]
fn two_hundred_kills_lose_nothing_in_sqlite() {
    let folder = Folder::new();
    kills(&folder.path("studies.db").display().to_string());
}

#[test]
fn two_hundred_kills_lose_nothing_in_postgres() {
    if let Some(url) = postgres() {
        kills(&url);
    }
}
