//! Correlation functions of the scaled distance and their matrices; `arc_cosine` has the kernel that is none.
//!
//! Symbols: `r² = Σ_j (x_j − x'_j)² / ℓ_j²`, `ρ(r²)` the correlation, `h = −2 ∂ρ/∂(r²)` its slope. With the slope every
//! derivative is one product: `∂ρ/∂x = −h (x − x') / ℓ²` and `∂ρ/∂ ln ℓ_j = h (x_j − x'_j)² / ℓ_j²`.

use crate::linalg::{FastMath, Points};
use crate::surrogate::gaussian::Inputs;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, Mat, MatRef, Par};
use serde::{Deserialize, Serialize};

/// A covariance function of amplitude 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// `exp(−r²/2)`, RW eq. 4.9: infinitely smooth functions.
    #[default]
    SquaredExponential,
    /// `(1 + √5 r + 5r²/3) exp(−√5 r)`, RW eq. 4.17: twice differentiable functions.
    Matern52,
    /// Degree 1 on the rows divided by `√d`, with a one appended (Cho and Saul 2009): that of infinitely many ReLU units. It has no
    /// length scale.
    ArcCosine,
}

impl Kernel {
    /// The correlation by distance; `None` for a kernel that is not stationary.
    pub(super) fn correlation(self) -> Option<Correlation> {
        match self {
            Kernel::SquaredExponential => Some(Correlation::SquaredExponential),
            Kernel::Matern52 => Some(Correlation::Matern52),
            Kernel::ArcCosine => None,
        }
    }
}

/// A stationary correlation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Correlation {
    SquaredExponential,
    Matern52,
}

impl Correlation {
    /// Correlation and slope at a squared scaled distance.
    #[cfg(test)]
    pub(super) fn correlation_and_slope(self, squared: f64) -> (f64, f64) {
        let (mut correlation, mut slope) = ([squared], [0.0]);
        self.correlate(&mut correlation, &mut slope);
        (correlation[0], slope[0])
    }

    /// Replaces squared distances by correlations and overwrites `slopes`.
    pub(super) fn correlate(self, squared: &mut [f64], slopes: &mut [f64]) {
        match self {
            Self::SquaredExponential => {
                let both = slopes.iter_mut().zip(squared.iter());
                both.for_each(|(e, s)| *e = -0.5 * s);
                f64::exp_slice(slopes, squared);
                slopes.copy_from_slice(squared);
            }
            Self::Matern52 => {
                squared.iter_mut().for_each(|s| *s = -(5.0 * *s).sqrt());
                f64::exp_slice(squared, slopes);
                for (value, slope) in squared.iter_mut().zip(slopes) {
                    let (root, decay) = (-*value, *slope);
                    *value = (1.0 + root + root * root / 3.0) * decay;
                    *slope = 5.0 / 3.0 * (1.0 + root) * decay;
                }
            }
        }
    }
}

/// Rows divided by the length scales, with their squared norms.
#[derive(Clone, Debug)]
pub struct ScaledRows {
    pub rows: Points,
    pub norms: Vec<f64>,
}

impl ScaledRows {
    pub fn new(rows: &Points, inverse_scales: &[f64]) -> Self {
        let mut scaled = Self {
            rows: Points::new(rows.dim()),
            norms: Vec::with_capacity(rows.len()),
        };
        for row in rows.rows() {
            let row: Vec<f64> = row.iter().zip(inverse_scales).map(|(x, s)| x * s).collect();
            scaled.norms.push(row.iter().map(|x| x * x).sum());
            scaled.rows.push(&row);
        }
        scaled
    }
}

/// `r²` between every row of `a` and every row of `b`, as `‖a‖² + ‖b‖² − 2 aᵀb`.
///
/// Cancellation leaves an absolute error of a few ulp of `‖a‖² + ‖b‖²`, which the correlations see as such because they are
/// smooth in `r²`; below zero it is cut off.
pub(super) fn squared_distances(a: &ScaledRows, b: &ScaledRows) -> Mat<f64> {
    let mut distances = Mat::zeros(a.len(), b.len());
    matmul(
        distances.as_mut(),
        Accum::Replace,
        a.rows.as_mat().transpose(),
        b.rows.as_mat(),
        -2.0,
        Par::Seq,
    );
    for (j, column) in distances.col_iter_mut().enumerate() {
        for (value, norm) in column.iter_mut().zip(&a.norms) {
            *value = (*value + norm + b.norms[j]).max(0.0);
        }
    }
    distances
}

/// The lower triangle of `r²` among the rows of `a`, written into `distances`.
pub(super) fn squared_distances_within(a: &ScaledRows, distances: &mut Mat<f64>) {
    triangular_matmul(
        distances.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        a.rows.as_mat().transpose(),
        BlockStructure::Rectangular,
        a.rows.as_mat(),
        BlockStructure::Rectangular,
        -2.0,
        Par::Seq,
    );
    for j in 0..a.len() {
        let column = &mut distances.col_as_slice_mut(j)[j..];
        for (value, norm) in column.iter_mut().zip(&a.norms[j..]) {
            *value = (*value + norm + a.norms[j]).max(0.0);
        }
        column[0] = 0.0;
    }
}

impl Correlation {
    /// `σ²ρ` and `σ²h` between two sets of rows.
    pub(super) fn covariance_and_slope(
        self,
        amplitude: f64,
        a: &ScaledRows,
        b: &ScaledRows,
    ) -> (Mat<f64>, Mat<f64>) {
        let mut covariance = squared_distances(a, b);
        let mut slope = Mat::zeros(a.len(), b.len());
        for j in 0..b.len() {
            let (column, slopes) = (covariance.col_as_slice_mut(j), slope.col_as_slice_mut(j));
            self.correlate(column, slopes);
            let both = column.iter_mut().chain(slopes);
            both.for_each(|v| *v *= amplitude);
        }
        (covariance, slope)
    }
}

/// Gradient with respect to the unscaled `points` of `Σ_i w_ij ρ(r_ij²)`, where column `j` of `weighted` holds `w_ij h_ij` and
/// `totals` its sums: `Σ_i w_ij h_ij (x_i − x_j) / ℓ²`.
pub(super) fn weighted_gradient(
    weighted: MatRef<'_, f64>,
    totals: &[f64],
    rows: &ScaledRows,
    points: &ScaledRows,
    inverse_scales: &[f64],
) -> Points {
    let mut gradient = Points::zeros(points.rows.dim(), points.len());
    let sums = rows.rows.as_mat() * weighted;
    for j in 0..points.len() {
        let total = totals[j];
        let point = points.rows.row(j);
        for (k, g) in gradient.row_mut(j).iter_mut().enumerate() {
            *g = (sums[(k, j)] - total * point[k]) * inverse_scales[k];
        }
    }
    gradient
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::squared_distance;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_squared_exponential_is_its_own_slope(squared in 0.01f64..30.0) {
            let (correlation, slope) = Correlation::SquaredExponential.correlation_and_slope(squared);
            prop_assert!((correlation - (-0.5 * squared).exp()).abs() < 1e-15);
            prop_assert_eq!(slope, correlation);
        }

        #[test]
        fn slope_is_minus_twice_the_derivative(squared in 0.01f64..30.0) {
            for kernel in [Correlation::SquaredExponential, Correlation::Matern52] {
                let step = 1e-5;
                let difference = (kernel.correlation_and_slope(squared + step).0
                    - kernel.correlation_and_slope(squared - step).0) / (2.0 * step);
                prop_assert!((kernel.correlation_and_slope(squared).1 + 2.0 * difference).abs() < 1e-8);
            }
        }

        #[test]
        fn distances_by_products_are_distances(values in prop::collection::vec(-1.0f64..1.0, 12)) {
            let rows = Points::from_rows(3, values.chunks(3));
            let scaled = ScaledRows::new(&rows, &[1.0, 2.0, 30.0]);
            let all = squared_distances(&scaled, &scaled);
            let mut lower = Mat::zeros(4, 4);
            squared_distances_within(&scaled, &mut lower);
            for j in 0..4 {
                for i in j..4 {
                    let direct = squared_distance(scaled.rows.row(i), scaled.rows.row(j));
                    prop_assert!((all[(i, j)] - direct).abs() < 1e-12 * 4000.0);
                    prop_assert!((lower[(i, j)] - direct).abs() < 1e-12 * 4000.0);
                }
            }
        }
    }
}
