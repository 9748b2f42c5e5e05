//! From encoded rows to network inputs.

use crate::linalg::{Points, Real};
use faer::Mat;

/// Scales the coordinates and appends the constant one.
///
/// The theory needs `0 < a ≤ ‖x‖ ≤ b`: with the constant, `a` is at least its value for every point of the box, and the first
/// layer gets its bias.
#[derive(Clone, Debug, PartialEq)]
pub struct InputMap {
    /// Factor of each encoded coordinate.
    pub scales: Vec<f64>,
    /// The appended coordinate.
    pub constant: f64,
}

impl InputMap {
    /// Coordinates as they are, with a one appended.
    pub fn plain(dim: usize) -> Self {
        Self { scales: vec![1.0; dim], constant: 1.0 }
    }

    /// Number of network inputs.
    pub fn outputs(&self) -> usize {
        self.scales.len() + 1
    }

    /// The inputs of the points `range`, one column a point.
    pub fn apply<T: Real>(&self, rows: &Points, range: std::ops::Range<usize>) -> Mat<T> {
        let d = self.scales.len();
        Mat::from_fn(d + 1, range.len(), |i, j| {
            T::from_f64(if i < d { rows.row(range.start + j)[i] * self.scales[i] } else { self.constant })
        })
    }

    /// Carries gradients in the inputs (one column a point) back to the rows.
    pub fn pull_back<T: Real>(&self, gradient: &Mat<T>, factor: f64, out: &mut [f64]) {
        let d = self.scales.len();
        for j in 0..gradient.ncols() {
            for ((out, g), scale) in out[j * d..(j + 1) * d].iter_mut().zip(gradient.col_as_slice(j)).zip(&self.scales) {
                *out += factor * g.widen() * scale;
            }
        }
    }
}
