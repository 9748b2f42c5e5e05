//! The surrogate: when to refit, what to keep.

use super::condition::Conditioned;
use super::hyper::HyperParameters;
use super::optimize::best_hyper_parameters;
use super::posterior::GpPosterior;
use super::settings::{GpSettings, GpSettingsError};
use crate::linalg::{Purpose, Streams};
use crate::surrogate::{Dataset, FitError, Posterior, Standardizer, Surrogate};

/// Later rewards further than this many standard deviations out make the hyper-parameters of a milestone obsolete.
const SURPRISE: f64 = 100.0;

/// Exact Gaussian-process regression on standardized rewards.
///
/// Hyper-parameters are functions of the data up to a milestone (see [`GpSettings::refit`]), and of
/// [`GpSettings::likelihood_rows`] of them at most; between milestones only the factor of the covariance grows.
///
/// ```
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo::surrogate::{Dataset, Surrogate, gp::{GaussianProcess, GpSettings}};
///
/// let mut data = Dataset::new(1);
/// for i in 0..9 {
///     let x = i as f64 / 4.0 - 1.0;
///     data.push(&[x], (3.0 * x).sin());
/// }
/// let mut process = GaussianProcess::new(GpSettings::default())?;
/// let prediction = process.fit(&data, &Streams::new(1))?.predict(&Points::from_rows(1, [[0.4]]));
/// assert!((prediction.mean[0] - 1.2f64.sin()).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussianProcess {
    settings: GpSettings,
    state: Option<State>,
}

/// Hyper-parameters and the data they belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedHyperParameters {
    /// Number of observations, from the first on, that they were fitted to.
    pub observations: usize,
    /// Their values for rewards of mean 0 and standard deviation 1 (for rewards as they are when fixed).
    pub values: HyperParameters,
    units: Standardizer,
}

#[derive(Clone, Debug)]
struct State {
    streams: Streams,
    data: Dataset,
    fitted: FittedHyperParameters,
    conditioned: Conditioned,
}

impl GaussianProcess {
    /// A process with checked settings.
    pub fn new(settings: GpSettings) -> Result<Self, GpSettingsError> {
        settings.check()?;
        Ok(Self { settings, state: None })
    }

    /// The hyper-parameters of the latest fit.
    pub fn hyper_parameters(&self) -> Option<&FittedHyperParameters> {
        self.state.as_ref().map(|s| &s.fitted)
    }

    fn hyper_parameters_for(
        &self,
        data: &Dataset,
        streams: &Streams,
        kept: Option<&FittedHyperParameters>,
    ) -> FittedHyperParameters {
        if let Some(values) = &self.settings.fixed {
            return FittedHyperParameters { observations: 1, values: values.clone(), units: Standardizer::identity() };
        }
        let observations = self.settings.refit.milestone(data.len());
        let scheduled = match kept {
            Some(kept) if kept.observations == observations => kept.clone(),
            _ => self.fit_hyper_parameters(&data.prefix(observations), streams),
        };
        let surprising = data.rewards()[observations..].iter().any(|&y| scheduled.units.forward(y).abs() > SURPRISE);
        if surprising { self.fit_hyper_parameters(data, streams) } else { scheduled }
    }

    fn fit_hyper_parameters(&self, data: &Dataset, streams: &Streams) -> FittedHyperParameters {
        let units = Standardizer::of(data.rewards());
        let standardized = Dataset::from_parts(data.rows().clone(), units.forward_all(data.rewards()));
        let mut rng = streams.stream(data.len() as u64, Purpose::HyperParameters);
        let values = best_hyper_parameters(&standardized, &self.settings, &mut rng);
        FittedHyperParameters { observations: data.len(), values, units }
    }

    fn advance(&self, data: &Dataset, streams: &Streams, previous: Option<State>) -> Result<State, FitError> {
        let previous = previous.filter(|state| state.streams == *streams && data.begins_with(&state.data));
        let fitted = self.hyper_parameters_for(data, streams, previous.as_ref().map(|s| &s.fitted));
        let conditioned = match previous {
            Some(State { fitted: old, mut conditioned, .. }) if old == fitted => {
                conditioned.grow(data.rows())?;
                conditioned
            }
            _ => Conditioned::new(self.settings.kernel, fitted.values.clone(), data.rows(), fitted.observations)?,
        };
        Ok(State { streams: *streams, data: data.clone(), fitted, conditioned })
    }
}

impl Surrogate for GaussianProcess {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        check_rewards(data)?;
        let previous = self.state.take();
        let state = self.advance(data, streams, previous)?;
        let posterior = GpPosterior::new(state.conditioned.clone(), data.rewards(), state.fitted.units);
        self.state = Some(state);
        Ok(Box::new(posterior))
    }
}

fn check_rewards(data: &Dataset) -> Result<(), FitError> {
    if data.is_empty() {
        return Err(FitError::TooFewObservations { needed: 1, found: 0 });
    }
    match data.rewards().iter().position(|y| !y.is_finite()) {
        Some(i) => Err(FitError::Diverged { step: 0, detail: format!("reward {i} is {}, not finite", data.rewards()[i]) }),
        None => Ok(()),
    }
}
