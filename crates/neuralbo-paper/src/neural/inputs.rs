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
    /// Number of encoded coordinates.
    pub dim: usize,
    /// Their factor.
    pub scale: f64,
    /// What is added to them afterwards.
    pub origin: f64,
    /// Whether a one is appended.
    pub constant: bool,
}

impl InputMap {
    /// Coordinates of the box or the ball, with a one appended if asked for.
    pub fn new(dim: usize, domain: InputDomain, constant: bool) -> Self {
        let (scale, origin) = match domain {
            InputDomain::Box => (1.0, 0.0),
            InputDomain::Ball => (1.0 / (dim as f64).sqrt(), 0.0),
            InputDomain::Unit => (0.5, 0.5),
        };
        Self {
            dim,
            scale,
            origin,
            constant,
        }
    }

    /// The inputs of the points `range`, one column per point.
    pub fn apply<T: Real>(&self, rows: &Points, range: std::ops::Range<usize>) -> Mat<T> {
        let outputs = self.dim + usize::from(self.constant);
        Mat::from_fn(outputs, range.len(), |i, j| {
            let coordinate = rows.row(range.start + j).get(i);
            T::from_f64(coordinate.map_or(1.0, |x| x * self.scale + self.origin))
        })
    }

    /// Adds `factor ·` the gradients in the inputs (one column per point), carried back to the rows.
    pub fn pull_back<T: Real>(&self, gradient: &Mat<T>, factor: f64, out: &mut [f64]) {
        for (j, row) in out.chunks_mut(self.dim.max(1)).enumerate() {
            for (out, g) in row.iter_mut().zip(gradient.col_as_slice(j)) {
                *out += factor * g.widen() * self.scale;
            }
        }
    }
}
