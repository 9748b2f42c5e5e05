//! What asking and telling cost beside the model: studies in memory of the method `random` with ten numbers.
//!
//! `cargo bench -p neuralbo --bench overhead`. Other work on the machine only adds to the least time.
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::Instant;

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::record::{Definition, Direction, State, Trial, Values};
use neuralbo::space::{Params, Space};
use neuralbo::store::NewTrial;
use neuralbo::study::Study;
use rand::RngExt;

const DIM: usize = 10;
const REPEATS: u64 = 15;
const CALLS: usize = 200;
const MANY: usize = 10_000;

fn main() {
    println!("| what | least | median |\n|---|---:|---:|");
    for known in [0, 1_000, 100_000] {
        let (mut asks, mut tells) = (Vec::new(), Vec::new());
        let mut study = study();
        study.add(&trials(known)).unwrap();
        for _ in 0..REPEATS {
            let began = Instant::now();
            let asked: Vec<Trial> = (0..CALLS).map(|_| study.ask_one().unwrap()).collect();
            asks.push(micros(began) / CALLS as f64);
            let began = Instant::now();
            for trial in &asked {
                study.tell(trial, 1.0).unwrap();
            }
            tells.push(micros(began) / CALLS as f64);
        }
        row(
            &format!("ask, {CALLS} in a row after {known} trials"),
            "µs",
            asks,
        );
        row("tell, the same", "µs", tells);
        row(
            &format!("ask and tell in turn after {known} trials"),
            "µs",
            (0..REPEATS).map(|_| in_turn(&mut study)).collect(),
        );
    }
    let trials = trials(MANY);
    let add = |_| {
        let mut study = study();
        let began = Instant::now();
        study.add(&trials).unwrap();
        micros(began) / 1e3
    };
    row(
        &format!("add, {MANY} trials"),
        "ms",
        (0..REPEATS).map(add).collect(),
    );
}

fn study() -> Study {
    let space = Space::from_bounds(&[(0.0, 1.0); DIM]).unwrap();
    let definition = Definition::new(space, Direction::Minimize);
    Study::new(Definition {
        method: "random".into(),
        ..definition
    })
    .unwrap()
}

fn trials(count: usize) -> Vec<NewTrial> {
    let mut rng = Streams::new(1).stream(0, Purpose::Design);
    let names: Vec<std::sync::Arc<str>> = (0..DIM).map(|i| format!("x{i}").into()).collect();
    let mut known = || {
        let point = names.iter().map(|name| (name.clone(), rng.random::<f64>()));
        let params: Params = point.collect();
        let values = Values::from([("value".to_owned(), rng.random())]);
        Trial::known(params, State::Complete, values).into()
    };
    (0..count).map(|_| known()).collect()
}

fn in_turn(study: &mut Study) -> f64 {
    let began = Instant::now();
    for _ in 0..CALLS {
        let trial = study.ask_one().unwrap();
        study.tell(&trial, 1.0).unwrap();
    }
    micros(began) / CALLS as f64
}

fn micros(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e6
}

fn row(what: &str, unit: &str, mut found: Vec<f64>) {
    found.sort_by(f64::total_cmp);
    let (least, median) = (found[0], found[found.len() / 2]);
    println!("| {what} | {least:.2} {unit} | {median:.2} {unit} |");
}
