//! Studies: created, found, limited, deleted.

use super::backend::{
    Backend, assert_matches, create, definition, fresh, params, report, study, values,
};
use neuralbo::record::{Attributes, Limits, Provenance, State, Trial};
use neuralbo::store::{NewStudy, NewTrial, StoreError};

fn new(name: &str, limits: Limits) -> NewStudy {
    NewStudy::new(name, definition(), limits)
}

fn limits(trials: u64, target: Option<f64>, patience: Option<u64>) -> Limits {
    let trials = Some(trials);
    Limits {
        trials,
        target,
        patience,
    }
}

pub(super) fn a_study_is_read_back_as_it_was_made(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("made"));
    let limits = limits(10, Some(-0.1), Some(3));
    let made = store.create_study(&new(&name, limits)).unwrap();
    assert_eq!((&made.name, &made.definition), (&name, &definition()));
    assert_eq!((made.limits, made.version), (limits, 1));
    assert_eq!(backend.open().study(&name).unwrap(), made);
    assert!(store.studies().unwrap().contains(&made));
    assert_eq!(store.definitions(made.id).unwrap(), [definition()]);
}

pub(super) fn names_are_unique_and_unknown_ones_are_answered_with_the_known(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("unique"));
    let new = new(&name, Limits::default());
    store.create_study(&new).unwrap();
    let again = backend.open().create_study(&new);
    assert_eq!(again, Err(StoreError::NameTaken { name }));
    let unknown = store.study("no such study").unwrap_err().to_string();
    let names_both = unknown.contains("no such study") && unknown.contains("studies: ");
    assert!(names_both, "{unknown}");
}

pub(super) fn limits_can_be_changed(backend: &Backend) {
    let study = study(backend);
    let limits = limits(3, None, Some(u64::from(u32::MAX)));
    study.store.limit(study.id, &limits).unwrap();
    assert_eq!(study.store.study(&study.name).unwrap().limits, limits);
}

pub(super) fn a_renamed_study_keeps_its_identifier_and_its_workers(backend: &Backend) {
    let (study, other, name) = (study(backend), study(backend), fresh("renamed"));
    let rename = |name: &str| study.store.rename_study(study.id, name);
    let lease = study.ask();
    let taken = StoreError::NameTaken {
        name: other.name.clone(),
    };
    assert_eq!(rename(&other.name), Err(taken));
    assert_matches!(rename(" "), Err(StoreError::BadName { .. }));
    assert_eq!(study.store.study(&study.name).unwrap().id, study.id);
    rename(&study.name).unwrap();
    rename(&name).unwrap();
    study.tell(&lease, 0.5).unwrap();
    let (store, old) = (backend.open(), &study.name);
    let found = store.study(&name).unwrap();
    let complete = store.counts(found.id).unwrap().complete;
    assert_eq!((found.id, complete), (study.id, 1));
    assert_matches!(store.study(old), Err(StoreError::UnknownStudy { .. }));
    let again = new(old, Limits::default());
    assert_ne!(store.create_study(&again).unwrap().id, study.id);
    store.delete_study(other.id).unwrap();
    let deleted = store.rename_study(other.id, &fresh("deleted"));
    assert_matches!(deleted, Err(StoreError::UnknownStudy { .. }));
}

pub(super) fn attributes_of_a_study_are_added_and_replaced(backend: &Backend) {
    let one = |key: &str, value: &str| Attributes::from([(key.to_owned(), value.into())]);
    let attributes = one("owner", "Ada");
    let made = NewStudy {
        attributes,
        ..new(&fresh("noted"), Limits::default())
    };
    let study = create(backend, &made);
    let set = |attributes| study.store.set_study_attributes(study.id, &attributes);
    set(one("note", "first")).unwrap();
    set(one("note", "second\0")).unwrap();
    set(Attributes::new()).unwrap();
    let found = backend.open().study(&study.name).unwrap().attributes;
    let mut expected = one("owner", "Ada");
    expected.extend(one("note", "second\0"));
    assert_eq!(found, expected);
    let refused = set(one("key", &"x".repeat(neuralbo::limits::VALUE))).unwrap_err();
    let text = refused.to_string();
    assert!(text.starts_with("attributes of the study are"), "{text}");
    assert_matches!(refused, StoreError::BadAttributes { .. });
    let beyond = NewStudy {
        attributes: one("key", &"x".repeat(neuralbo::limits::VALUE)),
        ..new(&fresh("refused"), Limits::default())
    };
    assert!(study.store.create_study(&beyond).is_err());
}

pub(super) fn a_deleted_study_is_gone_with_its_trials(backend: &Backend) {
    let new = new(&fresh("deleted"), Limits::default());
    let old = create(backend, &new);
    let (store, lease) = (&old.store, old.finish(1.0));
    store.delete_study(old.id).unwrap();
    assert_matches!(store.study(&new.name), Err(StoreError::UnknownStudy { .. }));
    let error = store.trial(old.id, lease.number).unwrap_err();
    assert_matches!(
        error,
        StoreError::UnknownTrial { .. } | StoreError::UnknownStudy { .. }
    );
    assert!(old.tell(&lease, 1.0).is_err() && store.delete_study(old.id).is_err());
    let again = store.create_study(&new).unwrap();
    assert_ne!(again.id, old.id);
    assert!(store.trials(again.id, 0, 10).unwrap().is_empty());
}

fn from_elsewhere(number: u64, origin: &str, state: State, value: Option<f64>) -> NewTrial {
    let origin = origin.to_owned();
    let provenance = Provenance {
        origin,
        ..Provenance::default()
    };
    let values = value.map_or(values(&[]), |value| values(&[("value", value)]));
    let trial = Trial {
        number,
        provenance: Some(provenance),
        asked_ms: 5,
        ..Trial::known(params(0.5, 1), state, values)
    };
    let reports = vec![report(0, "value", 1.0)];
    NewTrial { trial, reports }
}

pub(super) fn a_study_is_made_with_its_trials(backend: &Backend) {
    let trials = vec![
        from_elsewhere(4, "known", State::Complete, Some(1.0)),
        from_elsewhere(2, "sampled", State::Complete, Some(2.0)),
        from_elsewhere(5, "sampled", State::Running, None),
    ];
    let new = new(&fresh("imported"), limits(3, None, None));
    let study = create(backend, &NewStudy { trials, ..new });
    let finished = study.finished();
    let found = finished.iter().map(|trial| (trial.number, trial.known));
    assert!(found.eq([(4, true), (2, false)]));
    assert_eq!(study.store.reports(study.id, 4).unwrap().len(), 1);
    let counts = study.counts();
    assert_eq!((counts.running, counts.complete, counts.known), (1, 2, 1));
    assert_eq!(study.best(), Some(4));
    // The running one waits for a worker.
    let numbers = [(); 2].map(|()| study.claim().0.number);
    assert_eq!(numbers, [5, 6]);
    // Two trials from elsewhere and a new one count for the limit.
    assert!(study.try_claim().is_none());
}

pub(super) fn a_study_with_a_bad_trial_is_not_made(backend: &Backend) {
    let store = backend.open();
    let complete = |number, value| from_elsewhere(number, "known", State::Complete, value);
    let good = complete(0, Some(1.0));
    let changed = |change: fn(&mut Trial)| {
        let mut bad = complete(1, Some(1.0));
        change(&mut bad.trial);
        bad
    };
    for bad in [
        changed(|trial| trial.params = Some(params(9.0, 1))),
        changed(|trial| trial.params = None),
        changed(|trial| trial.version = 2),
        complete(i64::MAX as u64, Some(1.0)),
        complete(1, None),
        good.clone(),
    ] {
        let number = bad.trial.number;
        let trials = vec![good.clone(), bad];
        let new = NewStudy {
            trials,
            ..new(&fresh("refused"), Limits::default())
        };
        let error = store.create_study(&new).unwrap_err();
        assert_matches!(error, StoreError::BadTrial { number: named, .. } if named == number);
        // Nothing is left of it.
        assert_matches!(store.study(&new.name), Err(StoreError::UnknownStudy { .. }));
    }
}
