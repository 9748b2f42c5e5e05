//! The loop that asks, evaluates and tells, through its public interface.

#![allow(clippy::unwrap_used)]

mod stopping;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use neuralbo::drive::*;
use neuralbo::record::{
    Definition, Direction, Failure, FailureKind, Limits, Outcome, Report, State, StopReason, Trial,
};
use neuralbo::space::{Params, Space};
use neuralbo::store::Told;
use neuralbo::strategy::presets::Registry;
use neuralbo::strategy::{Exhausted, Request, Strategy, Suggestion};
use neuralbo::study::Study;

/// A study of `x0` in [0, 1] by random search.
fn definition() -> Definition {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    Definition {
        method: "random".into(),
        seed: 3,
        ..Definition::new(space, Direction::Minimize)
    }
}

fn with_pruner(pruner: &str) -> Definition {
    Definition {
        pruner: Some(pruner.parse().unwrap()),
        ..definition()
    }
}

/// A study of this many trials.
fn study_of(definition: Definition, trials: u64) -> Study {
    let mut study = Study::new(definition).unwrap();
    study
        .set_limits(Limits {
            trials: Some(trials),
            ..Limits::default()
        })
        .unwrap();
    study
}

fn study(trials: u64) -> Study {
    study_of(definition(), trials)
}

fn workers(workers: usize) -> DriveOptions {
    DriveOptions {
        workers,
        ..DriveOptions::default()
    }
}

/// Runs a study with default options.
fn run(study: &mut Study, objective: &dyn Objective) -> DriveSummary {
    drive(study, objective, &DriveOptions::default(), &mut []).unwrap()
}

/// Runs at most this many trials.
fn run_some(study: &mut Study, objective: &dyn Objective, trials: u64) -> DriveSummary {
    let options = DriveOptions {
        trials: Some(trials),
        ..DriveOptions::default()
    };
    drive(study, objective, &options, &mut []).unwrap()
}

fn states(study: &Study) -> String {
    let trials = study.trials().unwrap();
    let names: Vec<&str> = trials.iter().map(|trial| trial.state.name()).collect();
    names.join(" ")
}

fn x(params: &Params) -> f64 {
    params.float("x0").unwrap()
}

/// An objective given as a function of everything.
struct FullObjective<F>(F);

impl<F: Fn(&Trial, &Reporter, &Cancel) -> Outcome + Sync> Objective for FullObjective<F> {
    fn evaluate(&self, trial: &Trial, reporter: &Reporter, cancel: &Cancel) -> Outcome {
        (self.0)(trial, reporter, cancel)
    }
}

/// An objective of the trial alone.
fn of_trial(value: impl Fn(&Trial) -> Outcome + Sync) -> impl Objective {
    FullObjective(move |trial: &Trial, _: &Reporter, _: &Cancel| value(trial))
}

fn failed(kind: FailureKind, message: &str) -> Outcome {
    Failure::new(kind, message).into()
}

/// Records the calls of its hooks.
#[derive(Default)]
struct Diary(Vec<String>);

impl Observer for Diary {
    fn started(&mut self, trial: &Trial) {
        self.0.push(format!("started {}", trial.number));
    }
    fn told(&mut self, trial: &Trial, told: Told, standing: &RunStanding) {
        let (told, state) = (told.name(), trial.state.name());
        let (best, improved) = (standing.best.map(|(number, _)| number), standing.improved);
        self.0.push(format!(
            "{told} {} {state} best {best:?} {improved}",
            trial.number
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
    for count in [1, 4] {
        let mut study = study(40);
        let objective = |params: &Params| x(params) * 2.0;
        let summary = drive(&mut study, &objective, &workers(count), &mut []).unwrap();
        assert_eq!(summary.stop, StopReason::Trials(40));
        assert_eq!(summary.finished, 40);
        for trial in study.trials().unwrap() {
            let expected = trial.params.as_ref().map(objective);
            assert_eq!(trial.value("value"), expected);
        }
    }
}

#[test]
fn observers_hear_everything_in_order() {
    let mut diary = Diary::default();
    let objective = of_trial(|trial| [3.0, f64::NAN, 1.0][trial.number as usize].into());
    drive(&mut study(3), &objective, &workers(1), &mut [&mut diary]).unwrap();
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
    let mut study = study(10);
    let objective = |_: &Params| 1.0;
    let four = DriveOptions {
        trials: Some(4),
        ..workers(3)
    };
    let summary = drive(&mut study, &objective, &four, &mut []).unwrap();
    assert_eq!(summary.stop, StopReason::Trials(4));
    assert_eq!(run(&mut study, &objective).finished, 6);
    study.set_limits(Limits::default()).unwrap();
    let soon = DriveOptions {
        timeout: Some(Duration::ZERO),
        ..workers(1)
    };
    let summary = drive(&mut study, &objective, &soon, &mut []).unwrap();
    assert_eq!(summary.stop, StopReason::Timeout(Duration::ZERO));
    assert_eq!(summary.finished, 0);
}

#[test]
fn a_panic_is_the_trials_failure() {
    let mut study = study(2);
    run(&mut study, &of_trial(|_| panic!("broken")));
    let trial = &study.trials().unwrap()[0];
    assert_eq!(trial.failure().unwrap().message, "panic: broken");
}

#[test]
fn a_program_that_cannot_start_fails_its_own_trial_and_lets_the_others_finish() {
    let mut study = study(6);
    let objective = of_trial(|trial| {
        if trial.number == 1 {
            return failed(FailureKind::Start, "no such program");
        }
        std::thread::sleep(Duration::from_millis(100));
        1.0.into()
    });
    let summary = drive(&mut study, &objective, &workers(3), &mut []).unwrap();
    assert_eq!(summary.finished, 6);
    assert_eq!(
        states(&study),
        "complete failed complete complete complete complete"
    );
}

#[test]
fn a_command_that_never_starts_ends_the_run_and_says_nothing_about_its_points() {
    let mut study = study(6);
    let objective = of_trial(|_| failed(FailureKind::Start, "no such program"));
    let error = drive(&mut study, &objective, &workers(3), &mut []).unwrap_err();
    assert_eq!(error, DriveError::CannotStart("no such program".into()));
    assert_eq!(study.counts().failed, 0);
    assert_eq!(study.trials().unwrap().len(), 3);
}

#[test]
fn a_machine_that_starts_nothing_ends_the_run_and_no_trial_has_failed() {
    let mut study = study(9);
    let objective = of_trial(|trial| match trial.number {
        0 | 2 => 1.0.into(),
        // Tried again, as often as the run allows.
        1 if trial.attempt > 2 => 2.0.into(),
        _ => Outcome::NotStarted("no processes left".into()),
    });
    let error = drive(&mut study, &objective, &workers(1), &mut []).unwrap_err();
    let DriveError::CannotStart(reason) = error else {
        panic!("{error:?}")
    };
    assert!(reason.contains("no processes left") && reason.contains("3 times in a row"));
    assert_eq!(states(&study), "complete complete complete running");
    assert!(study.trials().unwrap()[3].is_waiting());
}

#[test]
fn later_starts_that_fail_are_failures_of_their_trials() {
    let mut study = study(3);
    let objective = of_trial(|trial| match trial.number {
        1 => failed(FailureKind::Start, "too many files"),
        _ => 1.0.into(),
    });
    assert_eq!(run(&mut study, &objective).finished, 3);
    assert_eq!(study.counts().failed, 1);
}

#[test]
fn finishing_waits_for_what_runs_and_killing_gives_it_back() {
    for (kill, complete, waiting) in [(false, 2, 0), (true, 0, 2)] {
        let (mut study, stop, begun) = (study(50), Stop::default(), AtomicUsize::new(0));
        let objective = FullObjective(|_: &Trial, _: &Reporter, cancel: &Cancel| {
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
            stop: stop.clone(),
            ..workers(2)
        };
        let summary = drive(&mut study, &objective, &options, &mut [&mut diary]).unwrap();
        assert_eq!(summary.stop, StopReason::Interrupted);
        let counts = study.counts();
        assert_eq!(
            (counts.complete, counts.failed),
            (complete, 0),
            "{:?}",
            diary.0
        );
        let trials = study.trials().unwrap();
        assert_eq!(trials.iter().filter(|t| t.is_waiting()).count(), waiting);
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
    let options = workers(1);
    let inner = neuralbo::study::strategy_of(&definition(), &Registry::standard()).unwrap();
    let strategy = Interrupted(options.stop.clone(), 0, inner);
    let mut study = Study::with_strategy(definition(), Box::new(strategy)).unwrap();
    let mut diary = Diary::default();
    let summary = drive(&mut study, &x, &options, &mut [&mut diary]).unwrap();
    assert_eq!(summary.stop, StopReason::Interrupted);
    assert_eq!(summary.finished, 2);
    assert!(!diary.0.contains(&"started 2".to_owned()), "{:?}", diary.0);
    let ended_or_waiting = |t: &Trial| t.seq.is_some() || t.is_waiting();
    assert!(study.trials().unwrap().iter().all(ended_or_waiting));
    assert!(
        !study.cancel_flag().is_raised(),
        "the study can be asked again"
    );
}

#[test]
fn what_is_reported_is_stored_and_the_result_is_the_answer() {
    let mut study = study(3);
    let objective = FullObjective(|_: &Trial, reporter: &Reporter, _: &Cancel| {
        for (step, value) in (0..).zip([100.0, 50.0, 25.0]) {
            reporter.report(step, value).unwrap();
        }
        reporter.report_named(2, "memory", 7.0).unwrap();
        0.125.into()
    });
    run(&mut study, &objective);
    for trial in study.trials().unwrap() {
        assert_eq!(trial.value("value"), Some(0.125));
        let reports = study.store().reports(study.record().id, trial.number);
        let report = |step, name: &str, value| Report {
            step,
            name: name.into(),
            value,
        };
        let expected = vec![
            report(0, "value", 100.0),
            report(1, "value", 50.0),
            report(2, "memory", 7.0),
            report(2, "value", 25.0),
        ];
        assert_eq!(reports, Ok(expected));
    }
}

#[test]
fn a_trial_worse_than_the_median_is_pruned_at_its_last_value() {
    let mut study = study_of(with_pruner("median"), 6);
    let objective = FullObjective(|trial: &Trial, reporter: &Reporter, cancel: &Cancel| {
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
    run(&mut study, &objective);
    let pruned = &study.trials().unwrap()[5];
    assert_eq!(pruned.state, State::Pruned { step: Some(0) });
    assert_eq!(pruned.value("value"), Some(9.0));
}

#[test]
fn an_objective_may_ask_whether_to_stop() {
    let mut study = study(6);
    let objective = FullObjective(|trial: &Trial, reporter: &Reporter, _: &Cancel| {
        reporter.report(0, trial.number as f64).unwrap();
        match reporter.should_prune().unwrap() {
            true => reporter.stopped(),
            false => (trial.number as f64).into(),
        }
    });
    run(&mut study, &objective);
    assert_eq!(
        states(&study),
        "complete complete complete complete pruned pruned"
    );
}

#[test]
fn the_same_seed_gives_the_same_points_by_hand_and_driven() {
    let (mut driven, mut by_hand) = (study(12), Study::new(definition()).unwrap());
    run(&mut driven, &x);
    for trial in driven.trials().unwrap() {
        let asked = by_hand.ask_one().unwrap();
        assert_eq!(asked.params, trial.params);
        let value = asked.params.as_ref().map(x).unwrap();
        by_hand.tell(&asked, value).unwrap();
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
    let largest = maximize(&space, objective).trials(15).seed(2);
    let found = largest.run().unwrap().value;
    assert_eq!(
        found,
        seen.lock().unwrap().values().copied().reduce(f64::max)
    );
    let smallest = minimize(&space, x).trials(15).target(-1.0);
    assert_eq!(
        smallest.run().unwrap().summary.stop,
        StopReason::Target(-1.0)
    );
    let none = minimize(&space, |_: &Params| Err::<f64, _>("broken")).trials(3);
    let none = none.run().unwrap();
    assert_eq!((none.value, none.params.len()), (None, 0));
    assert_eq!(none.study.counts().failed, 3);
}

/// A strategy that breaks.
struct Broken;

impl Strategy for Broken {
    fn suggest(&mut self, _: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        panic!("broken")
    }
}

#[test]
fn a_strategy_that_panics_ends_the_run_and_does_not_hang_it() {
    let mut study = Study::with_strategy(definition(), Box::new(Broken)).unwrap();
    let run = std::panic::AssertUnwindSafe(|| run(&mut study, &|_: &Params| 1.0));
    assert!(std::panic::catch_unwind(run).is_err());
}

#[test]
fn a_stop_raised_by_an_observer_begins_no_further_trial() {
    struct Enough(Stop);
    impl Observer for Enough {
        fn told(&mut self, trial: &Trial, _: Told, _: &RunStanding) {
            if trial.number == 2 {
                self.0.finish();
            }
        }
    }
    let options = DriveOptions::default();
    let mut enough = Enough(options.stop.clone());
    let summary = drive(&mut study(20), &x, &options, &mut [&mut enough]).unwrap();
    assert_eq!(summary.stop, StopReason::Interrupted);
    assert_eq!(summary.finished, 3);
}

#[test]
fn a_trial_that_is_tried_again_does_not_use_up_the_run() {
    let mut study = Study::new(definition()).unwrap();
    let objective = of_trial(|trial| match (trial.number, trial.attempt) {
        (1, 1) => failed(FailureKind::Signal, "ended by signal 9"),
        _ => 1.0.into(),
    });
    assert_eq!(run_some(&mut study, &objective, 4).finished, 4);
    assert_eq!(study.counts().complete, 4);
}
