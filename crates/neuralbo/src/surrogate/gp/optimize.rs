//! Maximization of the likelihood, or of the posterior density, of the hyper-parameters.

use super::hyper::{HyperParameters, SearchSpace};
use super::likelihood::Likelihood;
use super::schedule::evenly_spaced;
use super::settings::GpSettings;
use crate::linalg::{Minimum, Rng, minimize_bounded};
use crate::surrogate::Dataset;

/// Data sets larger than this are searched from all starts on a subset of this size; only the best end is carried on to
/// the rest. A mode found on two hundred points is the mode of the whole, but its exact place is not.
const SCREENING_ROWS: usize = 200;
const SEARCH_ITERATIONS: usize = 100;
/// The likelihood of large data sets is steep: from a screened start these suffice, and each costs O(n³).
const POLISH_ITERATIONS: usize = 8;
const TOLERANCE: f64 = 1e-5;

/// The best hyper-parameters found for standardized `data`.
pub(super) fn best_hyper_parameters(data: &Dataset, settings: &GpSettings, rng: &mut Rng) -> HyperParameters {
    let dim = data.rows().dim();
    let space = SearchSpace { scales: if settings.ard { dim } else { 1 }, dim };
    let screened = data.select(&evenly_spaced(data.len(), SCREENING_ROWS));
    let mut objective = Objective::new(&screened, settings, space);
    let mut best = objective.minimize(&space.first_start(), SEARCH_ITERATIONS);
    for _ in 1..settings.starts {
        let other = objective.minimize(&space.random_start(rng), SEARCH_ITERATIONS);
        if other.value < best.value {
            best = other;
        }
    }
    if data.len() > SCREENING_ROWS {
        let rows = data.select(&evenly_spaced(data.len(), settings.likelihood_rows));
        best = Objective::new(&rows, settings, space).minimize(&best.x, POLISH_ITERATIONS);
    }
    HyperParameters::from_theta(&best.x)
}

/// The negative log density of the hyper-parameters.
struct Objective<'a> {
    likelihood: Likelihood<'a>,
    space: SearchSpace,
    priors: bool,
}

impl<'a> Objective<'a> {
    fn new(data: &'a Dataset, settings: &GpSettings, space: SearchSpace) -> Self {
        let likelihood = Likelihood::new(settings.kernel, data.rows(), data.rewards(), !settings.ard);
        Self { likelihood, space, priors: settings.priors }
    }

    fn minimize(&mut self, start: &[f64], iterations: usize) -> Minimum {
        let (lower, upper) = self.space.bounds();
        minimize_bounded(|theta| self.loss(theta), start, &lower, &upper, iterations, TOLERANCE)
    }

    /// Not a number where the covariance has no factor; the minimizer steps back from there.
    fn loss(&mut self, theta: &[f64]) -> (f64, Vec<f64>) {
        let Ok(likelihood) = self.likelihood.evaluate(&HyperParameters::from_theta(theta)) else {
            return (f64::NAN, vec![0.0; theta.len()]);
        };
        let mut density = likelihood.value;
        let mut gradient = likelihood.theta_gradient();
        if self.priors {
            let (prior, slope) = self.space.log_prior(theta);
            density += prior;
            gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += s);
        }
        gradient.iter_mut().for_each(|g| *g = -*g);
        (-density, gradient)
    }
}
