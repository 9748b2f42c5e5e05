//! The stationary covariance `σ²ρ(r²)` with noise `σₙ²`, as the Gaussian of this crate needs it.

use super::hyper::HyperParameters;
use super::kernel::{Kernel, ScaledRows, squared_distances_within, weighted_gradient};
use super::sample::{FourierFunction, PathFunction};
use crate::linalg::{Points, Rng};
use crate::surrogate::Function;
use crate::surrogate::gaussian::{Covariance, Gaussian, Inputs, Path};
use faer::Mat;
use std::ops::Range;

/// A correlation function with its hyper-parameters.
#[derive(Clone, Debug)]
pub(super) struct Stationary {
    pub kernel: Kernel,
    pub hyper: HyperParameters,
    pub inverse_scales: Vec<f64>,
}

impl Stationary {
    pub fn new(kernel: Kernel, hyper: HyperParameters, dim: usize) -> Self {
        Self {
            kernel,
            inverse_scales: hyper.inverse_scales(dim),
            hyper,
        }
    }
}

impl Inputs for ScaledRows {
    fn len(&self) -> usize {
        self.norms.len()
    }

    fn slice(&self, range: Range<usize>) -> Self {
        Self {
            rows: self.rows.slice(range.clone()),
            norms: self.norms[range].to_vec(),
        }
    }

    fn append(&mut self, other: &Self) {
        self.rows.extend(&other.rows);
        self.norms.extend(&other.norms);
    }
}

impl Covariance for Stationary {
    type Inputs = ScaledRows;
    /// `σ²h`.
    type Slopes = Mat<f64>;

    fn inputs(&self, rows: &Points) -> ScaledRows {
        ScaledRows::new(rows, &self.inverse_scales)
    }

    fn within(&self, data: &ScaledRows) -> Mat<f64> {
        let mut matrix = Mat::zeros(data.len(), data.len());
        squared_distances_within(data, &mut matrix);
        let mut slopes = vec![0.0; data.len()];
        for j in 0..data.len() {
            let column = &mut matrix.col_as_slice_mut(j)[j..];
            self.kernel.correlate(column, &mut slopes[j..]);
            column.iter_mut().for_each(|v| *v *= self.hyper.amplitude);
        }
        matrix
    }

    fn between(&self, data: &ScaledRows, points: &ScaledRows) -> Mat<f64> {
        let both = self
            .kernel
            .covariance_and_slope(self.hyper.amplitude, data, points);
        both.0
    }

    fn variances(&self, points: &ScaledRows) -> Vec<f64> {
        vec![self.hyper.amplitude; points.len()]
    }

    fn noise_at(&self, _: f64) -> f64 {
        self.hyper.noise
    }

    fn noise_sd(&self) -> f64 {
        self.hyper.noise.sqrt()
    }

    fn between_with_slopes(
        &self,
        data: &ScaledRows,
        points: &ScaledRows,
    ) -> Option<(Mat<f64>, Mat<f64>)> {
        Some(
            self.kernel
                .covariance_and_slope(self.hyper.amplitude, data, points),
        )
    }

    fn gradient(
        &self,
        data: &ScaledRows,
        points: &ScaledRows,
        slopes: &Mat<f64>,
        weight: impl Fn(usize, usize) -> f64,
    ) -> Points {
        let weighted = Mat::from_fn(data.len(), points.len(), |i, j| {
            slopes[(i, j)] * weight(i, j)
        });
        weighted_gradient(weighted.as_ref(), data, points, &self.inverse_scales)
    }

    fn sample(gaussian: &Gaussian<Self>, rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(gaussian.sample(1.0, rng)))
    }
}

impl Path for Stationary {
    type Prior = FourierFunction;
    type Function = PathFunction;

    fn draw_prior(&self, amplitude: f64, rng: &mut Rng) -> FourierFunction {
        FourierFunction::draw(self, amplitude, rng)
    }

    fn prior_values(prior: &FourierFunction, points: &ScaledRows) -> Vec<f64> {
        prior.values(points)
    }

    fn function(
        gaussian: &Gaussian<Self>,
        prior: FourierFunction,
        update: Vec<f64>,
    ) -> PathFunction {
        PathFunction {
            gaussian: gaussian.clone(),
            prior,
            update,
        }
    }
}
