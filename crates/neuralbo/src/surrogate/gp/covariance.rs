//! The covariance `σ²ρ` with noise `σₙ²`, as the Gaussian of this crate needs it.

use super::arc_cosine;
use super::hyper::HyperParameters;
use super::kernel::{Kernel, ScaledRows, squared_distances_within, weighted_gradient};
use super::sample::{PathFunction, PriorFunction};
use crate::linalg::{Points, Rng};
use crate::surrogate::Function;
use crate::surrogate::gaussian::{Covariance, Gaussian, Inputs, Path};
use faer::Mat;
use std::ops::Range;

/// A kernel with its hyper-parameters.
#[derive(Clone, Debug)]
pub(super) struct KernelCovariance {
    pub kernel: Kernel,
    pub hyper: HyperParameters,
    pub inverse_scales: Vec<f64>,
}

/// What the gradient `Σ_i w_ij (toward_ij x_i − away_ij x_j)` in a scaled row `x_j` is computed from.
pub struct Slopes {
    toward: Mat<f64>,
    /// `None` where it is the same as `toward`, that is `σ²h` of a stationary kernel.
    away: Option<Mat<f64>>,
}

impl KernelCovariance {
    pub fn new(kernel: Kernel, hyper: HyperParameters, dim: usize) -> Self {
        let inverse_scales = match kernel {
            Kernel::ArcCosine => vec![arc_cosine::input_scale(dim); dim],
            _ => hyper.inverse_scales(dim),
        };
        Self {
            kernel,
            inverse_scales,
            hyper,
        }
    }

    pub(super) fn with_slopes(&self, data: &ScaledRows, points: &ScaledRows) -> (Mat<f64>, Slopes) {
        let amplitude = self.hyper.amplitude;
        match self.kernel.correlation() {
            Some(correlation) => {
                let (values, toward) = correlation.covariance_and_slope(amplitude, data, points);
                (values, Slopes { toward, away: None })
            }
            None => {
                let (values, [toward, away]) = arc_cosine::with_slopes(amplitude, data, points);
                let away = Some(away);
                (values, Slopes { toward, away })
            }
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

impl Covariance for KernelCovariance {
    type Inputs = ScaledRows;
    type Slopes = Slopes;

    fn inputs(&self, rows: &Points) -> ScaledRows {
        ScaledRows::new(rows, &self.inverse_scales)
    }

    fn within(&self, data: &ScaledRows) -> Mat<f64> {
        let Some(correlation) = self.kernel.correlation() else {
            return self.between(data, data);
        };
        let mut matrix = Mat::zeros(data.len(), data.len());
        squared_distances_within(data, &mut matrix);
        let mut slopes = vec![0.0; data.len()];
        for j in 0..data.len() {
            let column = &mut matrix.col_as_slice_mut(j)[j..];
            correlation.correlate(column, &mut slopes[j..]);
            column.iter_mut().for_each(|v| *v *= self.hyper.amplitude);
        }
        matrix
    }

    fn between(&self, data: &ScaledRows, points: &ScaledRows) -> Mat<f64> {
        self.with_slopes(data, points).0
    }

    fn variances(&self, points: &ScaledRows) -> Vec<f64> {
        let amplitude = self.hyper.amplitude;
        match self.kernel {
            // Of two equal rows with the constant, at the angle 0.
            Kernel::ArcCosine => points.norms.iter().map(|n| amplitude * (n + 1.0)).collect(),
            _ => vec![amplitude; points.len()],
        }
    }

    fn variance_gradient(&self, points: &ScaledRows, _: &Slopes) -> Option<Points> {
        (self.kernel == Kernel::ArcCosine).then(|| {
            let mut gradient = points.rows.clone();
            for j in 0..points.len() {
                let entries = gradient.row_mut(j).iter_mut().zip(&self.inverse_scales);
                entries.for_each(|(g, inverse)| *g *= 2.0 * self.hyper.amplitude * inverse);
            }
            gradient
        })
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
    ) -> Option<(Mat<f64>, Slopes)> {
        Some(self.with_slopes(data, points))
    }

    fn gradient(
        &self,
        data: &ScaledRows,
        points: &ScaledRows,
        slopes: &Slopes,
        weight: impl Fn(usize, usize) -> f64,
    ) -> Points {
        let weighted = |slopes: &Mat<f64>| {
            Mat::from_fn(data.len(), points.len(), |i, j| {
                slopes[(i, j)] * weight(i, j)
            })
        };
        let sums = |weighted: &Mat<f64>| -> Vec<f64> {
            (0..points.len())
                .map(|j| weighted.col(j).iter().sum())
                .collect()
        };
        let toward = weighted(&slopes.toward);
        let totals = match &slopes.away {
            Some(away) => sums(&weighted(away)),
            None => sums(&toward),
        };
        weighted_gradient(toward.as_ref(), &totals, data, points, &self.inverse_scales)
    }

    fn sample(gaussian: &Gaussian<Self>, rng: &mut Rng) -> Option<Box<dyn Function>> {
        Some(Box::new(gaussian.sample(1.0, rng)))
    }
}

impl Path for KernelCovariance {
    type Prior = PriorFunction;
    type Function = PathFunction;

    fn draw_prior(&self, amplitude: f64, rng: &mut Rng) -> PriorFunction {
        PriorFunction::draw(self, amplitude, rng)
    }

    fn prior_values(prior: &PriorFunction, points: &ScaledRows) -> Vec<f64> {
        prior.values(points)
    }

    fn function(gaussian: &Gaussian<Self>, prior: PriorFunction, update: Vec<f64>) -> PathFunction {
        PathFunction {
            gaussian: gaussian.clone(),
            prior,
            update,
        }
    }
}
