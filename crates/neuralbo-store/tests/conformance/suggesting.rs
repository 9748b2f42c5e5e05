use neuralbo::study::StopReason;
use neuralbo_store::{
    Asked, Definition, LeasedTrial, Limits, Outcome, Provenance, Report, StoredStudy, StudyRecord, TrialRecord, TrialState,
    read_export, replay,
};

use crate::backend::{Backend, LONG, definition, fresh};

fn make(backend: &Backend, method: &str, limits: Limits) -> StudyRecord {
    let mut definition = definition();
    definition.method = method.to_owned();
    backend.open().create_study(&fresh("suggesting"), &definition, &limits).unwrap()
}

fn trials(count: u64) -> Limits {
    Limits { trials: Some(count), ..Limits::default() }
}

fn ask(study: &mut StoredStudy) -> LeasedTrial {
    match study.ask("tester", LONG).unwrap() {
        Asked::Trial(trial) => trial,
        other => panic!("{other:?}"),
    }
}

fn value(trial: &LeasedTrial) -> f64 {
    trial.point.values()[0].as_f64().unwrap()
}

pub fn workers_see_the_same_order_and_pending_trials(backend: &Backend) {
    let record = make(backend, "cma-es", trials(60));
    let mut workers: Vec<StoredStudy> = (0..3).map(|_| StoredStudy::open(backend.open(), record.clone()).unwrap()).collect();
    for round in 0..20 {
        let asked: Vec<LeasedTrial> = workers.iter_mut().map(ask).collect();
        assert_eq!(asked[2].provenance.pending.len(), 2);
        assert_eq!(asked[2].provenance.based_on, 3 * round);
        assert!(asked[0].point != asked[1].point && asked[1].point != asked[2].point && asked[0].point != asked[2].point);
        for trial in asked.iter().rev() {
            workers[0].store().tell(&trial.lease, &Outcome::Value(value(trial))).unwrap();
        }
    }
    let result = replay(backend.open().as_ref(), &record).unwrap();
    assert_eq!((result.derived, result.parallel, result.mismatch), (60, 40, None));
}

pub fn a_finite_space_ends_the_study(backend: &Backend) {
    let mut definition = definition();
    definition.space = neuralbo::space::Space::new(vec!["n=int(1,3)".parse().unwrap()]).unwrap();
    let record = backend.open().create_study(&fresh("finite"), &definition, &trials(9)).unwrap();
    let mut study = StoredStudy::open(backend.open(), record.clone()).unwrap();
    let asked: Vec<LeasedTrial> = (0..3).map(|_| ask(&mut study)).collect();
    assert_eq!(study.ask("tester", LONG).unwrap(), Asked::Wait { running: 3 });
    for trial in &asked {
        study.store().tell(&trial.lease, &Outcome::Value(1.0)).unwrap();
    }
    assert_eq!(study.ask("tester", LONG).unwrap(), Asked::Ended(StopReason::Exhausted));
    assert_eq!(study.store().counts(record.id).unwrap().finished(), 3);
}

pub fn a_study_is_replayed(backend: &Backend) {
    for method in ["random", "sobol", "cma-es"] {
        let record = make(backend, method, trials(30));
        // A fresh process for every trial: nothing may depend on what a worker remembers.
        while let Asked::Trial(trial) = StoredStudy::open(backend.open(), record.clone()).unwrap().ask("tester", LONG).unwrap() {
            backend.open().tell(&trial.lease, &Outcome::Value(value(&trial))).unwrap();
        }
        let store = backend.open();
        assert_eq!(replay(store.as_ref(), &record).unwrap().mismatch, None, "{method}");
        let mut other = record.clone();
        other.definition.seed = 1;
        let mismatch = replay(store.as_ref(), &other).unwrap().mismatch;
        assert_eq!(mismatch.map(|mismatch| mismatch.number), Some(0), "{method}: another seed is another study");
    }
}

pub fn a_study_survives_export_and_import(backend: &Backend) {
    let record = make(backend, "cma-es", trials(12));
    let store = backend.open();
    let mut study = StoredStudy::open(store.clone(), record.clone()).unwrap();
    for i in 0..10 {
        let trial = ask(&mut study);
        store.report(&trial.lease, &[Report { step: i, name: "value".to_owned(), value: 0.1 }]).unwrap();
        let outcome = if i % 3 == 0 { Outcome::Pruned(value(&trial)) } else { Outcome::Value(value(&trial)) };
        store.tell(&trial.lease, &outcome).unwrap();
    }
    ask(&mut study);
    let mut lines = Vec::new();
    let export = |record: &StudyRecord, lines: &mut Vec<String>| {
        neuralbo_store::export_study(store.as_ref(), record, |line| {
            lines.push(line.to_owned());
            Ok::<(), neuralbo_store::StoreError>(())
        })
    };
    export(&record, &mut lines).unwrap();
    let imported = read_export(lines.join("\n").as_bytes()).unwrap();
    let copy = imported.store(store.as_ref(), &fresh("copy")).unwrap();
    assert_eq!(store.finished_since(copy.id, 0, 99).unwrap(), store.finished_since(record.id, 0, 99).unwrap());
    assert_eq!(replay(store.as_ref(), &copy).unwrap().mismatch, None);
    let mut again = Vec::new();
    export(&copy, &mut again).unwrap();
    assert_eq!(again.len(), 12);
    for (line, copied) in lines[1..11].iter().zip(&again[1..11]) {
        assert_eq!(line, copied);
    }
}

pub fn stop_rules_end_the_study(backend: &Backend) {
    let run = |limits: Limits| {
        let mut study = StoredStudy::open(backend.open(), make(backend, "random", limits)).unwrap();
        loop {
            match study.ask("tester", LONG).unwrap() {
                Asked::Trial(trial) => _ = study.store().tell(&trial.lease, &Outcome::Value(1.0)).unwrap(),
                Asked::Ended(reason) => return (reason, study.finished()),
                Asked::Wait { .. } => panic!("nobody else works here"),
            }
        }
    };
    assert_eq!(run(trials(4)), (StopReason::Trials(4), 4));
    assert_eq!(run(Limits { target: Some(1.0), ..trials(9) }), (StopReason::Target(1.0), 1));
    assert_eq!(run(Limits { patience: Some(3), ..trials(9) }), (StopReason::NoImprovement(3), 4));
}

/// A parabola around 0.5, a value too good for its place, and a pruned trial that is better than all.
pub fn a_lucky_or_pruned_trial_is_not_recommended(backend: &Backend) {
    let mut definition = definition();
    definition.space = neuralbo::space::Space::new(vec!["x=float(0,1)".parse().unwrap()]).unwrap();
    let recommended = |method: &str| {
        let definition = Definition { method: method.to_owned(), ..definition.clone() };
        let record = backend.open().create_study(&fresh("recommending"), &definition, &Limits::default()).unwrap();
        let known = |number: u64, x: f64, state: TrialState| (known_trial(number, x, state), Vec::new());
        let noise = |i: u64| if i.is_multiple_of(2) { 0.02 } else { -0.02 };
        let at = |i: u64| (i as f64 + 0.5) / 40.0;
        let parabola = |i: u64| known(i, at(i), TrialState::Complete { value: (at(i) - 0.5).powi(2) + noise(i) });
        let mut trials: Vec<_> = (0..40).map(parabola).collect();
        trials.push(known(40, 0.9, TrialState::Complete { value: -0.1 }));
        trials.push(known(41, 0.505, TrialState::Pruned { value: -0.05 }));
        backend.open().import(record.id, &trials).unwrap();
        let mut study = StoredStudy::open(backend.open(), record).unwrap();
        let recommended = study.recommend().unwrap();
        assert_eq!(study.best(), Some((40, -0.1)));
        recommended
    };
    let found = recommended("neuralbo").unwrap();
    let x = found.point.values()[0].as_f64().unwrap();
    assert!((0.3..0.7).contains(&x) && found.number < 40, "{found:?}");
    assert_eq!(recommended("random"), None);
}

fn known_trial(number: u64, x: f64, state: TrialState) -> TrialRecord {
    TrialRecord {
        number,
        params: Some(format!("[{x}]")),
        state,
        seq: None,
        proposal: Some(Provenance { origin: "known".to_owned(), ..Provenance::default() }),
        worker: String::new(),
        attempt: 1,
        lease_until_ms: 0,
        asked_ms: 0,
        finished_ms: None,
    }
}
