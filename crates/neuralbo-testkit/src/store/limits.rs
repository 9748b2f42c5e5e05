//! Both sides of every limit: what is within it is stored and read back, what is beyond is refused by name, and nothing is stored.

use neuralbo::limits;
use neuralbo::record::{
    Alias, Attributes, Batch, Definition, Failure, FailureKind, Limits, ObjectiveSpec,
    OutcomeConstraint, Provenance, State, Trial, Values,
};
use neuralbo::store::{NewStudy, NewTrial, StoreError};
use serde_json::{Value as Json, json};

use super::backend::{Backend, assert_matches, create, definition, fresh, params, study};

fn nested(levels: usize) -> Json {
    (0..levels).fold(json!("leaf"), |inner, level| match level % 2 {
        0 => json!([inner]),
        _ => json!({ "inner": inner }),
    })
}

/// A JSON text of so many bytes.
fn text(bytes: usize) -> Json {
    "x".repeat(bytes - 2).into()
}

/// Attributes that exceed a limit by `over`, which is 0 or 1, and what the error names.
fn attributes(over: usize) -> Vec<(Attributes, &'static str)> {
    let one = |value: Json| Attributes::from([("key".to_owned(), value)]);
    let many = (0..limits::ATTRIBUTES + over).map(|i| (format!("key {i}"), json!(i)));
    // With its key, each takes a sixteenth of the whole.
    let sixteenth = limits::ATTRIBUTES_TOGETHER / 16;
    let full = |i: usize| match i {
        0 => (format!("00{}", "0".repeat(over)), text(sixteenth - 2)),
        _ => (format!("{i:02}"), text(sixteenth - 2)),
    };
    let key = Attributes::from([("ä".repeat(limits::NAME + over), json!(1))]);
    vec![
        (one(nested(limits::NESTING + over)), "64 levels"),
        (one(text(limits::VALUE + over)), "1048576 bytes"),
        (many.collect(), "1000 attributes"),
        ((0..16).map(full).collect(), "16777216 bytes"),
        (key, "200 characters"),
    ]
}

pub(super) fn attributes_have_limits(backend: &Backend) {
    for ((within, _), (beyond, named)) in attributes(0).into_iter().zip(attributes(1)) {
        let study = study(backend);
        let lease = study.ask();
        study.store.set_attributes(study.id, 0, &within).unwrap();
        let refused = study.store.set_attributes(study.id, 0, &beyond);
        let error = refused.unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
        assert_matches!(error, StoreError::BadAttributes { .. });
        study.tell(&lease, 0.5).unwrap();
        let listed = study.store.trials(study.id, 0, 10).unwrap();
        assert_eq!(listed[0].attributes, within);
    }
}

/// Changes of a definition to a limit and `over` beyond it, and what the error names.
const DEFINITIONS: [(&str, fn(&mut Definition, usize)); 8] = [
    ("at most 4 objectives", |definition, over| {
        let name = |i| ObjectiveSpec::new(format!("o{i}"), definition.direction());
        definition.objectives = (0..limits::OBJECTIVES + over).map(name).collect();
    }),
    ("200 characters", |definition, over| {
        definition.objectives[0].name = "ä".repeat(limits::NAME + over)
    }),
    ("100 outcome constraints", |definition, over| {
        let constraint = |i| OutcomeConstraint {
            name: format!("c{i}"),
            at_most: Some(1.0),
            at_least: None,
        };
        let count = limits::OUTCOME_CONSTRAINTS + over;
        definition.outcome_constraints = (0..count).map(constraint).collect();
    }),
    ("200 characters", |definition, over| {
        definition.method = "m".repeat(limits::NAME + over)
    }),
    ("16384 bytes", |definition, over| {
        definition.options = vec!["x".repeat(limits::MESSAGE + over)]
    }),
    ("10000 options", |definition, over| {
        definition.options = vec!["a=1".to_owned(); limits::LISTED + over]
    }),
    ("200 characters", |definition, over| {
        let (from, to) = ("a".repeat(limits::NAME + over), "x".to_owned());
        definition.aliases = vec![Alias {
            from,
            to,
            version: 1,
        }];
    }),
    ("1 to 1000 attempts", |definition, over| {
        definition.retries.attempts = limits::ATTEMPTS + over as u64
    }),
];

pub(super) fn definitions_have_limits(backend: &Backend) {
    for (named, change) in DEFINITIONS {
        let changed = |over| {
            let mut changed = definition();
            change(&mut changed, over);
            changed
        };
        let new = |name, over| NewStudy::new(fresh(name), changed(over), Limits::default());
        let within = create(backend, &new("within", 0));
        let record = within.store.study(&within.name).unwrap();
        assert_eq!(record.definition, changed(0));
        let store = &within.store;
        let refused = store.redefine(within.id, 1, &changed(1)).map(drop);
        let not_made = store.create_study(&new("beyond", 1)).map(drop);
        for error in [refused.unwrap_err(), not_made.unwrap_err()] {
            assert!(error.to_string().contains(named), "{error}");
            assert_matches!(error, StoreError::BadDefinition { .. });
        }
    }
    let mut none = definition();
    none.retries.attempts = 0;
    let new = NewStudy::new(fresh("none"), none, Limits::default());
    assert!(backend.open().create_study(&new).is_err());
}

fn suggested(number: u64) -> Trial {
    let mut trial = Trial::known(
        params(0.5, 1),
        State::Complete,
        Values::from([("value".to_owned(), 1.0)]),
    );
    trial.number = number;
    trial.provenance = Some(Provenance {
        origin: "model".to_owned(),
        ..Provenance::default()
    });
    trial
}

fn batch(trial: &mut Trial, first: u64, count: u64) {
    let batch = Some(Batch { first, count });
    trial.provenance.iter_mut().for_each(|p| p.batch = batch);
}

/// Changes of trial 7 to a limit and `over` beyond it, and what the error names.
const TRIALS: [(&str, fn(&mut Trial, u64)); 12] = [
    ("batch", |trial, over| {
        batch(trial, 7, limits::ASKED as u64 + over)
    }),
    ("batch", |trial, over| batch(trial, 7 + over, 3)),
    ("batch", |trial, over| batch(trial, 5 - over, 3)),
    ("based_on", |trial, over| {
        provenance(trial, |p| p.based_on = limits::NUMBER + over)
    }),
    ("resumes", |trial, over| {
        provenance(trial, |p| p.resumes = Some(limits::NUMBER + over))
    }),
    ("pending", |trial, over| {
        provenance(trial, |p| p.pending = vec![1, 2 - over])
    }),
    ("pending", |trial, over| {
        provenance(trial, |p| p.pending = vec![limits::NUMBER + over])
    }),
    ("16384 bytes", |trial, over| {
        let origin = "x".repeat(limits::MESSAGE + over as usize);
        provenance(trial, |p| p.origin = origin.clone());
    }),
    ("attempt", |trial, over| {
        trial.attempt = limits::NUMBER + over
    }),
    ("finished_ms", |trial, over| {
        trial.finished_ms = Some(limits::TIME_MS + over as i64)
    }),
    ("asked_ms", |trial, over| trial.asked_ms = -(over as i64)),
    ("16384 bytes", |trial, over| {
        let message = "x".repeat(limits::MESSAGE + over as usize);
        let failure = Failure::new(FailureKind::Exit, message);
        (trial.state, trial.values) = (State::Failed { failure }, Values::new());
    }),
];

fn provenance(trial: &mut Trial, change: impl Fn(&mut Provenance)) {
    trial.provenance.iter_mut().for_each(change);
}

pub(super) fn trials_from_elsewhere_have_limits(backend: &Backend) {
    for (named, edit) in TRIALS {
        let new = |over| {
            let mut trial = suggested(7);
            edit(&mut trial, over);
            let study = NewStudy::new(fresh("limits"), definition(), Limits::default());
            NewStudy {
                trials: vec![NewTrial::from(trial)],
                ..study
            }
        };
        let (within, beyond) = (new(0), new(1));
        let study = create(backend, &within);
        let trial = study.store.trial(study.id, 7).unwrap();
        let expected = &within.trials[0].trial;
        assert_eq!(trial.provenance, expected.provenance);
        assert_eq!(trial.state, expected.state);
        let error = study.store.create_study(&beyond).unwrap_err();
        assert!(error.to_string().contains(named), "{named}: {error}");
        assert_matches!(error, StoreError::BadTrial { number: 7, .. });
    }
}
