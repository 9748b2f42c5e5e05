//! Studies whose every value follows from the number of the trial, in every kind of store.

use std::sync::Arc;

use neuralbo::record::{
    Attributes, Definition, Direction, Failure, FailureKind, Limits, ObjectiveSpec,
    OutcomeConstraint, Provenance, Report, State, Trial, Values,
};
use neuralbo::space::{Params, Space, Value};
use neuralbo::store::{NewStudy, NewTrial, Store};
use neuralbo_dashboard::{Server, Settings};
use tempfile::TempDir;

/// Text that no page may take for markup, in every field that takes text.
pub const HOSTILE: &str = "<script>alert('x')</script>\"&\u{202e}\u{7}</script><!--";

/// A dashboard on a port of its own.
pub fn serve(store: Arc<dyn Store>) -> Server {
    serve_as(store, None, Settings::default())
}

pub fn serve_as(
    store: Arc<dyn Store>,
    editing: Option<Arc<dyn Store>>,
    settings: Settings,
) -> Server {
    let address = (settings.address.ip(), 0).into();
    Server::start(
        store,
        editing,
        Settings {
            address,
            ..settings
        },
    )
    .unwrap()
}

/// A storage in a file, with the URL for other connections.
pub fn file() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = folder.path().join("studies.db").display().to_string();
    (folder, url)
}

/// One objective `loss`, a float on a log scale, a choice, and an int that only one choice has.
pub fn definition() -> Definition {
    let parameters = [
        "lr=float(1e-5,1,log)",
        "kind=choice(rbf,poly)",
        "degree=int(1,5) if kind == poly",
    ];
    let space = Space::new(
        parameters
            .iter()
            .map(|text| text.parse().unwrap())
            .collect(),
    )
    .unwrap();
    let objectives = vec![ObjectiveSpec::new("loss", Direction::Minimize)];
    let outcome_constraints = vec![OutcomeConstraint {
        name: "memory".into(),
        at_most: Some(50.0),
        at_least: None,
    }];
    Definition {
        objectives,
        outcome_constraints,
        method: "random".into(),
        seed: 3,
        ..Definition::new(space, Direction::Minimize)
    }
}

pub fn loss(number: u64) -> f64 {
    (number as f64 * 0.7).sin() * 10.0 + number as f64 * 0.01
}

pub fn memory(number: u64) -> f64 {
    (number * 37 % 100) as f64
}

pub fn lr(number: u64) -> f64 {
    10_f64.powf(-5.0 + 5.0 * (number % 11) as f64 / 10.0)
}

pub fn is_poly(number: u64) -> bool {
    number.is_multiple_of(3)
}

pub fn params(number: u64) -> Params {
    let mut params = Params::from_iter([("lr", lr(number))]);
    params.insert(
        "kind",
        Value::from(if is_poly(number) { "poly" } else { "rbf" }),
    );
    if is_poly(number) {
        params.insert("degree", (number % 5) as i64 + 1);
    }
    params
}

/// Every tenth fails, every tenth is pruned.
pub fn state(number: u64) -> State {
    match number % 10 {
        7 => State::Failed {
            failure: Failure::new(FailureKind::Exit, format!("status {}", number % 4)),
        },
        8 => State::Pruned { step: Some(2) },
        _ => State::Complete,
    }
}

pub fn is_complete(number: u64) -> bool {
    state(number) == State::Complete
}

/// The complete, feasible trial with the smallest loss.
pub fn best(count: u64) -> u64 {
    let eligible = (0..count).filter(|number| is_complete(*number) && memory(*number) <= 50.0);
    eligible
        .min_by(|a, b| loss(*a).total_cmp(&loss(*b)))
        .unwrap()
}

pub fn trial(number: u64) -> NewTrial {
    let state = state(number);
    let values = match state {
        State::Failed { .. } => Values::new(),
        _ => Values::from([
            ("loss".to_owned(), loss(number)),
            ("memory".to_owned(), memory(number)),
        ]),
    };
    let start = 1_700_000_000_000 + number as i64 * 2000;
    let provenance = Provenance {
        origin: "model:thompson".into(),
        mean: Some(loss(number) + 1.0),
        sd: Some(if number.is_multiple_of(2) { 0.5 } else { 2.0 }),
        suggest_ms: 10.0,
        based_on: number,
        ..Provenance::default()
    };
    let worker = format!("worker-{}", number % 4);
    let mut trial = Trial {
        params: Some(params(number)),
        state,
        values,
        provenance: Some(provenance),
        started_ms: Some(start + 100),
        finished_ms: Some(start + 1100),
        ..Trial::claimed(number, &worker, start)
    };
    trial.attributes = Attributes::from([("tag".to_owned(), serde_json::json!({ "n": number }))]);
    let reports = (1..=3).map(|step| Report {
        step,
        name: "loss".into(),
        value: loss(number) + 1.0 / step as f64,
    });
    NewTrial {
        trial,
        reports: reports.collect(),
    }
}

/// A study of so many trials.
pub fn study(store: &dyn Store, name: &str, count: u64) {
    let trials = (0..count).map(trial).collect();
    let limits = Limits {
        trials: Some(100_000),
        ..Limits::default()
    };
    store
        .create_study(&NewStudy {
            trials,
            limits,
            ..NewStudy::new(name, definition(), limits)
        })
        .unwrap();
}
