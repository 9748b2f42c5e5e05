//! The dual form: `σ²(x) = k(x,x) − k_t(x)ᵀ (K_t + λI)⁻¹ k_t(x)`, equal to the paper's by the Woodbury identity.

use super::panels::{PANEL, PanelCholesky};
use faer::Mat;
use neuralbo::linalg::{NotPositiveDefinite, Real, Rng};
use neuralbo::net::Features;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Most observations of a surrogate with this form: its factor then takes 1 GiB.
pub const MOST_OBSERVATIONS: usize = 16_384;

/// Tangent features of the data and the growing factor of `K + λI`.
#[derive(Clone, Debug)]
pub struct Dual<T> {
    lambda: f64,
    parameters: usize,
    features: Option<Features<T>>,
    factor: PanelCholesky,
}

impl<T: Real> Dual<T> {
    /// No observations, `p` parameters.
    pub fn new(p: usize, lambda: f64) -> Self {
        Self {
            lambda,
            parameters: p,
            features: None,
            factor: PanelCholesky::default(),
        }
    }

    /// Number of observations.
    pub fn len(&self) -> usize {
        self.factor.size()
    }

    /// Whether there is no observation.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `(K + λI)⁻¹ r`.
    pub fn solve(&self, r: &[f64]) -> Vec<f64> {
        self.factor.solve_vec(r)
    }

    /// Rows that complete a panel of the factor enter it as a block, the others one by one.
    pub(super) fn append(&mut self, new: &Features<T>) -> Result<(), NotPositiveDefinite> {
        let mut at = 0;
        while at < new.len() {
            let missing = PANEL - self.len() % PANEL;
            let taken = if new.len() - at >= missing {
                missing
            } else {
                1
            };
            let points = new.columns(at..at + taken);
            if taken == missing {
                self.complete(&points)?
            } else {
                self.append_one(&points)?
            };
            self.remember(&points);
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

    fn append_one(&mut self, point: &Features<T>) -> Result<(), NotPositiveDefinite> {
        let cross = self.features.as_ref().map_or_else(
            || Mat::zeros(0, 1),
            |features| widen(&features.kernel(point)),
        );
        self.factor.append(
            cross.as_ref(),
            point.kernel(point)[(0, 0)].widen() + self.lambda,
        )
    }

    /// `points` are what is missing in the last panel.
    fn complete(&mut self, points: &Features<T>) -> Result<(), NotPositiveDefinite> {
        let start = self.len() - self.len() % PANEL;
        let (before, panel) = match &self.features {
            Some(features) => {
                let mut panel = features.columns(start..features.len());
                panel.append(points);
                (features.columns(0..start), panel)
            }
            None => (points.columns(0..0), points.clone()),
        };
        let mut corner = widen(&panel.kernel(&panel));
        (0..PANEL).for_each(|i| corner[(i, i)] += self.lambda);
        self.factor
            .complete(widen(&before.kernel(&panel)).as_ref(), corner.as_ref())
    }

    pub(super) fn variance(&self, points: &Features<T>) -> Vec<f64> {
        let mut variance: Vec<f64> = points
            .kernel_diagonal()
            .into_iter()
            .map(Real::widen)
            .collect();
        if let Some(features) = &self.features {
            let mut cross = widen(&features.kernel(points));
            self.factor.solve_lower(cross.as_mut());
            for (j, v) in variance.iter_mut().enumerate() {
                *v = (*v - cross.col_as_slice(j).iter().map(|c| c * c).sum::<f64>()).max(0.0);
            }
        }
        variance
    }

    /// `w = w₀ − G (K + λI)⁻¹ (Gᵀw₀/√m + √λ ε)/√m` with standard normal `w₀`, `ε`: exactly `N(0, λU⁻¹)`.
    pub(super) fn sample(&self, rng: &mut Rng) -> Vec<f64> {
        let normal = |_| T::from_f64(rng.sample::<f64, _>(StandardNormal));
        let mut w: Vec<T> = (0..self.parameters).map(normal).collect();
        let Some(features) = &self.features else {
            return w.into_iter().map(Real::widen).collect();
        };
        let root_m = (features.architecture().width as f64).sqrt();
        let mut noise = || self.lambda.sqrt() * rng.sample::<f64, _>(StandardNormal);
        let projected = features.jvp(&w).into_iter();
        let r: Vec<f64> = projected.map(|x| x.widen() / root_m + noise()).collect();
        features.vjp(&self.weights(&r, -root_m), &mut w);
        w.into_iter().map(Real::widen).collect()
    }

    /// `(K + λI)⁻¹ r / divisor`.
    fn weights(&self, r: &[f64], divisor: f64) -> Vec<T> {
        let solved = self.solve(r).into_iter();
        solved.map(|x| T::from_f64(x / divisor)).collect()
    }

    pub(super) fn ridge(&self, residuals: &[f64]) -> Vec<f64> {
        let mut v = vec![T::zero(); self.parameters];
        let Some(features) = &self.features else {
            return vec![0.0; self.parameters];
        };
        let m = features.architecture().width as f64;
        features.vjp(&self.weights(residuals, m), &mut v);
        v.into_iter().map(Real::widen).collect()
    }
}

pub(super) fn widen<T: Real>(a: &Mat<T>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].widen())
}
