//! Moments of functions drawn from the posterior.
//!
//! Every draw has frequencies of its own, so that the covariance of the prior functions is exactly the kernel's and the
//! moments of the samples are exactly the posterior's, however few the features: what remains is sampling error.

use super::*;
use crate::linalg::squared_distance;

const DRAWS: usize = 3000;

/// Draws at the rows of `at`, one vector a draw.
fn draws(posterior: &dyn Posterior, at: &Points) -> Vec<Vec<f64>> {
    let draw = |i| {
        let mut rng = STREAMS().indexed(0, Purpose::Sample, i);
        posterior.sample_function(&mut rng).unwrap().value(at)
    };
    (0..DRAWS as u64).map(draw).collect()
}

/// `‖x̃‖ ‖x̃′‖ (sin θ + (π − θ) cos θ)/π` with `x̃ = (x/√d, 1)`.
fn arc_cosine(a: &[f64], b: &[f64]) -> f64 {
    let inner = |a: &[f64], b: &[f64]| {
        let products: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        products / a.len() as f64 + 1.0
    };
    let lengths = (inner(a, a) * inner(b, b)).sqrt();
    let cosine = (inner(a, b) / lengths).min(1.0);
    let angle = cosine.acos();
    lengths * (angle.sin() + (std::f64::consts::PI - angle) * cosine) / std::f64::consts::PI
}

/// The posterior covariance as written in the textbook (RW eq. 2.24), by an LU factorization.
fn exact_covariance(
    kernel: Kernel,
    hyper: &HyperParameters,
    data: &Dataset,
    at: &Points,
) -> faer::Mat<f64> {
    let k = |a: &[f64], b: &[f64]| {
        let squared = || squared_distance(a, b) / hyper.length_scales[0].powi(2);
        let value = match kernel.correlation() {
            Some(correlation) => correlation.correlation_and_slope(squared()).0,
            None => arc_cosine(a, b),
        };
        hyper.amplitude * value
    };
    let gram =
        |a: &Points, b: &Points| faer::Mat::from_fn(a.len(), b.len(), |i, j| k(a.row(i), b.row(j)));
    let rows = data.rows();
    let noisy = gram(rows, rows)
        + faer::Mat::<f64>::identity(rows.len(), rows.len()) * faer::Scale(hyper.noise);
    let solve = faer::linalg::solvers::PartialPivLu::new(noisy.as_ref());
    let gain = faer::linalg::solvers::Solve::solve(&solve, gram(rows, at));
    gram(at, at) - gram(at, rows) * gain
}

#[test]
fn samples_have_the_posterior_mean_and_covariance() {
    let data = wavy_data(2, 8, 20);
    let mut at = Points::from_rows(2, [[0.1, 0.1], [0.3, 0.0], [-0.8, 0.9]]);
    at.push(data.rows().row(0));
    for kernel in [
        Kernel::SquaredExponential,
        Kernel::Matern52,
        Kernel::ArcCosine,
    ] {
        let hyper = hyper(0.6, 1.5, 0.2, 4.0);
        let posterior = given(kernel, &hyper, &data);
        let mean = posterior.predict(&at).mean;
        let exact = exact_covariance(kernel, &hyper, &data, &at);
        let samples = draws(posterior.as_ref(), &at);
        let count = DRAWS as f64;
        for i in 0..at.len() {
            let average = samples.iter().map(|s| s[i]).sum::<f64>() / count;
            let error = (exact[(i, i)] / count).sqrt();
            let near = (average - mean[i]).abs() < 4.5 * error;
            assert!(near, "{kernel:?} mean {i}");
            for j in 0..=i {
                let products = samples.iter().map(|s| (s[i] - mean[i]) * (s[j] - mean[j]));
                let covariance = products.sum::<f64>() / count;
                let square = exact[(i, i)] * exact[(j, j)] + exact[(i, j)].powi(2);
                let near = (covariance - exact[(i, j)]).abs() < 4.5 * (square / count).sqrt();
                assert!(near, "{kernel:?} covariance {i} {j}");
            }
        }
    }
}

#[test]
fn samples_pass_near_the_data_and_respect_pending_rows() {
    let data = wavy_data(2, 30, 21);
    let mut rows = Points::from_rows(2, [[1.0, 1.0]]);
    let posterior = fit(GpSettings::default(), &data);
    let posterior = posterior.with_pending(&rows).unwrap();
    rows.extend(data.rows());
    for i in 0..5 {
        let mut rng = STREAMS().indexed(1, Purpose::Sample, i);
        let function = posterior.sample_function(&mut rng).unwrap();
        let (values, prediction) = (function.value(&rows), posterior.predict(&rows));
        for (j, value) in values.iter().enumerate() {
            assert!((value - prediction.mean[j]).abs() < 6.0 * prediction.sd[j]);
        }
    }
}
