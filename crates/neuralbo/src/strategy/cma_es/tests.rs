#![allow(clippy::unwrap_used)]

use super::*;
use crate::linalg::{Points, Streams};
use crate::space::Space;
use std::sync::Arc;

fn strategy(dim: usize, seed: u64) -> CmaEs {
    CmaEs::new(Setup::new(
        Arc::new(Space::from_bounds(&vec![(-1.0, 1.0); dim]).unwrap()),
        Streams::new(seed),
    ))
}

fn ask(strategy: &mut CmaEs, history: &History, count: usize) -> Vec<Vec<f64>> {
    let pending = Points::new(history.observed().rows().dim());
    let request = Request::new(history, &pending, history.len() as u64, count);
    strategy
        .suggest(&request)
        .unwrap()
        .into_iter()
        .map(|suggestion| suggestion.row)
        .collect()
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
    z.iter()
        .enumerate()
        .map(|(j, v)| 10f64.powf(6.0 * j as f64 / last) * v * v)
        .sum()
}

/// Rosenbrock on [-2, 2]^d: a bent valley to the optimum at 1.
fn rosenbrock(x: &[f64]) -> f64 {
    let u: Vec<f64> = x.iter().map(|v| 2.0 * v).collect();
    u.windows(2)
        .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
        .sum()
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
            assert!(
                taken > known.start * 2 / 3 && taken < known.end * 4 / 3,
                "{taken} against {known:?}"
            );
        }
    }
}

#[test]
fn an_optimum_on_the_border_is_reached() {
    let slope = |x: &[f64]| x.iter().map(|v| 1.0 - v).sum::<f64>();
    for seed in 0..5 {
        assert!(
            evaluations(5, seed, 1e-6, 1_500, slope).is_some(),
            "seed {seed}"
        );
    }
}

#[test]
fn the_diagonal_variant_is_used_and_improves_in_1000_dimensions() {
    let (mut strategy, mut history) = (strategy(1000, 1), History::new(1000));
    for _ in 0..1_200 {
        let row = ask(&mut strategy, &history, 1).remove(0);
        history.push_observed(&row, -sphere(&row));
    }
    let losses: Vec<f64> = history
        .observed()
        .rewards()
        .iter()
        .map(|reward| -reward)
        .collect();
    let mean = |range: std::ops::Range<usize>| losses[range].iter().sum::<f64>() / 100.0;
    assert!(mean(1_100..1_200) < 0.8 * mean(0..100));
}

#[test]
fn the_state_is_a_fold_over_the_history() {
    let (mut kept, mut history) = (strategy(4, 5), History::new(4));
    for i in 0..200 {
        let row = ask(&mut kept, &history, 1).remove(0);
        if i % 7 == 3 {
            history.push_failed(&row);
        } else {
            history.push_observed(&row, -sphere(&row));
        }
    }
    assert_eq!(
        ask(&mut kept, &history, 8),
        ask(&mut strategy(4, 5), &history, 8)
    );
}

#[test]
fn failures_push_the_search_away() {
    // The left half fails; the best of the right half is at its border.
    let (mut strategy, mut history) = (strategy(3, 6), History::new(3));
    for _ in 0..600 {
        let row = ask(&mut strategy, &history, 1).remove(0);
        if row[0] < 0.0 {
            history.push_failed(&row);
        } else {
            history.push_observed(&row, -sphere(&row));
        }
    }
    let late = (500..600).filter(|&i| history.row(i)[0] < 0.0).count();
    let best = -history.observed().rewards()[history.observed().best().unwrap()];
    assert!(
        late < 10 && best < 1e-4,
        "{late} late failures, best {best}"
    );
}

#[test]
fn a_flat_or_always_failing_objective_restarts_and_goes_on() {
    let (mut strategy, mut history) = (strategy(2, 7), History::new(2));
    for i in 0..400 {
        let row = ask(&mut strategy, &history, 1).remove(0);
        if i % 2 == 0 {
            history.push_failed(&row)
        } else {
            history.push_observed(&row, 1.0)
        }
    }
    assert!(strategy.restarts >= 1);
    assert!(strategy.distribution.population() > parameters::default_population(2));
}
