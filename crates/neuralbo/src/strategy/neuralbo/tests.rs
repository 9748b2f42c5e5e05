//! The default method finds optima, keeps away from failures and is not fooled by noise.

use super::*;
use crate::linalg::{Streams, squared_distance};
use crate::space::Space;
use rand::RngExt;
use std::sync::Arc;

fn strategy(dim: usize, seed: u64) -> NeuralBo {
    let space = Arc::new(Space::from_bounds(&vec![(-1.0, 1.0); dim]).unwrap());
    NeuralBo::new(
        Setup::new(space, Streams::new(seed)),
        NeuralBoSettings::for_dim(dim),
    )
    .unwrap()
}

fn ask(strategy: &mut NeuralBo, history: &History, pending: &Points) -> Suggestion {
    let number = (history.len() + pending.len()) as u64;
    strategy
        .suggest(&Request {
            history,
            pending,
            number,
            count: 1,
            cancel: None,
        })
        .unwrap()
        .remove(0)
}

/// Runs `trials`; a reward of NaN is a failed trial.
fn run(
    strategy: &mut NeuralBo,
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

fn best(history: &History) -> f64 {
    history
        .observed()
        .rewards()
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn solves_a_quadratic_with_few_evaluations() {
    let history = run(&mut strategy(4, 1), 4, 40, |x| {
        -x.iter().map(|x| (x - 0.37).powi(2)).sum::<f64>()
    });
    assert!(best(&history) > -1e-5, "best {}", best(&history));
}

/// Regression: the nearest observations of a narrow valley lie across it, and their metric had a condition of ten instead of a thousand.
#[test]
fn follows_a_narrow_valley_to_its_end() {
    // Curvatures of 1, 10³ and 10⁶ along turned axes, bent a little so that no quadratic is exact; the best value is 0.
    let (a, b) = (0.6, 0.8);
    let reward = |x: &[f64]| {
        let (x, y, z) = (x[0] - 0.31, x[1] + 0.23, x[2] - 0.12);
        let turned = [
            a * x + b * y,
            a * (a * y - b * x) + b * z,
            a * z - b * (a * y - b * x),
        ];
        let bent = turned.map(|u| u + 0.02 * (5.0 * u).sin());
        -bent
            .iter()
            .zip([1.0, 1e3, 1e6])
            .map(|(u, curvature)| curvature * u * u)
            .sum::<f64>()
    };
    for seed in [1, 2, 3] {
        let history = run(&mut strategy(3, seed), 3, 50, reward);
        assert!(
            best(&history) > -1e-7,
            "seed {seed}: best {}",
            best(&history)
        );
    }
}

#[test]
fn avoids_the_half_that_fails_though_the_best_is_at_its_border() {
    for seed in [2, 3, 5, 7] {
        let reward = |x: &[f64]| {
            if x[0] > 0.3 {
                f64::NAN
            } else {
                x[0] - x[1] * x[1]
            }
        };
        let history = run(&mut strategy(2, seed), 2, 50, reward);
        assert!(
            history.failed().len() < 15,
            "seed {seed}: {} of 50 trials failed",
            history.failed().len()
        );
        assert!(
            best(&history) > 0.25,
            "seed {seed}: best {}",
            best(&history)
        );
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
        assert!(
            best(&history) >= 1.95,
            "seed {seed}: best {}",
            best(&history)
        );
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
    let history = run(&mut strategy, 2, 7, |x| {
        -(x[0] - 0.1).powi(2) - x[1].powi(2)
    });
    let mut pending = Points::new(2);
    let mut exploited = 0;
    for _ in 0..6 {
        let suggestion = ask(&mut strategy, &history, &pending);
        assert!(
            matches!(suggestion.origin, Origin::Model(_)),
            "{}",
            suggestion.origin
        );
        assert!(pending.rows().all(|row| row != suggestion.row.as_slice()));
        exploited += usize::from(suggestion.origin == Origin::Model("mean"));
        pending.push(&suggestion.row);
    }
    assert_eq!(
        exploited, 1,
        "the mean's best point is evaluated once, then others are explored"
    );
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
        history.push_observed(&done, -done.iter().map(|x| (x - 0.37).powi(2)).sum::<f64>());
        pending = Points::from_rows(4, [next]);
    }
    assert!(best(&history) > -1e-5, "best {}", best(&history));
}

#[test]
fn a_fresh_strategy_answers_the_same() {
    let reward = |x: &[f64]| -(x[0] - 0.4).powi(2) + 0.3 * (5.0 * x[1]).sin();
    let mut old = strategy(2, 5);
    let history = run(&mut old, 2, 21, reward);
    let none = Points::new(2);
    assert_eq!(
        ask(&mut old, &history, &none),
        ask(&mut strategy(2, 5), &history, &none)
    );
}

#[test]
fn noise_does_not_fool_the_centre() {
    let mut rng = Streams::new(8).stream(0, Purpose::Noise);
    let mut strategy = strategy(3, 6);
    let truth = |x: &[f64]| -x.iter().map(|x| (x + 0.2).powi(2)).sum::<f64>();
    let noisy = |x: &[f64]| truth(x) + 0.1 * rng.sample::<f64, _>(rand_distr::StandardNormal);
    let history = run(&mut strategy, 3, 60, noisy);
    let fitted = strategy
        .smbo
        .policy
        .fit(&history, history.observed())
        .unwrap();
    assert!(
        truth(&fitted.center) > -0.05,
        "true reward at the centre {}",
        truth(&fitted.center)
    );
}

/// Regression: a region smaller than the box could not reach the other side of a choice.
#[test]
fn a_choice_made_at_first_is_not_kept_for_ever() {
    let found = |seed: u64| {
        let parameters = [
            "a=float(0,1)",
            "b=float(0,1)",
            "c=float(0,1)",
            "n=int(1,8)",
            "z=bool",
        ];
        let space =
            Arc::new(Space::new(parameters.iter().map(|p| p.parse().unwrap()).collect()).unwrap());
        let settings = NeuralBoSettings::for_dim(space.encoded_dim());
        let mut strategy = NeuralBo::new(Setup::new(space, Streams::new(seed)), settings).unwrap();
        let reward = |x: &[f64]| {
            -x[..3].iter().map(|x| (x - 0.3).powi(2)).sum::<f64>() - 0.05 * x[3] + 0.05 * x[4]
        };
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
        history.push_observed(&row, -row.iter().map(|x| x * x).sum::<f64>());
    }
    for known in 160..200 {
        let mut part = History::new(dim);
        (0..known)
            .for_each(|i| part.push_observed(history.row(i), history.observed().rewards()[i]));
        let suggestion = ask(&mut strategy(dim, 7), &part, &Points::new(dim));
        assert!(
            !matches!(suggestion.origin, Origin::Fallback(_)),
            "{known}: {}",
            suggestion.origin
        );
    }
}

/// Regression: one outlier set the unit of all rewards, and the differences between the others were lost in the noise.
#[test]
fn one_outlier_does_not_ruin_the_run() {
    for outlier in [-1e9, -1e300] {
        let mut trial = 0;
        let reward = |x: &[f64]| {
            trial += 1;
            if trial == 7 {
                outlier
            } else {
                -x.iter().map(|x| (x - 0.37).powi(2)).sum::<f64>()
            }
        };
        let history = run(&mut strategy(3, 1), 3, 40, reward);
        assert!(best(&history) > -1e-3, "{outlier}: best {}", best(&history));
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
        assert_eq!(
            suggestion,
            ask(&mut strategy(3, 4), &history, &pending),
            "{beside} run"
        );
        pending.push(&suggestion.row);
    }
}

#[test]
fn a_batch_exploits_first_and_then_spreads() {
    let mut old = strategy(3, 4);
    let history = run(&mut old, 3, 12, |x| {
        -x.iter().map(|x| (x - 0.1).powi(2)).sum::<f64>()
    });
    let none = Points::new(3);
    let request = Request {
        history: &history,
        pending: &none,
        number: 12,
        count: 8,
        cancel: None,
    };
    let batch = old.suggest(&request).unwrap();
    assert_eq!(batch, strategy(3, 4).suggest(&request).unwrap());
    assert_eq!(batch[0].origin, Origin::Model("mean"));
    assert!(
        batch[5..]
            .iter()
            .all(|suggestion| suggestion.origin == Origin::Model("thompson"))
    );
    for (i, suggestion) in batch.iter().enumerate() {
        assert!(
            batch[..i]
                .iter()
                .all(|other| squared_distance(&other.row, &suggestion.row) > 1e-12),
            "{i} is a repetition"
        );
    }
}
