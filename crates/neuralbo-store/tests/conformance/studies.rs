use neuralbo::study::Direction;
use neuralbo_store::{Limits, StoreError};

use crate::backend::{Backend, definition, finish, fresh};

pub fn a_study_is_read_back_as_it_was_made(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("made"));
    let limits = Limits { trials: Some(10), target: Some(-0.1), patience: Some(3) };
    let made = store.create_study(&name, &definition(), &limits).unwrap();
    assert_eq!((&made.name, &made.definition, made.limits), (&name, &definition(), limits));
    assert_eq!(backend.open().study(&name).unwrap(), made);
    assert!(store.studies().unwrap().contains(&made));
}

pub fn names_are_unique_and_unknown_ones_are_answered_with_the_known(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("unique"));
    store.create_study(&name, &definition(), &Limits::default()).unwrap();
    let again = backend.open().create_study(&name, &definition(), &Limits::default());
    assert_eq!(again, Err(StoreError::NameTaken { name: name.clone() }));
    let unknown = store.study("no such study").unwrap_err().to_string();
    assert!(unknown.contains("no such study") && unknown.contains("studies: "), "{unknown}");
}

pub fn limits_and_definitions_can_be_changed(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("changed"));
    let made = store.create_study(&name, &definition(), &Limits::default()).unwrap();
    let limits = Limits { trials: Some(3), ..Limits::default() };
    store.limit(made.id, &limits).unwrap();
    let mut changed = definition();
    changed.direction = Direction::Maximize;
    store.redefine(made.id, &changed).unwrap();
    let found = store.study(&name).unwrap();
    assert_eq!((found.limits, found.definition), (limits, changed));
}

pub fn a_deleted_study_is_gone_with_its_trials(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("deleted"));
    let old = store.create_study(&name, &definition(), &Limits::default()).unwrap();
    let lease = finish(store.as_ref(), old.id, 1.0);
    store.delete_study(old.id).unwrap();
    assert!(matches!(store.study(&name), Err(StoreError::UnknownStudy { .. })));
    assert!(matches!(store.trial(old.id, lease.number), Err(StoreError::UnknownTrial { .. })));
    let new = store.create_study(&name, &definition(), &Limits::default()).unwrap();
    assert_ne!(new.id, old.id);
    assert!(store.trials(new.id, 0, 10).unwrap().is_empty());
}
