//! The evidence of hyper-parameters, and their choice by it.
//!
//! With `C` the correlation matrix of the `t` targets `y` and the amplitude at its best value `â² = (yᵀC⁻¹y + 1)/(t + 1)` (the
//! ones are a prior worth one observation), the log evidence is `−½ ((t + 1) ln â² + ln det C)` up to a constant. Normal priors on
//! the logarithms keep near its start what the data cannot tell.

use super::Hyper;
use super::kernel::TangentKernel;
use super::trend::{TrendProducts, TrendWeights};
use crate::linalg::Cholesky;
use faer::Mat;
use std::ops::RangeInclusive;

/// Rounds of the coordinate search and the first step of each logarithm.
const ROUNDS: usize = 6;
const SCALE_STEP: f64 = 0.9;
const OTHER_STEP: f64 = 3.0;
/// Factor of the steps from round to round.
const STEP_DECAY: f64 = 0.5;

/// Standard deviations of the priors.
const SCALE_PRIOR: f64 = 1.5;
const TREND_PRIOR: f64 = 3.0;
const NOISE_PRIOR: f64 = 4.0;

/// How far the scale may go from its start, and where the others must stay.
const SCALE_REACH: f64 = 2.5;
const TREND: RangeInclusive<f64> = -9.0..=7.0;
const NOISE: RangeInclusive<f64> = -16.0..=0.7;

/// What the evidence is computed from.
pub(super) struct Evidence<'a> {
    kernel: &'a TangentKernel,
    local: &'a Mat<f64>,
    y: &'a [f64],
    start: Hyper,
    products: TrendProducts,
}

/// A place in the search: `network` is `k_NTK/κ` of the data, which depends on the scale alone.
struct Place {
    hyper: Hyper,
    network: Mat<f64>,
    value: f64,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(kernel: &'a TangentKernel, local: &'a Mat<f64>, y: &'a [f64], start: Hyper) -> Self {
        Self { kernel, local, y, start, products: TrendProducts::of(local, local) }
    }

    /// Coordinate search from the start with shrinking steps: the scale, then noise and trends, which cost no new features.
    pub(super) fn maximize(&self) -> Hyper {
        let mut at = self.place(self.start);
        let mut shrink = 1.0;
        for _ in 0..ROUNDS {
            self.improve_scale(&mut at, SCALE_STEP * shrink);
            let step = OTHER_STEP * shrink;
            self.improve(&mut at, step, NOISE, |hyper| &mut hyper.log_noise);
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_linear);
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_quadratic);
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_diagonal);
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_isotropic);
            shrink *= STEP_DECAY;
        }
        at.hyper
    }

    fn improve_scale(&self, at: &mut Place, step: f64) {
        for log_scale in [at.hyper.log_scale + step, at.hyper.log_scale - step] {
            if (log_scale - self.start.log_scale).abs() > SCALE_REACH {
                continue;
            }
            let trial = self.place(Hyper { log_scale, ..at.hyper });
            if trial.value > at.value {
                *at = trial;
                return;
            }
        }
    }

    fn improve(&self, at: &mut Place, step: f64, range: RangeInclusive<f64>, slot: impl Fn(&mut Hyper) -> &mut f64) {
        for step in [step, -step] {
            let mut hyper = at.hyper;
            let value = slot(&mut hyper);
            *value = (*value + step).clamp(*range.start(), *range.end());
            let value = self.value(&at.network, &hyper);
            if value > at.value {
                (at.hyper, at.value) = (hyper, value);
                return;
            }
        }
    }

    fn place(&self, hyper: Hyper) -> Place {
        let features = self.kernel.features(self.local, &hyper);
        let mut network = features.kernel(&features);
        network *= faer::Scale(1.0 / mean_diagonal(&network));
        Place { value: self.value(&network, &hyper), network, hyper }
    }

    /// Log evidence and log prior, with the network's part of the kernel given.
    pub(super) fn value(&self, network: &Mat<f64>, hyper: &Hyper) -> f64 {
        let c = correlations(network.clone(), &self.products, hyper);
        let Ok(factor) = Cholesky::factor(c.as_ref()) else { return f64::NEG_INFINITY };
        let amplitude = amplitude(self.y, &factor.solve_vec(self.y));
        let t = self.y.len() as f64;
        -0.5 * ((t + 1.0) * (amplitude * amplitude).ln() + factor.log_det()) + self.log_prior(hyper)
    }

    fn log_prior(&self, hyper: &Hyper) -> f64 {
        let term = |x: f64, center: f64, sd: f64| -0.5 * ((x - center) / sd).powi(2);
        term(hyper.log_scale, self.start.log_scale, SCALE_PRIOR)
            + term(hyper.log_linear, self.start.log_linear, TREND_PRIOR)
            + term(hyper.log_quadratic, self.start.log_quadratic, TREND_PRIOR)
            + term(hyper.log_diagonal, self.start.log_diagonal, TREND_PRIOR)
            + term(hyper.log_isotropic, self.start.log_isotropic, TREND_PRIOR)
            + term(hyper.log_noise, self.start.log_noise, NOISE_PRIOR)
    }
}

/// `C`: the network's part, the trend and the noise.
pub(super) fn correlations(mut network: Mat<f64>, products: &TrendProducts, hyper: &Hyper) -> Mat<f64> {
    products.add_to(&mut network, &TrendWeights::of(hyper));
    let noise = hyper.log_noise.exp();
    (0..network.nrows()).for_each(|i| network[(i, i)] += noise);
    network
}

/// `â` from the targets and `C⁻¹y`.
pub(super) fn amplitude(y: &[f64], weights: &[f64]) -> f64 {
    let explained: f64 = y.iter().zip(weights).map(|(y, w)| y * w).sum();
    ((explained.max(0.0) + 1.0) / (y.len() as f64 + 1.0)).sqrt()
}

/// Mean of the diagonal, one where it is zero.
pub(super) fn mean_diagonal(k: &Mat<f64>) -> f64 {
    let sum: f64 = (0..k.nrows()).map(|i| k[(i, i)]).sum();
    if sum > 0.0 { sum / k.nrows() as f64 } else { 1.0 }
}
