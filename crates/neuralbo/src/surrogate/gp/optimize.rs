//! Maximization of the likelihood, or of the posterior density, of the hyper-parameters.

use super::hyper::{HyperParameters, MEAN_PRECISION, SearchSpace};
use super::kernel::Kernel;
use super::likelihood::{Evaluation, Likelihood};
use super::surrogate::GpSettings;
use crate::linalg::{Minimum, Rng, minimize_bounded};
use crate::surrogate::Dataset;

/// Data sets larger than this are searched from all starts on a subset of this size; only the best end is carried on to
/// the rest. A mode found on two hundred points is the mode of the whole, but its exact place is not.
const SCREENING_ROWS: usize = 200;
const SEARCH_ITERATIONS: usize = 100;
/// Each costs O(n³); from a screened start they lead to within a small part of a nat.
const POLISH_ITERATIONS: usize = 30;
/// Of the derivatives by logarithms; what is left to gain is then far below any difference that matters, a nat.
const TOLERANCE: f64 = 1e-3;

/// The best `θ` found from all starts for standardized `data`.
pub(super) fn search(data: &Dataset, settings: &GpSettings, rng: &mut Rng) -> Vec<f64> {
    let screened = data.select(&evenly_spaced(data.len(), SCREENING_ROWS));
    best_of_starts(
        &mut HyperLoss::new(&screened, settings, space(data, settings)),
        settings.starts,
        rng,
    )
    .x
}

/// The hyper-parameters for standardized `data` that a descent from `theta` leads to.
pub(super) fn polish(data: &Dataset, settings: &GpSettings, theta: &[f64]) -> HyperParameters {
    let rows = data.select(&evenly_spaced(data.len(), settings.likelihood_rows));
    let mut objective = HyperLoss::new(&rows, settings, space(data, settings));
    let polished = objective.minimize(theta, POLISH_ITERATIONS);
    objective.hyper_parameters(&polished.x)
}

fn space(data: &Dataset, settings: &GpSettings) -> SearchSpace {
    let dim = data.rows().dim();
    SearchSpace {
        scales: match settings.kernel {
            Kernel::ArcCosine => 0,
            _ if settings.ard => dim,
            _ => 1,
        },
        dim,
    }
}

pub(super) fn best_of_starts(
    objective: &mut HyperLoss<'_>,
    starts: usize,
    rng: &mut Rng,
) -> Minimum {
    let space = objective.space;
    let mut best = objective.minimize(&space.first_start(), SEARCH_ITERATIONS);
    for _ in 1..starts {
        let other = objective.minimize(&space.random_start(rng), SEARCH_ITERATIONS);
        if other.value < best.value {
            best = other;
        }
    }
    best
}

/// The negative log density of the hyper-parameters, each at its best mean.
pub(super) struct HyperLoss<'a> {
    likelihood: Likelihood<'a>,
    space: SearchSpace,
    priors: bool,
    pub mean_precision: f64,
}

impl<'a> HyperLoss<'a> {
    pub fn new(data: &'a Dataset, settings: &GpSettings, space: SearchSpace) -> Self {
        let likelihood = Likelihood::new(settings.kernel, data, !settings.ard);
        let mean_precision = if settings.priors { MEAN_PRECISION } else { 0.0 };
        Self {
            likelihood,
            space,
            priors: settings.priors,
            mean_precision,
        }
    }

    fn minimize(&mut self, start: &[f64], iterations: usize) -> Minimum {
        let (lower, upper) = self.space.bounds();
        minimize_bounded(
            |theta| self.loss(theta),
            start,
            &lower,
            &upper,
            iterations,
            TOLERANCE,
        )
    }

    fn evaluate(&mut self, theta: &[f64]) -> Option<Evaluation> {
        let hyper = HyperParameters::from_theta(theta, 0.0);
        self.likelihood.evaluate(&hyper, self.mean_precision).ok()
    }

    /// Not a number where the covariance has no factor; the minimizer steps back from there.
    fn loss(&mut self, theta: &[f64]) -> (f64, Vec<f64>) {
        let Some(Evaluation { mean, likelihood }) = self.evaluate(theta) else {
            return (f64::NAN, vec![0.0; theta.len()]);
        };
        let mut density = likelihood.value - 0.5 * self.mean_precision * mean * mean;
        let mut gradient = likelihood.theta_gradient();
        if self.priors {
            let (prior, slope) = self.space.log_prior(theta);
            density += prior;
            gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += s);
        }
        gradient.iter_mut().for_each(|g| *g = -*g);
        (-density, gradient)
    }

    fn hyper_parameters(&mut self, theta: &[f64]) -> HyperParameters {
        let mean = self
            .evaluate(theta)
            .map_or(0.0, |evaluation| evaluation.mean);
        HyperParameters::from_theta(theta, mean)
    }
}

/// At most `count` indices below `len`, evenly spaced, the first and the last among them: a function of the number of observations
/// alone, so that a surrogate that saw the data grow and a fresh one agree.
fn evenly_spaced(len: usize, count: usize) -> Vec<usize> {
    if len <= count {
        return (0..len).collect();
    }
    (0..count).map(|i| i * (len - 1) / (count - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_near, differences};
    use crate::linalg::{Purpose, Streams};
    use crate::surrogate::gp::tests::{standardized, wavy_data};

    #[test]
    fn screening_and_polishing_end_close_to_where_a_long_search_of_all_rows_ends() {
        for ard in [false, true] {
            let settings = GpSettings {
                ard,
                ..GpSettings::default()
            };
            let data = standardized(&wavy_data(4, 400, 40));
            let mut rng = Streams::new(1).stream(0, Purpose::HyperParameters);
            let found = polish(&data, &settings, &search(&data, &settings, &mut rng));
            let mut theta: Vec<f64> = found.length_scales.iter().map(|l| l.ln()).collect();
            theta.extend([found.amplitude.ln(), found.noise.ln()]);
            let mut objective = HyperLoss::new(
                &data,
                &settings,
                SearchSpace {
                    scales: found.length_scales.len(),
                    dim: 4,
                },
            );
            let (loss, longer) = (
                objective.loss(&theta).0,
                objective.minimize(&theta, 200).value,
            );
            assert!(loss < longer + 0.1, "{loss} {longer}");
        }
    }

    #[test]
    fn the_gradient_at_the_best_mean_is_that_of_the_maximum_over_means() {
        let data = standardized(&wavy_data(2, 20, 41));
        let settings = GpSettings::default();
        let mut objective = HyperLoss::new(&data, &settings, SearchSpace { scales: 1, dim: 2 });
        let theta = [0.3, 0.2, -3.0];
        let gradient = objective.loss(&theta).1;
        let expected = differences(&theta, |theta| objective.loss(theta).0);
        assert_near(&gradient, &expected, 1e-6);
    }

    #[test]
    fn even_spacing_keeps_both_ends_and_never_repeats() {
        assert_eq!(evenly_spaced(3, 5), vec![0, 1, 2]);
        let indices = evenly_spaced(1000, 300);
        assert_eq!((indices.len(), indices[0], indices[299]), (300, 0, 999));
        assert!(indices.windows(2).all(|w| w[0] < w[1]));
    }
}
