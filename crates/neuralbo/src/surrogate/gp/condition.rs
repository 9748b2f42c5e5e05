//! Conditioning on observations with a factor that grows.
//!
//! The factor of `n` observations is always computed in the same way, as the whole factor of a *base* prefix extended row by
//! row, whether it grew over many fits or is computed afresh: both give the same numbers.

use super::hyper::HyperParameters;
use super::kernel::{Kernel, ScaledRows, squared_distances_within};
use super::likelihood::wrong_scale_count;
use crate::linalg::{Cholesky, NotPositiveDefinite, Points};
use crate::surrogate::FitError;
use faer::Mat;
use std::sync::Arc;

/// Noise added in proportion to the amplitude where rounding cost the covariance its definiteness, tried in turn.
const JITTERS: [f64; 6] = [0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6];

/// Scaled rows and the factor of their covariance.
#[derive(Clone, Debug)]
pub(super) struct Conditioned {
    pub kernel: Kernel,
    pub hyper: HyperParameters,
    pub inverse_scales: Vec<f64>,
    pub rows: ScaledRows,
    pub factor: Arc<Cholesky>,
    base: usize,
    jitter: usize,
}

impl Conditioned {
    /// Conditions on the first `base` rows at once and on the others one by one.
    pub fn new(
        kernel: Kernel,
        hyper: HyperParameters,
        rows: &Points,
        base: usize,
    ) -> Result<Self, FitError> {
        let inverse_scales = hyper
            .inverse_scales(rows.dim())
            .ok_or_else(|| wrong_scale_count(hyper.length_scales.len(), rows.dim()))?;
        let empty = ScaledRows::new(&Points::new(rows.dim()), &inverse_scales);
        let mut fresh = Self {
            kernel,
            hyper,
            inverse_scales,
            rows: empty,
            factor: Arc::default(),
            base,
            jitter: 0,
        };
        fresh.start_over(rows)?;
        Ok(fresh)
    }

    /// Extends to all of `rows`, whose beginning is already there.
    pub fn grow(&mut self, rows: &Points) -> Result<(), FitError> {
        for i in self.rows.len()..rows.len() {
            if self.append(&rows.slice(i..i + 1)).is_err() {
                self.jitter += 1;
                return self.start_over(rows);
            }
        }
        Ok(())
    }

    /// The same process conditioned on some of the rows only.
    pub fn on(&self, indices: &[usize]) -> Result<Self, NotPositiveDefinite> {
        let mut few = Self {
            rows: self.rows.select(indices),
            base: indices.len(),
            ..self.clone()
        };
        few.factor = Arc::new(Cholesky::factor(few.covariance().as_ref())?);
        Ok(few)
    }

    /// Noise variance including jitter.
    pub fn noise(&self) -> f64 {
        self.hyper.noise + self.hyper.amplitude * JITTERS[self.jitter.min(JITTERS.len() - 1)]
    }

    /// Appends one row; on an error nothing changes.
    pub fn append(&mut self, row: &Points) -> Result<(), NotPositiveDefinite> {
        let scaled = ScaledRows::new(row, &self.inverse_scales);
        let cross = self
            .kernel
            .covariance(self.hyper.amplitude, &self.rows, &scaled);
        let corner = Mat::full(1, 1, self.hyper.amplitude + self.noise());
        Arc::make_mut(&mut self.factor).append(cross.as_ref(), corner.as_ref())?;
        self.rows.extend(row, &self.inverse_scales);
        Ok(())
    }

    fn start_over(&mut self, rows: &Points) -> Result<(), FitError> {
        let base = rows.slice(0..self.base.min(rows.len()));
        while self.jitter < JITTERS.len() {
            self.rows = ScaledRows::new(&base, &self.inverse_scales);
            match Cholesky::factor(self.covariance().as_ref()) {
                Ok(factor) => {
                    self.factor = Arc::new(factor);
                    return self.grow(rows);
                }
                Err(_) => self.jitter += 1,
            }
        }
        Err(FitError::NotPositiveDefinite { size: rows.len() })
    }

    fn covariance(&self) -> Mat<f64> {
        let mut matrix = Mat::zeros(self.rows.len(), self.rows.len());
        squared_distances_within(&self.rows, &mut matrix);
        let mut slopes = vec![0.0; self.rows.len()];
        for j in 0..self.rows.len() {
            let column = &mut matrix.col_as_slice_mut(j)[j..];
            self.kernel.correlate(column, &mut slopes[j..]);
            column.iter_mut().for_each(|v| *v *= self.hyper.amplitude);
            column[0] += self.noise();
        }
        matrix
    }
}
