//! Trials from claim to result.

use std::collections::BTreeSet;

use super::backend::{
    Backend, LONG, assert_matches, at_most, definition, eight_times, ended, known, limited, params,
    provenance, report, study, study_of, values,
};
use neuralbo::record::{
    Attributes, Definition, Direction, Ending, Failure, FailureKind, ObjectiveSpec, State, Trial,
};
use neuralbo::space::Params;
use neuralbo::store::{Counts, StoreError, Told};

pub(super) fn a_trial_is_claimed_proposed_and_told(backend: &Backend) {
    let study = study(backend);
    let (lease, claimed) = study.claim();
    assert_eq!((claimed.number, claimed.attempt), (0, 1));
    assert_eq!((claimed.params, claimed.state), (None, State::Running));
    study.propose(&lease, params(0.25, 2));
    assert_eq!(study.tell(&lease, -0.5), Ok(Told::Finished));
    let told = backend.open().trial(study.id, 0).unwrap();
    assert_eq!(told.params, Some(params(0.25, 2)));
    assert_eq!((told.state, told.seq), (State::Complete, Some(1)));
    assert_eq!((told.values, told.version), (values(&[("value", -0.5)]), 1));
    assert_eq!(told.provenance, Some(provenance()));
    assert_eq!(told.worker, "tester");
}

pub(super) fn numbers_have_no_gaps_and_the_limit_is_never_passed(backend: &Backend) {
    let study = limited(backend, 5);
    let asked = std::iter::from_fn(|| study.try_ask(LONG));
    let numbers: Vec<u64> = asked.map(|lease| lease.number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    let (running, none) = (5, Counts::default());
    assert_eq!(study.counts(), Counts { running, ..none });
}

pub(super) fn many_claimers_at_once_never_pass_the_limit(backend: &Backend) {
    let study = limited(backend, 40);
    let work = |_| {
        let study = study.on(backend);
        let mine = std::iter::from_fn(|| study.try_ask(LONG)).inspect(|lease| {
            let told = study.tell(lease, lease.number as f64);
            assert_eq!(told, Ok(Told::Finished));
        });
        mine.map(|lease| lease.number).collect::<Vec<_>>()
    };
    let numbers = eight_times(work).concat();
    assert_eq!(numbers.len(), 40);
    assert_eq!(BTreeSet::from_iter(numbers), (0..40).collect());
    assert!(study.finished().iter().map(|trial| trial.seq).eq(1..=40));
}

pub(super) fn a_result_is_told_once(backend: &Backend) {
    let study = study(backend);
    let lease = study.finish(0.1 + 0.2);
    assert_eq!(study.tell(&lease, 0.1 + 0.2), Ok(Told::Already));
    let (number, state) = (0, "complete");
    let second = Err(StoreError::AlreadyFinished { number, state });
    assert_eq!(study.tell(&lease, 0.3), second);
    let late = Failure::new(FailureKind::Exit, "late");
    assert_eq!(study.tell(&lease, late), second);
    assert_eq!(study.counts().complete, 1);
}

pub(super) fn the_finished_trials_are_numbered_in_order(backend: &Backend) {
    let study = study(backend);
    let (store, id) = (&study.store, study.id);
    let leases = [0, 1, 2].map(|_| study.ask());
    study.tell(&leases[2], 2.0).unwrap();
    let failure = Failure::new(FailureKind::Exit, "exit status 1");
    study.tell(&leases[0], failure.clone()).unwrap();
    study.prune(&leases[1], Some(-7), 1.0);
    let finished = study.finished();
    let order = finished.iter().map(|trial| (trial.seq, trial.number));
    assert!(order.eq([(1, 2), (2, 0), (3, 1)]));
    assert_eq!(finished[1].state, State::Failed { failure });
    assert_eq!(finished[2].state, State::Pruned { step: Some(-7) });
    assert_eq!(finished[2].values, values(&[("value", 1.0)]));
    assert_eq!(store.finished_since(id, 2, 10).unwrap(), finished[2..]);
    assert_eq!(store.finished_since(id, 0, 1).unwrap(), finished[..1]);
    let whole: Vec<Trial> = [2, 0, 1].map(|number| study.trial(number)).into();
    assert_eq!(store.trials_since(id, 0, 10).unwrap(), whole);
    assert_eq!(store.trials_since(id, 1, 1).unwrap(), whole[1..2]);
    let counts = Counts {
        complete: 1,
        failed: 1,
        pruned: 1,
        ..Counts::default()
    };
    assert_eq!(study.counts(), counts);
}

pub(super) fn the_best_is_the_earliest_of_equals(backend: &Backend) {
    for (direction, best, pruned) in [
        (Direction::Minimize, 1, -9.0),
        (Direction::Maximize, 0, 9.0),
    ] {
        let mut definition = definition();
        definition.objectives[0].direction = direction;
        let study = study_of(backend, definition, None);
        assert_eq!(study.best(), None);
        for value in [3.0, 1.0, 3.0, 1.0] {
            study.finish(value);
        }
        study.prune(&study.ask(), None, pruned);
        assert_eq!(study.best(), Some(best));
    }
}

pub(super) fn the_best_is_feasible(backend: &Backend) {
    let definition = Definition {
        outcome_constraints: vec![at_most("memory", 4.0)],
        ..definition()
    };
    let study = study_of(backend, definition.clone(), None);
    for (value, memory) in [(1.0, 9.0), (3.0, 4.0), (2.0, 4.1)] {
        let measured = values(&[("value", value), ("memory", memory)]);
        let ending = definition.ending(measured.into()).unwrap();
        study.store.tell(&study.ask(), &ending).unwrap();
    }
    assert_eq!(study.best(), Some(1));
}

pub(super) fn several_values_are_kept(backend: &Backend) {
    let mut definition = definition();
    let second = ObjectiveSpec::new("größe \"2\"", Direction::Maximize);
    definition.objectives.push(second);
    let study = study_of(backend, definition.clone(), None);
    let all = values(&[
        ("value", 0.1 + 0.2),
        ("größe \"2\"", f64::MIN_POSITIVE),
        ("extra", -0.0),
        ("large", f64::MAX),
    ]);
    let ending = definition.ending(all.clone().into()).unwrap();
    study.store.tell(&study.ask(), &ending).unwrap();
    assert_eq!(study.trial(0).values, all);
    assert_eq!(study.finished()[0].values, all);
}

pub(super) fn absent_parameters_are_absent(backend: &Backend) {
    let study = study(backend);
    let partial = Params::from_iter([("n", 2)]);
    let one = Trial::known(partial.clone(), State::Complete, values(&[("value", 1.0)]));
    let empty = Trial::known(Params::new(), State::Complete, values(&[("value", 2.0)]));
    let added = study.store.add(study.id, &[one.into(), empty.into()]);
    assert_eq!(added, Ok(vec![0, 1]));
    let found = study.store.trials(study.id, 0, 9).unwrap().into_iter();
    let expected = [Some(partial), Some(Params::new())];
    assert!(found.map(|trial| trial.params).eq(expected));
}

fn attribute(key: &str, value: impl Into<serde_json::Value>) -> Attributes {
    Attributes::from([(key.to_owned(), value.into())])
}

pub(super) fn parameters_met_while_running_are_stored(backend: &Backend) {
    let study = study(backend);
    let lease = study.ask();
    let used = Params::from_iter([("n", 3)]);
    let mut before = attribute("kept", 1);
    before.extend(attribute("host", 2));
    study.store.set_attributes(study.id, 0, &before).unwrap();
    let ending = Ending {
        params: Some(used.clone()),
        attributes: attribute("host", "a"),
        ..ended(1.0)
    };
    assert_eq!(study.store.tell(&lease, &ending), Ok(Told::Finished));
    assert_eq!(study.store.tell(&lease, &ending), Ok(Told::Already));
    let trial = study.trial(0);
    assert_eq!(trial.params, Some(used));
    assert_eq!(trial.attributes.len(), 2);
    assert_eq!(trial.attributes["host"], "a");
}

pub(super) fn attributes_are_added_and_replaced(backend: &Backend) {
    let study = study(backend);
    let lease = study.ask();
    let set = |number, attributes| study.store.set_attributes(study.id, number, &attributes);
    let mut expected = attribute("a", serde_json::json!({ "deep": [1, 2.5, null, "x"] }));
    set(0, expected.clone()).unwrap();
    set(0, attribute("b", 1)).unwrap();
    study.tell(&lease, 1.0).unwrap();
    set(0, attribute("b", true)).unwrap();
    set(0, Attributes::new()).unwrap();
    expected.extend(attribute("b", true));
    let trial = backend.open().trial(study.id, 0).unwrap();
    assert_eq!(trial.attributes, expected);
    let unknown = StoreError::UnknownTrial { number: 9 };
    assert_eq!(set(9, attribute("a", 1)), Err(unknown));
}

pub(super) fn times_are_kept_in_order(backend: &Backend) {
    let study = study(backend);
    let (lease, claimed) = study.claim();
    assert_eq!((claimed.started_ms, claimed.finished_ms), (None, None));
    study.propose(&lease, params(0.5, 1));
    study.tell(&lease, 1.0).unwrap();
    let told = study.trial(0);
    let (asked, started) = (told.asked_ms, told.started_ms.unwrap());
    let finished = told.finished_ms.unwrap();
    assert!(0 < asked && asked <= started, "{told:?}");
    assert!((started..asked + 600_000).contains(&finished), "{told:?}");
    assert!(claimed.lease_until_ms >= asked + 600_000, "{claimed:?}");
    assert_eq!(told.lease_until_ms, 0);
}

pub(super) fn reports_are_kept_and_the_last_counts(backend: &Backend) {
    let study = study(backend);
    let (store, lease) = (&study.store, study.ask());
    let value = |step, value| report(step, "value", value);
    let first = [value(1, 0.5), report(1, "loss", 2.0), value(0, 0.75)];
    store.report(&lease, &first).unwrap();
    let second = [value(1, 0.25), value(2, f64::NAN)];
    store.report(&lease, &second).unwrap();
    let expected = [value(0, 0.75), report(1, "loss", 2.0), value(1, 0.25)];
    assert_eq!(store.reports(study.id, 0).unwrap(), expected);
    study.tell(&lease, 0.2).unwrap();
    let (number, state) = (0, "complete");
    let late = store.report(&lease, &[value(2, 0.1)]);
    assert_eq!(late, Err(StoreError::AlreadyFinished { number, state }));
    let after = store.reports(study.id, 0).unwrap();
    assert_eq!(after, expected, "a report after the end changes nothing");
}

pub(super) fn added_trials_get_the_next_numbers(backend: &Backend) {
    let study = limited(backend, 2);
    study.finish(5.0);
    let added = study.store.add(study.id, &[known(1.0), known(2.0)]);
    assert_eq!(added, Ok(vec![1, 2]));
    let counts = study.counts();
    assert_eq!((counts.complete, counts.known, counts.running), (3, 2, 0));
    assert_eq!(study.best(), Some(1));
    // Known results do not count for the limit.
    assert_eq!(study.ask().number, 3);
    assert!(study.try_ask(LONG).is_none());
}

pub(super) fn a_bad_trial_adds_none(backend: &Backend) {
    let study = study(backend);
    let mut bad = known(1.0);
    bad.trial.params = Some(params(2.0, 1));
    let added = study.store.add(study.id, &[known(1.0), bad]);
    assert_matches!(added, Err(StoreError::BadTrial { number: 1, .. }));
    assert_eq!(study.counts(), Counts::default());
}
