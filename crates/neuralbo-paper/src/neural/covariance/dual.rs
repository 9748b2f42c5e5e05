//! The dual form: `σ²(x) = k(x,x) − k_t(x)ᵀ (K_t + λI)⁻¹ k_t(x)`, equal to the paper's by the Woodbury identity.

use faer::Mat;
use neuralbo::linalg::{Cholesky, NotPositiveDefinite, Real, Rng};
use neuralbo::net::Features;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Most observations of a surrogate with this form: its factor then takes about 1 GiB.
pub const MOST_OBSERVATIONS: usize = 10_000;

/// Observations that are factored together. Those of the last, incomplete block are appended one by one; when it is complete it
/// is factored again as a whole. So the factor depends on the data alone, not on how many came at a time.
const BLOCK: usize = 256;

/// Tangent features of the data and the growing factor of `K + λI`.
#[derive(Clone, Debug)]
pub struct Dual<T> {
    lambda: f64,
    parameters: usize,
    features: Option<Features<T>>,
    factor: Cholesky,
}

impl<T: Real> Dual<T> {
    /// No observations, `p` parameters.
    pub fn new(p: usize, lambda: f64) -> Self {
        Self {
            lambda,
            parameters: p,
            features: None,
            factor: Cholesky::default(),
        }
    }

    /// After an error the data are incomplete.
    pub(super) fn append(&mut self, new: &Features<T>) -> Result<(), NotPositiveDefinite> {
        let mut at = 0;
        while at < new.len() {
            let (size, missing) = (self.factor.size(), BLOCK - self.factor.size() % BLOCK);
            let completes = new.len() - at >= missing;
            let (start, taken) = if completes {
                (size + missing - BLOCK, missing)
            } else {
                (size, 1)
            };
            self.remember(&new.columns(at..at + taken));
            self.factor_from(start)?;
            at += taken;
        }
        Ok(())
    }

    fn remember(&mut self, points: &Features<T>) {
        match &mut self.features {
            Some(features) => features.append(points),
            None => self.features = Some(points.clone()),
        }
    }

    /// Factors the observations from `start` on as one block.
    fn factor_from(&mut self, start: usize) -> Result<(), NotPositiveDefinite> {
        let Some(features) = &self.features else {
            return Ok(());
        };
        let before = features.columns(0..start);
        let block = features.columns(start..features.len());
        let mut corner = widen(&block.kernel(&block));
        (0..block.len()).for_each(|i| corner[(i, i)] += self.lambda);
        self.factor.truncate(start);
        self.factor
            .append(widen(&before.kernel(&block)).as_ref(), corner.as_ref())
    }

    pub(super) fn variance(&self, points: &Features<T>) -> Vec<f64> {
        let own = points.kernel_diagonal().into_iter().map(Real::widen);
        let Some(features) = &self.features else {
            return own.collect();
        };
        let mut cross = widen(&features.kernel(points));
        self.factor.solve_lower(cross.as_mut());
        let explained = |j| cross.col_as_slice(j).iter().map(|c| c * c).sum::<f64>();
        own.enumerate()
            .map(|(j, own)| (own - explained(j)).max(0.0))
            .collect()
    }

    /// `w = w₀ − G (K + λI)⁻¹ (Gᵀw₀/√m + √λ ε)/√m` with standard normal `w₀`, `ε`: exactly `N(0, λU⁻¹)`.
    pub(super) fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let normal = |_| T::from_f64(rng.sample::<f64, _>(StandardNormal));
        let mut w: Vec<T> = (0..self.parameters).map(normal).collect();
        if let Some(features) = &self.features {
            let root_m = (features.architecture().width as f64).sqrt();
            let mut noise = || self.lambda.sqrt() * rng.sample::<f64, _>(StandardNormal);
            let projected = features.jvp(&w).into_iter();
            let r: Vec<f64> = projected.map(|x| x.widen() / root_m + noise()).collect();
            features.vjp(&self.weights(&r, -root_m), &mut w);
        }
        w.into_iter().map(Real::widen).collect()
    }

    /// `(K + λI)⁻¹ r / divisor`.
    fn weights(&self, r: &[f64], divisor: f64) -> Vec<T> {
        let solved = self.factor.solve_vec(r).into_iter();
        solved.map(|x| T::from_f64(x / divisor)).collect()
    }

    pub(super) fn quadratic_form(&self, r: &[f64]) -> f64 {
        let solved = self.factor.solve_vec(r);
        solved.iter().zip(r).map(|(s, r)| s * r).sum()
    }

    pub(super) fn ridge(&self, residuals: &[f64]) -> Vec<f64> {
        let mut v = vec![T::zero(); self.parameters];
        if let Some(features) = &self.features {
            let m = features.architecture().width as f64;
            features.vjp(&self.weights(residuals, m), &mut v);
        }
        v.into_iter().map(Real::widen).collect()
    }
}

pub(super) fn widen<T: Real>(a: &Mat<T>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].widen())
}
