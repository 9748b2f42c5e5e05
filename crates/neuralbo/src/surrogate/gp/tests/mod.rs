//! Tests of the process as a whole.

mod conformance;
mod golden;
mod gradients;
mod growth;
mod samples;

use super::covariance::KernelCovariance;
use super::likelihood::log_marginal_likelihood;
use super::{GaussianProcess, GpSettings, HyperParameters, Kernel};
use crate::linalg::testing::{assert_near, differences, random_points};
use crate::linalg::{Points, Purpose, Streams};
use crate::surrogate::gaussian::{Conditioned, Covariance, Gaussian};
use crate::surrogate::{Dataset, Posterior, Prediction, Standardizer, Surrogate};
use rand::RngExt;

const STREAMS: fn() -> Streams = || Streams::new(17);

/// A smooth function of random rows with a little noise.
pub(super) fn wavy_data(dim: usize, len: usize, seed: u64) -> Dataset {
    let rows = random_points(dim, len, seed);
    let mut rng = Streams::new(seed).stream(1, Purpose::Noise);
    let reward = |row: &[f64]| {
        let waves: f64 = row
            .iter()
            .enumerate()
            .map(|(k, x)| ((2.0 + 0.3 * k as f64) * x).sin() - 0.4 * x * x)
            .sum();
        5.0 + waves + 0.05 * (rng.random::<f64>() - 0.5)
    };
    let rewards = rows.rows().map(reward).collect();
    Dataset::from_parts(rows, rewards)
}

pub(in crate::surrogate) fn hyper(
    length: f64,
    amplitude: f64,
    noise: f64,
    mean: f64,
) -> HyperParameters {
    HyperParameters {
        length_scales: vec![length],
        amplitude,
        noise,
        mean,
    }
}

/// The process with hyper-parameters as they are, conditioned on rewards as they are.
pub(in crate::surrogate) fn given(
    kernel: Kernel,
    hyper: &HyperParameters,
    data: &Dataset,
) -> Box<dyn Posterior> {
    let covariance = KernelCovariance::new(kernel, hyper.clone(), data.rows().dim());
    let (inputs, noises) = (
        covariance.inputs(data.rows()),
        vec![hyper.noise; data.len()],
    );
    let conditioned = Conditioned::new(covariance, &inputs, &noises, 1).unwrap();
    let rewards = data.rewards().to_vec();
    Box::new(Gaussian::new(
        conditioned,
        rewards,
        hyper.mean,
        Standardizer::identity(),
    ))
}

fn fit(settings: GpSettings, data: &Dataset) -> Box<dyn Posterior> {
    GaussianProcess::new(settings)
        .unwrap()
        .fit(data, &STREAMS())
        .unwrap()
}

pub(super) fn standardized(data: &Dataset) -> Dataset {
    Dataset::from_parts(
        data.rows().clone(),
        Standardizer::of(data.rewards()).forward_all(data.rewards()),
    )
}
