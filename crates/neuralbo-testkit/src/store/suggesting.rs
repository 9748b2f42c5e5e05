//! Studies on top of a store; trials that are stopped early, compared at a step, and resumed.

use neuralbo::record::{Definition, Limits, Provenance, StepReport, StopReason, Trial};
use neuralbo::store::{
    Lease, NewStudy, NewTrial, Proposal, Proposed, StoreError, StudyRecord, each_finished, first_of,
};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::{Asked, Study, Worker, replay};

use super::backend::{
    Backend, LONG, TestStudy, definition, fresh, known, params, proposal, provenance, report,
    space, study,
};

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
        let known = (provenance.pending.len(), provenance.based_on);
        assert_eq!(known, (2, 3 * round));
        let params = [0, 1, 2].map(|place| &asked[place].params);
        assert!(params[0] != params[1] && params[1] != params[2] && params[0] != params[2]);
        for trial in asked.iter().rev() {
            workers[0].tell(trial, value(trial)).unwrap();
        }
    }
    let result = replay(&*backend.open(), &record, &Registry::standard()).unwrap();
    let found = (result.derived, result.parallel, result.mismatch);
    assert_eq!(found, (60, 40, None));
}

pub(super) fn a_finite_space_ends_the_study(backend: &Backend) {
    let space = space(&["n=int(1,3)"]);
    let finite = Definition {
        space,
        ..definition()
    };
    let record = make(backend, finite, trials(9));
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
    let (mut target, mut patience) = (trials(9), trials(9));
    (target.target, patience.patience) = (Some(1.0), Some(3));
    assert_eq!(run(target), (StopReason::Target(1.0), 1));
    assert_eq!(run(patience), (StopReason::NoImprovement(3), 4));
}

pub(super) fn all_trials_that_came_to_a_step_are_known_there(backend: &Backend) {
    let study = study(backend);
    let (store, id) = (&study.store, study.id);
    let leases = [0, 1, 2, 3].map(|_| study.ask());
    let third = |value| report(3, "value", value);
    for (lease, value) in leases.iter().zip([4.0, 3.0, 2.0, 1.0]).rev() {
        let reports = [
            third(value),
            report(3, "loss", 9.0),
            report(1, "value", 0.0),
        ];
        store.report(lease, &reports).unwrap();
    }
    study.tell(&leases[1], 0.5).unwrap();
    study.prune(&leases[2], Some(3), 2.0);
    let reports = vec![third(5.0)];
    let added = NewTrial {
        reports,
        ..known(0.1)
    };
    store.add(id, &[added]).unwrap();
    store.release(&leases[3]).unwrap();
    study.ask();
    let at = |number, value, complete| StepReport {
        number,
        value,
        complete,
    };
    let expected = [
        at(0, 4.0, false),
        at(1, 3.0, true),
        at(2, 2.0, false),
        at(4, 5.0, true),
    ];
    let found = store.reports_at(id, 3, "value").unwrap();
    assert_eq!(found, expected, "trial 3 starts again");
    assert_eq!(store.reports_at(id, 2, "value").unwrap(), []);
    store.report(&leases[0], &[third(4.5)]).unwrap();
    let found = backend.open().reports_at(id, 3, "value").unwrap();
    assert_eq!(found[0], at(0, 4.5, false), "the last one counts");
}

pub(super) fn curves_come_with_the_finished_trials(backend: &Backend) {
    let study = study(backend);
    let leases = [0, 1, 2].map(|_| study.ask());
    for (lease, value) in leases.iter().zip([1.0, 2.0, 3.0]) {
        let values = [report(10, "value", value), report(9, "value", value + 0.5)];
        study.store.report(lease, &values).unwrap();
        study
            .store
            .report(lease, &[report(9, "loss", 0.0)])
            .unwrap();
    }
    study.tell(&leases[2], 0.25).unwrap();
    study.prune(&leases[0], Some(10), 1.0);
    let curves = |after, until| {
        backend
            .open()
            .curves(study.id, "value", after, until)
            .unwrap()
    };
    let (first, second) = ([(1, 9, 3.5), (1, 10, 3.0)], [(2, 9, 1.5), (2, 10, 1.0)]);
    assert_eq!(curves(0, 2), [first, second].concat());
    assert_eq!((curves(1, 2), curves(2, 9)), (second.into(), vec![]));
    for (name, expected) in [
        (Some("value"), vec![(9, 1.5), (10, 1.0)]),
        (Some("none"), vec![]),
        (None, vec![]),
    ] {
        let mut seen = Vec::new();
        each_finished(&*study.store, study.id, 1, name, |finished| {
            seen.push(finished.curve.clone());
            Ok::<(), StoreError>(())
        })
        .unwrap();
        assert_eq!(seen, [expected], "{name:?}");
    }
}

/// Proposes a point that resumes another trial.
fn resume(study: &TestStudy, lease: &Lease, resumes: u64) -> Proposed {
    let resumes = Some(resumes);
    let proposal = Proposal {
        provenance: Provenance {
            resumes,
            ..provenance()
        },
        repeat_allowed: true,
        ..proposal(params(0.5, 1))
    };
    study.store.propose(lease, &proposal).unwrap()
}

pub(super) fn a_stopped_trial_is_resumed_by_one_other(backend: &Backend) {
    let study = study(backend);
    study.prune(&study.ask(), Some(1), 1.0);
    let ((one, _), (other, _)) = (study.on(backend).claim(), study.on(backend).claim());
    assert_eq!(resume(&study.on(backend), &one, 0), Proposed::Accepted);
    assert_eq!(resume(&study.on(backend), &other, 0), Proposed::Repeated);
    assert_eq!(resume(&study, &one, 0), Proposed::Accepted, "twice is one");
    study.prune(&one, Some(3), 0.5);
    assert_eq!(resume(&study, &other, 0), Proposed::Repeated, "ended");
    assert_eq!(resume(&study, &other, 1), Proposed::Accepted, "a chain");
    let trial = backend.open().trial(study.id, other.number).unwrap();
    assert_eq!(trial.provenance.as_ref().unwrap().resumes, Some(1));
    assert_eq!(first_of(&*study.store, study.id, &trial).unwrap(), 0);
    assert_eq!(study.finished()[1].resumes, Some(0));
}
