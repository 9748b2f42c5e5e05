//! The factor of the covariance of observations, which grows with them.
//!
//! The factor of `t` observations is always computed in the same way, as the whole factor of a *base* prefix extended row
//! by row, whether it grew over many fits or is computed afresh: both give the same numbers.

use super::{Covariance, Inputs, mean_diagonal};
use crate::linalg::{Cholesky, NotPositiveDefinite};
use crate::surrogate::FitError;
use faer::Mat;
use std::sync::Arc;

/// First addition to a diagonal that rounding cost its definiteness, relative to its mean, and the factor of the next ones.
const SMALLEST_JITTER: f64 = 1e-14;
const JITTER_GROWTH: f64 = 100.0;
/// Most additions.
const MOST_JITTERS: usize = 5;

/// Observed inputs, the noise of each, and the factor of `C`.
#[derive(Clone)]
pub struct Conditioned<K: Covariance> {
    pub(in crate::surrogate) covariance: K,
    pub(in crate::surrogate) inputs: Arc<K::Inputs>,
    pub(super) factor: Arc<Cholesky>,
    /// `ρ_i`, with jitter.
    pub(super) noises: Vec<f64>,
    base: usize,
    jitter: Jitter,
}

/// What was added to the diagonal, and in how many steps.
#[derive(Clone, Copy, Default)]
struct Jitter {
    steps: usize,
    sum: f64,
}

impl<K: Covariance> Conditioned<K> {
    /// Conditions on the first `base` inputs at once and on the others one by one.
    pub fn new(
        covariance: K,
        inputs: &K::Inputs,
        noises: &[f64],
        base: usize,
    ) -> Result<Self, FitError> {
        let base = base.min(inputs.len());
        let first = inputs.slice(0..base);
        let matrix = covariance.within(&first);
        let mut fresh = Self::of_matrix(covariance, first, matrix, &noises[..base], 0)?;
        fresh.grow(inputs, noises)?;
        Ok(fresh)
    }

    /// Conditions on inputs whose covariances are known, the diagonal raised `steps` times at least.
    pub(in crate::surrogate) fn of_matrix(
        covariance: K,
        inputs: K::Inputs,
        mut matrix: Mat<f64>,
        noises: &[f64],
        steps: usize,
    ) -> Result<Self, FitError> {
        (0..noises.len()).for_each(|i| matrix[(i, i)] += noises[i]);
        let (factor, jitter) = factor_with_jitter(matrix, steps)?;
        Ok(Self {
            covariance,
            base: inputs.len(),
            inputs: Arc::new(inputs),
            factor: Arc::new(factor),
            noises: noises.iter().map(|noise| noise + jitter.sum).collect(),
            jitter,
        })
    }

    /// Number of observations.
    pub fn len(&self) -> usize {
        self.noises.len()
    }

    /// Whether there are no observations.
    pub fn is_empty(&self) -> bool {
        self.noises.is_empty()
    }

    /// Extends to all of `inputs`, whose beginning is already there.
    pub fn grow(&mut self, inputs: &K::Inputs, noises: &[f64]) -> Result<(), FitError> {
        for i in self.len()..inputs.len() {
            if self
                .append(&inputs.slice(i..i + 1), &noises[i..=i])
                .is_err()
            {
                let (first, steps) = (inputs.slice(0..self.base), self.jitter.steps + 1);
                let matrix = self.covariance.within(&first);
                let covariance = self.covariance.clone();
                *self = Self::of_matrix(covariance, first, matrix, &noises[..self.base], steps)?;
                return self.grow(inputs, noises);
            }
        }
        Ok(())
    }

    /// Appends inputs; on an error nothing changes.
    pub(super) fn append(
        &mut self,
        more: &K::Inputs,
        noises: &[f64],
    ) -> Result<(), NotPositiveDefinite> {
        let cross = self.covariance.between(&self.inputs, more);
        let mut corner = self.covariance.within(more);
        let noises: Vec<f64> = noises.iter().map(|noise| noise + self.jitter.sum).collect();
        (0..noises.len()).for_each(|i| corner[(i, i)] += noises[i]);
        Arc::make_mut(&mut self.factor).append(cross.as_ref(), corner.as_ref())?;
        Arc::make_mut(&mut self.inputs).append(more);
        self.noises.extend(noises);
        Ok(())
    }

    /// The same process conditioned on some of the observations only; `None` where they have no factor.
    pub(super) fn on(&self, indices: &[usize]) -> Option<Self> {
        let mut some = self.inputs.slice(0..0);
        indices
            .iter()
            .for_each(|&i| some.append(&self.inputs.slice(i..i + 1)));
        let noises: Vec<f64> = indices.iter().map(|&i| self.noises[i]).collect();
        let matrix = self.covariance.within(&some);
        Self::of_matrix(self.covariance.clone(), some, matrix, &noises, 0).ok()
    }

    /// `(C⁻¹)_ii` of the last `count` observations: the squared length of the i-th column of `L⁻¹`.
    pub(super) fn precisions(&self, count: usize) -> Vec<f64> {
        let first = self.len() - count;
        let unit = |i: usize, j: usize| f64::from(u8::from(i == first + j));
        let mut columns = Mat::<f64>::from_fn(self.len(), count, unit);
        self.factor.solve_lower(columns.as_mut());
        let square = |j: usize| super::dot(columns.col_as_slice(j), columns.col_as_slice(j));
        (0..count).map(square).collect()
    }
}

/// The factor of `c`, its diagonal raised `steps` times and then by as little as makes it positive definite.
fn factor_with_jitter(mut c: Mat<f64>, steps: usize) -> Result<(Cholesky, Jitter), FitError> {
    let mut step = SMALLEST_JITTER * mean_diagonal(&c);
    let mut jitter = Jitter::default();
    loop {
        if jitter.steps >= steps
            && let Ok(factor) = Cholesky::factor(c.as_ref())
        {
            return Ok((factor, jitter));
        }
        if jitter.steps == MOST_JITTERS {
            return Err(FitError::NotPositiveDefinite { size: c.nrows() });
        }
        (0..c.nrows()).for_each(|i| c[(i, i)] += step);
        jitter = Jitter {
            steps: jitter.steps + 1,
            sum: jitter.sum + step,
        };
        step *= JITTER_GROWTH;
    }
}
