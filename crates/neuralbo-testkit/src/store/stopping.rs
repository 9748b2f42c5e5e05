//! Trials that are stopped early, compared at a step, and resumed.

use super::backend::{Backend, TestStudy, known, params, proposal, provenance, report, study};
use neuralbo::record::{Provenance, StepReport};
use neuralbo::store::{Lease, NewTrial, Proposal, Proposed, StoreError, each_finished, first_of};

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
    assert_eq!(
        resume(&study, &one, 0),
        Proposed::Accepted,
        "the same proposal twice is one"
    );
    study.prune(&one, Some(3), 0.5);
    assert_eq!(
        resume(&study, &other, 0),
        Proposed::Repeated,
        "also when it has ended"
    );
    assert_eq!(resume(&study, &other, 1), Proposed::Accepted, "a chain");
    let trial = backend.open().trial(study.id, other.number).unwrap();
    assert_eq!(trial.provenance.as_ref().unwrap().resumes, Some(1));
    assert_eq!(first_of(&*study.store, study.id, &trial).unwrap(), 0);
    assert_eq!(study.finished()[1].resumes, Some(0));
}
