//! Definitions that change.

use super::backend::{
    Backend, LONG, claim_for, definition, ended, finish, fresh, proposal, space, study_with, values,
};
use neuralbo::record::{
    Alias, Definition, Direction, Limits, ObjectiveSpec, Outcome, OutcomeConstraint, Retries,
    State, Trial,
};
use neuralbo::space::Params;
use neuralbo::store::{NewStudy, NewTrial, StoreError};

pub(super) fn definitions_are_added_and_none_is_replaced(backend: &Backend) {
    let store = backend.open();
    let made = study_with(store.as_ref(), &definition(), None);
    let second = Definition {
        space: space(&["n=int(1,9)", "depth=int(1,3)"]),
        ..definition()
    };
    let third = Definition {
        retries: Retries::never(),
        ..second.clone()
    };
    assert_eq!(store.redefine(made.id, 1, &second), Ok(2));
    assert_eq!(store.redefine(made.id, 2, &third), Ok(3));
    assert_eq!(
        backend.open().definitions(made.id).unwrap(),
        [definition(), second, third.clone()]
    );
    let found = backend.open().study(&made.name).unwrap();
    assert_eq!(
        (found.version, found.definition, found.id),
        (3, third, made.id)
    );
}

pub(super) fn a_change_of_an_old_version_is_refused(backend: &Backend) {
    let store = backend.open();
    let made = study_with(store.as_ref(), &definition(), None);
    let changed = Definition {
        method: "sobol".to_owned(),
        ..definition()
    };
    store.redefine(made.id, 1, &changed).unwrap();
    let late = backend.open().redefine(made.id, 1, &definition());
    assert_eq!(
        late,
        Err(StoreError::Redefined {
            found: 2,
            expected: 1
        })
    );
    assert_eq!(store.study(&made.name).unwrap().definition, changed);
}

pub(super) fn of_many_changes_at_once_one_succeeds(backend: &Backend) {
    let store = backend.open();
    let made = study_with(store.as_ref(), &definition(), None);
    let change = |seed| {
        backend.open().redefine(
            made.id,
            1,
            &Definition {
                seed,
                ..definition()
            },
        )
    };
    let changed: Vec<Result<u64, StoreError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|seed| scope.spawn(move || change(seed)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(
        changed.iter().filter(|answer| **answer == Ok(2)).count(),
        1,
        "{changed:?}"
    );
    assert!(changed.iter().all(|answer| matches!(
        answer,
        Ok(2)
            | Err(StoreError::Redefined {
                found: 2,
                expected: 1
            })
    )));
}

pub(super) fn names_and_aliases_are_kept(backend: &Backend) {
    let store = backend.open();
    let made = study_with(store.as_ref(), &definition(), None);
    finish(store.as_ref(), made.id, 1.0);
    let alias = Alias {
        from: "x".to_owned(),
        to: "rate".to_owned(),
        version: 2,
    };
    let renamed = Definition {
        space: space(&["n=int(1,4)", "rate=float(0,1)"]),
        aliases: vec![alias],
        ..definition()
    };
    store.redefine(made.id, 1, &renamed).unwrap();
    assert_eq!(store.study(&made.name).unwrap().definition, renamed);
    let trial = store.trial(made.id, 0).unwrap();
    let params = trial.params.unwrap();
    assert_eq!(
        (trial.version, params.float("x"), params.float("rate")),
        (1, Some(0.5), None),
        "as it was recorded"
    );
    assert_eq!(renamed.renamed(&params, 1).float("rate"), Some(0.5));
    let finished = store.finished_since(made.id, 0, 9).unwrap();
    assert_eq!(
        (
            finished[0].version,
            finished[0]
                .params
                .as_ref()
                .unwrap()
                .params()
                .unwrap()
                .into_owned()
        ),
        (1, params)
    );
}

pub(super) fn the_best_follows_the_definition(backend: &Backend) {
    let store = backend.open();
    let several = |names: &[(&str, Direction)]| {
        let objective =
            |(name, direction): &(&str, Direction)| ObjectiveSpec::new(*name, *direction);
        Definition {
            objectives: names.iter().map(objective).collect(),
            ..definition()
        }
    };
    let (loss, speed) = (
        ("loss", Direction::Minimize),
        ("speed", Direction::Maximize),
    );
    let first = several(&[loss, speed]);
    let trial = |number, loss, speed| {
        let params = Params::from_iter([("x", 0.5)]);
        NewTrial::from(Trial {
            number,
            ..Trial::known(
                params,
                State::Complete,
                values(&[("loss", loss), ("speed", speed)]),
            )
        })
    };
    let trials = vec![
        trial(0, 3.0, 9.0),
        trial(1, 1.0, 2.0),
        trial(2, 2.0, 5.0),
        trial(3, 2.0, 5.0),
    ];
    let id = store
        .create_study(&NewStudy {
            trials,
            ..NewStudy::new(fresh("best"), first, Limits::default())
        })
        .unwrap()
        .id;
    let best = || store.best(id).unwrap().map(|trial| trial.number);
    assert_eq!(best(), Some(1));
    store.redefine(id, 1, &several(&[speed, loss])).unwrap();
    assert_eq!(best(), Some(0), "another first objective");
    let at_most = OutcomeConstraint {
        name: "speed".to_owned(),
        at_most: Some(5.0),
        at_least: None,
    };
    store
        .redefine(
            id,
            2,
            &Definition {
                constraints: vec![at_most],
                ..several(&[speed])
            },
        )
        .unwrap();
    assert_eq!(
        best(),
        Some(2),
        "the fastest is not allowed any more, and of equals the earliest counts"
    );
    store
        .redefine(id, 3, &several(&[("memory", Direction::Minimize)]))
        .unwrap();
    assert_eq!(best(), None, "nobody measured it");
    let (lease, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    store
        .propose(&lease, &proposal(Params::from_iter([("x", 0.1)])))
        .unwrap();
    let ending = several(&[("memory", Direction::Minimize)])
        .ending(Outcome::Value(7.0))
        .unwrap();
    store.tell(&lease, &ending).unwrap();
    assert_eq!(best(), Some(4));
}

pub(super) fn a_trial_without_a_point_gets_the_newest_version(backend: &Backend) {
    let store = backend.open();
    let made = study_with(store.as_ref(), &definition(), None);
    let (choosing, trial) = claim_for(store.as_ref(), made.id, LONG).unwrap();
    assert_eq!(trial.version, 1);
    finish(store.as_ref(), made.id, 1.0);
    store
        .redefine(
            made.id,
            1,
            &Definition {
                seed: 3,
                ..definition()
            },
        )
        .unwrap();
    assert_eq!(
        claim_for(store.as_ref(), made.id, LONG).unwrap().1.version,
        2
    );
    store.expire(&choosing).unwrap();
    let (again, trial) = claim_for(store.as_ref(), made.id, LONG).unwrap();
    assert_eq!((trial.number, trial.version), (0, 2));
    store
        .propose(
            &again,
            &neuralbo::store::Proposal {
                version: 2,
                ..proposal(super::backend::params(0.25, 1))
            },
        )
        .unwrap();
    store.tell(&again, &ended(1.0)).unwrap();
    let versions: Vec<u64> = store
        .finished_since(made.id, 0, 9)
        .unwrap()
        .iter()
        .map(|finished| finished.version)
        .collect();
    assert_eq!(versions, [1, 2]);
}
