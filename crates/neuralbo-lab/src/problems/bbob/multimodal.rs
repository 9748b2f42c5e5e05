//! Functions 15–19: multi-modal with a global structure.

use std::f64::consts::TAU;

use super::moderate::{rosenbrock_term, rotated_rosenbrock_optimum};
use super::separable::rastrigin_sum;
use super::setup::{BbobSetup, Landscape};
use super::transforms::{asymmetric, conditioning, oscillate_all};

/// Terms of the Weierstrass series.
const SUMMANDS: i32 = 12;

/// f15: Rastrigin's function of f3, rotated.
pub(super) fn rotated_rastrigin(setup: &BbobSetup) -> Landscape {
    let first = setup.r();
    let second = setup.r_lambda_q(10.0);
    let core = move |z: Vec<f64>| {
        rastrigin_sum(&second.apply(&asymmetric(oscillate_all(first.apply(&z)), 0.2)))
    };
    Landscape::around(setup.x_opt(), core)
}

/// f16: Weierstrass' function, rugged and with many global optima.
pub(super) fn weierstrass(setup: &BbobSetup) -> Landscape {
    let first = setup.r();
    let second = setup.r_lambda_q(0.01);
    let dim = setup.dim as f64;
    let lowest = weierstrass_term(0.0);
    let core = move |z: Vec<f64>| {
        let z = second.apply(&oscillate_all(first.apply(&z)));
        let mean = z.iter().map(|v| weierstrass_term(*v)).sum::<f64>() / dim;
        10.0 * (mean - lowest).powi(3)
    };
    Landscape::around(setup.x_opt(), core).penalized(10.0 / dim)
}

/// Σ 2⁻ᵏ cos(2π·3ᵏ(z + ½)).
fn weierstrass_term(z: f64) -> f64 {
    (0..SUMMANDS)
        .map(|k| 0.5_f64.powi(k) * (TAU * (z + 0.5) * 3.0_f64.powi(k)).cos())
        .sum()
}

/// f17 (condition 10) and f18 (condition 1000): Schaffer's F7, whose frequency and amplitude vary.
pub(super) fn schaffer(setup: &BbobSetup, condition: f64) -> Landscape {
    let first = setup.r();
    let second = setup.q().scaled(&conditioning(condition, setup.dim));
    let pairs = (setup.dim - 1) as f64;
    let core = move |z: Vec<f64>| {
        let z = second.apply(&asymmetric(first.apply(&z), 0.5));
        let sum: f64 = z.windows(2).map(schaffer_term).sum();
        (sum / pairs).powi(2)
    };
    Landscape::around(setup.x_opt(), core).penalized(10.0)
}

/// √s (1 + sin²(50 s^⅕)) with s = √(a² + b²).
fn schaffer_term(pair: &[f64]) -> f64 {
    let square = pair[0] * pair[0] + pair[1] * pair[1];
    square.powf(0.25) * (1.0 + (50.0 * square.powf(0.1)).sin().powi(2))
}

/// f19: Griewank's function of Rosenbrock's.
pub(super) fn griewank_rosenbrock(setup: &BbobSetup) -> Landscape {
    let stretch = setup.rosenbrock_stretch();
    let rotation = setup.q();
    let x_opt = rotated_rosenbrock_optimum(setup);
    let pairs = (setup.dim - 1) as f64;
    let core = move |x: &[f64]| {
        let z: Vec<f64> = rotation
            .apply(x)
            .into_iter()
            .map(|v| stretch * v + 0.5)
            .collect();
        let term = |pair: &[f64]| {
            let s = rosenbrock_term(pair);
            s / 4000.0 - s.cos()
        };
        10.0 + 10.0 * z.windows(2).map(term).sum::<f64>() / pairs
    };
    Landscape::new(x_opt, core)
}
