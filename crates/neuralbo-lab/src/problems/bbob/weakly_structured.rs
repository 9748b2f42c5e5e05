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
    let signs = signs(uniforms(setup.dim, setup.seed), 0.5);
    let x_opt = signs
        .iter()
        .map(|sign| 0.5 * SCHWEFEL_BEST * sign)
        .collect();
    let lambda = conditioning(10.0, setup.dim);
    let core = move |x: &[f64]| {
        let x_hat = doubled(x, &signs);
        let coupled = |i: usize| match i {
            0 => 0.0,
            _ => 0.25 * (x_hat[i - 1] - SCHWEFEL_CENTRE),
        };
        let z_hat = |i| x_hat[i] + coupled(i) - SCHWEFEL_CENTRE;
        let mut z = scaled((0..x.len()).map(z_hat).collect(), &lambda);
        z.iter_mut()
            .for_each(|v| *v = 100.0 * (*v + SCHWEFEL_CENTRE));
        schwefel_mean(&z)
    };
    Landscape::new(x_opt, core)
}

/// −1 for numbers below the threshold, 1 for the others.
fn signs(mut numbers: Vec<f64>, threshold: f64) -> Vec<f64> {
    let sign = |number: &mut f64| *number = if *number < threshold { -1.0 } else { 1.0 };
    numbers.iter_mut().for_each(sign);
    numbers
}

/// 2·x with signs.
fn doubled(x: &[f64], signs: &[f64]) -> Vec<f64> {
    x.iter()
        .zip(signs)
        .map(|(v, sign)| 2.0 * v * sign)
        .collect()
}

fn schwefel_mean(z: &[f64]) -> f64 {
    let outside = |v: &f64| (v.abs() - SCHWEFEL_HALF_WIDTH).max(0.0).powi(2);
    let penalty: f64 = z.iter().map(outside).sum();
    let mean = z.iter().map(|v| v * v.abs().sqrt().sin()).sum::<f64>() / z.len() as f64;
    0.01 * (penalty + SCHWEFEL_OFFSET - mean)
}

/// f23: Katsuura's function, rugged everywhere and repetitive.
pub(super) fn katsuura(setup: &BbobSetup) -> Landscape {
    let map = setup.r_lambda_q(100.0);
    let dim = setup.dim as f64;
    let core = move |z: Vec<f64>| {
        let factor = |(v, i): (&f64, i32)| 1.0 + f64::from(i) * distances_to_dyadics(*v);
        let z = map.apply(&z);
        let factors = z.iter().zip(1..).map(factor);
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
    let signs = signs(normals(setup.dim, setup.seed), 0.0);
    let x_opt = signs
        .iter()
        .map(|sign| 0.5 * LUNACEK_CENTRE * sign)
        .collect();
    let map = setup.r_lambda_q(100.0);
    let dim = setup.dim as f64;
    let s = 1.0 - 0.5 / ((dim + 20.0).sqrt() - 4.1);
    let mu_1 = -((LUNACEK_CENTRE * LUNACEK_CENTRE - 1.0) / s).sqrt();
    let core = move |x: &[f64]| {
        let x_hat = doubled(x, &signs);
        let from_centre: Vec<f64> = x_hat.iter().map(|v| v - LUNACEK_CENTRE).collect();
        let good: f64 = from_centre.iter().map(|v| v * v).sum();
        let wide: f64 = x_hat.iter().map(|v| (v - mu_1).powi(2)).sum();
        let rotated = map.apply(&from_centre);
        let cosines: f64 = rotated.iter().map(|v| (TAU * v).cos()).sum();
        good.min(dim + s * wide) + 10.0 * (dim - cosines)
    };
    Landscape::new(x_opt, core).penalized(1e4)
}
