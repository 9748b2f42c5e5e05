//! How long asking and telling take as a study grows, and how much sixteen processes get done.
//!
//! `scripts/with-postgres.sh cargo bench -p neuralbo-store` measures both stores, without the script SQLite alone.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use neuralbo::space::Space;
use neuralbo::study::Direction;
use neuralbo_store::{
    Asked, Claim, Claimed, Definition, Limits, Outcome, Proposal, Provenance, Retries, Store, StoredStudy, StudyRecord,
    TrialRecord, TrialState, open,
};

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
    let room = tempfile::tempdir().unwrap();
    println!("            trials   claim+propose, ms         tell, ms                  open and read, s");
    println!("                     p10     median  p95       p10     median  p95");
    let file = room.path().join("studies.db").display().to_string();
    measure("SQLite", &file);
    if let Ok(url) = std::env::var("NEURALBO_TEST_POSTGRES") {
        measure("PostgreSQL", &url);
    }
}

/// One study of a size.
struct Study {
    size: u64,
    record: StudyRecord,
    opened: Duration,
    asks: Vec<f64>,
    tells: Vec<f64>,
}

fn measure(label: &str, url: &str) {
    let store = open(url).unwrap();
    let mut studies: Vec<Study> = SIZES.iter().map(|&size| grown(&store, url, size)).collect();
    // The sizes take turns, so that whatever else the machine does meets all of them.
    for round in 0..ROUNDS {
        studies.iter_mut().for_each(|study| study.round(store.as_ref(), round));
    }
    for study in &studies {
        let columns = |times: &[f64]| [0.1, 0.5, 0.95].map(|q| format!("{:6.3}", quantile(times, q))).join("  ");
        let (asks, tells, opened) = (columns(&study.asks), columns(&study.tells), study.opened.as_secs_f64());
        println!("{label:10} {:7}   {asks}    {tells}    {opened:6.3}", study.size);
    }
    crowd(label, url, &store);
}

fn grown(store: &Arc<dyn Store>, url: &str, size: u64) -> Study {
    let record = filled(store.as_ref(), &format!("size-{size}"), size);
    let started = Instant::now();
    let mut study = StoredStudy::open(open(url).unwrap(), record.clone()).unwrap();
    study.refresh().unwrap();
    assert_eq!(study.finished(), size);
    Study { size, record, opened: started.elapsed(), asks: Vec::new(), tells: Vec::new() }
}

fn make(store: &dyn Store, name: &str, trials: Option<u64>) -> StudyRecord {
    let definition = Definition {
        space: Space::from_bounds(&[(0.0, 1.0); 5]).unwrap(),
        direction: Direction::Minimize,
        method: "random".to_owned(),
        options: vec![],
        seed: 1,
        retries: Retries::default(),
    };
    store.create_study(name, &definition, &Limits { trials, ..Limits::default() }).unwrap()
}

fn params(number: u64) -> String {
    let x = (number as f64 * 0.618_033_988_749_895).fract();
    format!("[{x:?},0.25,0.5,0.75,{:?}]", 1.0 - x)
}

fn filled(store: &dyn Store, name: &str, size: u64) -> StudyRecord {
    let record = make(store, name, None);
    let provenance = Provenance { origin: "sampled".to_owned(), ..Provenance::default() };
    let trial = |number: u64| TrialRecord {
        number,
        params: Some(params(number)),
        state: TrialState::Complete { value: number as f64 },
        seq: None,
        proposal: Some(provenance.clone()),
        worker: "bench".to_owned(),
        attempt: 1,
        lease_until_ms: 0,
        asked_ms: 0,
        finished_ms: Some(0),
    };
    let trials: Vec<_> = (0..size).map(|number| (trial(number), Vec::new())).collect();
    store.import(record.id, &trials).unwrap();
    record
}

impl Study {
    /// One ask and one tell, without the suggestion itself.
    fn round(&mut self, store: &dyn Store, round: usize) {
        let claim = Claim { worker: "bench".to_owned(), token: format!("{}-{round}", self.record.name), lease: LEASE };
        let started = Instant::now();
        let Claimed::Trial(lease, _) = store.claim(self.record.id, &claim).unwrap() else { panic!("full") };
        let provenance = Provenance { origin: "sampled".to_owned(), ..Provenance::default() };
        store.propose(&lease, &Proposal { params: params(lease.number), provenance, repeat_allowed: false }).unwrap();
        self.asks.push(started.elapsed().as_secs_f64() * 1e3);
        let started = Instant::now();
        store.tell(&lease, &Outcome::Value(1.0)).unwrap();
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
    let record = make(store.as_ref(), "crowd", Some(trials));
    let started = Instant::now();
    let start = |_| Command::new(std::env::current_exe().unwrap()).args(["--worker", url, "crowd"]).spawn().unwrap();
    let workers: Vec<_> = (0..PROCESSES).map(start).collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(store.counts(record.id).unwrap().complete, trials);
    println!("{label}: {PROCESSES} processes, {trials} trials in {seconds:.1} s: {:.0} trials/s", trials as f64 / seconds);
}

fn work(url: &str, name: &str) {
    let store = open(url).unwrap();
    let record = store.study(name).unwrap();
    let mut study = StoredStudy::open(store.clone(), record).unwrap();
    loop {
        match study.ask("bench", LEASE).unwrap() {
            Asked::Trial(trial) => _ = store.tell(&trial.lease, &Outcome::Value(1.0)).unwrap(),
            Asked::Wait { .. } => std::thread::sleep(Duration::from_millis(5)),
            Asked::Ended(_) => return,
        }
    }
}
