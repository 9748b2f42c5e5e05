//! Whatever the store does while a study is driven, each stored value is the one that its trial had.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use neuralbo::Registry;
use neuralbo::drive::{Cancel, DriveOptions, Objective, Reporter, drive};
use neuralbo::record::{Definition, Direction, Limits, Outcome, Report, State, StopReason, Trial};
use neuralbo::space::{Params, Space};
use neuralbo::store::{NewStudy, Store, all_trials};
use neuralbo::study::Study;
use neuralbo_testkit::store::{Backend, Faults, Faulty};

use crate::backends::{memory, sqlite};

const TRIALS: u64 = 80;
const STEPS: [(i64, f64); 3] = [(0, 100.0), (1, 50.0), (2, 25.0)];

/// Reports 100, 50, 25 and then returns what only the parameters decide.
#[derive(Default)]
struct StepPrinting {
    evaluated: AtomicU64,
}

fn oracle(params: &Params) -> f64 {
    let x = params.float("x").unwrap();
    (x * 12.9898).sin() * 43_758.545_3
}

impl Objective for StepPrinting {
    fn evaluate(&self, trial: &Trial, reporter: &Reporter, _: &Cancel) -> Outcome {
        self.evaluated.fetch_add(1, Ordering::SeqCst);
        STEPS
            .iter()
            .for_each(|(step, value)| reporter.report(*step, *value).unwrap());
        oracle(trial.params.as_ref().unwrap()).into()
    }
}

/// Drives a study behind a bad connection; how many faults it saw.
fn driven(backend: &Backend, workers: usize, seed: u64) -> u64 {
    let store = backend.open();
    let space = Space::new(vec!["x=float(0,1)".parse().unwrap()]).unwrap();
    let definition = Definition {
        method: "random".to_owned(),
        seed,
        ..Definition::new(space, Direction::Minimize)
    };
    let limits = Limits {
        trials: Some(TRIALS),
        ..Limits::default()
    };
    let record = store
        .create_study(&NewStudy::new(
            format!("faults-{workers}-{seed}"),
            definition,
            limits,
        ))
        .unwrap();
    let faulty = Arc::new(Faulty::new(Arc::clone(&store), seed, Faults::default()));
    let mut study = Study::open(faulty.clone(), record.clone(), Registry::standard()).unwrap();
    let objective = StepPrinting::default();
    let options = DriveOptions {
        workers,
        timeout: Some(Duration::from_secs(240)),
        ..DriveOptions::default()
    };
    let summary = drive(&mut study, &objective, &options, &mut []).unwrap();
    assert_eq!(
        (summary.stop, summary.finished),
        (StopReason::Trials(TRIALS), TRIALS),
        "workers {workers}, seed {seed}"
    );
    assert_eq!(
        objective.evaluated.load(Ordering::SeqCst),
        TRIALS,
        "no trial is evaluated twice"
    );
    check(store.as_ref(), &record.name);
    faulty.injected()
}

fn check(store: &dyn Store, name: &str) {
    let id = store.study(name).unwrap().id;
    let trials = all_trials(store, id).unwrap();
    assert_eq!(trials.len() as u64, TRIALS);
    let mut seqs: Vec<u64> = trials.iter().map(|trial| trial.seq.unwrap()).collect();
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=TRIALS).collect::<Vec<_>>(), "each is told once");
    let expected: Vec<Report> = STEPS
        .iter()
        .map(|(step, value)| Report {
            step: *step,
            name: "value".to_owned(),
            value: *value,
        })
        .collect();
    for trial in &trials {
        assert_eq!((&trial.state, trial.attempt), (&State::Complete, 1));
        assert_eq!(
            trial.value("value"),
            Some(oracle(trial.params.as_ref().unwrap())),
            "trial {}",
            trial.number
        );
        assert_eq!(
            store.reports(id, trial.number).unwrap(),
            expected,
            "trial {}",
            trial.number
        );
    }
}

#[test]
fn two_thousand_faults_cost_no_value_and_no_trial() {
    let injected: u64 = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8_u64)
            .map(|seed| {
                scope.spawn(move || {
                    let backend = if seed % 2 == 0 { memory() } else { sqlite() };
                    driven(&backend, if seed % 4 < 2 { 1 } else { 4 }, seed)
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    });
    println!("{injected} faults, {} trials", 8 * TRIALS);
    assert!(injected >= 2000, "{injected}");
}
