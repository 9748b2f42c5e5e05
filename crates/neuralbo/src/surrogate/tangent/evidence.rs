//! The evidence of hyper-parameters, and their choice by it.
//!
//! The amplitude is at its best value (see `gaussian/mod.rs`). Normal priors on the logarithms keep near its start what
//! the data cannot tell.
//!
//! An objective without and one with noise are two hypotheses, each with a prior of its own. Without noise an observation is
//! the function's value, and what the model cannot follow counts as an error that grows with the gap to the best value. With
//! noise an observation says nothing about its own precision, so all have the same. The evidences of the two cannot be
//! compared: the first one's variances depend on the observations that they explain, so it is not a density. What is compared
//! is how well each predicts every observation from the others, and the best ones by themselves. Repeated evaluations of a
//! point decide by themselves: they differ where there is noise and nowhere else.

use super::hyper::Gaps;
use super::hyper::{Hyper, LEAST_NOISE};
use super::kernel::TangentKernel;
use super::trend::{TrendProducts, TrendWeights};
use crate::linalg::Cholesky;
use crate::surrogate::gaussian::{Left, leave_one_out, log_evidence, mean_diagonal};
use faer::Mat;
use std::ops::RangeInclusive;

/// Rounds of a coordinate search and what the steps of the first one are multiplied by.
#[derive(Clone, Copy)]
struct SearchEffort {
    rounds: usize,
    first: f64,
}

/// From the start, and once more from a place that is nearly right.
const FULL: SearchEffort = SearchEffort {
    rounds: 5,
    first: 1.0,
};
const SHORT: SearchEffort = SearchEffort {
    rounds: 2,
    first: 0.5,
};

/// First step of each logarithm, and the factor of the steps from round to round.
const SCALE_STEP: f64 = 0.9;
const OTHER_STEP: f64 = 3.0;
const STEP_DECAY: f64 = 0.5;

/// Fewer observations cannot tell noise from a function, in all and per coordinate; two of one point can.
const FEWEST_FOR_NOISE: usize = 10;
const FEWEST_PER_COORDINATE: usize = 2;

/// Largest distance per coordinate, in units of the frame, of two observations of one point.
const ONE_POINT: f64 = 1e-4;

/// Noises `ρ` tried first.
const FIRST_NOISES: [f64; 5] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0];

/// By how much the log density of predictions must be larger with noise: most objectives are computed.
const NOISE_ODDS: f64 = 3.0;

/// Share of that gain which the best half of the observations may lose. Conditional spaces with a heavy tail lose more.
const LOST: f64 = 0.05;

/// Standard deviations of the priors.
const SCALE_PRIOR: f64 = 1.5;
const TREND_PRIOR: f64 = 3.0;
const NOISE_PRIOR: f64 = 4.0;
const GAP_PRIOR: f64 = 4.0;

/// How far the scale may go from its start, and where the others must stay.
const SCALE_REACH: f64 = 2.5;
const TREND: RangeInclusive<f64> = -9.0..=7.0;
const QUIET: RangeInclusive<f64> = -20.0..=LEAST_NOISE;
const NOISE: RangeInclusive<f64> = LEAST_NOISE..=0.7;
const GAP: RangeInclusive<f64> = -18.0..=0.0;

/// What the evidence is computed from.
pub(super) struct Evidence<'a> {
    kernel: &'a TangentKernel,
    local: &'a Mat<f64>,
    y: &'a [f64],
    start: Hyper,
    products: TrendProducts,
    gaps: Gaps,
    /// Standard deviation of the noise by repeated evaluations, wherever they were made.
    replicate_sd: Option<f64>,
}

/// A place in the search: `network` is `k_NTK/κ` of the data, which depends on the scale alone.
struct Place {
    hyper: Hyper,
    network: Mat<f64>,
    value: f64,
}

/// An observation as predicted from the others: mean and log density.
struct PredictedObservation {
    mean: f64,
    density: f64,
}

impl<'a> Evidence<'a> {
    /// The evidence of targets at local rows, with priors centred at `start`.
    pub(super) fn new(
        kernel: &'a TangentKernel,
        local: &'a Mat<f64>,
        y: &'a [f64],
        gaps: Gaps,
        start: Hyper,
    ) -> Self {
        Self {
            kernel,
            local,
            y,
            start,
            products: TrendProducts::of(local, local),
            gaps,
            replicate_sd: None,
        }
    }

    /// The same with the noise that repeated evaluations have shown.
    pub(super) fn with_replicate_sd(self, replicate_sd: Option<f64>) -> Self {
        Self {
            replicate_sd,
            ..self
        }
    }

    /// The better of two searches, from an objective without noise and, with what was found, from one with noise.
    pub(super) fn maximize(&self) -> Hyper {
        let quiet = self.search(self.start, FULL);
        let proof = self.proof_of_noise();
        let fewest = FEWEST_FOR_NOISE.max(FEWEST_PER_COORDINATE * self.local.nrows());
        let few = proof.is_none() && self.y.len() < fewest;
        if few || proof == Some(false) {
            return quiet.hyper;
        }
        let noisy = self.with_noise().search_noisy(&quiet);
        if proof == Some(true) || self.predicts_better(&noisy, &quiet) {
            noisy.hyper
        } else {
            quiet.hyper
        }
    }

    /// Whether repeated evaluations of a point differ by more than the least noise, which no function does; `None` where no point
    /// was evaluated again.
    fn proof_of_noise(&self) -> Option<bool> {
        let least = (0.5 * LEAST_NOISE).exp();
        let known = self.replicate_sd.map(|sd| sd > least);
        known.or_else(|| self.neighbours_differ(least).then_some(true))
    }

    /// Whether two observations next to each other differ by more than `least`.
    fn neighbours_differ(&self, least: f64) -> bool {
        let row = |i: usize| self.local.col_as_slice(i);
        let is_one_point = |i: usize, j: usize| {
            let mut pairs = row(i).iter().zip(row(j));
            pairs.all(|(a, b)| (a - b).abs() <= ONE_POINT)
        };
        let differ = |i: usize, j: usize| (self.y[i] - self.y[j]).abs() > least;
        (1..self.y.len()).any(|j| (0..j).any(|i| differ(i, j) && is_one_point(i, j)))
    }

    /// A search from the function of a quiet objective and the noise that fits it best.
    fn search_noisy(&self, quiet: &Place) -> Place {
        let with = |log_noise: f64| Hyper {
            log_noise,
            ..quiet.hyper.noisy()
        };
        let noises = FIRST_NOISES.map(|noise| with(noise.ln()));
        let values = noises.map(|hyper| self.value(&quiet.network, &hyper));
        let best = (0..noises.len()).max_by(|&i, &j| values[i].total_cmp(&values[j]));
        self.search(noises[best.unwrap_or(0)], SHORT)
    }

    /// The same with the prior of the noise centred at an objective that has some.
    fn with_noise(&self) -> Self {
        Self {
            start: self.start.noisy(),
            products: self.products.clone(),
            gaps: self.gaps.clone(),
            ..*self
        }
    }

    /// A short search from hyper-parameters that are nearly right.
    pub(super) fn maximize_from(&self, hyper: Hyper) -> Hyper {
        if hyper.is_noisy() {
            self.with_noise().search(hyper, SHORT).hyper
        } else {
            self.search(hyper, SHORT).hyper
        }
    }

    /// Coordinate search with shrinking steps: the scale, then noise and trends, which cost no new features.
    fn search(&self, from: Hyper, search: SearchEffort) -> Place {
        let mut at = self.place(from);
        let mut shrink = search.first;
        for _ in 0..search.rounds {
            self.improve_scale(&mut at, SCALE_STEP * shrink);
            let step = OTHER_STEP * shrink;
            if at.hyper.is_noisy() {
                self.improve(&mut at, step, NOISE, |hyper| &mut hyper.log_noise);
            } else {
                self.improve(&mut at, step, QUIET, |hyper| &mut hyper.log_noise);
                self.improve(&mut at, step, GAP, |hyper| &mut hyper.log_gap);
            }
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_linear);
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_quadratic);
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_diagonal);
            self.improve(&mut at, step, TREND, |hyper| &mut hyper.log_isotropic);
            shrink *= STEP_DECAY;
        }
        at
    }

    fn improve_scale(&self, at: &mut Place, step: f64) {
        for log_scale in [at.hyper.log_scale + step, at.hyper.log_scale - step] {
            if (log_scale - self.start.log_scale).abs() > SCALE_REACH {
                continue;
            }
            let trial = self.place(Hyper {
                log_scale,
                ..at.hyper
            });
            if trial.value > at.value {
                *at = trial;
                return;
            }
        }
    }

    fn improve(
        &self,
        at: &mut Place,
        step: f64,
        range: RangeInclusive<f64>,
        slot: impl Fn(&mut Hyper) -> &mut f64,
    ) {
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
        Place {
            value: self.value(&network, &hyper),
            network,
            hyper,
        }
    }

    /// Log evidence and log prior, with the network's part of the kernel given.
    pub(super) fn value(&self, network: &Mat<f64>, hyper: &Hyper) -> f64 {
        let Some(factor) = self.factor(network, hyper, &self.gaps.noises(hyper)) else {
            return f64::NEG_INFINITY;
        };
        log_evidence(self.y, &factor) + self.log_prior(hyper)
    }

    fn factor(&self, network: &Mat<f64>, hyper: &Hyper, noises: &[f64]) -> Option<Cholesky> {
        let c = correlations(network.clone(), &self.products, hyper, noises);
        Cholesky::factor(c.as_ref()).ok()
    }

    /// Whether `noisy` predicts the observations from one another clearly better than `quiet`, and hardly worse the half that it
    /// predicts to be best: noise does not end there, the misfit of a heavy tail does.
    fn predicts_better(&self, noisy: &Place, quiet: &Place) -> bool {
        let (noisy, quiet) = (self.predicted(noisy), self.predicted(quiet));
        let gain = |i: usize| noisy[i].density - quiet[i].density;
        let mut order: Vec<usize> = (0..noisy.len().min(quiet.len())).collect();
        order.sort_by(|&i, &j| noisy[j].mean.total_cmp(&noisy[i].mean));
        let best = order.iter().take(order.len() / 2).map(|&i| gain(i));
        let all = order.iter().map(|&i| gain(i));
        let (all, best) = (all.sum::<f64>(), best.sum::<f64>());
        all > NOISE_ODDS && best > -LOST * all
    }

    /// Every observation as predicted from the others, with the noise that it would be expected to have; none where that
    /// cannot be computed.
    fn predicted(&self, at: &Place) -> Vec<PredictedObservation> {
        let noises = self.gaps.noises(&at.hyper);
        let Some(factor) = self.factor(&at.network, &at.hyper, &noises) else {
            return Vec::new();
        };
        let (left, amplitude) = leave_one_out(self.y, &factor);
        let gaps = self.gaps.around_best(left.iter().map(|left| left.mean));
        let predicted = |(i, Left { mean, variance }): (usize, Left)| {
            let known = (variance - noises[i]).max(0.0);
            let expected = gaps.expected_noise(i, mean, &at.hyper);
            let variance = amplitude * amplitude * (known + expected);
            PredictedObservation {
                mean,
                density: -0.5 * (variance.ln() + (self.y[i] - mean).powi(2) / variance),
            }
        };
        left.into_iter().enumerate().map(predicted).collect()
    }

    fn log_prior(&self, hyper: &Hyper) -> f64 {
        let term = |x: f64, center: f64, sd: f64| match x == center {
            true => 0.0,
            false => -0.5 * ((x - center) / sd).powi(2),
        };
        term(hyper.log_scale, self.start.log_scale, SCALE_PRIOR)
            + term(hyper.log_linear, self.start.log_linear, TREND_PRIOR)
            + term(hyper.log_quadratic, self.start.log_quadratic, TREND_PRIOR)
            + term(hyper.log_diagonal, self.start.log_diagonal, TREND_PRIOR)
            + term(hyper.log_isotropic, self.start.log_isotropic, TREND_PRIOR)
            + term(hyper.log_noise, self.start.log_noise, NOISE_PRIOR)
            + term(hyper.log_gap, self.start.log_gap, GAP_PRIOR)
    }
}

/// `C`: the network's part, the trend and, where given, the noise of each observation.
pub(super) fn correlations(
    mut network: Mat<f64>,
    products: &TrendProducts,
    hyper: &Hyper,
    noises: &[f64],
) -> Mat<f64> {
    products.add_to(&mut network, &TrendWeights::of(hyper));
    (0..noises.len()).for_each(|i| network[(i, i)] += noises[i]);
    network
}
