//! Data and networks that tests share.

use neuralbo::linalg::{Points, Purpose, Rng, Streams};
use neuralbo::net::{Activation, Architecture};
use neuralbo::surrogate::{Dataset, Function};
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

/// Whether two numbers agree, relative to their size where that is large.
#[track_caller]
pub(crate) fn close(a: f64, b: f64, tolerance: f64) {
    let size = 1.0 + a.abs().max(b.abs());
    assert!((a - b).abs() <= tolerance * size, "{a} and {b} differ");
}

/// The derivative of `f` at 0 by central differences.
pub(crate) fn slope(step: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    (f(step) - f(-step)) / (2.0 * step)
}

/// A row with one coordinate moved.
pub(crate) fn shifted(row: &[f64], i: usize, step: f64) -> Points {
    let mut row = row.to_vec();
    row[i] += step;
    Points::from_rows(row.len(), [row])
}

/// The gradient of a function against differences at every so-many-th row.
pub(crate) fn check_gradient(
    function: &dyn Function,
    rows: &Points,
    every: usize,
    step: f64,
    tolerance: f64,
) {
    let (values, gradient) = function.value_and_gradient(rows).unwrap();
    assert_eq!(values.len(), rows.len());
    for k in (0..rows.len()).step_by(every) {
        for i in 0..rows.dim() {
            let value = |by| function.value(&shifted(rows.row(k), i, by))[0];
            close(gradient.row(k)[i], slope(step, value), tolerance);
        }
    }
}

/// A ReLU network without biases.
pub(crate) fn relu(inputs: usize, width: usize, depth: usize) -> Architecture {
    shape(inputs, width, depth, Activation::Relu, false)
}

pub(crate) fn shape(
    inputs: usize,
    width: usize,
    depth: usize,
    activation: Activation,
    biases: bool,
) -> Architecture {
    Architecture {
        inputs,
        width,
        depth,
        activation,
        biases,
    }
}
