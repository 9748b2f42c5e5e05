use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::record::{
    Definition, Direction, Failure, FailureKind, Limits, ObjectiveSpec, Outcome, Retries, State,
    StopReason, Trial,
};
use crate::space::{Params, Point, Space};
use crate::store::{MemoryStore, NewStudy, Store, StoreError, Told};
use crate::strategy::presets::Registry;
use crate::strategy::{Exhausted, Origin, Request, Strategy, Suggestion};

/// Proposes 0, 1, 2, … of `n=int(0,9)`, predicts a reward, and remembers what it was asked.
#[derive(Default)]
struct Counting {
    requests: Arc<Mutex<Vec<(usize, usize, usize)>>>,
}

impl Strategy for Counting {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let seen = (
            request.history.observed().len(),
            request.history.failed().len(),
            request.pending.len(),
        );
        self.requests.lock().unwrap().push(seen);
        let last = (request.number + request.count as u64).min(10);
        let suggestion = |n| {
            let point = Point::new(vec![(n as i64).into()]);
            let row = space(&["n=int(0,9)"]).encode(&point).unwrap();
            Suggestion {
                point,
                row,
                origin: Origin::Sampled,
                mean: Some(-5.0),
                sd: Some(2.0),
            }
        };
        let suggestions: Vec<Suggestion> = (request.number..last).map(suggestion).collect();
        if suggestions.is_empty() {
            Err(Exhausted)
        } else {
            Ok(suggestions)
        }
    }
}

fn space(texts: &[&str]) -> Space {
    Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).unwrap()
}

fn counting(direction: Direction) -> Study {
    let definition = Definition::new(space(&["n=int(0,9)"]), direction);
    Study::with_strategy(definition, Box::new(Counting::default())).unwrap()
}

/// The same with limits.
fn limited(direction: Direction, limits: Limits) -> Study {
    let mut study = counting(direction);
    study.set_limits(limits).unwrap();
    study
}

/// A definition to minimize by a method.
fn defined(method: &str, parameters: &[&str]) -> Definition {
    Definition {
        method: method.into(),
        ..Definition::new(space(parameters), Direction::Minimize)
    }
}

/// The same definition of other parameters.
fn redefined(definition: &Definition, parameters: &[&str]) -> Definition {
    Definition {
        space: space(parameters),
        ..definition.clone()
    }
}

fn tell_all(study: &mut Study, trials: &[Trial], value: impl Fn(&Trial) -> f64) {
    for trial in trials {
        study.tell(trial, value(trial)).unwrap();
    }
}

fn ask(study: &mut Study, count: usize) -> Vec<Trial> {
    match study.ask(&Worker::default(), count).unwrap() {
        Asked::Trials(trials) => trials,
        other => panic!("{other:?}"),
    }
}

fn params(pairs: &[(&str, f64)]) -> Params {
    let named = |(name, value): &(&str, f64)| ((*name).to_owned(), *value);
    pairs.iter().map(named).collect()
}

fn x_of(trial: &Trial) -> f64 {
    trial.params.as_ref().unwrap().float("x").unwrap()
}

#[test]
fn numbers_count_up_and_predictions_are_in_the_users_units() {
    let mut minimize = counting(Direction::Minimize);
    let trial = minimize.ask_one().unwrap();
    let provenance = trial.provenance.unwrap();
    let found = (trial.number, provenance.mean, provenance.sd);
    assert_eq!(found, (0, Some(5.0), Some(2.0)));
    assert_eq!(minimize.ask_one().unwrap().number, 1);
    let maximized = counting(Direction::Maximize).ask_one().unwrap();
    assert_eq!(maximized.provenance.unwrap().mean, Some(-5.0));
}

#[test]
fn the_best_trial_follows_the_direction_and_the_first_of_equals_stays() {
    for (direction, best) in [(Direction::Minimize, 1), (Direction::Maximize, 0)] {
        let mut study = counting(direction);
        for value in [3.0, 1.0, 2.0, 1.0, 3.0] {
            let trial = study.ask_one().unwrap();
            study.tell(&trial, value).unwrap();
        }
        assert_eq!(study.best().unwrap().unwrap().number, best);
        assert_eq!(study.log().best().unwrap().0, best);
    }
}

#[test]
fn values_that_are_not_finite_are_failures() {
    let mut study = counting(Direction::Minimize);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let trial = study.ask_one().unwrap();
        study.tell(&trial, value).unwrap();
        let told = study.store().trial(study.record().id, trial.number);
        let failure = told.unwrap().failure().cloned();
        assert_eq!(failure.unwrap().kind, FailureKind::NonFinite);
    }
    assert_eq!((study.counts().failed, study.best().unwrap()), (3, None));
}

#[test]
fn telling_an_unknown_or_finished_trial_is_refused_by_number_and_state() {
    let mut study = counting(Direction::Minimize);
    let trials = ask(&mut study, 2);
    study.tell(&trials[0], 1.0).unwrap();
    let failure = Failure::new(FailureKind::Error, "no");
    study.tell(&trials[1], failure).unwrap();
    let mut unknown = trials[0].clone();
    unknown.number = 7;
    let once = |state| format!("is already {state}; a result is told once");
    for (trial, refusal) in [
        (&unknown, "is unknown".to_owned()),
        (&trials[0], once("complete")),
        (&trials[1], once("failed")),
    ] {
        let error = study.tell(trial, 2.0).unwrap_err().to_string();
        assert_eq!(error, format!("trial {} {refusal}", trial.number));
    }
    assert_eq!(study.tell(&trials[0], 1.0), Ok(Told::Already));
    assert_eq!(study.log().best(), Some((0, 1.0)));
}

#[test]
fn the_strategy_sees_results_failures_and_running_trials_but_not_interruptions() {
    let strategy = Counting::default();
    let requests = Arc::clone(&strategy.requests);
    let definition = Definition::new(space(&["n=int(0,9)"]), Direction::Minimize);
    let mut study = Study::with_strategy(definition, Box::new(strategy)).unwrap();
    let trials = ask(&mut study, 4);
    study.tell(&trials[2], 1.0).unwrap();
    let failure = Failure::new(FailureKind::Exit, "1");
    study.tell(&trials[0], failure).unwrap();
    study.tell(&trials[1], Outcome::Interrupted).unwrap();
    let again = study.ask_one().unwrap();
    let found = (again.number, again.attempt, &again.params);
    let expected = (1, 2, &trials[1].params);
    assert_eq!(found, expected, "what was interrupted is run again");
    study.ask_one().unwrap();
    assert_eq!(*requests.lock().unwrap(), [(0, 0, 0), (1, 1, 2)]);
    assert_eq!(study.log().running().collect::<Vec<_>>(), [1, 3, 4]);
}

#[test]
fn known_results_are_trials_but_not_part_of_the_budget() {
    let (trials, none) = (Some(1), Limits::default());
    let mut study = limited(Direction::Maximize, Limits { trials, ..none });
    assert_eq!(study.add_known(params(&[("n", 4.0)]), 9.0), Ok(0));
    assert_eq!(study.stop_reason(), None);
    assert_eq!(study.log().best(), Some((0, 9.0)));
    let trial = study.ask_one().unwrap();
    assert_eq!(study.ask_one(), Err(StudyError::Busy { running: 1 }));
    study.tell(&trial, 0.0).unwrap();
    let ended = Err(StudyError::Ended(StopReason::Trials(1)));
    assert_eq!(study.ask_one(), ended);
    let refused = study.add_known(params(&[("n", 40.0)]), 9.0).unwrap_err();
    assert!(refused.to_string().contains("`40"));
    assert_eq!(study.trials().unwrap().len(), 2);
}

#[test]
fn a_finite_space_runs_out_and_leaves_no_gap() {
    let mut study = counting(Direction::Minimize);
    assert_eq!(study.ask(&Worker::default(), 0), Ok(Asked::Trials(vec![])));
    let trials = ask(&mut study, 12);
    assert_eq!(trials.len(), 10);
    assert_eq!(study.ask_one(), Err(StudyError::Busy { running: 10 }));
    tell_all(&mut study, &trials, |_| 1.0);
    let ended = Err(StudyError::Ended(StopReason::Exhausted));
    assert_eq!(study.ask_one(), ended);
    let trials = study.trials().unwrap();
    assert!(trials.iter().map(|trial| trial.number).eq(0..10));
}

#[test]
fn the_target_counts_in_the_users_units() {
    for (direction, target, values) in [
        (Direction::Minimize, 1.0, [1.5, 1.0]),
        (Direction::Maximize, -1.0, [-1.5, -1.0]),
    ] {
        let limits = Limits {
            target: Some(target),
            ..Limits::default()
        };
        let mut study = limited(direction, limits);
        let trials = ask(&mut study, 2);
        study.tell(&trials[0], values[0]).unwrap();
        assert_eq!(study.stop_reason(), None);
        study.tell(&trials[1], values[1]).unwrap();
        assert_eq!(study.stop_reason(), Some(StopReason::Target(target)));
    }
}

#[test]
fn patience_counts_finished_trials_since_the_last_improvement() {
    let (patience, none) = (Some(2), Limits::default());
    let mut study = limited(Direction::Minimize, Limits { patience, ..none });
    let trials = ask(&mut study, 5);
    for (trial, value) in trials.iter().zip([5.0, 6.0, 4.0, 4.0, f64::NAN]) {
        study.tell(trial, value).unwrap();
        let stops = study.stop_reason().is_some();
        assert_eq!(stops, value.is_nan(), "after trial {}", trial.number);
    }
}

/// A study of a store whose clock is set by hand, seen by two workers.
fn shared() -> (Arc<AtomicI64>, Study, Study) {
    let clock = Arc::new(AtomicI64::new(1_000));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(clock.clone()));
    let mut definition = defined("random", &["x=float(0,1)"]);
    definition.retries = Retries {
        attempts: 2,
        kinds: vec![FailureKind::Signal],
    };
    let new = NewStudy::new("shared", definition, Limits::default());
    let record = store.create_study(&new).unwrap();
    let open = || Study::open(Arc::clone(&store), record.clone(), Registry::standard()).unwrap();
    (clock, open(), open())
}

#[test]
fn a_dead_workers_trial_is_taken_over_and_its_late_answer_refused() {
    let (clock, mut first, mut second) = shared();
    let worker = |name: &str| Worker {
        name: name.into(),
        lease: Duration::from_secs(60),
    };
    let asked = |study: &mut Study, name: &str| match study.ask(&worker(name), 1) {
        Ok(Asked::Trials(trials)) => trials,
        other => panic!("{other:?}"),
    };
    let mine = asked(&mut first, "a");
    clock.store(61_001, Ordering::SeqCst);
    let taken = asked(&mut second, "b");
    let found = (taken[0].number, taken[0].attempt, &taken[0].params);
    assert_eq!(found, (0, 2, &mine[0].params));
    let (number, attempt) = (0, 1);
    let lost = StudyError::Store(StoreError::LeaseLost { number, attempt });
    assert_eq!(first.tell(&mine[0], 1.0), Err(lost));
    clock.store(200_000, Ordering::SeqCst);
    let next = asked(&mut first, "a");
    assert_eq!(next[0].number, 1, "two attempts are all a trial gets");
    let trials = first.trials().unwrap();
    assert_eq!(trials[0].failure().unwrap().kind, FailureKind::Lost);
}

#[test]
fn workers_notice_a_changed_definition_when_they_ask() {
    let (_, mut first, mut second) = shared();
    let trial = second.ask_one().unwrap();
    second.tell(&trial, 1.0).unwrap();
    let wider = redefined(first.definition(), &["x=float(0,1)", "depth=int(1,9)"]);
    let changes = first.redefine(wider, &[]).unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    let trial = second.ask_one().unwrap();
    assert_eq!((trial.version, trial.params.unwrap().len()), (2, 2));
    let observed = second.log().history().observed().len();
    assert_eq!(observed, 1, "old trials go on to teach");
}

#[test]
fn a_change_by_somebody_else_in_between_is_an_error_and_growing_agrees() {
    let (_, mut first, mut second) = shared();
    let depth = "depth=int(1,9)".parse().unwrap();
    let width = "width=int(1,9)".parse().unwrap();
    assert_eq!(first.grow(&depth), Ok(Growth::Added));
    let other = Definition {
        method: "sobol".into(),
        ..second.definition().clone()
    };
    let (found, expected) = (2, 1);
    let late = StudyError::Store(StoreError::Redefined { found, expected });
    assert_eq!(second.redefine(other, &[]), Err(late));
    assert_eq!(second.grow(&width), Ok(Growth::Added));
    assert_eq!(first.grow(&width), Ok(Growth::Present));
    assert_eq!(first.definition(), second.definition());
    assert_eq!(first.definition().space.parameters().len(), 3);
}

#[test]
fn a_parameter_asked_for_with_a_larger_range_becomes_larger_and_another_kind_is_refused() {
    let (_, mut study, _) = shared();
    let mut grow = |text: &str| study.grow(&text.parse().unwrap());
    let (from, to) = ("float(0.0,1.0)".into(), "float(0.0,2.0)".into());
    assert_eq!(grow("x=float(0,2)"), Ok(Growth::Widened { from, to }));
    assert_eq!(grow("x=float(0,0.5)"), Ok(Growth::Present));
    let error = grow("x=int(0,2)").unwrap_err();
    let is_named = matches!(&error, StudyError::Incompatible { name, .. } if name == "x");
    assert!(is_named, "{error}");
}

#[test]
fn values_follow_their_names_through_reordering_and_renaming() {
    let base = defined("random", &["a=float(0,1)", "b=float(0,10)"]);
    let mut study = Study::new(base.clone()).unwrap();
    let known = params(&[("a", 0.25), ("b", 7.5)]);
    study.add_known(known.clone(), 1.0).unwrap();
    let reordered = redefined(&base, &["b=float(0,10)", "a=float(0,1)"]);
    study.redefine(reordered, &[]).unwrap();
    assert_eq!(study.log().history().row(0), [0.5, -0.5]);
    let renamed = redefined(&base, &["rate=float(0,1)", "b=float(0,10)"]);
    let rename = [("a".into(), "rate".into())];
    study.redefine(renamed, &rename).unwrap();
    assert_eq!(study.log().history().row(0), [-0.5, 0.5]);
    let best = study.best().unwrap().unwrap();
    assert_eq!(best.params, Some(known), "records stay as they were");
    let unnamed = ["speed=float(0,1)", "b=float(0,10)"];
    let unnamed = redefined(study.definition(), &unnamed);
    study.redefine(unnamed, &[]).unwrap();
    let row = study.log().history().row(0);
    assert_eq!(row, [0.0, 0.5], "without a rename it is a new parameter");
    assert_eq!(study.record().version, 4);
}

#[test]
fn a_rename_of_nothing_is_refused() {
    let mut study = counting(Direction::Minimize);
    let same = study.definition().clone();
    let error = study
        .redefine(same.clone(), &[("m".into(), "n".into())])
        .unwrap_err();
    assert!(error.to_string().contains("`m`"), "{error}");
    assert_eq!(study.redefine(same, &[]), Ok(vec![]));
    assert_eq!(study.record().version, 1);
}

#[test]
fn narrowed_and_removed_values_stay_known() {
    for method in crate::strategy::presets::METHODS {
        let mut base = defined(method.name, &["x=float(0,10)", "y=float(0,1)"]);
        base.seed = 5;
        let Ok(mut study) = Study::new(base.clone()) else {
            continue;
        };
        for i in 0..12 {
            let x = f64::from(i) * 10.0 / 11.0;
            let known = params(&[("x", x), ("y", 0.5)]);
            study.add_known(known, (x - 7.0).powi(2)).unwrap();
        }
        let narrow = redefined(&base, &["x=float(2,4)", "z=float(0,1)"]);
        study.redefine(narrow, &[]).unwrap();
        assert_eq!(study.log().history().observed().len(), 12);
        for _ in 0..4 {
            let trial = study.ask_one().unwrap();
            let x = x_of(&trial);
            assert!((2.0..=4.0).contains(&x), "{}: {x}", method.name);
            study.tell(&trial, (x - 7.0).powi(2)).unwrap();
        }
    }
}

#[test]
fn a_changed_parallel_study_is_replayed() {
    let base = Definition {
        seed: 9,
        options: vec!["initial=3".into()],
        ..defined("gp-ei", &["x=float(0,1)"])
    };
    let mut study = Study::new(base.clone()).unwrap();
    let run = |study: &mut Study| {
        for _ in 0..3 {
            let mut trials = ask(study, 2);
            trials.push(study.ask_one().unwrap());
            tell_all(study, &trials, |trial| (x_of(trial) - 0.3).powi(2));
        }
    };
    run(&mut study);
    let wider = redefined(&base, &["x=float(0,2)", "n=int(1,3)"]);
    study.redefine(wider, &[]).unwrap();
    run(&mut study);
    let (store, registry) = (study.store().as_ref(), Registry::standard());
    let found = replay(store, study.record(), &registry).unwrap();
    assert_eq!((found.derived, found.mismatch), (18, None));
    assert!(found.parallel >= 6);
}

#[test]
fn a_method_for_one_objective_refuses_more_before_the_first_trial() {
    let size = ObjectiveSpec::new("size", Direction::Minimize);
    let several = |method: &str| {
        let mut definition = defined(method, &["x=float(0,1)"]);
        definition.objectives.push(size.clone());
        definition
    };
    let refused = |definition: &Definition, what: &str| {
        let error = Study::new(definition.clone())
            .map(drop)
            .unwrap_err()
            .to_string();
        let expected = format!("method `gp-ei` does not support {what}; methods that do: ");
        assert!(error.starts_with(&expected), "{error}");
        assert!(error.contains("random, sobol"), "{error}");
    };
    refused(&several("gp-ei"), "2 objectives");
    let constraint = "size <= 3".parse().unwrap();
    let mut constrained = defined("gp-ei", &["x=float(0,1)"]);
    constrained.outcome_constraints.push(constraint);
    refused(&constrained, "outcome constraints");
    constrained.objectives.push(size.clone());
    refused(&constrained, "2 objectives and outcome constraints");
    let mut study = Study::new(several("random")).unwrap();
    let trial = study.ask_one().unwrap();
    study.tell(&trial, 1.0).unwrap();
    let told = &study.trials().unwrap()[0];
    assert!(
        matches!(&told.state, State::Failed { failure } if failure.message.contains("`size`")),
        "{told:?}"
    );
}
