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

/// Data of two to a hundred dimensions that models stumble over.
pub(crate) fn awkward_data() -> Vec<(&'static str, Dataset)> {
    let row = [0.5, -0.5];
    let repeated = Dataset::from_parts(Points::from_rows(2, [row; 4]), vec![1.0, 2.0, 1.5, 1.0]);
    let outlier = |x: &[f64]| if x[0] > 0.95 { -1e12 } else { x[1] };
    vec![
        ("one point", dataset(2, 1, |_| 4.0)),
        ("constant rewards", dataset(2, 25, |_| -7.0)),
        ("repeated rows", repeated),
        ("huge rewards", dataset(2, 25, |x| 1e300 * x[0])),
        ("tiny rewards", dataset(2, 25, |x| 1e-300 * x[0])),
        ("an outlier", dataset(2, 41, outlier)),
        ("one dimension", dataset(1, 25, |x| x[0].abs())),
        ("a hundred dimensions", dataset(100, 25, |x| x.iter().sum())),
    ]
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
