//! A metric for the local coordinates: directions in which the objective curves much are stretched, the others compressed.
//!
//! Symbols: `H = Q Λ Qᵀ` the symmetric curvature matrix, `W = diag(w) Qᵀ` with `w_i ∝ (|Λ_i|/mean|Λ| + floor)^½` and `det W = ±1`.
//! In `z = W (x − x_c)` a quadratic with Hessian `H` curves equally in all directions, as far as the floor allows.

use faer::{Mat, Side};

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
        let d = curvature.nrows();
        let is_finite = curvature.col_iter().all(|column| column.iter().all(|value| value.is_finite()));
        let eigen = is_finite.then(|| curvature.self_adjoint_eigen(Side::Lower).ok()).flatten()?;
        let (axes, values) = (eigen.U(), eigen.S().column_vector());
        let mean = values.iter().map(|value| value.abs()).sum::<f64>() / d as f64;
        if !(mean.is_finite() && mean > 0.0) {
            return None;
        }
        let logs: Vec<f64> = values.iter().map(|value| 0.5 * (value.abs() / mean + floor).ln()).collect();
        let center = logs.iter().sum::<f64>() / d as f64;
        let weights: Vec<f64> = logs.iter().map(|log| (log - center).exp()).collect();
        Some(Self {
            to_local: Mat::from_fn(d, d, |i, j| weights[i] * axes[(j, i)]),
            from_local: Mat::from_fn(d, d, |i, j| axes[(i, j)] / weights[j]),
        })
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
        let row = |i: usize| z.iter().enumerate().map(|(j, z)| self.from_local[(i, j)] * z).sum();
        (0..z.len()).map(row).collect()
    }

    /// `W⁻ᵀ g`: a gradient with respect to `z` from one with respect to `x`.
    pub fn gradient_to_local(&self, gradient: &[f64]) -> Vec<f64> {
        let column = |j: usize| gradient.iter().enumerate().map(|(i, g)| self.from_local[(i, j)] * g).sum();
        (0..gradient.len()).map(column).collect()
    }

    /// `|W x|²`.
    pub fn squared_length(&self, x: &[f64]) -> f64 {
        let row = |i: usize| x.iter().enumerate().map(|(j, x)| self.to_local[(i, j)] * x).sum::<f64>();
        (0..x.len()).map(|i| row(i).powi(2)).sum()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
            (0..2).flat_map(|i| (0..2).map(move |j| (i, j))).map(|(i, j)| x[i] * h[(i, j)] * x[j]).sum::<f64>()
        };
        let values = [[1.0, 0.0], [0.0, 1.0], [0.6, -0.8]].map(curvature);
        assert!(values.iter().all(|value| (value - 10.0).abs() < 1e-9), "{values:?}");
    }

    #[test]
    fn the_maps_are_inverse_to_each_other() {
        let metric = Metric::of_curvature(&rotated(), 0.1).unwrap();
        let x = metric.from_local(&[0.3, -0.7]);
        assert!((metric.squared_length(&x) - 0.58).abs() < 1e-12);
        let back = metric.columns_to_local(&Mat::from_fn(2, 1, |i, _| x[i]));
        assert!((back[(0, 0)] - 0.3).abs() < 1e-12 && (back[(1, 0)] + 0.7).abs() < 1e-12);
        // Wᵀ (W⁻ᵀ g) = g.
        let local = metric.gradient_to_local(&[2.0, 5.0]);
        let gradient = metric.pull_back(&Mat::from_fn(2, 1, |i, _| local[i]));
        assert!((gradient[(0, 0)] - 2.0).abs() < 1e-12 && (gradient[(1, 0)] - 5.0).abs() < 1e-12);
    }

    #[test]
    fn no_curvature_has_no_metric() {
        assert_eq!(Metric::of_curvature(&Mat::zeros(2, 2), 0.1), None);
        assert_eq!(Metric::of_curvature(&Mat::from_fn(2, 2, |_, _| f64::NAN), 0.1), None);
    }
}
