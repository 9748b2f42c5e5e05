//! Functions 10–14: unimodal with high conditioning.

use super::separable::weighted_squares;
use super::setup::{BbobSetup, Landscape};
use super::transforms::{asymmetric, oscillate_all, position, powers};

/// Of the discus and the bent cigar.
const CONDITION: f64 = 1e6;

/// f10: the ellipsoid of f2, rotated.
pub(super) fn rotated_ellipsoid(setup: &BbobSetup) -> Landscape {
    let rotation = setup.r();
    let weights = powers(CONDITION, setup.dim);
    Landscape::around(setup.x_opt(), move |z| {
        weighted_squares(&weights, &oscillate_all(rotation.apply(&z)))
    })
}

/// f11: one direction a thousand times more sensitive than the rest.
pub(super) fn discus(setup: &BbobSetup) -> Landscape {
    let rotation = setup.r();
    let mut weights = vec![1.0; setup.dim];
    weights[0] = CONDITION;
    Landscape::around(setup.x_opt(), move |z| {
        weighted_squares(&weights, &oscillate_all(rotation.apply(&z)))
    })
}

/// f12: a narrow bent ridge.
pub(super) fn bent_cigar(setup: &BbobSetup) -> Landscape {
    let rotation = setup.r();
    let mut weights = vec![CONDITION; setup.dim];
    weights[0] = 1.0;
    let core = move |z: Vec<f64>| {
        let bent = asymmetric(rotation.apply(&z), 0.5);
        weighted_squares(&weights, &rotation.apply(&bent))
    };
    Landscape::around(setup.second().x_opt(), core)
}

/// f13: a ridge that is not differentiable.
pub(super) fn sharp_ridge(setup: &BbobSetup) -> Landscape {
    let map = setup.r_lambda_q(10.0);
    let core = move |z: Vec<f64>| {
        let z = map.apply(&z);
        let across: f64 = z[1..].iter().map(|v| v * v).sum();
        z[0] * z[0] + 100.0 * across.sqrt()
    };
    Landscape::around(setup.x_opt(), core)
}

/// f14: sensitivities that differ more and more near the optimum.
pub(super) fn different_powers(setup: &BbobSetup) -> Landscape {
    let rotation = setup.r();
    let dim = setup.dim;
    let core = move |z: Vec<f64>| {
        let power = |(i, v): (usize, &f64)| v.abs().powf(2.0 + 4.0 * position(i, dim));
        let powers = rotation.apply(&z);
        powers.iter().enumerate().map(power).sum::<f64>().sqrt()
    };
    Landscape::around(setup.x_opt(), core)
}
