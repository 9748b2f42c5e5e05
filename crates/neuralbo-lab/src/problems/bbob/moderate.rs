//! Functions 6–9: low or moderate conditioning.

use super::separable::weighted_squares;
use super::setup::{BbobSetup, Landscape};
use super::transforms::{conditioning, oscillate, powers, round_half_up};

/// f6: attractive sector, steep except in one hypercone.
pub(super) fn attractive_sector(setup: &BbobSetup) -> Landscape {
    let map = setup.r_lambda_q(10.0);
    let x_opt = setup.x_opt();
    let directions = x_opt.clone();
    let core = move |z: Vec<f64>| {
        let steepness = |(v, o): (&f64, &f64)| (if v * o > 0.0 { 100.0 * v } else { *v }).powi(2);
        let steep: f64 = map.apply(&z).iter().zip(&directions).map(steepness).sum();
        oscillate(steep).powf(0.9)
    };
    Landscape::around(x_opt, core)
}

/// f7: an ellipsoid of plateaus.
pub(super) fn step_ellipsoid(setup: &BbobSetup) -> Landscape {
    let inner = setup.q().scaled(&conditioning(10.0, setup.dim));
    let outer = setup.r();
    let weights = powers(100.0, setup.dim);
    let core = move |z: Vec<f64>| {
        let z_hat = inner.apply(&z);
        let stepped: Vec<f64> = z_hat.iter().map(|v| step(*v)).collect();
        0.1 * weighted_squares(&weights, &outer.apply(&stepped)).max(z_hat[0].abs() / 1e4)
    };
    Landscape::around(setup.x_opt(), core).penalized(1.0)
}

/// Plateaus of width 1, of width 0.1 near zero.
fn step(z: f64) -> f64 {
    if z.abs() > 0.5 {
        round_half_up(z)
    } else {
        round_half_up(10.0 * z) / 10.0
    }
}

/// f8: Rosenbrock's function.
pub(super) fn rosenbrock(setup: &BbobSetup) -> Landscape {
    let stretch = setup.rosenbrock_stretch();
    let x_opt = setup.x_opt().iter().map(|x| 0.75 * x).collect();
    let core = move |z: Vec<f64>| {
        let z: Vec<f64> = z.iter().map(|v| stretch * v + 1.0).collect();
        z.windows(2).map(rosenbrock_term).sum()
    };
    Landscape::around(x_opt, core)
}

/// f9: Rosenbrock's function, rotated about the origin.
pub(super) fn rotated_rosenbrock(setup: &BbobSetup) -> Landscape {
    let stretch = setup.rosenbrock_stretch();
    let rotation = setup.q();
    let x_opt = rotated_rosenbrock_optimum(setup);
    let core = move |x: &[f64]| {
        let z: Vec<f64> = rotation
            .apply(x)
            .into_iter()
            .map(|v| stretch * v + 0.5)
            .collect();
        z.windows(2).map(rosenbrock_term).sum()
    };
    Landscape::new(x_opt, core)
}

/// Where s·Q·x + ½ is one everywhere.
pub(super) fn rotated_rosenbrock_optimum(setup: &BbobSetup) -> Vec<f64> {
    let ones = vec![0.5 / setup.rosenbrock_stretch(); setup.dim];
    setup.q().transposed().apply(&ones)
}

/// 100(a² − b)² + (a − 1)² of two neighbours.
pub(super) fn rosenbrock_term(pair: &[f64]) -> f64 {
    let (a, b) = (pair[0], pair[1]);
    100.0 * (a * a - b).powi(2) + (a - 1.0).powi(2)
}
