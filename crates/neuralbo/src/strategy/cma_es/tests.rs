use super::*;
use crate::acquisition::testing::cube;
use crate::linalg::{Points, Streams};
use std::sync::Arc;

fn strategy(dim: usize, seed: u64) -> CmaEs {
    CmaEs::new(Setup::new(Arc::new(cube(dim)), Streams::new(seed)))
}

fn ask(strategy: &mut CmaEs, history: &History, count: usize) -> Vec<Vec<f64>> {
    let pending = Points::new(history.observed().rows().dim());
    let request = Request::new(history, &pending, history.len() as u64, count);
    let batch = strategy.suggest(&request).unwrap().into_iter();
    batch.map(|suggestion| suggestion.row).collect()
}

/// A history of `trials` evaluations one after the other; those without a loss have failed.
fn run(
    strategy: &mut CmaEs,
    dim: usize,
    trials: usize,
    loss: impl Fn(usize, &[f64]) -> Option<f64>,
) -> History {
    let mut history = History::new(dim);
    for i in 0..trials {
        let row = ask(strategy, &history, 1).remove(0);
        match loss(i, &row) {
            Some(loss) => history.push_observed(&row, -loss),
            None => history.push_failed(&row),
        }
    }
    history
}

/// Evaluations until `loss` falls below `target`, or `None` within `budget`.
fn evaluations(
    dim: usize,
    seed: u64,
    target: f64,
    budget: usize,
    loss: impl Fn(&[f64]) -> f64,
) -> Option<usize> {
    let (mut strategy, mut history) = (strategy(dim, seed), History::new(dim));
    for evaluation in 1..=budget {
        let row = ask(&mut strategy, &history, 1).remove(0);
        let value = loss(&row);
        if value < target {
            return Some(evaluation);
        }
        history.push_observed(&row, -value);
    }
    None
}

type Loss = fn(&[f64]) -> f64;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - 0.3).powi(2)).sum()
}

/// An ellipsoid of condition 10⁶ in axes turned by a fixed rotation of neighbouring coordinates.
fn rotated_ellipsoid(x: &[f64]) -> f64 {
    let mut z: Vec<f64> = x.iter().map(|v| v - 0.2).collect();
    let (sin, cos) = 0.7f64.sin_cos();
    for j in 1..z.len() {
        (z[j - 1], z[j]) = (cos * z[j - 1] - sin * z[j], sin * z[j - 1] + cos * z[j]);
    }
    let last = (z.len() - 1) as f64;
    let term = |(j, v): (usize, &f64)| 10f64.powf(6.0 * j as f64 / last) * v * v;
    z.iter().enumerate().map(term).sum()
}

/// Rosenbrock on [-2, 2]^d: a bent valley to the optimum at 1.
fn rosenbrock(x: &[f64]) -> f64 {
    let u: Vec<f64> = x.iter().map(|v| 2.0 * v).collect();
    let term = |w: &[f64]| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2);
    u.windows(2).map(term).sum()
}

// pycma 4 from the same centre, step and population takes, over seven seeds in ten dimensions to 1e-8: 1140 to 1315 evaluations on
// the sphere, 3431 to 4102 on the ellipsoid and 4636 to 6373 on Rosenbrock (scripts/golden/cma_es.py). A third more or less is allowed.

#[test]
fn as_many_evaluations_are_needed_as_known() {
    let problems = [
        (sphere as Loss, 1_140..1_315),
        (rotated_ellipsoid, 3_431..4_102),
        (rosenbrock, 4_636..6_373),
    ];
    for (loss, known) in problems {
        for seed in 0..3 {
            let taken = evaluations(10, seed, 1e-8, 10_000, loss).unwrap();
            let allowed = known.start * 2 / 3 + 1..known.end * 4 / 3;
            assert!(allowed.contains(&taken), "{taken} against {known:?}");
        }
    }
}

#[test]
fn an_optimum_on_the_border_is_reached() {
    let slope = |x: &[f64]| x.iter().map(|v| 1.0 - v).sum::<f64>();
    for seed in 0..5 {
        let taken = evaluations(5, seed, 1e-6, 1_500, slope);
        assert!(taken.is_some(), "seed {seed}");
    }
}

#[test]
fn the_diagonal_variant_is_used_and_improves_in_1000_dimensions() {
    let history = run(&mut strategy(1000, 1), 1000, 1_200, |_, x| Some(sphere(x)));
    let losses: Vec<f64> = history.observed().rewards().iter().map(|r| -r).collect();
    let mean = |range: std::ops::Range<usize>| losses[range].iter().sum::<f64>() / 100.0;
    assert!(mean(1_100..1_200) < 0.8 * mean(0..100));
}

#[test]
fn the_state_is_a_fold_over_the_history() {
    let mut kept = strategy(4, 5);
    let history = run(&mut kept, 4, 200, |i, x| (i % 7 != 3).then(|| sphere(x)));
    let fresh = ask(&mut strategy(4, 5), &history, 8);
    assert_eq!(ask(&mut kept, &history, 8), fresh);
}

#[test]
fn failures_push_the_search_away() {
    // The left half fails; the best of the right half is at its border.
    let right_half = |_, x: &[f64]| (x[0] >= 0.0).then(|| sphere(x));
    let history = run(&mut strategy(3, 6), 3, 600, right_half);
    let late = (500..600).filter(|&i| history.row(i)[0] < 0.0).count();
    let best = -history.observed().rewards()[history.observed().best().unwrap()];
    assert!(late < 10, "{late} late failures");
    assert!(best < 1e-4, "best {best}");
}

#[test]
fn a_flat_or_always_failing_objective_restarts_and_goes_on() {
    let mut strategy = strategy(2, 7);
    run(&mut strategy, 2, 400, |i, _| (i % 2 != 0).then_some(-1.0));
    assert!(strategy.restarts >= 1);
    assert!(strategy.distribution.population() > default_population(2));
}
