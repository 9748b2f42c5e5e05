//! How long asking and telling take as a study grows, and how much sixteen processes get done.
//!
//! `scripts/ci/with-postgres.sh cargo bench -p neuralbo-store` measures both stores, without the script SQLite alone.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use neuralbo::Registry;
use neuralbo::record::{
    Definition, Direction, Limits, Outcome, Provenance, State, Token, Trial, Values,
};
use neuralbo::space::{Params, Space};
use neuralbo::store::{Claim, Claimed, Lease, NewStudy, NewTrial, Proposal, Store, StudyRecord};
use neuralbo::study::{Asked, Study, Worker};
use neuralbo_store::open;

const SIZES: [u64; 3] = [1_000, 10_000, 100_000];
const ROUNDS: usize = 300;
const PROCESSES: usize = 16;
const EACH: u64 = 100;
const LEASE: Duration = Duration::from_secs(600);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, url, study] = arguments.as_slice()
        && flag == "--worker"
    {
        return work(url, study);
    }
    let dir = tempfile::tempdir().unwrap();
    println!(
        "            trials   claim+propose, ms         tell, ms                  open and read, s   best, ms"
    );
    println!("                     p10     median  p95       p10     median  p95");
    let file = dir.path().join("studies.db").display().to_string();
    measure("SQLite", &file);
    if let Ok(url) = std::env::var("NEURALBO_TEST_POSTGRES") {
        measure("PostgreSQL", &url);
    }
}

/// One study of a size.
struct Sized {
    size: u64,
    record: StudyRecord,
    opened: Duration,
    best: Duration,
    asks: Vec<f64>,
    tells: Vec<f64>,
}

fn measure(label: &str, url: &str) {
    let store = open(url).unwrap();
    let mut studies: Vec<Sized> = SIZES.iter().map(|&size| grown(&store, url, size)).collect();
    // The sizes take turns, so that whatever else the machine does meets all of them.
    for _ in 0..ROUNDS {
        studies
            .iter_mut()
            .for_each(|study| study.round(store.as_ref()));
    }
    for study in &studies {
        let columns = |times: &[f64]| {
            [0.1, 0.5, 0.95]
                .map(|q| format!("{:6.3}", quantile(times, q)))
                .join("  ")
        };
        let (asks, tells, opened) = (
            columns(&study.asks),
            columns(&study.tells),
            study.opened.as_secs_f64(),
        );
        println!(
            "{label:10} {:7}   {asks}    {tells}    {opened:6.3}             {:6.3}",
            study.size,
            study.best.as_secs_f64() * 1e3
        );
    }
    if let [small, .., large] = studies.as_slice() {
        let ratio = |a: &[f64], b: &[f64]| quantile(b, 0.5) / quantile(a, 0.5);
        let (asks, tells) = (
            ratio(&small.asks, &large.asks),
            ratio(&small.tells, &large.tells),
        );
        println!(
            "{label}: {} trials cost {asks:.2} times the ask and {tells:.2} times the tell of {}",
            large.size, small.size
        );
    }
    crowd(label, url, &store);
}

fn grown(store: &Arc<dyn Store>, url: &str, size: u64) -> Sized {
    let record = filled(
        store.as_ref(),
        &format!("size-{size}-{}", std::process::id()),
        size,
    );
    let started = Instant::now();
    let mut study = Study::open(open(url).unwrap(), record.clone(), Registry::standard()).unwrap();
    study.refresh().unwrap();
    let opened = started.elapsed();
    assert_eq!(study.counts().finished(), size);
    let started = Instant::now();
    assert_eq!(
        open(url)
            .unwrap()
            .best(record.id)
            .unwrap()
            .map(|trial| trial.number),
        Some(0)
    );
    Sized {
        size,
        record,
        opened,
        best: started.elapsed(),
        asks: Vec::new(),
        tells: Vec::new(),
    }
}

fn definition() -> Definition {
    let space = Space::from_bounds(&[(0.0, 1.0); 2]).unwrap();
    Definition {
        method: "random".to_owned(),
        seed: 1,
        ..Definition::new(space, Direction::Minimize)
    }
}

fn params(number: u64) -> Params {
    let x = (number as f64 * 0.618_033_988_749_895).fract();
    [("x0", x), ("x1", 1.0 - x)].into_iter().collect()
}

fn provenance() -> Provenance {
    Provenance {
        origin: "sampled".to_owned(),
        ..Provenance::default()
    }
}

fn filled(store: &dyn Store, name: &str, size: u64) -> StudyRecord {
    let trial = |number: u64| {
        let values = Values::from([("value".to_owned(), number as f64)]);
        let trial = Trial::known(params(number), State::Complete, values);
        NewTrial::from(Trial {
            number,
            provenance: Some(provenance()),
            ..trial
        })
    };
    let trials = (0..size).map(trial).collect();
    store
        .create_study(&NewStudy {
            trials,
            ..NewStudy::new(name, definition(), Limits::default())
        })
        .unwrap()
}

impl Sized {
    /// One ask and one tell, without the suggestion itself.
    fn round(&mut self, store: &dyn Store) {
        let claim = Claim {
            worker: "bench".to_owned(),
            token: Token::fresh(),
            lease: LEASE,
        };
        let started = Instant::now();
        let Claimed::Trial(trial) = store.claim(self.record.id, &claim).unwrap() else {
            panic!("full")
        };
        let lease = Lease::of(self.record.id, &trial);
        let proposal = Proposal {
            version: 1,
            params: params(trial.number),
            provenance: provenance(),
            repeat_allowed: false,
        };
        store.propose(&lease, &proposal).unwrap();
        self.asks.push(started.elapsed().as_secs_f64() * 1e3);
        let ending = self.record.definition.ending(Outcome::Value(1.0)).unwrap();
        let started = Instant::now();
        store.tell(&lease, &ending).unwrap();
        self.tells.push(started.elapsed().as_secs_f64() * 1e3);
    }
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * q) as usize]
}

/// Sixteen processes that ask and tell without evaluating anything.
fn crowd(label: &str, url: &str, store: &Arc<dyn Store>) {
    let trials = PROCESSES as u64 * EACH;
    let limits = Limits {
        trials: Some(trials),
        ..Limits::default()
    };
    let record = store
        .create_study(&NewStudy::new("crowd", definition(), limits))
        .unwrap();
    let started = Instant::now();
    let start = |_| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--worker", url, "crowd"])
            .spawn()
            .unwrap()
    };
    let workers: Vec<_> = (0..PROCESSES).map(start).collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(store.counts(record.id).unwrap().complete, trials);
    println!(
        "{label}: {PROCESSES} processes, {trials} trials in {seconds:.1} s: {:.0} trials/s",
        trials as f64 / seconds
    );
}

fn work(url: &str, name: &str) {
    let store = open(url).unwrap();
    let record = store.study(name).unwrap();
    let mut study = Study::open(store, record, Registry::standard()).unwrap();
    let worker = Worker {
        name: "bench".to_owned(),
        lease: LEASE,
    };
    loop {
        match study.ask(&worker, 1).unwrap() {
            Asked::Trials(trials) => trials
                .iter()
                .for_each(|trial| _ = study.tell(trial, 1.0).unwrap()),
            Asked::Wait { .. } => std::thread::sleep(Duration::from_millis(5)),
            Asked::Ended(_) => return,
        }
    }
}
