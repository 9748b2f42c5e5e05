//! The default method finds optima, keeps away from failures and is not fooled by noise.

use std::sync::Arc;

use super::region::testing::fitted_center;
use crate::acquisition::testing::cube;
use crate::linalg::{Points, Purpose, Streams, squared_distance};
use crate::space::Space;
use crate::strategy::presets::neuralbo::{NeuralBoSettings, compose};
use crate::strategy::tests::parse;
use crate::strategy::{Goals, History, Origin, Request, Setup, Strategy, Suggestion};
use rand::RngExt;

/// The default for a study in a space.
pub(super) fn strategy_in(space: Space, goals: Goals, seed: u64) -> Box<dyn Strategy> {
    let settings = NeuralBoSettings::for_dim(space.encoded_dim());
    let setup = Setup {
        goals,
        ..Setup::new(Arc::new(space), Streams::new(seed))
    };
    compose(setup, settings).unwrap()
}

fn strategy(dim: usize, seed: u64) -> Box<dyn Strategy> {
    strategy_in(cube(dim), Goals::default(), seed)
}

pub(super) fn ask(
    strategy: &mut Box<dyn Strategy>,
    history: &History,
    pending: &Points,
) -> Suggestion {
    let number = (history.len() + pending.len()) as u64;
    strategy
        .suggest(&Request::new(history, pending, number, 1))
        .unwrap()
        .remove(0)
}

/// Runs `trials`; a reward of NaN is a failed trial.
fn run(
    strategy: &mut Box<dyn Strategy>,
    dim: usize,
    trials: usize,
    mut reward: impl FnMut(&[f64]) -> f64,
) -> History {
    let mut history = History::new(dim);
    for _ in 0..trials {
        let row = ask(strategy, &history, &Points::new(dim)).row;
        match reward(&row) {
            value if value.is_nan() => history.push_failed(&row),
            value => history.push_observed(&row, value),
        }
    }
    history
}

/// A reward that is best, 0, where all coordinates are `center`.
fn sphere(x: &[f64], center: f64) -> f64 {
    -x.iter().map(|x| (x - center).powi(2)).sum::<f64>()
}

/// The rows of a batch are farther apart than this squared distance.
#[track_caller]
pub(super) fn assert_apart(batch: &[Suggestion], distance: f64) {
    for (i, a) in batch.iter().enumerate() {
        let apart = |b: &Suggestion| squared_distance(&a.row, &b.row) > distance;
        assert!(batch[..i].iter().all(apart), "{i} is a repetition");
    }
}

#[track_caller]
fn assert_reached(history: &History, reward: f64) {
    let data = history.observed();
    let best = data.rewards()[data.best().unwrap()];
    assert!(best > reward, "{best} instead of {reward}");
}

#[test]
fn solves_a_quadratic_with_few_evaluations() {
    let history = run(&mut strategy(4, 1), 4, 40, |x| sphere(x, 0.37));
    assert_reached(&history, -1e-5);
}

/// Regression: the nearest observations of a narrow valley lie across it, and their metric had a
/// condition of ten instead of a thousand.
#[test]
fn follows_a_narrow_valley_to_its_end() {
    // Curvatures of 1, 10³ and 10⁶ along rotated axes, bent a little: no quadratic is exact.
    let (a, b) = (0.6, 0.8);
    let reward = |x: &[f64]| {
        let (x, y, z) = (x[0] - 0.31, x[1] + 0.23, x[2] - 0.12);
        let turned = [
            a * x + b * y,
            a * (a * y - b * x) + b * z,
            a * z - b * (a * y - b * x),
        ];
        let bent = turned.map(|u| u + 0.02 * (5.0 * u).sin());
        -bent[0].powi(2) - 1e3 * bent[1].powi(2) - 1e6 * bent[2].powi(2)
    };
    // One evaluation is the repetition that tells the valley from noise.
    for seed in [1, 2, 3] {
        let history = run(&mut strategy(3, seed), 3, 51, reward);
        assert_reached(&history, -1e-6);
    }
}

#[test]
fn avoids_the_half_that_fails_though_the_best_is_at_its_border() {
    for seed in [2, 3, 5, 7] {
        let reward = |x: &[f64]| {
            let fails = x[0] > 0.3;
            if fails { f64::NAN } else { x[0] - x[1] * x[1] }
        };
        let history = run(&mut strategy(2, seed), 2, 50, reward);
        let failed = history.failed().len();
        assert!(failed < 15, "seed {seed}: {failed} of 50 trials failed");
        assert_reached(&history, 0.25);
    }
}

/// Regression: the search stopped where it first met the border and never followed it to the corner.
#[test]
fn follows_a_border_of_failures_to_the_best_point_on_it() {
    for seed in [1, 2, 7] {
        // On [0, 1]²: x + 2y, and x + y > 1 fails. The best point is the corner (0, 1).
        let reward = |row: &[f64]| {
            let (x, y) = ((row[0] + 1.0) / 2.0, (row[1] + 1.0) / 2.0);
            if x + y > 1.0 { f64::NAN } else { x + 2.0 * y }
        };
        let history = run(&mut strategy(2, seed), 2, 60, reward);
        assert_reached(&history, 1.95);
    }
}

#[test]
fn goes_on_when_every_trial_fails() {
    let history = run(&mut strategy(3, 3), 3, 12, |_| f64::NAN);
    assert_eq!(history.failed().len(), 12);
}

#[test]
fn running_trials_are_taken_at_their_means_and_never_repeated() {
    let mut strategy = strategy(2, 4);
    let history = run(&mut strategy, 2, 7, |x| sphere(x, 0.1));
    let (mut pending, mut exploited) = (Points::new(2), 0);
    for _ in 0..6 {
        let suggestion = ask(&mut strategy, &history, &pending);
        let origin = &suggestion.origin;
        assert!(matches!(origin, Origin::Model(_)), "{origin}");
        assert!(pending.rows().all(|row| row != suggestion.row.as_slice()));
        exploited += usize::from(suggestion.origin == Origin::Model("mean"));
        pending.push(&suggestion.row);
    }
    assert_eq!(exploited, 1, "the mean's best point is evaluated once");
}

/// Regression: with two workers something was always running, and no trial ever took the mean's best point.
#[test]
fn two_workers_polish_as_one_does() {
    let mut strategy = strategy(4, 3);
    let mut history = History::new(4);
    let mut pending = Points::from_rows(4, [ask(&mut strategy, &history, &Points::new(4)).row]);
    for _ in 0..50 {
        let next = ask(&mut strategy, &history, &pending).row;
        let done = pending.row(0).to_vec();
        history.push_observed(&done, sphere(&done, 0.37));
        pending = Points::from_rows(4, [next]);
    }
    assert_reached(&history, -1e-5);
}

#[test]
fn noise_does_not_fool_the_centre() {
    let mut rng = Streams::new(8).stream(0, Purpose::Noise);
    let mut strategy = strategy(3, 6);
    let noisy =
        |x: &[f64]| sphere(x, -0.2) + 0.1 * rng.sample::<f64, _>(rand_distr::StandardNormal);
    let history = run(&mut strategy, 3, 60, noisy);
    let truth = sphere(&fitted_center(cube(3), 6, &history), -0.2);
    assert!(truth > -0.05, "true reward at the centre {truth}");
}

/// Regression: a region smaller than the box could not reach the other side of a choice.
#[test]
fn a_choice_made_at_first_is_not_kept_for_ever() {
    let found = |seed: u64| {
        let space = parse("a=float(0,1) b=float(0,1) c=float(0,1) n=int(1,8) z=bool");
        let mut strategy = strategy_in(space, Goals::default(), seed);
        let reward = |x: &[f64]| sphere(&x[..3], 0.3) - 0.05 * x[3] + 0.05 * x[4];
        let history = run(&mut strategy, 5, 40, reward);
        let best = history.observed().best().unwrap();
        history.observed().rows().row(best)[4] > 0.0
    };
    let times = (0..8).filter(|&seed| found(seed)).count();
    assert!(times >= 6, "the better side was found {times} times of 8");
}

/// Regression: a region that shrank far below the distance of its neighbours lost positive definiteness.
#[test]
fn a_collapsed_region_among_distant_points_still_has_a_model() {
    let dim = 6;
    let mut rng = Streams::new(9).stream(0, Purpose::Design);
    let mut history = History::new(dim);
    history.push_observed(&[0.1; 6], 10.0);
    for _ in 0..200 {
        let row: Vec<f64> = (0..dim).map(|_| rng.random_range(-1.0..1.0)).collect();
        history.push_observed(&row, sphere(&row, 0.0));
    }
    let rewards = history.observed().rewards();
    for known in 160..200 {
        let mut part = History::new(dim);
        (0..known).for_each(|i| part.push_observed(history.row(i), rewards[i]));
        let origin = ask(&mut strategy(dim, 7), &part, &Points::new(dim)).origin;
        assert!(!matches!(origin, Origin::Fallback(_)), "{known}: {origin}");
    }
}

/// Regression: one outlier set the unit of all rewards, and the differences between the others were lost in the noise.
#[test]
fn one_outlier_does_not_ruin_the_run() {
    for outlier in [-1e9, -1e300] {
        let mut trial = 0;
        let reward = |x: &[f64]| {
            trial += 1;
            if trial == 7 { outlier } else { sphere(x, 0.37) }
        };
        assert_reached(&run(&mut strategy(3, 1), 3, 40, reward), -1e-3);
    }
}

#[test]
fn points_asked_beside_running_ones_are_those_of_a_fresh_strategy() {
    let mut old = strategy(3, 4);
    let history = run(&mut old, 3, 21, |x| {
        -x.iter().map(|x| (x - 0.1).abs()).sum::<f64>()
    });
    let mut pending = Points::new(3);
    for beside in 0..5 {
        let suggestion = ask(&mut old, &history, &pending);
        let fresh = ask(&mut strategy(3, 4), &history, &pending);
        assert_eq!(suggestion, fresh, "{beside} run");
        pending.push(&suggestion.row);
    }
}

#[test]
fn a_batch_exploits_first_and_then_spreads() {
    let mut old = strategy(3, 4);
    let history = run(&mut old, 3, 12, |x| sphere(x, 0.1));
    let none = Points::new(3);
    let request = Request::new(&history, &none, 12, 8);
    let batch = old.suggest(&request).unwrap();
    assert_eq!(batch, strategy(3, 4).suggest(&request).unwrap());
    assert_eq!(batch[0].origin, Origin::Model("mean"));
    let sampled = |s: &Suggestion| s.origin == Origin::Model("thompson");
    assert!(batch[5..].iter().all(sampled));
    assert_apart(&batch, 1e-12);
}
