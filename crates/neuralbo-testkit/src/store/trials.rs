//! Trials from claim to result.

use std::collections::BTreeSet;

use super::backend::values;
use super::backend::{
    Backend, LONG, ask, claim_for, definition, ended, finish, params, proposal, provenance, study,
    study_with,
};
use neuralbo::record::{
    Attributes, Definition, Direction, Ending, Failure, FailureKind, ObjectiveSpec, Outcome,
    OutcomeConstraint, Report, State, Trial,
};
use neuralbo::space::Params;
use neuralbo::store::{Counts, NewTrial, StoreError, Told};

pub(super) fn a_trial_is_claimed_proposed_and_told(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let (lease, claimed) = claim_for(store.as_ref(), id, LONG).unwrap();
    assert_eq!(
        (
            claimed.number,
            &claimed.params,
            &claimed.state,
            claimed.attempt
        ),
        (0, &None, &State::Running, 1)
    );
    store.propose(&lease, &proposal(params(0.25, 2))).unwrap();
    assert_eq!(store.tell(&lease, &ended(-0.5)), Ok(Told::Finished));
    let told = backend.open().trial(id, 0).unwrap();
    assert_eq!(
        (told.params, told.state, told.seq),
        (Some(params(0.25, 2)), State::Complete, Some(1))
    );
    assert_eq!((told.values, told.version), (values(&[("value", -0.5)]), 1));
    assert_eq!(
        (told.provenance, told.worker.as_str()),
        (Some(provenance()), "tester")
    );
}

pub(super) fn numbers_have_no_gaps_and_the_limit_is_never_passed(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(5)).id;
    let numbers: Vec<u64> = std::iter::from_fn(|| ask(store.as_ref(), id, LONG))
        .map(|lease| lease.number)
        .collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    assert_eq!(
        store.counts(id).unwrap(),
        Counts {
            running: 5,
            ..Counts::default()
        }
    );
}

pub(super) fn many_claimers_at_once_never_pass_the_limit(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(40)).id;
    let work = || {
        let store = backend.open();
        let mine = std::iter::from_fn(|| {
            ask(store.as_ref(), id, LONG).inspect(|lease| {
                assert_eq!(
                    store.tell(lease, &ended(lease.number as f64)),
                    Ok(Told::Finished)
                );
            })
        });
        mine.map(|lease| lease.number).collect::<Vec<_>>()
    };
    let numbers: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    assert_eq!(numbers.len(), 40);
    assert_eq!(
        numbers.into_iter().collect::<BTreeSet<_>>(),
        (0..40).collect()
    );
    let seqs: Vec<u64> = store
        .finished_since(id, 0, 100)
        .unwrap()
        .iter()
        .map(|trial| trial.seq)
        .collect();
    assert_eq!(seqs, (1..=40).collect::<Vec<_>>());
}

pub(super) fn a_result_is_told_once(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let lease = finish(store.as_ref(), id, 0.1 + 0.2);
    assert_eq!(store.tell(&lease, &ended(0.1 + 0.2)), Ok(Told::Already));
    let second = Err(StoreError::AlreadyFinished {
        number: 0,
        state: "complete",
    });
    assert_eq!(store.tell(&lease, &ended(0.3)), second);
    assert_eq!(
        store.tell(&lease, &ended(Failure::new(FailureKind::Exit, "late"))),
        second
    );
    assert_eq!(store.counts(id).unwrap().complete, 1);
}

pub(super) fn the_finished_trials_are_numbered_in_order(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let leases: Vec<_> = (0..3)
        .map(|_| ask(store.as_ref(), id, LONG).unwrap())
        .collect();
    store.tell(&leases[2], &ended(2.0)).unwrap();
    let failure = Failure::new(FailureKind::Exit, "exit status 1");
    store.tell(&leases[0], &ended(failure.clone())).unwrap();
    store
        .tell(
            &leases[1],
            &ended(Outcome::Pruned(Some(-7), values(&[("value", 1.0)]))),
        )
        .unwrap();
    let finished = store.finished_since(id, 0, 10).unwrap();
    assert_eq!(
        finished
            .iter()
            .map(|trial| (trial.seq, trial.number))
            .collect::<Vec<_>>(),
        [(1, 2), (2, 0), (3, 1)]
    );
    assert_eq!(
        (&finished[1].state, &finished[2].state),
        (
            &State::Failed { failure },
            &State::Pruned { step: Some(-7) }
        )
    );
    assert_eq!(finished[2].values, values(&[("value", 1.0)]));
    assert_eq!(store.finished_since(id, 2, 10).unwrap(), finished[2..]);
    assert_eq!(store.finished_since(id, 0, 1).unwrap(), finished[..1]);
    let whole: Vec<_> = finished
        .iter()
        .map(|finished| store.trial(id, finished.number).unwrap())
        .collect();
    assert_eq!(store.trials_since(id, 0, 10).unwrap(), whole);
    assert_eq!(store.trials_since(id, 1, 1).unwrap(), whole[1..2]);
    assert_eq!(
        store.counts(id).unwrap(),
        Counts {
            complete: 1,
            failed: 1,
            pruned: 1,
            ..Counts::default()
        }
    );
}

pub(super) fn the_best_is_the_earliest_of_equals(backend: &Backend) {
    let store = backend.open();
    for (direction, best) in [(Direction::Minimize, 1), (Direction::Maximize, 0)] {
        let mut definition = definition();
        definition.objectives[0].direction = direction;
        let id = study_with(store.as_ref(), &definition, None).id;
        assert_eq!(store.best(id).unwrap(), None);
        for value in [3.0, 1.0, 3.0, 1.0] {
            finish(store.as_ref(), id, value);
        }
        let pruned = ask(store.as_ref(), id, LONG).unwrap();
        let value = if best == 0 { 9.0 } else { -9.0 };
        store
            .tell(
                &pruned,
                &ended(Outcome::Pruned(None, values(&[("value", value)]))),
            )
            .unwrap();
        assert_eq!(store.best(id).unwrap().unwrap().number, best);
    }
}

pub(super) fn the_best_is_feasible(backend: &Backend) {
    let store = backend.open();
    let memory = OutcomeConstraint {
        name: "memory".to_owned(),
        at_most: Some(4.0),
        at_least: None,
    };
    let definition = Definition {
        constraints: vec![memory],
        ..definition()
    };
    let id = study_with(store.as_ref(), &definition, None).id;
    for (value, memory) in [(1.0, 9.0), (3.0, 4.0), (2.0, 4.1)] {
        let lease = ask(store.as_ref(), id, LONG).unwrap();
        let ending = definition
            .ending(values(&[("value", value), ("memory", memory)]).into())
            .unwrap();
        store.tell(&lease, &ending).unwrap();
    }
    assert_eq!(store.best(id).unwrap().unwrap().number, 1);
}

pub(super) fn several_values_are_kept(backend: &Backend) {
    let store = backend.open();
    let mut definition = definition();
    definition
        .objectives
        .push(ObjectiveSpec::new("größe \"2\"", Direction::Maximize));
    let id = study_with(store.as_ref(), &definition, None).id;
    let lease = ask(store.as_ref(), id, LONG).unwrap();
    let all = values(&[
        ("value", 0.1 + 0.2),
        ("größe \"2\"", f64::MIN_POSITIVE),
        ("extra", -0.0),
        ("large", f64::MAX),
    ]);
    store
        .tell(&lease, &definition.ending(all.clone().into()).unwrap())
        .unwrap();
    assert_eq!(store.trial(id, 0).unwrap().values, all);
    assert_eq!(store.finished_since(id, 0, 1).unwrap()[0].values, all);
}

pub(super) fn absent_parameters_are_absent(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let partial = Params::from_iter([("n", 2)]);
    let known = Trial::known(partial.clone(), State::Complete, values(&[("value", 1.0)]));
    let empty = Trial::known(Params::new(), State::Complete, values(&[("value", 2.0)]));
    assert_eq!(store.add(id, &[known.into(), empty.into()]), Ok(vec![0, 1]));
    let found: Vec<Option<Params>> = store
        .trials(id, 0, 9)
        .unwrap()
        .into_iter()
        .map(|trial| trial.params)
        .collect();
    assert_eq!(found, [Some(partial), Some(Params::new())]);
}

pub(super) fn parameters_met_while_running_are_stored(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let lease = ask(store.as_ref(), id, LONG).unwrap();
    let used = Params::from_iter([("n", 3)]);
    let attributes: Attributes = [("host".to_owned(), "a".into())].into_iter().collect();
    store
        .set_attributes(
            id,
            0,
            &[("kept".to_owned(), 1.into()), ("host".to_owned(), 2.into())]
                .into_iter()
                .collect(),
        )
        .unwrap();
    let ending = Ending {
        params: Some(used.clone()),
        attributes,
        ..ended(1.0)
    };
    assert_eq!(store.tell(&lease, &ending), Ok(Told::Finished));
    assert_eq!(store.tell(&lease, &ending), Ok(Told::Already));
    let trial = store.trial(id, 0).unwrap();
    assert_eq!(
        (
            trial.params,
            trial.attributes.len(),
            &trial.attributes["host"]
        ),
        (Some(used), 2, &"a".into())
    );
}

pub(super) fn attributes_are_added_and_replaced(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let lease = ask(store.as_ref(), id, LONG).unwrap();
    let one = |key: &str, value: serde_json::Value| Attributes::from([(key.to_owned(), value)]);
    store
        .set_attributes(
            id,
            0,
            &one("a", serde_json::json!({ "deep": [1, 2.5, null, "x"] })),
        )
        .unwrap();
    store.set_attributes(id, 0, &one("b", 1.into())).unwrap();
    store.tell(&lease, &ended(1.0)).unwrap();
    store.set_attributes(id, 0, &one("b", true.into())).unwrap();
    store.set_attributes(id, 0, &Attributes::new()).unwrap();
    let found = backend.open().trial(id, 0).unwrap().attributes;
    let mut expected = one("a", serde_json::json!({ "deep": [1, 2.5, null, "x"] }));
    expected.extend(one("b", true.into()));
    assert_eq!(found, expected);
    assert_eq!(
        store.set_attributes(id, 9, &one("a", 1.into())),
        Err(StoreError::UnknownTrial { number: 9 })
    );
}

pub(super) fn times_are_kept_in_order(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let (lease, claimed) = claim_for(store.as_ref(), id, LONG).unwrap();
    assert_eq!((claimed.started_ms, claimed.finished_ms), (None, None));
    store.propose(&lease, &proposal(params(0.5, 1))).unwrap();
    store.tell(&lease, &ended(1.0)).unwrap();
    let told = store.trial(id, 0).unwrap();
    let (asked, started, finished) = (
        told.asked_ms,
        told.started_ms.unwrap(),
        told.finished_ms.unwrap(),
    );
    assert!(
        0 < asked && asked <= started && started <= finished && finished < asked + 600_000,
        "{told:?}"
    );
    assert!(claimed.lease_until_ms >= asked + 600_000, "{claimed:?}");
    assert_eq!(told.lease_until_ms, 0);
}

pub(super) fn reports_are_kept_and_the_last_counts(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let lease = ask(store.as_ref(), id, LONG).unwrap();
    let report = |step, name: &str, value| Report {
        step,
        name: name.to_owned(),
        value,
    };
    store
        .report(
            &lease,
            &[
                report(1, "value", 0.5),
                report(1, "loss", 2.0),
                report(0, "value", 0.75),
            ],
        )
        .unwrap();
    store
        .report(
            &lease,
            &[report(1, "value", 0.25), report(2, "value", f64::NAN)],
        )
        .unwrap();
    let expected = [
        report(0, "value", 0.75),
        report(1, "loss", 2.0),
        report(1, "value", 0.25),
    ];
    assert_eq!(store.reports(id, 0).unwrap(), expected);
    store.tell(&lease, &ended(0.2)).unwrap();
    let late = store.report(&lease, &[report(2, "value", 0.1)]);
    assert_eq!(
        late,
        Err(StoreError::AlreadyFinished {
            number: 0,
            state: "complete"
        })
    );
    assert_eq!(
        store.reports(id, 0).unwrap(),
        expected,
        "a report after the end changes nothing"
    );
}

pub(super) fn known(value: f64) -> NewTrial {
    Trial::known(params(0.5, 1), State::Complete, values(&[("value", value)])).into()
}

pub(super) fn added_trials_get_the_next_numbers(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(2)).id;
    finish(store.as_ref(), id, 5.0);
    assert_eq!(store.add(id, &[known(1.0), known(2.0)]), Ok(vec![1, 2]));
    let counts = store.counts(id).unwrap();
    assert_eq!((counts.complete, counts.known, counts.running), (3, 2, 0));
    assert_eq!(store.best(id).unwrap().unwrap().number, 1);
    assert_eq!(
        ask(store.as_ref(), id, LONG).unwrap().number,
        3,
        "known results do not count for the limit"
    );
    assert!(ask(store.as_ref(), id, LONG).is_none());
}

pub(super) fn a_bad_trial_adds_none(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let mut bad = known(1.0);
    bad.trial.params = Some(params(2.0, 1));
    let error = store.add(id, &[known(1.0), bad]).unwrap_err();
    assert!(
        matches!(error, StoreError::BadTrial { number: 1, .. }),
        "{error}"
    );
    assert_eq!(store.counts(id).unwrap(), Counts::default());
}
