//! Trials that are stopped early, from their reports to the log.

use std::sync::{Arc, Mutex};

use neuralbo::drive::*;
use neuralbo::record::{Definition, FailureKind, Limits, Outcome, OutcomeConstraint, State, Trial};
use neuralbo::space::Space;
use neuralbo::store::{MemoryStore, NewStudy, Store};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::Study;

use super::{FullObjective, run, run_some, study_of, with_pruner};

fn study(pruner: &str, trials: u64) -> Study {
    study_of(with_pruner(pruner), trials)
}

/// An objective that reports.
fn reporting(evaluate: impl Fn(&Trial, &Reporter) -> Outcome + Sync) -> impl Objective {
    FullObjective(move |trial: &Trial, reporter: &Reporter, _: &Cancel| evaluate(trial, reporter))
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
        let worse = |t: &Trial, r: &Reporter| trained(r, 1, vec![1.0 + t.number as f64; 9]);
        run(&mut study, &reporting(worse));
        let counts = study.counts();
        assert_eq!(
            (counts.pruned, counts.complete),
            (stopped, 18 - stopped),
            "{pruner}"
        );
        assert_eq!(study.best().unwrap().unwrap().number, 0);
    }
}

#[test]
fn patience_and_a_target_make_trials_complete_unless_a_constraint_is_unknown() {
    for pruner in ["patience:steps=3", "target:2.5"] {
        let mut study = study(pruner, 1);
        let curve = [5.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0];
        run(
            &mut study,
            &reporting(|_, reporter| trained(reporter, 0, curve)),
        );
        let trial = &study.trials().unwrap()[0];
        assert_eq!(trial.state, State::Complete, "{pruner}");
        assert_eq!(trial.value("value"), Some(2.0), "{pruner}");
    }
    let memory = OutcomeConstraint {
        name: "memory".into(),
        at_most: Some(4.0),
        at_least: None,
    };
    let constrained = Definition {
        outcome_constraints: vec![memory],
        ..with_pruner("target:1")
    };
    for (reported, state) in [(false, "pruned"), (true, "complete")] {
        let mut study = study_of(constrained.clone(), 1);
        let objective = reporting(|_, reporter| {
            if reported {
                reporter.report_named(0, "memory", 3.0).unwrap();
            }
            trained(reporter, 0, [0.5])
        });
        run(&mut study, &objective);
        assert_eq!(study.trials().unwrap()[0].state.name(), state);
    }
}

#[test]
fn bad_reports_are_refused_one_by_one() {
    let mut study = study("threshold:100", 1);
    let backwards = "step 2 of `value` is not increasing: trial 0 is at step 3";
    let not_a_number = "`loss` of trial 0 is NaN at step 5; it must be a finite number";
    let cases = [
        (3, "value", 1.0, None),
        (3, "value", 2.0, None),
        (2, "value", 3.0, Some(backwards)),
        (1, "loss", 4.0, None),
        (5, "loss", f64::NAN, Some(not_a_number)),
    ];
    let objective = reporting(|_, reporter| {
        for (step, name, value, error) in cases {
            let answer = reporter.report_named(step, name, value);
            assert_eq!(
                answer.err().map(|error| error.to_string()).as_deref(),
                error
            );
        }
        assert!(
            !reporter.should_prune().unwrap(),
            "only the objective ends a trial"
        );
        7.0.into()
    });
    run(&mut study, &objective);
    assert_eq!(study.counts().complete, 1);
    let reports = study.store().reports(study.record().id, 0).unwrap();
    let kept: Vec<(i64, f64)> = reports.iter().map(|r| (r.step, r.value)).collect();
    assert_eq!(
        kept,
        [(1, 4.0), (3, 2.0)],
        "the same step again replaces its value"
    );
}

#[test]
fn a_trial_whose_objective_is_not_finite_is_ended_and_has_failed() {
    let mut study = study("asha", 1);
    let objective = reporting(|_, reporter| {
        reporter.report(1, 0.5).unwrap();
        assert!(reporter.report(2, f64::INFINITY).is_err());
        assert!(reporter.should_prune().unwrap());
        reporter.stopped()
    });
    run(&mut study, &objective);
    let failure = study.trials().unwrap()[0].failure().cloned().unwrap();
    assert_eq!(failure.kind, FailureKind::NonFinite);
}

#[test]
fn pruning_with_several_objectives_is_refused_before_the_first_trial() {
    let mut several = with_pruner("asha");
    several.objectives.push("speed:maximize".parse().unwrap());
    let error = Study::new(several).err().unwrap().to_string();
    let reason = "pruning needs one objective, the study has 2";
    assert_eq!(
        error,
        format!("pruner `asha:min=1,factor=3` is not allowed: {reason}")
    );
}

/// Trial 0 is best and continues; trials 1 to 5 are stopped at rung 1; two of six may continue, so
/// the best of the stopped ones is resumed.
#[test]
fn a_stopped_trial_that_deserves_it_is_resumed_once_and_goes_on_from_its_rung() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let new = NewStudy::new("s", with_pruner("asha:max=9"), Limits::default());
    let record = store.create_study(&new).unwrap();
    let open = || {
        let registry = Registry::standard();
        let mut study = Study::open(Arc::clone(&store), record.clone(), registry).unwrap();
        study.promote_stopped(true);
        study
    };
    let levels = [1.0, 5.0, 3.0, 4.0, 2.0, 6.0];
    let first = reporting(|trial, r| trained(r, 1, vec![levels[trial.number as usize]; 9]));
    let mut worker = open();
    run_some(&mut worker, &first, 6);
    assert_eq!((worker.counts().complete, worker.counts().pruned), (1, 5));
    // Two workers ask before either has told.
    let (mut one, mut other) = (open(), open());
    let resumed = one.ask_one().unwrap();
    let provenance = resumed.provenance.clone().unwrap();
    assert_eq!((resumed.number, provenance.resumes), (6, Some(4)));
    assert_eq!(provenance.origin, "resumed");
    assert_eq!(resumed.params, store.trial(record.id, 4).unwrap().params);
    let resumes = other.ask_one().unwrap().provenance.unwrap().resumes;
    assert_eq!(resumes, None, "exactly one resumes it");
    let start = neuralbo::store::first_of(store.as_ref(), record.id, &resumed);
    assert_eq!(start, Ok(4));
    one.tell(&resumed, Outcome::Interrupted).unwrap();
    let seen = Mutex::new(Vec::new());
    let second = reporting(|trial, reporter| {
        seen.lock().unwrap().push(trial.number);
        trained(reporter, 2, [0.9, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.5])
    });
    run_some(&mut other, &second, 1);
    assert_eq!(
        *seen.lock().unwrap(),
        [6],
        "a resumed trial that was given back is taken over"
    );
    let told = store.trial(record.id, 6).unwrap();
    let expected = (State::Complete, 0.5);
    assert_eq!(
        (told.state, told.values["value"]),
        expected,
        "best of two at rung 3"
    );
    let earlier = store.trial(record.id, 4).unwrap().state;
    assert_eq!(
        earlier,
        State::Pruned { step: Some(1) },
        "what was told stays"
    );
    let replayed = neuralbo::study::replay(store.as_ref(), &record, &Registry::standard()).unwrap();
    assert_eq!((replayed.derived, replayed.mismatch), (7, None));
}

#[test]
fn the_pruner_of_a_study_that_is_still_to_grow_can_be_changed() {
    let empty = Definition {
        space: Space::empty(),
        ..with_pruner("asha")
    };
    let mut study = Study::new(empty).unwrap();
    let unpruned = Definition {
        pruner: None,
        ..study.definition().clone()
    };
    let changed = study.redefine(unpruned, &[]).unwrap();
    assert_eq!((changed.len(), study.record().version), (1, 2));
}
