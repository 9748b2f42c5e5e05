//! Studies: made, found, limited, removed.

use super::backend::{Backend, claim_for, definition, finish, fresh, params, study_with, values};
use super::backend::{LONG, ended};
use neuralbo::record::{Limits, Provenance, Report, State, Trial};
use neuralbo::store::{NewStudy, NewTrial, StoreError};

pub(super) fn a_study_is_read_back_as_it_was_made(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("made"));
    let limits = Limits {
        trials: Some(10),
        target: Some(-0.1),
        patience: Some(3),
    };
    let made = store
        .create_study(&NewStudy::new(&name, definition(), limits))
        .unwrap();
    assert_eq!(
        (&made.name, &made.definition, made.limits, made.version),
        (&name, &definition(), limits, 1)
    );
    assert_eq!(backend.open().study(&name).unwrap(), made);
    assert!(store.studies().unwrap().contains(&made));
    assert_eq!(store.definitions(made.id).unwrap(), [definition()]);
}

pub(super) fn names_are_unique_and_unknown_ones_are_answered_with_the_known(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("unique"));
    let new = NewStudy::new(&name, definition(), Limits::default());
    store.create_study(&new).unwrap();
    assert_eq!(
        backend.open().create_study(&new),
        Err(StoreError::NameTaken { name: name.clone() })
    );
    let unknown = store.study("no such study").unwrap_err().to_string();
    assert!(
        unknown.contains("no such study") && unknown.contains("studies: "),
        "{unknown}"
    );
}

pub(super) fn limits_can_be_changed(backend: &Backend) {
    let store = backend.open();
    let made = study_with(store.as_ref(), &definition(), None);
    let limits = Limits {
        trials: Some(3),
        target: None,
        patience: Some(u64::from(u32::MAX)),
    };
    store.limit(made.id, &limits).unwrap();
    assert_eq!(store.study(&made.name).unwrap().limits, limits);
}

pub(super) fn a_deleted_study_is_gone_with_its_trials(backend: &Backend) {
    let (store, name) = (backend.open(), fresh("deleted"));
    let new = NewStudy::new(&name, definition(), Limits::default());
    let old = store.create_study(&new).unwrap();
    let lease = finish(store.as_ref(), old.id, 1.0);
    store.delete_study(old.id).unwrap();
    assert!(matches!(
        store.study(&name),
        Err(StoreError::UnknownStudy { .. })
    ));
    let trial = store.trial(old.id, lease.number);
    assert!(
        matches!(
            trial,
            Err(StoreError::UnknownTrial { .. } | StoreError::UnknownStudy { .. })
        ),
        "{trial:?}"
    );
    assert!(store.tell(&lease, &ended(1.0)).is_err() && store.delete_study(old.id).is_err());
    let again = store.create_study(&new).unwrap();
    assert_ne!(again.id, old.id);
    assert!(store.trials(again.id, 0, 10).unwrap().is_empty());
}

fn from_elsewhere(number: u64, origin: &str, state: State, value: Option<f64>) -> NewTrial {
    let provenance = Some(Provenance {
        origin: origin.to_owned(),
        ..Provenance::default()
    });
    let values = values(
        &value
            .map(|value| ("value", value))
            .into_iter()
            .collect::<Vec<_>>(),
    );
    let trial = Trial {
        number,
        provenance,
        asked_ms: 5,
        ..Trial::known(params(0.5, 1), state, values)
    };
    NewTrial {
        trial,
        reports: vec![Report {
            step: 0,
            name: "value".to_owned(),
            value: 1.0,
        }],
    }
}

pub(super) fn a_study_is_made_with_its_trials(backend: &Backend) {
    let store = backend.open();
    let trials = vec![
        from_elsewhere(4, "known", State::Complete, Some(1.0)),
        from_elsewhere(2, "sampled", State::Complete, Some(2.0)),
        from_elsewhere(5, "sampled", State::Running, None),
    ];
    let limits = Limits {
        trials: Some(3),
        ..Limits::default()
    };
    let new = NewStudy {
        trials,
        ..NewStudy::new(fresh("imported"), definition(), limits)
    };
    let id = store.create_study(&new).unwrap().id;
    let finished: Vec<(u64, bool)> = store
        .finished_since(id, 0, 9)
        .unwrap()
        .iter()
        .map(|t| (t.number, t.known))
        .collect();
    assert_eq!(finished, [(4, true), (2, false)]);
    assert_eq!(store.reports(id, 4).unwrap().len(), 1);
    let counts = store.counts(id).unwrap();
    assert_eq!((counts.running, counts.complete, counts.known), (1, 2, 1));
    assert_eq!(store.best(id).unwrap().unwrap().number, 4);
    assert_eq!(
        claim_for(store.as_ref(), id, LONG).unwrap().0.number,
        5,
        "the running one waits for a worker"
    );
    assert_eq!(claim_for(store.as_ref(), id, LONG).unwrap().0.number, 6);
    assert!(
        claim_for(store.as_ref(), id, LONG).is_none(),
        "two trials from elsewhere and one new one count for the limit"
    );
}

pub(super) fn a_study_with_a_bad_trial_is_not_made(backend: &Backend) {
    let store = backend.open();
    let good = from_elsewhere(0, "known", State::Complete, Some(1.0));
    let mut outside = from_elsewhere(1, "known", State::Complete, Some(1.0));
    outside.trial.params = Some(params(9.0, 1));
    let mut pointless = from_elsewhere(1, "known", State::Complete, Some(1.0));
    pointless.trial.params = None;
    let huge = from_elsewhere(i64::MAX as u64, "known", State::Complete, Some(1.0));
    let valueless = from_elsewhere(1, "known", State::Complete, None);
    let mut versionless = from_elsewhere(1, "known", State::Complete, Some(1.0));
    versionless.trial.version = 2;
    for bad in [
        outside,
        pointless,
        huge,
        valueless,
        versionless,
        good.clone(),
    ] {
        let number = bad.trial.number;
        let trials = vec![good.clone(), bad];
        let new = NewStudy {
            trials,
            ..NewStudy::new(fresh("refused"), definition(), Limits::default())
        };
        let error = store.create_study(&new).unwrap_err();
        assert!(
            matches!(error, StoreError::BadTrial { number: named, .. } if named == number),
            "{error}"
        );
        assert!(
            matches!(store.study(&new.name), Err(StoreError::UnknownStudy { .. })),
            "nothing is left of it"
        );
    }
}
