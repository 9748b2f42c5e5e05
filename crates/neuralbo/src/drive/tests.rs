use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::record::{Definition, Direction, Failure, FailureKind, Limits, Report, State};
use crate::space::{Params, Space};
use crate::store::Told;
use crate::strategy::presets::Registry;
use crate::strategy::{Exhausted, Request, Strategy, Suggestion};
use crate::study::Study;

fn definition() -> Definition {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    Definition {
        method: "random".into(),
        seed: 3,
        ..Definition::new(space, Direction::Minimize)
    }
}

fn study(limits: Limits) -> Study {
    let mut study = Study::new(definition()).unwrap();
    study.set_limits(limits).unwrap();
    study
}

fn pruned_study(pruner: &str, limits: Limits) -> Study {
    let mut study = Study::new(Definition {
        pruner: Some(pruner.parse().unwrap()),
        ..definition()
    })
    .unwrap();
    study.set_limits(limits).unwrap();
    study
}

fn trials(count: u64) -> Limits {
    Limits {
        trials: Some(count),
        ..Limits::default()
    }
}

fn x(params: &Params) -> f64 {
    params.float("x0").unwrap()
}

/// An objective given as a function of everything.
struct Full<F>(F);

impl<F: Fn(&Trial, &Reporter, &Cancel) -> Outcome + Sync> Objective for Full<F> {
    fn evaluate(&self, trial: &Trial, reporter: &Reporter, cancel: &Cancel) -> Outcome {
        (self.0)(trial, reporter, cancel)
    }
}

/// Writes down what it hears.
#[derive(Default)]
struct Diary(Vec<String>);

impl Observer for Diary {
    fn started(&mut self, trial: &Trial) {
        self.0.push(format!("started {}", trial.number));
    }
    fn told(&mut self, trial: &Trial, told: Told, standing: &Standing) {
        let best = standing.best.map(|(number, _)| number);
        self.0.push(format!(
            "{} {} {} best {best:?} {}",
            told.name(),
            trial.number,
            trial.state.name(),
            standing.improved
        ));
    }
    fn released(&mut self, trial: &Trial, why: &str) {
        self.0.push(format!("released {}: {why}", trial.number));
    }
    fn stopped(&mut self, reason: &StopReason) {
        self.0.push(reason.name().to_owned());
    }
}

#[test]
fn every_value_is_the_one_that_was_evaluated_on_any_number_of_workers() {
    for workers in [1, 4] {
        let mut study = study(trials(40));
        let options = DriveOptions {
            workers,
            ..DriveOptions::default()
        };
        let summary = drive(
            &mut study,
            &|params: &Params| x(params) * 2.0,
            &options,
            &mut [],
        )
        .unwrap();
        assert_eq!(
            (summary.stop, summary.finished),
            (StopReason::Trials(40), 40)
        );
        for trial in study.trials().unwrap() {
            assert_eq!(
                trial.value("value"),
                trial.params.as_ref().map(|params| x(params) * 2.0)
            );
        }
    }
}

#[test]
fn observers_hear_everything_in_order() {
    let mut diary = Diary::default();
    let objective = Full(|trial: &Trial, _: &Reporter, _: &Cancel| {
        [3.0, f64::NAN, 1.0][trial.number as usize].into()
    });
    drive(
        &mut study(trials(3)),
        &objective,
        &DriveOptions::default(),
        &mut [&mut diary],
    )
    .unwrap();
    let expected = [
        "started 0",
        "finished 0 complete best Some(0) true",
        "started 1",
        "finished 1 failed best Some(0) false",
        "started 2",
        "finished 2 complete best Some(2) true",
        "trials",
    ];
    assert_eq!(diary.0, expected);
}

#[test]
fn the_limits_of_a_run_and_of_its_study_both_count() {
    let mut study = study(trials(10));
    let objective = |_: &Params| 1.0;
    let options = DriveOptions {
        trials: Some(4),
        workers: 3,
        ..DriveOptions::default()
    };
    assert_eq!(
        drive(&mut study, &objective, &options, &mut [])
            .unwrap()
            .stop,
        StopReason::Trials(4)
    );
    assert_eq!(
        drive(&mut study, &objective, &DriveOptions::default(), &mut [])
            .unwrap()
            .finished,
        6
    );
    let soon = DriveOptions {
        timeout: Some(Duration::ZERO),
        ..DriveOptions::default()
    };
    study.set_limits(Limits::default()).unwrap();
    let summary = drive(&mut study, &objective, &soon, &mut []).unwrap();
    assert_eq!(
        (summary.stop, summary.finished),
        (StopReason::Timeout(Duration::ZERO), 0)
    );
}

#[test]
fn a_panic_is_the_trials_failure() {
    let mut study = study(trials(2));
    let objective = |params: &Params| {
        if x(params) < 2.0 {
            panic!("out of luck")
        } else {
            0.0
        }
    };
    drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
    let trial = &study.trials().unwrap()[0];
    assert_eq!(trial.failure().unwrap().message, "panic: out of luck");
}

#[test]
fn a_program_that_cannot_start_fails_its_own_trial_and_lets_the_others_finish() {
    let mut study = study(trials(6));
    let objective = Full(|trial: &Trial, _: &Reporter, _: &Cancel| {
        if trial.number == 1 {
            return Failure::new(FailureKind::Start, "no such program").into();
        }
        std::thread::sleep(Duration::from_millis(100));
        1.0.into()
    });
    let options = DriveOptions {
        workers: 3,
        ..DriveOptions::default()
    };
    assert_eq!(
        drive(&mut study, &objective, &options, &mut [])
            .unwrap()
            .finished,
        6
    );
    let states: Vec<&str> = study
        .trials()
        .unwrap()
        .iter()
        .map(|trial| trial.state.name())
        .collect();
    assert_eq!(
        states,
        [
            "complete", "failed", "complete", "complete", "complete", "complete"
        ]
    );
}

#[test]
fn a_command_that_never_starts_ends_the_run_and_says_nothing_about_its_points() {
    let mut study = study(trials(6));
    let objective = Full(|_: &Trial, _: &Reporter, _: &Cancel| {
        Outcome::from(Failure::new(FailureKind::Start, "no such program"))
    });
    let options = DriveOptions {
        workers: 3,
        ..DriveOptions::default()
    };
    let error = drive(&mut study, &objective, &options, &mut []).unwrap_err();
    assert_eq!(error, DriveError::CannotStart("no such program".into()));
    assert_eq!(
        (study.counts().failed, study.trials().unwrap().len()),
        (0, 3)
    );
}

#[test]
fn later_starts_that_fail_are_failures_of_their_trials() {
    let mut study = study(trials(3));
    let objective = Full(
        |trial: &Trial, _: &Reporter, _: &Cancel| match trial.number {
            1 => Failure::new(FailureKind::Start, "too many files").into(),
            _ => 1.0.into(),
        },
    );
    assert_eq!(
        drive(&mut study, &objective, &DriveOptions::default(), &mut [])
            .unwrap()
            .finished,
        3
    );
    assert_eq!(study.counts().failed, 1);
}

#[test]
fn finishing_waits_for_what_runs_and_killing_gives_it_back() {
    for kill in [false, true] {
        let mut study = study(trials(50));
        let stop = Stop::default();
        let begun = AtomicUsize::new(0);
        let objective = Full(|_: &Trial, _: &Reporter, cancel: &Cancel| {
            if begun.fetch_add(1, Ordering::SeqCst) == 1 {
                if kill { stop.kill() } else { stop.finish() }
            }
            for _ in 0..20 {
                if cancel.reason().is_some() {
                    return Outcome::Interrupted;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            1.0.into()
        });
        let mut diary = Diary::default();
        let options = DriveOptions {
            workers: 2,
            stop: stop.clone(),
            ..DriveOptions::default()
        };
        let summary = drive(&mut study, &objective, &options, &mut [&mut diary]).unwrap();
        assert_eq!(summary.stop, StopReason::Interrupted);
        let counts = study.counts();
        assert_eq!(
            (counts.complete, counts.failed),
            (if kill { 0 } else { 2 }, 0),
            "{:?}",
            diary.0
        );
        let waiting = study
            .trials()
            .unwrap()
            .iter()
            .filter(|trial| trial.is_waiting())
            .count();
        assert_eq!(waiting, if kill { 2 } else { 0 });
    }
}

/// Is interrupted while it chooses the points of its third batch.
struct Interrupted(Stop, usize, Box<dyn Strategy>);

impl Strategy for Interrupted {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.1 += 1;
        if self.1 == 3 {
            self.0.finish();
            assert!(request.cancel.unwrap().is_raised());
        }
        self.2.suggest(request)
    }
}

#[test]
fn an_interrupt_is_heard_while_points_are_chosen() {
    let stop = Stop::default();
    let inner = crate::study::strategy_of(&definition(), &Registry::standard()).unwrap();
    let mut study =
        Study::with_strategy(definition(), Box::new(Interrupted(stop.clone(), 0, inner))).unwrap();
    let options = DriveOptions {
        workers: 1,
        stop: stop.clone(),
        ..DriveOptions::default()
    };
    let mut diary = Diary::default();
    let summary = drive(
        &mut study,
        &|params: &Params| x(params),
        &options,
        &mut [&mut diary],
    )
    .unwrap();
    assert_eq!(
        (summary.stop, summary.finished),
        (StopReason::Interrupted, 2)
    );
    assert!(!diary.0.contains(&"started 2".to_owned()), "{:?}", diary.0);
    assert!(
        study
            .trials()
            .unwrap()
            .iter()
            .all(|trial| trial.seq.is_some() || trial.is_waiting()),
        "nothing is left behind"
    );
    assert!(
        !study.cancel_flag().is_raised(),
        "the study can be asked again"
    );
}

#[test]
fn what_is_reported_is_stored_and_the_result_is_the_answer() {
    let mut study = study(trials(3));
    let objective = Full(|_: &Trial, reporter: &Reporter, _: &Cancel| {
        for (step, value) in [100.0, 50.0, 25.0].into_iter().enumerate() {
            reporter.report(step as i64, value).unwrap();
        }
        reporter.report_named(2, "memory", 7.0).unwrap();
        0.125.into()
    });
    drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
    for trial in study.trials().unwrap() {
        assert_eq!(trial.value("value"), Some(0.125));
        let reports = study
            .store()
            .reports(study.record().id, trial.number)
            .unwrap();
        let report = |step, name: &str, value| Report {
            step,
            name: name.into(),
            value,
        };
        let expected = [
            report(0, "value", 100.0),
            report(1, "value", 50.0),
            report(2, "memory", 7.0),
            report(2, "value", 25.0),
        ];
        assert_eq!(reports, expected);
    }
}

#[test]
fn a_trial_worse_than_the_median_is_pruned_at_its_last_value() {
    let mut study = pruned_study("median", trials(6));
    let objective = Full(|trial: &Trial, reporter: &Reporter, cancel: &Cancel| {
        let value = if trial.number == 5 { 9.0 } else { 1.0 };
        reporter.report(0, value).unwrap();
        for _ in 0..200 {
            if cancel.reason() == Some(CancelReason::Pruned) {
                return Outcome::Interrupted;
            }
            if trial.number < 5 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        value.into()
    });
    drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
    let pruned = &study.trials().unwrap()[5];
    assert_eq!(
        (&pruned.state, pruned.value("value")),
        (&State::Pruned { step: Some(0) }, Some(9.0))
    );
}

#[test]
fn an_objective_may_ask_whether_to_stop() {
    let mut study = study(trials(6));
    let objective = Full(|trial: &Trial, reporter: &Reporter, _: &Cancel| {
        reporter.report(0, trial.number as f64).unwrap();
        if reporter.should_prune().unwrap() {
            reporter.stopped()
        } else {
            (trial.number as f64).into()
        }
    });
    drive(&mut study, &objective, &DriveOptions::default(), &mut []).unwrap();
    let states: Vec<&str> = study
        .trials()
        .unwrap()
        .iter()
        .map(|trial| trial.state.name())
        .collect();
    assert_eq!(
        states,
        [
            "complete", "complete", "complete", "complete", "pruned", "pruned"
        ]
    );
}

#[test]
fn the_same_seed_gives_the_same_points_by_hand_and_driven() {
    let mut driven = study(trials(12));
    drive(
        &mut driven,
        &|params: &Params| x(params),
        &DriveOptions::default(),
        &mut [],
    )
    .unwrap();
    let mut by_hand = study(Limits::default());
    for trial in driven.trials().unwrap() {
        let asked = by_hand.ask_one().unwrap();
        assert_eq!(asked.params, trial.params);
        by_hand
            .tell(&asked, asked.params.as_ref().map(x).unwrap())
            .unwrap();
    }
}

#[test]
fn closures_are_minimized_and_maximized() {
    let space = Space::from_bounds(&[(-1.0, 1.0)]).unwrap();
    let seen: Arc<Mutex<BTreeMap<String, f64>>> = Arc::default();
    let objective = |params: &Params| {
        let value = 1.0 - x(params).powi(2);
        seen.lock().unwrap().insert(params.to_json(), value);
        value
    };
    let largest = maximize(&space, objective)
        .trials(15)
        .seed(2)
        .run()
        .unwrap();
    assert_eq!(
        largest.value,
        seen.lock().unwrap().values().copied().reduce(f64::max)
    );
    let smallest = minimize(&space, |params: &Params| x(params))
        .trials(15)
        .target(-1.0)
        .run()
        .unwrap();
    assert_eq!(smallest.summary.stop, StopReason::Target(-1.0));
    let none = minimize(&space, |_: &Params| Err::<f64, _>("broken"))
        .trials(3)
        .run()
        .unwrap();
    assert_eq!(
        (none.value, none.params.len(), none.study.counts().failed),
        (None, 0, 3)
    );
}

/// A strategy that breaks.
struct Broken;

impl crate::strategy::Strategy for Broken {
    fn suggest(
        &mut self,
        _: &crate::strategy::Request<'_>,
    ) -> Result<Vec<crate::strategy::Suggestion>, crate::strategy::Exhausted> {
        panic!("broken")
    }
}

#[test]
fn a_strategy_that_panics_ends_the_run_and_does_not_hang_it() {
    let mut study = Study::with_strategy(definition(), Box::new(Broken)).unwrap();
    let run = std::panic::AssertUnwindSafe(|| {
        drive(
            &mut study,
            &|_: &Params| 1.0,
            &DriveOptions::default(),
            &mut [],
        )
    });
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn a_stop_raised_by_an_observer_begins_no_further_trial() {
    struct Enough(Stop);
    impl Observer for Enough {
        fn told(&mut self, trial: &Trial, _: Told, _: &Standing) {
            if trial.number == 2 {
                self.0.finish();
            }
        }
    }
    let mut study = study(trials(20));
    let options = DriveOptions::default();
    let summary = drive(
        &mut study,
        &|_: &Params| 1.0,
        &options,
        &mut [&mut Enough(options.stop.clone())],
    )
    .unwrap();
    assert_eq!(
        (summary.stop, summary.finished),
        (StopReason::Interrupted, 3)
    );
}

#[test]
fn a_trial_that_is_tried_again_does_not_use_up_the_run() {
    let mut study = study(Limits::default());
    let objective =
        Full(
            |trial: &Trial, _: &Reporter, _: &Cancel| match (trial.number, trial.attempt) {
                (1, 1) => Failure::new(FailureKind::Signal, "ended by signal 9").into(),
                _ => 1.0.into(),
            },
        );
    let options = DriveOptions {
        trials: Some(4),
        ..DriveOptions::default()
    };
    assert_eq!(
        drive(&mut study, &objective, &options, &mut [])
            .unwrap()
            .finished,
        4
    );
    assert_eq!(study.counts().complete, 4);
}
