//! Trials that are stopped early, compared at a step, and resumed.

use super::backend::{
    Backend, LONG, ask, claim_for, ended, params, proposal, provenance, study, values,
};
use neuralbo::record::{Outcome, Provenance, Report, StepReport};
use neuralbo::space::Params;
use neuralbo::store::{Lease, NewTrial, Proposal, Proposed, Store, each_finished, first_of};

fn report(step: i64, name: &str, value: f64) -> Report {
    Report {
        step,
        name: name.to_owned(),
        value,
    }
}

pub(super) fn all_trials_that_came_to_a_step_are_known_there(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let leases = [0, 1, 2, 3].map(|_| ask(store.as_ref(), id, LONG).unwrap());
    for (lease, value) in leases.iter().zip([4.0, 3.0, 2.0, 1.0]).rev() {
        store
            .report(
                lease,
                &[
                    report(3, "value", value),
                    report(3, "loss", 9.0),
                    report(1, "value", 0.0),
                ],
            )
            .unwrap();
    }
    store.tell(&leases[1], &ended(0.5)).unwrap();
    store
        .tell(
            &leases[2],
            &ended(Outcome::Pruned(Some(3), values(&[("value", 2.0)]))),
        )
        .unwrap();
    store
        .add(
            id,
            &[NewTrial {
                reports: vec![report(3, "value", 5.0)],
                ..super::trials::known(0.1)
            }],
        )
        .unwrap();
    store.release(&leases[3]).unwrap();
    ask(store.as_ref(), id, LONG).unwrap();
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
    assert_eq!(
        store.reports_at(id, 3, "value").unwrap(),
        expected,
        "trial 3 begins anew"
    );
    assert_eq!(store.reports_at(id, 2, "value").unwrap(), []);
    store
        .report(&leases[0], &[report(3, "value", 4.5)])
        .unwrap();
    assert_eq!(
        backend.open().reports_at(id, 3, "value").unwrap()[0],
        at(0, 4.5, false),
        "the last one counts"
    );
}

pub(super) fn curves_come_with_the_finished_trials(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let leases = [0, 1, 2].map(|_| ask(store.as_ref(), id, LONG).unwrap());
    for (lease, value) in leases.iter().zip([1.0, 2.0, 3.0]) {
        store
            .report(
                lease,
                &[
                    report(10, "value", value),
                    report(9, "value", value + 0.5),
                    report(9, "loss", 0.0),
                ],
            )
            .unwrap();
    }
    store.tell(&leases[2], &ended(0.25)).unwrap();
    store
        .tell(
            &leases[0],
            &ended(Outcome::Pruned(Some(10), values(&[("value", 1.0)]))),
        )
        .unwrap();
    let curves = |after, until| backend.open().curves(id, "value", after, until).unwrap();
    assert_eq!(
        curves(0, 2),
        [(1, 9, 3.5), (1, 10, 3.0), (2, 9, 1.5), (2, 10, 1.0)]
    );
    assert_eq!(
        (curves(1, 2), curves(2, 9)),
        (vec![(2, 9, 1.5), (2, 10, 1.0)], Vec::new())
    );
    for (name, expected) in [
        (Some("value"), vec![(9, 1.5), (10, 1.0)]),
        (Some("none"), vec![]),
        (None, vec![]),
    ] {
        let mut seen = Vec::new();
        each_finished(store.as_ref(), id, 1, name, |finished| {
            seen.push(finished.curve.clone());
            Ok::<(), neuralbo::store::StoreError>(())
        })
        .unwrap();
        assert_eq!(seen, [expected], "{name:?}");
    }
}

/// A trial with these parameters that resumes another.
fn resume(store: &dyn Store, lease: &Lease, params: Params, resumes: u64) -> Proposed {
    let provenance = Provenance {
        resumes: Some(resumes),
        ..provenance()
    };
    store
        .propose(
            lease,
            &Proposal {
                provenance,
                repeat_allowed: true,
                ..proposal(params)
            },
        )
        .unwrap()
}

pub(super) fn a_stopped_trial_is_resumed_by_one_other(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let lease = ask(store.as_ref(), id, LONG).unwrap();
    store
        .tell(
            &lease,
            &ended(Outcome::Pruned(Some(1), values(&[("value", 1.0)]))),
        )
        .unwrap();
    let claim = || claim_for(backend.open().as_ref(), id, LONG).unwrap().0;
    let (one, other) = (claim(), claim());
    assert_eq!(
        resume(backend.open().as_ref(), &one, params(0.5, 1), 0),
        Proposed::Accepted
    );
    assert_eq!(
        resume(backend.open().as_ref(), &other, params(0.5, 1), 0),
        Proposed::Repeated
    );
    assert_eq!(
        resume(store.as_ref(), &one, params(0.5, 1), 0),
        Proposed::Accepted,
        "the same proposal twice is one"
    );
    store
        .tell(
            &one,
            &ended(Outcome::Pruned(Some(3), values(&[("value", 0.5)]))),
        )
        .unwrap();
    assert_eq!(
        resume(store.as_ref(), &other, params(0.5, 1), 0),
        Proposed::Repeated,
        "also when it has ended"
    );
    assert_eq!(
        resume(store.as_ref(), &other, params(0.5, 1), 1),
        Proposed::Accepted,
        "a chain"
    );
    let trial = backend.open().trial(id, other.number).unwrap();
    assert_eq!(
        trial
            .provenance
            .as_ref()
            .and_then(|provenance| provenance.resumes),
        Some(1)
    );
    assert_eq!(first_of(store.as_ref(), id, &trial).unwrap(), 0);
    assert_eq!(store.finished_since(id, 1, 9).unwrap()[0].resumes, Some(0));
}
