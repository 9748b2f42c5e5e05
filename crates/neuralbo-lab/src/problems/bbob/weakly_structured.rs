//! Functions 20, 23 and 24: multi-modal with weak global structure (21 and 22 have a file of their own).

use std::f64::consts::TAU;

use super::random::{normals, uniforms};
use super::setup::{BbobSetup, Landscape};
use super::transforms::{conditioning, round_half_up, scaled};

/// Schwefel's best coordinate over a hundred, as the transformations use it.
const SCHWEFEL_CENTRE: f64 = 4.2096874637;
/// The same as the best point is named; it differs in the last digit.
const SCHWEFEL_BEST: f64 = 4.2096874633;
/// Makes the best value zero.
const SCHWEFEL_OFFSET: f64 = 418.9828872724339;
/// Schwefel's own box, beyond which he is penalized.
const SCHWEFEL_HALF_WIDTH: f64 = 500.0;
/// Binary digits Katsuura's function looks at.
const KATSUURA_DIGITS: i32 = 32;
/// Centre of the better funnel of Lunacek's function.
const LUNACEK_CENTRE: f64 = 2.5;

/// f20: Schwefel's function; the best point is near a corner, away from the next best ones.
pub(super) fn schwefel(setup: &BbobSetup) -> Landscape {
    let signs: Vec<f64> = uniforms(setup.dim, setup.seed)
        .iter()
        .map(|u| if *u < 0.5 { -1.0 } else { 1.0 })
        .collect();
    let x_opt = signs.iter().map(|sign| 0.5 * SCHWEFEL_BEST * sign);
    let x_opt = x_opt.collect();
    let lambda = conditioning(10.0, setup.dim);
    let core = move |x: &[f64]| {
        let x_hat = x.iter().zip(&signs);
        let x_hat: Vec<f64> = x_hat.map(|(v, sign)| 2.0 * v * sign).collect();
        let coupled = |i: usize| {
            if i == 0 {
                0.0
            } else {
                0.25 * (x_hat[i - 1] - SCHWEFEL_CENTRE)
            }
        };
        let z_hat = (0..x.len())
            .map(|i| x_hat[i] + coupled(i) - SCHWEFEL_CENTRE)
            .collect();
        let z: Vec<f64> = scaled(z_hat, &lambda)
            .iter()
            .map(|v| 100.0 * (v + SCHWEFEL_CENTRE))
            .collect();
        schwefel_mean(&z)
    };
    Landscape::new(x_opt, core)
}

fn schwefel_mean(z: &[f64]) -> f64 {
    let penalty: f64 = z
        .iter()
        .map(|v| (v.abs() - SCHWEFEL_HALF_WIDTH).max(0.0).powi(2))
        .sum();
    let mean = z.iter().map(|v| v * v.abs().sqrt().sin()).sum::<f64>() / z.len() as f64;
    0.01 * (penalty + SCHWEFEL_OFFSET - mean)
}

/// f23: Katsuura's function, rugged everywhere and repetitive.
pub(super) fn katsuura(setup: &BbobSetup) -> Landscape {
    let map = setup.r_lambda_q(100.0);
    let dim = setup.dim as f64;
    let core = move |z: Vec<f64>| {
        let factors = map
            .apply(&z)
            .into_iter()
            .zip(1..)
            .map(|(v, i)| 1.0 + f64::from(i) * distances_to_dyadics(v));
        10.0 / (dim * dim) * (factors.product::<f64>().powf(10.0 / dim.powf(1.2)) - 1.0)
    };
    Landscape::around(setup.x_opt(), core).penalized(1.0)
}

/// Σ |2ʲz − [2ʲz]| / 2ʲ.
fn distances_to_dyadics(z: f64) -> f64 {
    let distance = |j: i32| {
        let power = 2.0_f64.powi(j);
        (power * z - round_half_up(power * z)).abs() / power
    };
    (1..=KATSUURA_DIGITS).map(distance).sum()
}

/// f24: Lunacek's double funnel with Rastrigin's ripples; the wider funnel is the wrong one.
///
/// s and μ₁ place the second funnel; μ₀ = 2.5 and d = 1.
pub(super) fn lunacek(setup: &BbobSetup) -> Landscape {
    let signs: Vec<f64> = normals(setup.dim, setup.seed)
        .iter()
        .map(|g| if *g < 0.0 { -1.0 } else { 1.0 })
        .collect();
    let x_opt = signs.iter().map(|sign| 0.5 * LUNACEK_CENTRE * sign);
    let x_opt = x_opt.collect();
    let map = setup.r_lambda_q(100.0);
    let dim = setup.dim as f64;
    let s = 1.0 - 0.5 / ((dim + 20.0).sqrt() - 4.1);
    let mu_1 = -((LUNACEK_CENTRE * LUNACEK_CENTRE - 1.0) / s).sqrt();
    let core = move |x: &[f64]| {
        let x_hat = x.iter().zip(&signs);
        let x_hat: Vec<f64> = x_hat.map(|(v, sign)| 2.0 * v * sign).collect();
        let from_centre: Vec<f64> = x_hat.iter().map(|v| v - LUNACEK_CENTRE).collect();
        let good: f64 = from_centre.iter().map(|v| v * v).sum();
        let wide: f64 = x_hat.iter().map(|v| (v - mu_1).powi(2)).sum();
        let cosines = map.apply(&from_centre).into_iter();
        let cosines: f64 = cosines.map(|v| (TAU * v).cos()).sum();
        good.min(dim + s * wide) + 10.0 * (dim - cosines)
    };
    Landscape::new(x_opt, core).penalized(1e4)
}
