//! From encoded rows to network inputs.

use super::InputDomain;
use faer::Mat;
use neuralbo::linalg::{Points, Real};

/// Scales the coordinates and appends the constant one.
///
/// The theory needs `0 < a ≤ ‖x‖ ≤ b`: with the constant, `a` is at least its value for every point of the box, and the first
/// layer gets its bias. In the ball `b` is the same in every dimension, and so is the largest stable rate of training.
#[derive(Clone, Debug, PartialEq)]
pub struct InputMap {
    /// Factor of each encoded coordinate.
    pub scales: Vec<f64>,
    /// The appended coordinate, if any.
    pub constant: Option<f64>,
}

impl InputMap {
    /// Coordinates of the box or the ball, with a one appended if asked for.
    pub fn new(dim: usize, domain: InputDomain, constant: bool) -> Self {
        let scale = match domain {
            InputDomain::Box => 1.0,
            InputDomain::Ball => 1.0 / (dim as f64).sqrt(),
        };
        Self {
            scales: vec![scale; dim],
            constant: constant.then_some(1.0),
        }
    }

    /// Number of network inputs.
    pub fn outputs(&self) -> usize {
        self.scales.len() + usize::from(self.constant.is_some())
    }

    /// The inputs of the points `range`, one column a point.
    pub fn apply<T: Real>(&self, rows: &Points, range: std::ops::Range<usize>) -> Mat<T> {
        let mut inputs = Mat::zeros(self.outputs(), range.len());
        for (j, i) in range.enumerate() {
            let column = inputs.col_as_slice_mut(j);
            for ((slot, x), scale) in column.iter_mut().zip(rows.row(i)).zip(&self.scales) {
                *slot = T::from_f64(x * scale);
            }
            if let Some(constant) = self.constant {
                column[self.scales.len()] = T::from_f64(constant);
            }
        }
        inputs
    }

    /// Adds `factor ·` the gradients in the inputs (one column a point), carried back to the rows.
    pub fn pull_back<T: Real>(&self, gradient: &Mat<T>, factor: f64, out: &mut [f64]) {
        let d = self.scales.len();
        for j in 0..gradient.ncols() {
            for ((out, g), scale) in out[j * d..(j + 1) * d]
                .iter_mut()
                .zip(gradient.col_as_slice(j))
                .zip(&self.scales)
            {
                *out += factor * g.widen() * scale;
            }
        }
    }
}
