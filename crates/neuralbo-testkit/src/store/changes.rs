//! Definitions that change.

use super::backend::{
    Backend, at_most, create, definition, eight_times, fresh, params, proposal, space, study,
    values,
};
use neuralbo::record::{
    Alias, Definition, Direction, Limits, ObjectiveSpec, Outcome, Retries, State, Trial,
};
use neuralbo::space::Params;
use neuralbo::store::{NewStudy, NewTrial, Proposal, StoreError};

fn with_seed(seed: u64) -> Definition {
    Definition {
        seed,
        ..definition()
    }
}

pub(super) fn definitions_are_added_and_none_is_replaced(backend: &Backend) {
    let study = study(backend);
    let space = space(&["n=int(1,9)", "depth=int(1,3)"]);
    let second = Definition {
        space,
        ..definition()
    };
    let retries = Retries::never();
    let third = Definition {
        retries,
        ..second.clone()
    };
    assert_eq!(study.store.redefine(study.id, 1, &second), Ok(2));
    assert_eq!(study.store.redefine(study.id, 2, &third), Ok(3));
    let all = backend.open().definitions(study.id).unwrap();
    assert_eq!(all, [definition(), second, third.clone()]);
    let found = backend.open().study(&study.name).unwrap();
    assert_eq!((found.version, found.id), (3, study.id));
    assert_eq!(found.definition, third);
}

pub(super) fn a_change_of_an_old_version_is_refused(backend: &Backend) {
    let study = study(backend);
    let method = "sobol".to_owned();
    let changed = Definition {
        method,
        ..definition()
    };
    study.store.redefine(study.id, 1, &changed).unwrap();
    let late = backend.open().redefine(study.id, 1, &definition());
    let (found, expected) = (2, 1);
    assert_eq!(late, Err(StoreError::Redefined { found, expected }));
    let record = study.store.study(&study.name).unwrap();
    assert_eq!(record.definition, changed);
}

pub(super) fn of_many_changes_at_once_one_succeeds(backend: &Backend) {
    let id = study(backend).id;
    let mut changed = eight_times(|seed| backend.open().redefine(id, 1, &with_seed(seed)));
    let (found, expected) = (2, 1);
    let refused = Err(StoreError::Redefined { found, expected });
    changed.retain(|answer| *answer != refused);
    assert_eq!(changed, [Ok(2)]);
}

pub(super) fn names_and_aliases_are_kept(backend: &Backend) {
    let study = study(backend);
    study.finish(1.0);
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
    study.store.redefine(study.id, 1, &renamed).unwrap();
    let record = study.store.study(&study.name).unwrap();
    assert_eq!(record.definition, renamed);
    let trial = study.trial(0);
    let params = trial.params.unwrap();
    let recorded = (trial.version, params.float("x"), params.float("rate"));
    assert_eq!(recorded, (1, Some(0.5), None), "as it was recorded");
    assert_eq!(renamed.renamed(&params, 1).float("rate"), Some(0.5));
    let finished = &study.finished()[0];
    let stored = finished.params.as_ref().unwrap().params().unwrap();
    assert_eq!((finished.version, stored.into_owned()), (1, params));
}

pub(super) fn the_best_follows_the_definition(backend: &Backend) {
    let several = |names: &[(&str, Direction)]| {
        let objectives = names
            .iter()
            .map(|(name, way)| ObjectiveSpec::new(*name, *way));
        Definition {
            objectives: objectives.collect(),
            ..definition()
        }
    };
    let loss = ("loss", Direction::Minimize);
    let speed = ("speed", Direction::Maximize);
    let memory = several(&[("memory", Direction::Minimize)]);
    let trial = |number, loss, speed| {
        let (params, values) = ([("x", 0.5)], values(&[("loss", loss), ("speed", speed)]));
        let known = Trial::known(Params::from_iter(params), State::Complete, values);
        NewTrial::from(Trial { number, ..known })
    };
    let trials = vec![
        trial(0, 3.0, 9.0),
        trial(1, 1.0, 2.0),
        trial(2, 2.0, 5.0),
        trial(3, 2.0, 5.0),
    ];
    let new = NewStudy::new(fresh("best"), several(&[loss, speed]), Limits::default());
    let study = create(backend, &NewStudy { trials, ..new });
    let redefine = |from, to: &Definition| study.store.redefine(study.id, from, to).unwrap();
    assert_eq!(study.best(), Some(1));
    redefine(1, &several(&[speed, loss]));
    assert_eq!(study.best(), Some(0), "another first objective");
    let limited = Definition {
        outcome_constraints: vec![at_most("speed", 5.0)],
        ..several(&[speed])
    };
    redefine(2, &limited);
    // The fastest is infeasible; the earliest of equals counts.
    assert_eq!(study.best(), Some(2));
    redefine(3, &memory);
    assert_eq!(study.best(), None, "nobody measured it");
    let (lease, _) = study.claim();
    study.propose(&lease, Params::from_iter([("x", 0.1)]));
    let ending = memory.ending(Outcome::Value(7.0)).unwrap();
    study.store.tell(&lease, &ending).unwrap();
    assert_eq!(study.best(), Some(4));
}

pub(super) fn a_trial_without_a_point_gets_the_newest_version(backend: &Backend) {
    let study = study(backend);
    let (choosing, trial) = study.claim();
    assert_eq!(trial.version, 1);
    study.finish(1.0);
    study.store.redefine(study.id, 1, &with_seed(3)).unwrap();
    assert_eq!(study.claim().1.version, 2);
    study.store.expire(&choosing).unwrap();
    let (again, trial) = study.claim();
    assert_eq!((trial.number, trial.version), (0, 2));
    let (version, first) = (2, proposal(params(0.25, 1)));
    study
        .store
        .propose(&again, &Proposal { version, ..first })
        .unwrap();
    study.tell(&again, 1.0).unwrap();
    let versions = study.finished().into_iter().map(|trial| trial.version);
    assert!(versions.eq([1, 2]));
}
