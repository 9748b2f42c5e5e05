//! A metric for the local coordinates: directions in which the objective curves much are stretched, the others compressed.
//!
//! Symbols: `H = Q Λ Qᵀ` the symmetric curvature matrix, `W = diag(w) Qᵀ` with `w_i ∝ (|Λ_i|/mean|Λ| + floor)^½` and `det W = ±1`.
//! In `z = W (x − x_c)` a quadratic with Hessian `H` curves equally in all directions, as far as the floor allows.

use faer::{Mat, MatRef, Side};

/// The linear map `W` and its inverse.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    to_local: Mat<f64>,
    from_local: Mat<f64>,
}

impl Metric {
    /// The metric of a curvature matrix; relative curvatures are raised by `floor`, so that no direction seems to be without any.
    /// `None` where the matrix is zero or not finite.
    ///
    /// ```
    /// use faer::mat;
    /// use neuralbo::surrogate::tangent::Metric;
    ///
    /// let metric = Metric::of_curvature(&mat![[16.0, 0.0], [0.0, 1.0]], 0.0).ok_or("no curvature")?;
    /// // A step of one along the flat direction of the metric is four times as long as along the curved one.
    /// let lengths = [[1.0, 0.0], [0.0, 1.0]].map(|z| metric.from_local(&z).iter().map(|x| x * x).sum::<f64>().sqrt());
    /// assert!((lengths[0].max(lengths[1]) / lengths[0].min(lengths[1]) - 4.0).abs() < 1e-9);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn of_curvature(curvature: &Mat<f64>, floor: f64) -> Option<Self> {
        let (axes, values) = eigen(curvature)?;
        let mean = values.iter().map(|value| value.abs()).sum::<f64>() / values.len() as f64;
        (mean > 0.0)
            .then(|| Self::new(&axes, values.iter().map(|value| value.abs() / mean + floor)))
    }

    /// The metric with these axes and squared weights, scaled to a determinant of one.
    fn new(axes: &Mat<f64>, squares: impl Iterator<Item = f64>) -> Self {
        let logs: Vec<f64> = squares.map(|square| 0.5 * square.ln()).collect();
        let (d, center) = (logs.len(), logs.iter().sum::<f64>() / logs.len() as f64);
        let weights: Vec<f64> = logs.iter().map(|log| (log - center).exp()).collect();
        Self {
            to_local: Mat::from_fn(d, d, |i, j| weights[i] * axes[(j, i)]),
            from_local: Mat::from_fn(d, d, |i, j| axes[(i, j)] / weights[j]),
        }
    }

    /// The metric in which points with these second moments are spread alike in all directions; widths below `narrowest` of the
    /// largest count as that. `None` where the matrix is zero or not finite.
    pub fn of_moments(moments: &Mat<f64>, narrowest: f64) -> Option<Self> {
        let (axes, values) = eigen(moments)?;
        let most = values.iter().copied().fold(0.0, f64::max);
        let weights = values
            .iter()
            .map(|value| (value.max(0.0) / most + narrowest * narrowest).recip());
        (most > 0.0).then(|| Self::new(&axes, weights))
    }

    /// The metric `V W`, with `V` the metric of a curvature in the coordinates of this one.
    pub fn then(&self, next: &Self) -> Self {
        Self {
            to_local: &next.to_local * &self.to_local,
            from_local: &self.from_local * &next.from_local,
        }
    }

    /// `W x` for every column.
    pub fn columns_to_local(&self, columns: &Mat<f64>) -> Mat<f64> {
        &self.to_local * columns
    }

    /// Gradients with respect to `x` from those with respect to `W x`: `Wᵀ g` for every column.
    pub fn pull_back(&self, gradients: &Mat<f64>) -> Mat<f64> {
        self.to_local.transpose() * gradients
    }

    /// `W⁻¹ z`.
    pub fn from_local(&self, z: &[f64]) -> Vec<f64> {
        times(self.from_local.as_ref(), z)
    }

    /// `W⁻ᵀ g`: a gradient with respect to `z` from one with respect to `x`.
    pub fn gradient_to_local(&self, gradient: &[f64]) -> Vec<f64> {
        times(self.from_local.transpose(), gradient)
    }

    /// `|W x|²`.
    pub fn squared_length(&self, x: &[f64]) -> f64 {
        let local = times(self.to_local.as_ref(), x);
        local.iter().map(|z| z.powi(2)).sum()
    }
}

fn times(matrix: MatRef<'_, f64>, v: &[f64]) -> Vec<f64> {
    let row = |i: usize| v.iter().enumerate().map(|(j, v)| matrix[(i, j)] * v).sum();
    (0..v.len()).map(row).collect()
}

/// Eigenvectors and eigenvalues of a symmetric matrix; `None` where they are not finite.
fn eigen(matrix: &Mat<f64>) -> Option<(Mat<f64>, Vec<f64>)> {
    let is_finite = matrix
        .col_iter()
        .all(|column| column.iter().all(|value| value.is_finite()));
    let eigen = is_finite
        .then(|| matrix.self_adjoint_eigen(Side::Lower).ok())
        .flatten()?;
    let values: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
    let is_finite = values.iter().all(|value| value.is_finite());
    is_finite.then(|| (eigen.U().to_owned(), values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::assert_near;

    fn rotated() -> Mat<f64> {
        let (c, s) = (0.6, 0.8);
        let q = faer::mat![[c, -s], [s, c]];
        &q * faer::mat![[100.0, 0.0], [0.0, 1.0]] * q.transpose()
    }

    #[test]
    fn the_quadratic_is_round_in_its_own_metric() {
        let (h, metric) = (rotated(), Metric::of_curvature(&rotated(), 0.0).unwrap());
        let curvature = |z: [f64; 2]| {
            let x = metric.from_local(&z);
            let terms = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| x[i] * h[(i, j)] * x[j]);
            terms.iter().sum::<f64>()
        };
        let values = [[1.0, 0.0], [0.0, 1.0], [0.6, -0.8]].map(curvature);
        assert_near(&values, &[10.0; 3], 1e-9);
    }

    #[test]
    fn the_maps_are_inverse_to_each_other() {
        let metric = Metric::of_curvature(&rotated(), 0.1).unwrap();
        let x = metric.from_local(&[0.3, -0.7]);
        assert!((metric.squared_length(&x) - 0.58).abs() < 1e-12);
        let back = metric.columns_to_local(&Mat::from_fn(2, 1, |i, _| x[i]));
        assert_near(back.col_as_slice(0), &[0.3, -0.7], 1e-12);
        // Wᵀ (W⁻ᵀ g) = g.
        let local = metric.gradient_to_local(&[2.0, 5.0]);
        let gradient = metric.pull_back(&Mat::from_fn(2, 1, |i, _| local[i]));
        assert_near(gradient.col_as_slice(0), &[2.0, 5.0], 1e-12);
    }

    #[test]
    fn points_are_spread_alike_in_the_metric_of_their_moments() {
        // Moments are the inverse of a curvature: so is the metric.
        let moments = faer::mat![[0.09, 0.02], [0.02, 0.01]];
        let metric = Metric::of_moments(&moments, 0.0).unwrap();
        let spread = &metric.to_local * &moments * metric.to_local.transpose();
        assert_near(spread.col_as_slice(0), &[spread[(1, 1)], 0.0], 1e-12);
        // A direction without any spread counts as a tenth of the widest.
        let flat = Metric::of_moments(&faer::mat![[1.0, 0.0], [0.0, 0.0]], 0.1).unwrap();
        let length = |x: [f64; 2]| flat.squared_length(&x).sqrt();
        assert!((length([0.0, 1.0]) / length([1.0, 0.0]) - 101f64.sqrt()).abs() < 1e-9);
        assert_eq!(Metric::of_moments(&Mat::zeros(2, 2), 0.1), None);
    }

    #[test]
    fn a_metric_after_a_metric_is_their_product() {
        let first = Metric::of_curvature(&rotated(), 0.1).unwrap();
        let second = Metric::of_moments(&rotated(), 0.0).unwrap();
        let both = first.then(&second);
        let x = Mat::from_fn(2, 1, |i, _| [0.3, -0.7][i]);
        let at_once = both.columns_to_local(&x);
        let in_turn = second.columns_to_local(&first.columns_to_local(&x));
        assert_near(at_once.col_as_slice(0), in_turn.col_as_slice(0), 1e-12);
        assert_near(
            &both.from_local(at_once.col_as_slice(0)),
            &[0.3, -0.7],
            1e-12,
        );
    }

    #[test]
    fn no_curvature_has_no_metric() {
        for nothing in [0.0, f64::NAN] {
            let curvature = Mat::from_fn(2, 2, |_, _| nothing);
            assert_eq!(Metric::of_curvature(&curvature, 0.1), None);
        }
    }
}
