//! Trials that are stopped early, from their reports to the log.

use std::sync::{Arc, Mutex};

use super::*;
use crate::record::{Definition, Direction, FailureKind, Limits, OutcomeConstraint, State};
use crate::space::Space;
use crate::store::{MemoryStore, NewStudy, Store};
use crate::strategy::presets::Registry;
use crate::study::Study;

fn definition(pruner: &str) -> Definition {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let pruner = (!pruner.is_empty()).then(|| pruner.parse().unwrap());
    Definition {
        method: "random".into(),
        seed: 3,
        pruner,
        ..Definition::new(space, Direction::Minimize)
    }
}

fn study(pruner: &str, count: u64) -> Study {
    let mut study = Study::new(definition(pruner)).unwrap();
    study
        .set_limits(Limits {
            trials: Some(count),
            ..Limits::default()
        })
        .unwrap();
    study
}

struct Full<F>(F);

impl<F: Fn(&Trial, &Reporter) -> Outcome + Sync> Objective for Full<F> {
    fn evaluate(&self, trial: &Trial, reporter: &Reporter, _: &Cancel) -> Outcome {
        (self.0)(trial, reporter)
    }
}

/// Reports values step by step from `first` on, until it is told to stop.
fn trained(reporter: &Reporter, first: i64, values: impl IntoIterator<Item = f64>) -> Outcome {
    let mut last = f64::NAN;
    for (step, value) in (first..).zip(values) {
        last = value;
        reporter.report(step, value).unwrap();
        if reporter.should_prune().unwrap() {
            return reporter.stopped();
        }
    }
    last.into()
}

#[test]
fn rungs_keep_a_third_and_hyperband_has_its_brackets() {
    for (pruner, stopped) in [("asha:max=9", 17), ("hyperband:max=9", 13)] {
        let mut study = study(pruner, 18);
        // Every trial is worse than all before it.
        let objective = Full(|trial: &Trial, reporter: &Reporter| {
            trained(reporter, 1, vec![1.0 + trial.number as f64; 9])
        });
        drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
        assert_eq!(
            (study.counts().pruned, study.counts().complete),
            (stopped, 18 - stopped),
            "{pruner}"
        );
        assert_eq!(study.best().unwrap().unwrap().number, 0);
    }
}

#[test]
fn patience_and_a_target_make_trials_complete_unless_a_constraint_is_unknown() {
    for (pruner, value) in [("patience:steps=3", 2.0), ("target:2.5", 2.0)] {
        let mut study = study(pruner, 1);
        let curve = [5.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0];
        drive(
            &mut study,
            &Full(|_: &Trial, r: &Reporter| trained(r, 0, curve)),
            &DriveOptions::default(),
            &mut [],
        )
        .unwrap();
        let trial = &study.trials().unwrap()[0];
        assert_eq!(
            (&trial.state, trial.value("value")),
            (&State::Complete, Some(value)),
            "{pruner}"
        );
    }
    let memory = OutcomeConstraint {
        name: "memory".into(),
        at_most: Some(4.0),
        at_least: None,
    };
    for (reported, state) in [(false, "pruned"), (true, "complete")] {
        let constrained = Definition {
            constraints: vec![memory.clone()],
            ..definition("target:1")
        };
        let mut study = Study::new(constrained).unwrap();
        study
            .set_limits(Limits {
                trials: Some(1),
                ..Limits::default()
            })
            .unwrap();
        let objective = Full(|_: &Trial, reporter: &Reporter| {
            if reported {
                reporter.report_named(0, "memory", 3.0).unwrap();
            }
            trained(reporter, 0, [0.5])
        });
        drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
        assert_eq!(study.trials().unwrap()[0].state.name(), state);
    }
}

#[test]
fn bad_reports_are_refused_one_by_one() {
    let mut study = study("threshold:100", 1);
    let answers: Arc<Mutex<Vec<Result<(), ReportError>>>> = Arc::default();
    let objective = Full(|_: &Trial, reporter: &Reporter| {
        let mut answers = answers.lock().unwrap();
        for (step, name, value) in [
            (3, "value", 1.0),
            (3, "value", 2.0),
            (2, "value", 3.0),
            (1, "loss", 4.0),
            (5, "loss", f64::NAN),
        ] {
            answers.push(reporter.report_named(step, name, value));
        }
        assert!(
            !reporter.should_prune().unwrap(),
            "only the objective ends a trial"
        );
        7.0.into()
    });
    drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
    let answers = answers.lock().unwrap();
    assert!(
        answers[..2].iter().all(Result::is_ok) && answers[3].is_ok(),
        "{answers:?}"
    );
    assert_eq!(
        answers[2].clone().unwrap_err().to_string(),
        "step 2 of `value` is not increasing: trial 0 is at step 3"
    );
    assert!(
        answers[4]
            .clone()
            .unwrap_err()
            .to_string()
            .contains("`loss` of trial 0 is NaN at step 5")
    );
    let reports = study.store().reports(study.record().id, 0).unwrap();
    let kept: Vec<(i64, f64)> = reports
        .iter()
        .map(|report| (report.step, report.value))
        .collect();
    assert_eq!(
        kept,
        [(1, 4.0), (3, 2.0)],
        "the same step again replaces its value"
    );
}

#[test]
fn a_trial_whose_objective_is_not_finite_is_ended_and_has_failed() {
    let mut study = study("asha", 1);
    let objective = Full(|_: &Trial, reporter: &Reporter| {
        reporter.report(1, 0.5).unwrap();
        assert!(reporter.report(2, f64::INFINITY).is_err());
        if reporter.should_prune().unwrap() {
            reporter.stopped()
        } else {
            0.0.into()
        }
    });
    drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
    let failure = study.trials().unwrap()[0].failure().cloned().unwrap();
    assert_eq!(failure.kind, FailureKind::NonFinite);
}

#[test]
fn pruning_with_several_objectives_is_refused_before_the_first_trial() {
    let mut several = definition("asha");
    several.objectives.push("speed:maximize".parse().unwrap());
    several.method = "random".into();
    let error = Study::new(several).err().unwrap().to_string();
    assert_eq!(
        error,
        "pruner `asha:min=1,factor=3` is not allowed: pruning needs one objective, the study has 2"
    );
}

/// Trial 0 is best and goes on; trials 1 to 5 are stopped at rung 1; of six, two may go on, so the best of the stopped is resumed.
#[test]
fn a_stopped_trial_that_deserves_it_is_resumed_once_and_goes_on_from_its_rung() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let record = store
        .create_study(&NewStudy::new(
            "s",
            definition("asha:max=9"),
            Limits::default(),
        ))
        .unwrap();
    let open = || {
        let mut study = Study::open(
            Arc::clone(&store),
            store.study("s").unwrap(),
            Registry::standard(),
        )
        .unwrap();
        study.promote_stopped(true);
        study
    };
    let first = Full(|trial: &Trial, reporter: &Reporter| {
        trained(
            reporter,
            1,
            vec![[1.0, 5.0, 3.0, 4.0, 2.0, 6.0][trial.number as usize]; 9],
        )
    });
    let mut worker = open();
    drive(
        &mut worker,
        &first,
        &DriveOptions {
            trials: Some(6),
            ..DriveOptions::default()
        },
        &mut [],
    )
    .unwrap();
    assert_eq!((worker.counts().complete, worker.counts().pruned), (1, 5));
    // Two workers ask before either has told.
    let (mut one, mut other) = (open(), open());
    let resumed = one.ask_one().unwrap();
    let provenance = resumed.provenance.clone().unwrap();
    assert_eq!(
        (
            resumed.number,
            provenance.resumes,
            provenance.origin.as_str()
        ),
        (6, Some(4), "resumed")
    );
    assert_eq!(resumed.params, store.trial(record.id, 4).unwrap().params);
    assert_eq!(
        other.ask_one().unwrap().provenance.unwrap().resumes,
        None,
        "exactly one resumes it"
    );
    assert_eq!(
        crate::store::first_of(store.as_ref(), record.id, &resumed).unwrap(),
        4
    );
    one.tell(&resumed, Outcome::Interrupted).unwrap();
    let seen = Mutex::new(Vec::new());
    let second = Full(|trial: &Trial, reporter: &Reporter| {
        seen.lock().unwrap().push(trial.number);
        trained(reporter, 2, [0.9, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.5])
    });
    drive(
        &mut other,
        &second,
        &DriveOptions {
            trials: Some(1),
            ..DriveOptions::default()
        },
        &mut [],
    )
    .unwrap();
    assert_eq!(
        seen.into_inner().unwrap(),
        [6],
        "a resumed trial that was given back is taken over"
    );
    let told = store.trial(record.id, 6).unwrap();
    assert_eq!(
        (told.state, told.values["value"]),
        (State::Complete, 0.5),
        "judged at rung 3, where it is best of two"
    );
    assert_eq!(
        store.trial(record.id, 4).unwrap().state,
        State::Pruned { step: Some(1) },
        "what was told stays"
    );
    let replayed = crate::study::replay(
        store.as_ref(),
        &store.study("s").unwrap(),
        &Registry::standard(),
    )
    .unwrap();
    assert_eq!((replayed.derived, replayed.mismatch), (7, None));
}

#[test]
fn the_pruner_of_a_study_that_is_still_to_grow_can_be_changed() {
    let mut study = Study::new(Definition {
        space: Space::empty(),
        ..definition("asha")
    })
    .unwrap();
    let changed = study
        .redefine(
            Definition {
                pruner: None,
                ..study.definition().clone()
            },
            &[],
        )
        .unwrap();
    assert_eq!((changed.len(), study.record().version), (1, 2));
}
