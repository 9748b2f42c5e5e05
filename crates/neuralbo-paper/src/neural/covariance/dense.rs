//! The paper's own form: `U` itself, here through its Cholesky factor under rank-one updates (line 7 of Algorithm 1).

use super::dual::widen;
use faer::linalg::cholesky::llt::factor::LltError;
use faer::linalg::cholesky::llt::update::rank_r_update_clobber;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Col, Mat, MatMut, Par};
use neuralbo::linalg::{NotPositiveDefinite, Real, Rng};
use neuralbo::net::Features;
use rand::RngExt;
use rand_distr::StandardNormal;

/// `L` with `U = L Lᵀ`, p×p.
#[derive(Clone, Debug)]
pub struct Dense {
    lambda: f64,
    factor: Mat<f64>,
}

impl Dense {
    /// `U = λI` with `p` parameters.
    pub fn new(p: usize, lambda: f64) -> Self {
        Self {
            lambda,
            factor: Mat::from_fn(p, p, |i, j| if i == j { lambda.sqrt() } else { 0.0 }),
        }
    }

    pub(super) fn append<T: Real>(
        &mut self,
        features: &Features<T>,
    ) -> Result<(), NotPositiveDefinite> {
        let m = features.architecture().width as f64;
        let mut g = widen(&features.dense());
        let mut weights = Col::from_fn(g.ncols(), |_| 1.0 / m);
        rank_r_update_clobber(self.factor.as_mut(), g.as_mut(), weights.as_diagonal_mut())
            .map_err(|LltError::NonPositivePivot { index }| NotPositiveDefinite { index })
    }

    /// `λ ‖L⁻¹ g(x)‖² / m`.
    pub(super) fn variance<T: Real>(&self, features: &Features<T>) -> Vec<f64> {
        let m = features.architecture().width as f64;
        let mut g = widen(&features.dense());
        solve_lower_triangular_in_place(self.factor.as_ref(), g.as_mut(), Par::Seq);
        (0..g.ncols())
            .map(|j| self.lambda / m * g.col_as_slice(j).iter().map(|x| x * x).sum::<f64>())
            .collect()
    }

    /// `√λ L⁻ᵀ z` with standard normal `z`.
    pub(super) fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let root = self.lambda.sqrt();
        let mut w: Vec<f64> = (0..self.factor.nrows())
            .map(|_| root * rng.sample::<f64, _>(StandardNormal))
            .collect();
        let column = MatMut::from_column_major_slice_mut(&mut w, self.factor.nrows(), 1);
        solve_upper_triangular_in_place(self.factor.transpose(), column, Par::Seq);
        w
    }
}
