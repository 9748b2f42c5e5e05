//! The evidence of hyper-parameters, and their choice by it.
//!
//! With the amplitude at its best value `â² = yᵀC⁻¹y/t` the log evidence is `−½ (t ln â² + ln det C + t)` up to a constant. Weak
//! log-normal priors keep what the data cannot tell near its start.

use super::Hyper;
use super::kernel::{TangentKernel, add_trend, inner_products};
use crate::linalg::Cholesky;
use faer::Mat;

/// What the evidence is computed from.
pub(super) struct Evidence<'a> {
    pub kernel: &'a TangentKernel,
    pub local: &'a Mat<f64>,
    pub y: &'a [f64],
    pub start: &'a Hyper,
    pub inner: Mat<f64>,
}

/// Bounds and prior widths in log space.
const SCALE_RANGE: f64 = 2.5;
const TREND_RANGE: f64 = 7.0;
const NOISE_RANGE: (f64, f64) = (-16.0, 0.7);

impl<'a> Evidence<'a> {
    pub(super) fn new(kernel: &'a TangentKernel, local: &'a Mat<f64>, y: &'a [f64], start: &'a Hyper) -> Self {
        Self { kernel, local, y, start, inner: inner_products(local, local) }
    }

    /// `k_NTK/κ` of the data.
    fn network_part(&self, hyper: &Hyper) -> Mat<f64> {
        let features = self.kernel.features(self.local, hyper);
        let mut k = features.kernel(&features);
        let kappa = mean_diagonal(&k);
        k *= faer::Scale(1.0 / kappa);
        k
    }

    /// Log evidence with the network's part of the kernel given.
    fn value(&self, network: &Mat<f64>, hyper: &Hyper) -> f64 {
        let mut c = network.clone();
        add_trend(&mut c, &self.inner, hyper);
        let noise = hyper.log_noise.exp();
        (0..c.nrows()).for_each(|i| c[(i, i)] += noise);
        let Ok(factor) = Cholesky::factor(c.as_ref()) else { return f64::NEG_INFINITY };
        let t = self.y.len() as f64;
        let alpha = factor.solve_vec(self.y);
        let amplitude = (self.y.iter().zip(&alpha).map(|(y, a)| y * a).sum::<f64>() + 1.0) / (t + 1.0);
        -0.5 * ((t + 1.0) * amplitude.ln() + factor.log_det()) + self.prior(hyper)
    }

    fn prior(&self, hyper: &Hyper) -> f64 {
        let start = self.start;
        let gauss = |x: f64, center: f64, width: f64| -0.5 * ((x - center) / width).powi(2);
        let scale: f64 = hyper.log_scales.iter().zip(&start.log_scales).map(|(s, c)| gauss(*s, *c, 1.5)).sum();
        scale / hyper.log_scales.len() as f64
            + gauss(hyper.log_linear, start.log_linear, 3.0)
            + gauss(hyper.log_quadratic, start.log_quadratic, 3.0)
            + gauss(hyper.log_noise, start.log_noise, 4.0)
    }

    /// Coordinate search from `from`: the common scale first, then trends and noise, with halving steps.
    pub(super) fn maximize(&self, from: &Hyper, rounds: usize) -> Hyper {
        let mut best = from.clone();
        let mut network = self.network_part(&best);
        let mut value = self.value(&network, &best);
        let mut step = 1.5;
        for _ in 0..rounds {
            for sign in [1.0, -1.0] {
                let trial = best.rescaled(f64::exp(sign * step * 0.6));
                if (trial.log_scales[0] - self.start.log_scales[0]).abs() > SCALE_RANGE {
                    continue;
                }
                let part = self.network_part(&trial);
                let found = self.value(&part, &trial);
                if found > value {
                    (best, network, value) = (trial, part, found);
                    break;
                }
            }
            for which in 0..3 {
                for sign in [1.0, -1.0] {
                    let mut trial = best.clone();
                    let (slot, low, high) = match which {
                        0 => (&mut trial.log_noise, NOISE_RANGE.0, NOISE_RANGE.1),
                        1 => (&mut trial.log_linear, -TREND_RANGE, TREND_RANGE),
                        _ => (&mut trial.log_quadratic, -TREND_RANGE, TREND_RANGE),
                    };
                    *slot = (*slot + sign * 2.0 * step).clamp(low, high);
                    let found = self.value(&network, &trial);
                    if found > value {
                        (best, value) = (trial, found);
                        break;
                    }
                }
            }
            step *= 0.6;
        }
        best
    }
}

pub(super) fn mean_diagonal(k: &Mat<f64>) -> f64 {
    let sum: f64 = (0..k.nrows()).map(|i| k[(i, i)]).sum();
    if sum > 0.0 { sum / k.nrows() as f64 } else { 1.0 }
}
