//! Analytic derivatives against central differences.

use super::*;
use crate::surrogate::gp::likelihood::log_marginal_likelihood_gradient;
use crate::surrogate::gp::{HyperParameters, Kernel, log_marginal_likelihood};

const CASES: [(Kernel, bool); 4] = [
    (Kernel::SquaredExponential, false),
    (Kernel::SquaredExponential, true),
    (Kernel::Matern52, false),
    (Kernel::Matern52, true),
];

/// Logarithms of scales, amplitude and noise, then the mean.
fn hyper(parameters: &[f64]) -> HyperParameters {
    let (theta, mean) = parameters.split_at(parameters.len() - 1);
    HyperParameters::from_theta(theta, mean[0])
}

fn shifted(at: &[f64], k: usize, step: f64) -> Vec<f64> {
    let mut other = at.to_vec();
    other[k] += step;
    other
}

#[test]
fn likelihood_gradient() {
    let data = wavy_data(3, 25, 1);
    for (kernel, ard) in CASES {
        let mut theta = if ard { vec![-0.3, 0.4, 0.1] } else { vec![0.2] };
        theta.extend([0.7, -2.0, 4.0]);
        let analytic = log_marginal_likelihood_gradient(kernel, &hyper(&theta), &data).unwrap();
        let mut gradient = analytic.theta_gradient();
        gradient.push(analytic.mean);
        let value =
            |theta: Vec<f64>| log_marginal_likelihood(kernel, &hyper(&theta), &data).unwrap();
        for (k, g) in gradient.iter().enumerate() {
            let difference =
                (value(shifted(&theta, k, 1e-5)) - value(shifted(&theta, k, -1e-5))) / 2e-5;
            assert!(
                (g - difference).abs() < 1e-6 * (1.0 + g.abs()),
                "{kernel:?} {k}: {g} {difference}"
            );
        }
    }
}

#[test]
fn prediction_gradient() {
    let data = wavy_data(3, 20, 2);
    // More rows than one tile holds.
    let rows = random_points(3, 150, 3);
    for (kernel, ard) in CASES {
        let posterior = fit(
            GpSettings {
                kernel,
                ard,
                ..GpSettings::default()
            },
            &data,
        );
        let analytic = posterior.predict_with_gradient(&rows).unwrap();
        assert_eq!(analytic.prediction, posterior.predict(&rows));
        for i in (0..150).step_by(37) {
            for k in 0..3 {
                let at = |step| {
                    posterior.predict(&Points::from_rows(3, [shifted(rows.row(i), k, step)]))
                };
                let (up, down) = (at(1e-5), at(-1e-5));
                let mean = (up.mean[0] - down.mean[0]) / 2e-5;
                let sd = (up.sd[0] - down.sd[0]) / 2e-5;
                assert!(
                    (analytic.mean_gradient.row(i)[k] - mean).abs() < 1e-5,
                    "{kernel:?} {mean}"
                );
                assert!(
                    (analytic.sd_gradient.row(i)[k] - sd).abs() < 1e-5,
                    "{kernel:?} {sd}"
                );
            }
        }
    }
}

#[test]
fn sample_gradient() {
    let data = wavy_data(3, 20, 4);
    let rows = random_points(3, 150, 5);
    for (kernel, ard) in CASES {
        let posterior = fit(
            GpSettings {
                kernel,
                ard,
                ..GpSettings::default()
            },
            &data,
        );
        let function = posterior
            .sample_function(&mut STREAMS().stream(0, Purpose::Sample))
            .unwrap();
        let (values, gradients) = function.value_and_gradient(&rows).unwrap();
        let plain = function.value(&rows);
        assert!(
            values
                .iter()
                .zip(&plain)
                .all(|(a, b)| (a - b).abs() < 1e-10)
        );
        for i in (0..150).step_by(37) {
            for k in 0..3 {
                let at = |step| {
                    function.value(&Points::from_rows(3, [shifted(rows.row(i), k, step)]))[0]
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!(
                    (gradients.row(i)[k] - difference).abs() < 1e-5,
                    "{kernel:?} {difference}"
                );
            }
        }
    }
}
