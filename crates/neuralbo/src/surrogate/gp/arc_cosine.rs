//! The arc-cosine kernel of degree 1 and functions of its prior (Cho and Saul, *Kernel methods for deep learning*, 2009).
//!
//! Symbols: `x` a row divided by `√d`, `x̃ = (x, 1)`, `θ` the angle of `x̃` and `x̃′`,
//! `k = σ² ‖x̃‖ ‖x̃′‖ (sin θ + (π − θ) cos θ)/π`. It is `2σ² E max(uᵀx̃, 0) max(uᵀx̃′, 0)` with standard normal `u`: the kernel that
//! the features of `neuralbo-faithful` have in the limit of their number. It has no length scale: `√d` is that of the paper's domain.
//!
//! With `q = x̃ᵀx̃′` and `B = ‖x̃′‖²`, `∂k/∂q = σ² (π − θ)/π` and `∂k/∂B = ½ σ² (‖x̃‖/‖x̃′‖) sin θ/π`, so that
//! `∂k/∂x′ = ∂k/∂q x + 2 ∂k/∂B x′`.

use super::kernel::ScaledRows;
use crate::linalg::{Points, Rng, product};
use crate::surrogate::gaussian::{Inputs, dot};
use faer::Mat;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::PI;

/// ReLU units of a function of the prior.
const UNITS: usize = 2048;

/// `1/√d`.
pub(super) fn input_scale(dim: usize) -> f64 {
    (dim.max(1) as f64).sqrt().recip()
}

/// `xᵀx′` of every pair.
pub(super) fn inner_products(a: &ScaledRows, b: &ScaledRows) -> Mat<f64> {
    product(a.rows.as_mat().transpose(), b.rows.as_mat())
}

/// A pair of rows by its inner product.
struct Pair {
    /// `‖x̃‖` and `‖x̃′‖`.
    lengths: [f64; 2],
    cosine: f64,
    sine: f64,
    /// `(π − θ)/π`.
    share: f64,
}

impl Pair {
    fn new(product: f64, norms: [f64; 2]) -> Self {
        let lengths = norms.map(|norm| (norm + 1.0).sqrt());
        let cosine = ((product + 1.0) / (lengths[0] * lengths[1])).clamp(-1.0, 1.0);
        Self {
            lengths,
            cosine,
            sine: (1.0 - cosine * cosine).sqrt(),
            share: 1.0 - cosine.acos() / PI,
        }
    }

    fn value(&self) -> f64 {
        self.lengths[0] * self.lengths[1] * (self.sine / PI + self.share * self.cosine)
    }
}

/// Replaces the inner products of rows by covariances.
pub(super) fn values(amplitude: f64, a: &ScaledRows, b: &ScaledRows, products: &mut Mat<f64>) {
    for j in 0..b.len() {
        let column = products.col_as_slice_mut(j).iter_mut().zip(&a.norms);
        column.for_each(|(k, norm)| *k = amplitude * Pair::new(*k, [*norm, b.norms[j]]).value());
    }
}

/// The covariances of rows with each other, of amplitude 1.
pub(super) fn within(rows: &Points) -> Mat<f64> {
    let scaled = scaled(rows);
    let mut matrix = inner_products(&scaled, &scaled);
    values(1.0, &scaled, &scaled, &mut matrix);
    matrix
}

/// The rows as a network sees them.
fn scaled(rows: &Points) -> ScaledRows {
    ScaledRows::new(rows, &vec![input_scale(rows.dim()); rows.dim()])
}

/// Covariances, and the factors of `x` and `−x′` in their gradients in `x′`.
pub(super) fn with_slopes(
    amplitude: f64,
    a: &ScaledRows,
    b: &ScaledRows,
) -> (Mat<f64>, [Mat<f64>; 2]) {
    let mut values = inner_products(a, b);
    let (mut toward, mut away) = (values.clone(), values.clone());
    for j in 0..b.len() {
        for (i, norm) in a.norms.iter().enumerate() {
            let pair = Pair::new(values[(i, j)], [*norm, b.norms[j]]);
            values[(i, j)] = amplitude * pair.value();
            toward[(i, j)] = amplitude * pair.share;
            away[(i, j)] = -amplitude * pair.lengths[0] / pair.lengths[1] * pair.sine / PI;
        }
    }
    (values, [toward, away])
}

/// A function of the prior: `σ √(2/M) Σ_j c_j max(u_jᵀx̃, 0)` with standard normal `c` and `u`.
pub(super) struct RectifiedFunction {
    /// `dim × UNITS`.
    pub directions: Mat<f64>,
    thresholds: Vec<f64>,
    weights: Vec<f64>,
}

impl RectifiedFunction {
    /// A function for rows of `dim` coordinates, times `factor`.
    pub fn draw(dim: usize, factor: f64, rng: &mut Rng) -> Self {
        let unit = factor * (2.0 / UNITS as f64).sqrt();
        let mut normal = || rng.sample::<f64, _>(StandardNormal);
        Self {
            directions: Mat::from_fn(dim, UNITS, |_, _| normal()),
            thresholds: (0..UNITS).map(|_| normal()).collect(),
            weights: (0..UNITS).map(|_| unit * normal()).collect(),
        }
    }

    /// Values, and derivatives with respect to the inputs of the units.
    pub fn values_and_slopes(&self, points: &ScaledRows) -> (Vec<f64>, Mat<f64>) {
        let mut units = product(self.directions.transpose(), points.rows.as_mat());
        let mut values = vec![0.0; points.len()];
        for (j, value) in values.iter_mut().enumerate() {
            let column = units.col_as_slice_mut(j);
            let inputs = column.iter().zip(&self.thresholds);
            let rectified: Vec<f64> = inputs.map(|(u, b)| (u + b).max(0.0)).collect();
            *value = dot(&self.weights, &rectified);
            for (k, slope) in column.iter_mut().enumerate() {
                *slope = if rectified[k] > 0.0 {
                    self.weights[k]
                } else {
                    0.0
                };
            }
        }
        (values, units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_near, random_points};
    use crate::linalg::{Purpose, Streams};

    /// The kernel at angles whose sine and cosine are known.
    #[test]
    fn values_are_the_closed_form_at_known_angles() {
        // (−1, 1), (0, 1) and (1, 1) are at 45 degrees from each other.
        let rows = scaled(&Points::from_rows(1, [[-1.0], [0.0], [1.0]]));
        let mut found = inner_products(&rows, &rows);
        values(3.0, &rows, &rows, &mut found);
        let (quarter, right) = ((1.0 + 0.75 * PI) / PI, 2.0 / PI);
        let expected = [
            2.0, quarter, right, quarter, 1.0, quarter, right, quarter, 2.0,
        ];
        let found: Vec<f64> = (0..9).map(|k| found[(k % 3, k / 3)] / 3.0).collect();
        assert_near(&found, &expected, 1e-12);
    }

    #[test]
    fn it_is_the_expectation_of_products_of_relu_units() {
        let rows = scaled(&random_points(3, 4, 5));
        let mut found = inner_products(&rows, &rows);
        values(1.0, &rows, &rows, &mut found);
        let mut sums = Mat::<f64>::zeros(4, 4);
        let draws = 400;
        for seed in 0..draws {
            let mut rng = Streams::new(seed).stream(0, Purpose::Sample);
            let drawn = RectifiedFunction::draw(3, 1.0, &mut rng);
            let f = drawn.values_and_slopes(&rows).0;
            (0..16).for_each(|k| sums[(k % 4, k / 4)] += f[k % 4] * f[k / 4] / draws as f64);
        }
        // Four standard errors of a product of normal numbers of variance 2.
        let error = 4.0 * 2.0 * (2.0 / draws as f64).sqrt();
        assert!((0..16).all(|k| (sums[(k % 4, k / 4)] - found[(k % 4, k / 4)]).abs() < error));
    }
}
