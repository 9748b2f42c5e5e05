//! Data and networks that tests share.

use neuralbo::linalg::{Points, Purpose, Rng, Streams};
use neuralbo::net::{Activation, Architecture};
use neuralbo::surrogate::Dataset;
use rand::RngExt;

pub(crate) fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Sample)
}

/// Rows uniform in the box.
pub(crate) fn random_rows(dim: usize, count: usize, seed: u64) -> Points {
    let mut rng = rng(seed);
    let mut row = || {
        (0..dim)
            .map(|_| rng.random_range(-1.0..1.0))
            .collect::<Vec<f64>>()
    };
    Points::from_rows(dim, (0..count).map(|_| row()))
}

/// Random rows with the rewards `f`.
pub(crate) fn dataset(dim: usize, count: usize, f: impl Fn(&[f64]) -> f64) -> Dataset {
    let rows = random_rows(dim, count, 11);
    let rewards = rows.rows().map(f).collect();
    Dataset::from_parts(rows, rewards)
}

/// A ReLU network without biases.
pub(crate) fn relu(inputs: usize, width: usize, depth: usize) -> Architecture {
    let activation = Activation::Relu;
    Architecture {
        inputs,
        width,
        depth,
        activation,
        biases: false,
    }
}
