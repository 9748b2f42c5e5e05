//! Studies on top of a store.

use super::backend::{Backend, LONG, definition, fresh, space};
use neuralbo::record::{Definition, Limits, StopReason, Trial};
use neuralbo::store::{NewStudy, StudyRecord};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::{Asked, Study, Worker, replay};

fn make(backend: &Backend, definition: Definition, limits: Limits) -> StudyRecord {
    backend
        .open()
        .create_study(&NewStudy::new(fresh("suggesting"), definition, limits))
        .unwrap()
}

fn with_method(method: &str) -> Definition {
    Definition {
        method: method.to_owned(),
        ..definition()
    }
}

fn open(backend: &Backend, record: &StudyRecord) -> Study {
    Study::open(backend.open(), record.clone(), Registry::standard()).unwrap()
}

fn trials(count: u64) -> Limits {
    Limits {
        trials: Some(count),
        ..Limits::default()
    }
}

fn worker() -> Worker {
    Worker {
        name: "tester".to_owned(),
        lease: LONG,
    }
}

fn ask(study: &mut Study) -> Trial {
    match study.ask(&worker(), 1).unwrap() {
        Asked::Trials(mut trials) => trials.pop().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn value(trial: &Trial) -> f64 {
    trial.params.as_ref().unwrap().float("x").unwrap()
}

pub(super) fn workers_see_the_same_order_and_pending_trials(backend: &Backend) {
    let record = make(backend, with_method("cma-es"), trials(60));
    let mut workers: Vec<Study> = (0..3).map(|_| open(backend, &record)).collect();
    for round in 0..20 {
        let asked: Vec<Trial> = workers.iter_mut().map(ask).collect();
        let provenance = asked[2].provenance.clone().unwrap();
        assert_eq!(
            (provenance.pending.len(), provenance.based_on),
            (2, 3 * round)
        );
        let params = [0, 1, 2].map(|place| &asked[place].params);
        assert!(params[0] != params[1] && params[1] != params[2] && params[0] != params[2]);
        for trial in asked.iter().rev() {
            workers[0].tell(trial, value(trial)).unwrap();
        }
    }
    let result = replay(&*backend.open(), &record, &Registry::standard()).unwrap();
    assert_eq!(
        (result.derived, result.parallel, result.mismatch),
        (60, 40, None)
    );
}

pub(super) fn a_finite_space_ends_the_study(backend: &Backend) {
    let space = space(&["n=int(1,3)"]);
    let record = make(
        backend,
        Definition {
            space,
            ..definition()
        },
        trials(9),
    );
    let mut study = open(backend, &record);
    let asked: Vec<Trial> = (0..3).map(|_| ask(&mut study)).collect();
    let waits = study.ask(&worker(), 1).unwrap();
    assert!(matches!(
        waits,
        Asked::Wait {
            running: 3,
            until_ms: Some(_)
        }
    ));
    for trial in &asked {
        study.tell(trial, 1.0).unwrap();
    }
    let ended = study.ask(&worker(), 1).unwrap();
    assert_eq!(ended, Asked::Ended(StopReason::Exhausted));
    assert_eq!(study.store().counts(record.id).unwrap().finished(), 3);
}

pub(super) fn a_study_is_replayed(backend: &Backend) {
    for method in ["random", "sobol", "cma-es", "nsga2"] {
        let record = make(backend, with_method(method), trials(30));
        // A fresh process for every trial: nothing may depend on what a worker remembers.
        loop {
            let mut study = open(backend, &record);
            let Asked::Trials(asked) = study.ask(&worker(), 2).unwrap() else {
                break;
            };
            asked
                .iter()
                .for_each(|trial| _ = study.tell(trial, value(trial)).unwrap());
        }
        let result = replay(&*backend.open(), &record, &Registry::standard()).unwrap();
        assert_eq!((result.derived, result.mismatch), (30, None), "{method}");
    }
}

pub(super) fn stop_rules_end_the_study(backend: &Backend) {
    let run = |limits: Limits| {
        let mut study = open(backend, &make(backend, definition(), limits));
        loop {
            match study.ask(&worker(), 1).unwrap() {
                Asked::Trials(asked) => asked
                    .iter()
                    .for_each(|trial| _ = study.tell(trial, 1.0).unwrap()),
                Asked::Ended(reason) => return (reason, study.counts().finished()),
                Asked::Wait { .. } => panic!("nobody else works here"),
            }
        }
    };
    assert_eq!(run(trials(4)), (StopReason::Trials(4), 4));
    let target = Some(1.0);
    assert_eq!(
        run(Limits {
            target,
            ..trials(9)
        }),
        (StopReason::Target(1.0), 1)
    );
    let patience = Some(3);
    assert_eq!(
        run(Limits {
            patience,
            ..trials(9)
        }),
        (StopReason::NoImprovement(3), 4)
    );
}
