//! Tests of the process as a whole.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conformance;
mod golden;
mod gradients;
mod growth;
mod optimistic;
mod samples;

use super::{GaussianProcess, GpSettings};
use crate::linalg::{Points, Purpose, Streams};
use crate::surrogate::{Dataset, Posterior, Standardizer, Surrogate};
use rand::RngExt;

const STREAMS: fn() -> Streams = || Streams::new(17);

fn random_points(dim: usize, len: usize, seed: u64) -> Points {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    Points::from_rows(
        dim,
        (0..len).map(|_| {
            (0..dim)
                .map(|_| 2.0 * rng.random::<f64>() - 1.0)
                .collect::<Vec<_>>()
        }),
    )
}

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
