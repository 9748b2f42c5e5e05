use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::space::{Point, Space};
use crate::strategy::{Exhausted, Origin, Request, Strategy, Suggestion};

/// Proposes 0, 1, 2, … of `n=int(0,9)`, predicts a reward, and remembers what it was asked.
#[derive(Default)]
struct Counting {
    requests: Arc<Mutex<Vec<(usize, usize, usize)>>>,
}

impl Strategy for Counting {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let seen = (request.history.observed().len(), request.history.failed().len(), request.pending.len());
        self.requests.lock().unwrap().push(seen);
        let last = (request.number + request.count as u64).min(10);
        let suggestion = |n| {
            let point = Point::new(vec![(n as i64).into()]);
            let row = space().encode(&point).unwrap();
            Suggestion { point, row, origin: Origin::Sampled, mean: Some(-5.0), sd: Some(2.0) }
        };
        let suggestions: Vec<Suggestion> = (request.number..last).map(suggestion).collect();
        if suggestions.is_empty() { Err(Exhausted) } else { Ok(suggestions) }
    }
}

fn space() -> Space {
    Space::new(vec!["n=int(0,9)".parse().unwrap()]).unwrap()
}

fn study(direction: Direction) -> Study {
    Study::new(space(), direction, Box::new(Counting::default()))
}

/// A clock that is moved by hand.
#[derive(Clone, Default)]
struct HandClock(Arc<Mutex<Duration>>);

impl Clock for HandClock {
    fn elapsed(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

#[test]
fn numbers_count_up_and_predictions_are_in_the_users_units() {
    let mut minimize = study(Direction::Minimize);
    let trial = minimize.ask().unwrap();
    assert_eq!((trial.number, trial.mean, trial.sd), (0, Some(5.0), Some(2.0)));
    assert_eq!(minimize.ask().unwrap().number, 1);
    assert_eq!(study(Direction::Maximize).ask().unwrap().mean, Some(-5.0));
}

#[test]
fn the_best_trial_follows_the_direction_and_the_first_of_equals_stays() {
    for (direction, best) in [(Direction::Minimize, 1), (Direction::Maximize, 0)] {
        let mut study = study(direction);
        for value in [3.0, 1.0, 2.0, 1.0, 3.0] {
            let number = study.ask().unwrap().number;
            study.tell(number, value).unwrap();
        }
        assert_eq!(study.best().unwrap().number, best);
    }
}

#[test]
fn values_that_are_not_finite_are_failures() {
    let mut study = study(Direction::Minimize);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let number = study.ask().unwrap().number;
        let trial = study.tell(number, value).unwrap();
        assert_eq!(trial.failure().unwrap().kind, FailureKind::NonFinite);
    }
    assert_eq!((study.failed(), study.best()), (3, None));
}

#[test]
fn telling_an_unknown_or_finished_trial_is_refused_by_number_and_state() {
    let mut study = study(Direction::Minimize);
    study.ask_many(2).unwrap();
    study.tell(0, 1.0).unwrap();
    study.tell_failed(1, Failure::new(FailureKind::Error, "no")).unwrap();
    let text = |error: TellError| error.to_string();
    assert_eq!(text(study.tell(7, 1.0).unwrap_err()), "trial 7 is unknown; the study has 2 trials, numbered from 0");
    assert_eq!(text(study.tell(0, 2.0).unwrap_err()), "trial 0 is already complete; a result is told once");
    assert_eq!(text(study.tell(1, 2.0).unwrap_err()), "trial 1 is already failed; a result is told once");
    assert_eq!(text(study.tell(u64::MAX, 2.0).unwrap_err()).split(';').next(), Some("trial 18446744073709551615 is unknown"));
    assert_eq!(study.best_value(), Some(1.0));
}

#[test]
fn the_strategy_sees_results_failures_and_running_trials_but_not_interruptions() {
    let strategy = Counting::default();
    let requests = Arc::clone(&strategy.requests);
    let mut study = Study::new(space(), Direction::Minimize, Box::new(strategy));
    study.ask_many(4).unwrap();
    study.tell(2, 1.0).unwrap();
    study.tell_failed(0, Failure::new(FailureKind::Exit, "1")).unwrap();
    study.tell_failed(1, Failure::new(FailureKind::Interrupted, "Ctrl-C")).unwrap();
    study.ask().unwrap();
    assert_eq!(*requests.lock().unwrap(), [(0, 0, 0), (1, 1, 1)]);
    assert_eq!(study.finished().map(|trial| trial.number).collect::<Vec<_>>(), [2, 0, 1]);
    assert_eq!(study.running().map(|trial| trial.number).collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn known_results_are_trials_but_not_part_of_the_budget() {
    let mut study = study(Direction::Maximize);
    let rules = StopRules { trials: Some(1), ..StopRules::default() };
    let trial = study.tell_known(Point::new(vec![4.into()]), 9.0).unwrap();
    assert_eq!((trial.number, &trial.origin), (0, &Origin::Known));
    assert_eq!((study.stop_reason(&rules), study.room(&rules), study.best_value()), (None, 1, Some(9.0)));
    let trial = study.ask().unwrap();
    assert_eq!((trial.number, study.room(&rules)), (1, 0));
    study.tell(1, 0.0).unwrap();
    assert_eq!(study.stop_reason(&rules), Some(StopReason::Trials(1)));
    assert!(study.tell_known(Point::new(vec![40.into()]), 9.0).is_err());
    assert_eq!(study.trials().len(), 2);
}

#[test]
fn a_finite_space_runs_out() {
    let mut study = study(Direction::Minimize);
    assert_eq!(study.ask_many(0).unwrap(), []);
    assert_eq!(study.ask_many(12).unwrap().len(), 10);
    assert_eq!(study.ask(), Err(Exhausted));
}

#[test]
fn the_target_counts_in_the_users_units() {
    for (direction, target, values) in [(Direction::Minimize, 1.0, [1.5, 1.0]), (Direction::Maximize, -1.0, [-1.5, -1.0])] {
        let mut study = study(direction);
        let rules = StopRules { target: Some(target), ..StopRules::default() };
        study.ask_many(2).unwrap();
        study.tell(0, values[0]).unwrap();
        assert_eq!(study.stop_reason(&rules), None);
        study.tell(1, values[1]).unwrap();
        assert_eq!(study.stop_reason(&rules), Some(StopReason::Target(target)));
    }
}

#[test]
fn patience_counts_finished_trials_since_the_last_improvement() {
    let mut study = study(Direction::Minimize);
    let rules = StopRules { patience: Some(2), ..StopRules::default() };
    study.ask_many(5).unwrap();
    for (number, value, stops) in [(0, 5.0, false), (1, 6.0, false), (2, 4.0, false), (3, 4.0, false), (4, f64::NAN, true)] {
        study.tell(number, value).unwrap();
        assert_eq!(study.stop_reason(&rules).is_some(), stops, "after trial {number}");
    }
}

#[test]
fn time_is_what_the_clock_says() {
    let clock = HandClock::default();
    let study = study(Direction::Minimize).with_clock(Box::new(clock.clone()));
    let rules = StopRules { time: Some(Duration::from_secs(60)), ..StopRules::default() };
    assert_eq!(study.stop_reason(&rules), None);
    *clock.0.lock().unwrap() = Duration::from_secs(60);
    assert_eq!(study.stop_reason(&rules), Some(StopReason::Time(Duration::from_secs(60))));
}

#[test]
fn observers_hear_everything_in_order() {
    struct Diary(Arc<Mutex<Vec<String>>>);
    impl Observer for Diary {
        fn asked(&mut self, trial: &Trial) {
            self.0.lock().unwrap().push(format!("asked {}", trial.number));
        }
        fn finished(&mut self, trial: &Trial, best: Option<&Trial>, improved: bool) {
            let line = format!("finished {} best {:?} {improved}", trial.number, best.map(|trial| trial.number));
            self.0.lock().unwrap().push(line);
        }
        fn stopped(&mut self, reason: &StopReason) {
            self.0.lock().unwrap().push(reason.name().to_owned());
        }
    }
    let lines = Arc::new(Mutex::new(Vec::new()));
    let mut study = study(Direction::Minimize).with_observer(Box::new(Diary(Arc::clone(&lines))));
    study.ask_many(2).unwrap();
    study.tell(1, 1.0).unwrap();
    study.tell(0, 2.0).unwrap();
    study.announce_stop(&StopReason::Interrupted);
    let expected = ["asked 0", "asked 1", "finished 1 best Some(1) true", "finished 0 best Some(1) false", "interrupted"];
    assert_eq!(*lines.lock().unwrap(), expected);
}
