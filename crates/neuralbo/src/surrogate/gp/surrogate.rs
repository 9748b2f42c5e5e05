//! The surrogate: when to refit, what to keep.

use super::covariance::Stationary;
use super::hyper::HyperParameters;
use super::optimize::{polish, search};
use super::settings::GpSettings;
use crate::linalg::{Purpose, Streams};
use crate::surrogate::gaussian::{Conditioned, Covariance, Gaussian};
use crate::surrogate::{
    Dataset, FitError, Posterior, Refit, SettingError, Standardizer, Surrogate,
};

/// Later rewards further than this many standard deviations out make the hyper-parameters of a milestone obsolete.
const SURPRISE: f64 = 100.0;
/// When hyper-parameters are sought from all starts.
const SEARCHES: Refit = Refit {
    every_until: 20,
    growth: 0.25,
};

/// Exact Gaussian-process regression on standardized rewards.
///
/// Hyper-parameters are functions of the data up to a milestone (see [`GpSettings::refit`]), and of
/// [`GpSettings::likelihood_rows`] of them at most; between milestones only the factor of the covariance grows. They are sought
/// from several starts each time the data grew by a quarter; at the milestones in between a descent begins where the last search
/// ended. A fresh process needs one search and one descent, however much data there are.
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
#[derive(Clone)]
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

/// Hyper-parameters and the search that led to them; none where they are fixed.
#[derive(Clone, Debug)]
struct Fit {
    search: Option<Search>,
    fitted: FittedHyperParameters,
}

/// Where a search from all starts ended.
#[derive(Clone, Debug)]
struct Search {
    /// Number of observations, from the first on, that were looked at.
    observations: usize,
    /// The logarithms of the hyper-parameters for rewards of mean 0 and standard deviation 1.
    theta: Vec<f64>,
}

#[derive(Clone)]
struct State {
    streams: Streams,
    data: Dataset,
    fit: Fit,
    conditioned: Conditioned<Stationary>,
}

impl GaussianProcess {
    /// A process with checked settings.
    pub fn new(settings: GpSettings) -> Result<Self, SettingError> {
        settings.check()?;
        Ok(Self {
            settings,
            state: None,
        })
    }

    /// The hyper-parameters of the latest fit.
    pub fn hyper_parameters(&self) -> Option<&FittedHyperParameters> {
        self.state.as_ref().map(|s| &s.fit.fitted)
    }

    fn hyper_parameters_for(&self, data: &Dataset, streams: &Streams, kept: Option<Fit>) -> Fit {
        if let Some(values) = &self.settings.fixed {
            let fitted = FittedHyperParameters {
                observations: 1,
                values: values.clone(),
                units: Standardizer::identity(),
            };
            return Fit {
                search: None,
                fitted,
            };
        }
        let observations = self.settings.refit.milestone(data.len());
        let scheduled = match kept {
            Some(kept) if kept.fitted.observations == observations => kept,
            kept => {
                let searched = SEARCHES.milestone(observations);
                let search = kept
                    .and_then(|kept| kept.search)
                    .filter(|search| search.observations == searched);
                let search = search.unwrap_or_else(|| self.search(&data.prefix(searched), streams));
                self.descend(&data.prefix(observations), search)
            }
        };
        let surprising = data.rewards()[observations..]
            .iter()
            .any(|&y| scheduled.fitted.units.forward(y).abs() > SURPRISE);
        if surprising {
            self.descend(data, self.search(data, streams))
        } else {
            scheduled
        }
    }

    fn search(&self, data: &Dataset, streams: &Streams) -> Search {
        let mut rng = streams.stream(data.len() as u64, Purpose::HyperParameters);
        Search {
            observations: data.len(),
            theta: search(&standardized(data).1, &self.settings, &mut rng),
        }
    }

    fn descend(&self, data: &Dataset, search: Search) -> Fit {
        let (units, standardized) = standardized(data);
        let values = polish(&standardized, &self.settings, &search.theta);
        Fit {
            search: Some(search),
            fitted: FittedHyperParameters {
                observations: data.len(),
                values,
                units,
            },
        }
    }

    fn advance(
        &self,
        data: &Dataset,
        streams: &Streams,
        previous: Option<State>,
    ) -> Result<State, FitError> {
        let previous =
            previous.filter(|state| state.streams == *streams && data.begins_with(&state.data));
        let fit = self.hyper_parameters_for(
            data,
            streams,
            previous.as_ref().map(|state| state.fit.clone()),
        );
        let (values, units) = (&fit.fitted.values, &fit.fitted.units);
        let extra = data.noise_variances(units);
        let noises: Vec<f64> = extra
            .iter()
            .map(|variance| values.noise + variance)
            .collect();
        let conditioned = match previous {
            Some(State {
                fit: old,
                mut conditioned,
                ..
            }) if old.fitted == fit.fitted => {
                conditioned.grow(&conditioned.covariance.inputs(data.rows()), &noises)?;
                conditioned
            }
            _ => {
                let dim = data.rows().dim();
                let covariance = Stationary::new(self.settings.kernel, values.clone(), dim)?;
                let inputs = covariance.inputs(data.rows());
                Conditioned::new(covariance, &inputs, &noises, fit.fitted.observations)?
            }
        };
        Ok(State {
            streams: *streams,
            data: data.clone(),
            fit,
            conditioned,
        })
    }
}

impl Surrogate for GaussianProcess {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        data.check_finite()?;
        let previous = self.state.take();
        let state = self.advance(data, streams, previous)?;
        let FittedHyperParameters { values, units, .. } = &state.fit.fitted;
        let targets = units.forward_all(data.rewards());
        let posterior = Gaussian::new(state.conditioned.clone(), targets, values.mean, *units);
        self.state = Some(state);
        Ok(Box::new(posterior))
    }
}

fn standardized(data: &Dataset) -> (Standardizer, Dataset) {
    let units = Standardizer::of(data.rewards());
    (units, data.in_units(&units))
}
