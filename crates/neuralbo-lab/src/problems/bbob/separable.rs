//! Functions 1–5: separable.

use std::f64::consts::TAU;

use super::HALF_WIDTH;
use super::setup::{BbobSetup, Landscape};
use super::transforms::{asymmetric, conditioning, oscillate_all, powers, scaled};

/// f1: ‖z‖².
pub(super) fn sphere(setup: &BbobSetup) -> Landscape {
    Landscape::around(setup.x_opt(), |z| z.iter().map(|v| v * v).sum())
}

/// f2: an axis-parallel ellipsoid of condition 10⁶.
pub(super) fn ellipsoid(setup: &BbobSetup) -> Landscape {
    let weights = powers(1e6, setup.dim);
    Landscape::around(setup.x_opt(), move |z| {
        weighted_squares(&weights, &oscillate_all(z))
    })
}

/// f3: Rastrigin's function, stretched and bent.
pub(super) fn rastrigin(setup: &BbobSetup) -> Landscape {
    let lambda = conditioning(10.0, setup.dim);
    Landscape::around(setup.x_opt(), move |z| {
        rastrigin_sum(&scaled(asymmetric(oscillate_all(z), 0.2), &lambda))
    })
}

/// f4: Büche–Rastrigin, whose odd coordinates (counted from 1) have tenfold steeper positive sides.
pub(super) fn bueche_rastrigin(setup: &BbobSetup) -> Landscape {
    let lambda = conditioning(10.0, setup.dim);
    let mut x_opt = setup.x_opt();
    x_opt.iter_mut().step_by(2).for_each(|x| *x = x.abs());
    let core = move |z| {
        let mut z = scaled(oscillate_all(z), &lambda);
        z.iter_mut()
            .step_by(2)
            .filter(|v| **v > 0.0)
            .for_each(|v| *v *= 10.0);
        rastrigin_sum(&z)
    };
    Landscape::around(x_opt, core).penalized(100.0)
}

/// f5: a slope down to a corner of the box, flat beyond it.
pub(super) fn linear_slope(setup: &BbobSetup) -> Landscape {
    let signs: Vec<f64> = setup.x_opt().iter().map(|x| x.signum()).collect();
    let corner = signs.iter().map(|sign| HALF_WIDTH * sign).collect();
    let slopes = powers(10.0, setup.dim);
    let core = move |x: &[f64]| {
        let to_edge = |(v, sign): (&f64, &f64)| (HALF_WIDTH - sign * v).max(0.0);
        let distances = x.iter().zip(&signs).map(to_edge);
        distances
            .zip(&slopes)
            .map(|(distance, slope)| slope * distance)
            .sum()
    };
    Landscape::new(corner, core)
}

/// Σ wᵢ zᵢ².
pub(super) fn weighted_squares(weights: &[f64], z: &[f64]) -> f64 {
    let weighted = |(v, weight): (&f64, &f64)| weight * v * v;
    z.iter().zip(weights).map(weighted).sum()
}

/// 10(D − Σ cos 2πzᵢ) + ‖z‖².
pub(super) fn rastrigin_sum(z: &[f64]) -> f64 {
    let cosines: f64 = z.iter().map(|v| (TAU * v).cos()).sum();
    10.0 * (z.len() as f64 - cosines) + z.iter().map(|v| v * v).sum::<f64>()
}
