use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::record::{
    Definition, Direction, Failure, FailureKind, Limits, Outcome, Retries, State, StopReason, Trial,
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
    Study::with_strategy(
        Definition::new(space(&["n=int(0,9)"]), direction),
        Box::new(Counting::default()),
    )
    .unwrap()
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
    assert_eq!(
        (trial.number, provenance.mean, provenance.sd),
        (0, Some(5.0), Some(2.0))
    );
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
        let told = study
            .store()
            .trial(study.record().id, trial.number)
            .unwrap();
        assert_eq!(told.failure().unwrap().kind, FailureKind::NonFinite);
    }
    assert_eq!((study.counts().failed, study.best().unwrap()), (3, None));
}

#[test]
fn telling_an_unknown_or_finished_trial_is_refused_by_number_and_state() {
    let mut study = counting(Direction::Minimize);
    let trials = ask(&mut study, 2);
    study.tell(&trials[0], 1.0).unwrap();
    study
        .tell(&trials[1], Failure::new(FailureKind::Error, "no"))
        .unwrap();
    let unknown = Trial {
        number: 7,
        ..trials[0].clone()
    };
    for (trial, refusal) in [
        (&unknown, "trial 7 is unknown"),
        (
            &trials[0],
            "trial 0 is already complete; a result is told once",
        ),
        (
            &trials[1],
            "trial 1 is already failed; a result is told once",
        ),
    ] {
        assert_eq!(study.tell(trial, 2.0).unwrap_err().to_string(), refusal);
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
    study
        .tell(&trials[0], Failure::new(FailureKind::Exit, "1"))
        .unwrap();
    study.tell(&trials[1], Outcome::Interrupted).unwrap();
    let again = study.ask_one().unwrap();
    assert_eq!(
        (again.number, again.attempt, &again.params),
        (1, 2, &trials[1].params),
        "what was interrupted is run again"
    );
    study.ask_one().unwrap();
    assert_eq!(*requests.lock().unwrap(), [(0, 0, 0), (1, 1, 2)]);
    assert_eq!(study.log().running().collect::<Vec<_>>(), [1, 3, 4]);
}

#[test]
fn known_results_are_trials_but_not_part_of_the_budget() {
    let mut study = counting(Direction::Maximize);
    let trials = Some(1);
    study
        .set_limits(Limits {
            trials,
            ..Limits::default()
        })
        .unwrap();
    assert_eq!(study.add_known(params(&[("n", 4.0)]), 9.0), Ok(0));
    assert_eq!(
        (study.stop_reason(), study.log().best()),
        (None, Some((0, 9.0)))
    );
    let trial = study.ask_one().unwrap();
    assert_eq!(study.ask_one(), Err(StudyError::Busy { running: 1 }));
    study.tell(&trial, 0.0).unwrap();
    assert_eq!(
        study.ask_one(),
        Err(StudyError::Ended(StopReason::Trials(1)))
    );
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
    for trial in &trials {
        study.tell(trial, 1.0).unwrap();
    }
    assert_eq!(
        study.ask_one(),
        Err(StudyError::Ended(StopReason::Exhausted))
    );
    let trials = study.trials().unwrap();
    assert!(trials.iter().map(|trial| trial.number).eq(0..10));
}

#[test]
fn the_target_counts_in_the_users_units() {
    for (direction, target, values) in [
        (Direction::Minimize, 1.0, [1.5, 1.0]),
        (Direction::Maximize, -1.0, [-1.5, -1.0]),
    ] {
        let mut study = counting(direction);
        study
            .set_limits(Limits {
                target: Some(target),
                ..Limits::default()
            })
            .unwrap();
        let trials = ask(&mut study, 2);
        study.tell(&trials[0], values[0]).unwrap();
        assert_eq!(study.stop_reason(), None);
        study.tell(&trials[1], values[1]).unwrap();
        assert_eq!(study.stop_reason(), Some(StopReason::Target(target)));
    }
}

#[test]
fn patience_counts_finished_trials_since_the_last_improvement() {
    let mut study = counting(Direction::Minimize);
    let patience = Some(2);
    study
        .set_limits(Limits {
            patience,
            ..Limits::default()
        })
        .unwrap();
    let trials = ask(&mut study, 5);
    for (trial, (value, stops)) in trials.iter().zip([
        (5.0, false),
        (6.0, false),
        (4.0, false),
        (4.0, false),
        (f64::NAN, true),
    ]) {
        study.tell(trial, value).unwrap();
        assert_eq!(
            study.stop_reason().is_some(),
            stops,
            "after trial {}",
            trial.number
        );
    }
}

/// A study of a store whose clock is set by hand, seen by two workers.
fn shared() -> (Arc<AtomicI64>, Study, Study) {
    let clock = Arc::new(AtomicI64::new(1_000));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(clock.clone()));
    let definition = Definition {
        method: "random".into(),
        retries: Retries {
            attempts: 2,
            kinds: vec![FailureKind::Signal],
        },
        ..Definition::new(space(&["x=float(0,1)"]), Direction::Minimize)
    };
    let record = store
        .create_study(&NewStudy::new("shared", definition, Limits::default()))
        .unwrap();
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
    assert_eq!(
        (taken[0].number, taken[0].attempt, &taken[0].params),
        (0, 2, &mine[0].params)
    );
    assert_eq!(
        first.tell(&mine[0], 1.0),
        Err(StudyError::Store(StoreError::LeaseLost {
            number: 0,
            attempt: 1
        }))
    );
    clock.store(200_000, Ordering::SeqCst);
    let next = asked(&mut first, "a");
    assert_eq!(next[0].number, 1, "two attempts are all a trial gets");
    assert_eq!(
        first.trials().unwrap()[0].failure().unwrap().kind,
        FailureKind::Lost
    );
}

#[test]
fn workers_notice_a_changed_definition_when_they_ask() {
    let (_, mut first, mut second) = shared();
    let trial = second.ask_one().unwrap();
    second.tell(&trial, 1.0).unwrap();
    let wider = Definition {
        space: space(&["x=float(0,1)", "depth=int(1,9)"]),
        ..first.definition().clone()
    };
    let changes = first.redefine(wider, &[]).unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    let trial = second.ask_one().unwrap();
    assert_eq!((trial.version, trial.params.unwrap().len()), (2, 2));
    assert_eq!(
        second.log().history().observed().len(),
        1,
        "old trials go on to teach"
    );
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
    assert_eq!(
        second.redefine(other, &[]),
        Err(StudyError::Store(StoreError::Redefined {
            found: 2,
            expected: 1
        }))
    );
    assert_eq!(second.grow(&width), Ok(Growth::Added));
    assert_eq!(first.grow(&width), Ok(Growth::Present));
    assert_eq!(first.definition(), second.definition());
    assert_eq!(first.definition().space.parameters().len(), 3);
}

#[test]
fn a_parameter_asked_for_with_a_larger_range_becomes_larger_and_another_kind_is_refused() {
    let (_, mut study, _) = shared();
    let growth = study.grow(&"x=float(0,2)".parse().unwrap()).unwrap();
    assert_eq!(
        growth,
        Growth::Widened {
            from: "float(0.0,1.0)".into(),
            to: "float(0.0,2.0)".into()
        }
    );
    assert_eq!(
        study.grow(&"x=float(0,0.5)".parse().unwrap()),
        Ok(Growth::Present)
    );
    let error = study.grow(&"x=int(0,2)".parse().unwrap()).unwrap_err();
    assert!(
        matches!(&error, StudyError::Incompatible { name, .. } if name == "x"),
        "{error}"
    );
}

#[test]
fn values_follow_their_names_through_reordering_and_renaming() {
    let base = Definition {
        method: "random".into(),
        ..Definition::new(
            space(&["a=float(0,1)", "b=float(0,10)"]),
            Direction::Minimize,
        )
    };
    let mut study = Study::new(base.clone()).unwrap();
    study
        .add_known(params(&[("a", 0.25), ("b", 7.5)]), 1.0)
        .unwrap();
    let reordered = Definition {
        space: space(&["b=float(0,10)", "a=float(0,1)"]),
        ..base.clone()
    };
    study.redefine(reordered, &[]).unwrap();
    assert_eq!(study.log().history().row(0), [0.5, -0.5]);
    let renamed = Definition {
        space: space(&["rate=float(0,1)", "b=float(0,10)"]),
        ..base.clone()
    };
    study
        .redefine(renamed.clone(), &[("a".into(), "rate".into())])
        .unwrap();
    assert_eq!(study.log().history().row(0), [-0.5, 0.5]);
    assert_eq!(
        study.best().unwrap().unwrap().params.unwrap(),
        params(&[("a", 0.25), ("b", 7.5)]),
        "records stay as they were"
    );
    let unnamed = Definition {
        space: space(&["speed=float(0,1)", "b=float(0,10)"]),
        ..base
    };
    let aliases = study.definition().aliases.clone();
    let unnamed = Definition { aliases, ..unnamed };
    study.redefine(unnamed, &[]).unwrap();
    assert_eq!(
        study.log().history().row(0),
        [0.0, 0.5],
        "without a rename it is a new parameter"
    );
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
        let base = Definition {
            method: method.name.into(),
            seed: 5,
            ..Definition::new(
                space(&["x=float(0,10)", "y=float(0,1)"]),
                Direction::Minimize,
            )
        };
        let Ok(mut study) = Study::new(base.clone()) else {
            continue;
        };
        for i in 0..12 {
            let x = f64::from(i) * 10.0 / 11.0;
            study
                .add_known(params(&[("x", x), ("y", 0.5)]), (x - 7.0).powi(2))
                .unwrap();
        }
        let narrow = Definition {
            space: space(&["x=float(2,4)", "z=float(0,1)"]),
            ..base
        };
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
        method: "gp-ei".into(),
        seed: 9,
        options: vec!["initial=3".into()],
        ..Definition::new(space(&["x=float(0,1)"]), Direction::Minimize)
    };
    let mut study = Study::new(base.clone()).unwrap();
    let run = |study: &mut Study| {
        for _ in 0..3 {
            let trials = ask(study, 2);
            let alone = study.ask_one().unwrap();
            for trial in trials.iter().chain([&alone]) {
                let x = x_of(trial);
                study.tell(trial, (x - 0.3).powi(2)).unwrap();
            }
        }
    };
    run(&mut study);
    let wider = Definition {
        space: space(&["x=float(0,2)", "n=int(1,3)"]),
        ..base
    };
    study.redefine(wider, &[]).unwrap();
    run(&mut study);
    let found = replay(
        study.store().as_ref(),
        study.record(),
        &Registry::standard(),
    )
    .unwrap();
    assert_eq!((found.derived, found.mismatch), (18, None));
    assert!(found.parallel >= 6);
}

#[test]
fn a_method_for_one_objective_refuses_more_before_the_first_trial() {
    let mut definition = Definition::new(space(&["x=float(0,1)"]), Direction::Minimize);
    definition
        .objectives
        .push(crate::record::ObjectiveSpec::new(
            "size",
            Direction::Minimize,
        ));
    let refused = |definition: &Definition| {
        let definition = Definition {
            method: "gp-ei".into(),
            ..definition.clone()
        };
        Study::new(definition).map(|_| ()).unwrap_err().to_string()
    };
    assert!(
        refused(&definition)
            .starts_with("method `gp-ei` does not support 2 objectives; methods that do: ")
    );
    let mut constrained = Definition::new(space(&["x=float(0,1)"]), Direction::Minimize);
    constrained
        .outcome_constraints
        .push("size <= 3".parse().unwrap());
    assert!(
        refused(&constrained)
            .starts_with("method `gp-ei` does not support outcome constraints; methods that do: ")
    );
    constrained.objectives = definition.objectives.clone();
    let error = refused(&constrained);
    assert!(
        error.contains("2 objectives and outcome constraints") && error.contains("random, sobol"),
        "{error}"
    );
    let mut study = Study::new(Definition {
        method: "random".into(),
        ..definition
    })
    .unwrap();
    let trial = study.ask_one().unwrap();
    study.tell(&trial, 1.0).unwrap();
    let told = &study.trials().unwrap()[0];
    assert!(
        matches!(&told.state, State::Failed { failure } if failure.message.contains("`size`")),
        "{told:?}"
    );
}
