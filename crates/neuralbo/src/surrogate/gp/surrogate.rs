//! What a user may choose about the Gaussian process, and the surrogate: when to refit, what to keep.

use super::covariance::KernelCovariance;
use super::hyper::HyperParameters;
use super::kernel::Kernel;
use super::optimize::{polish, search};
use crate::linalg::{Purpose, Streams, at_least_one, not_negative, require};
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

/// Choices of the Gaussian process; the default is the squared-exponential, isotropic one with priors.
///
/// ```
/// use neuralbo::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
///
/// let settings = GpSettings { kernel: Kernel::Matern52, ard: true, ..GpSettings::default() };
/// assert!(GaussianProcess::new(settings).is_ok());
/// assert!(GaussianProcess::new(GpSettings { starts: 0, ..GpSettings::default() }).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GpSettings {
    /// The correlation function.
    pub kernel: Kernel,
    /// One length scale per coordinate (automatic relevance determination) instead of one for all.
    pub ard: bool,
    /// Maximum a-posteriori hyper-parameters; without priors their likelihood alone is maximized.
    pub priors: bool,
    /// Starts of the hyper-parameter search, the first of them always the same sensible one.
    pub starts: usize,
    /// When hyper-parameters are fitted again.
    pub refit: Refit,
    /// Largest number of observations, evenly spaced in the order they were told, that hyper-parameters are fitted to.
    pub likelihood_rows: usize,
}

impl Default for GpSettings {
    fn default() -> Self {
        Self {
            kernel: Kernel::SquaredExponential,
            ard: false,
            priors: true,
            starts: 4,
            refit: Refit::default(),
            likelihood_rows: 500,
        }
    }
}

impl GpSettings {
    fn check(&self) -> Result<(), SettingError> {
        let rows = self.likelihood_rows;
        let scaled = self.kernel.correlation().is_some();
        at_least_one("starts", self.starts)?;
        require(
            "ard",
            self.ard,
            scaled || !self.ard,
            "false with the arc-cosine kernel, which has no length scale",
        )?;
        not_negative("refit.growth", self.refit.growth)?;
        require("likelihood_rows", rows, rows >= 2, "at least 2")
    }
}

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
    state: Option<FittedProcess>,
}

/// Hyper-parameters with the data they were fitted to and the search that led to them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HyperFit {
    search: SearchEnd,
    /// Number of observations, from the first on, that they were fitted to.
    pub(super) observations: usize,
    /// Their values for rewards of mean 0 and standard deviation 1.
    pub(super) values: HyperParameters,
    units: Standardizer,
}

/// Where a search from all starts ended.
#[derive(Clone, Debug, PartialEq)]
struct SearchEnd {
    /// Number of observations, from the first on, that were looked at.
    observations: usize,
    /// The logarithms of the hyper-parameters for rewards of mean 0 and standard deviation 1.
    theta: Vec<f64>,
}

#[derive(Clone)]
struct FittedProcess {
    streams: Streams,
    data: Dataset,
    fit: HyperFit,
    conditioned: Conditioned<KernelCovariance>,
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
    #[cfg(test)]
    pub(super) fn hyper_fit(&self) -> Option<&HyperFit> {
        self.state.as_ref().map(|state| &state.fit)
    }

    fn hyper_fit_for(&self, data: &Dataset, streams: &Streams, kept: Option<HyperFit>) -> HyperFit {
        let observations = self.settings.refit.milestone(data.len());
        let scheduled = match kept {
            Some(kept) if kept.observations == observations => kept,
            kept => {
                let searched = SEARCHES.milestone(observations);
                let search = kept.map(|kept| kept.search);
                let search = search.filter(|search| search.observations == searched);
                let search = search.unwrap_or_else(|| self.search(&data.prefix(searched), streams));
                self.descend(&data.prefix(observations), search)
            }
        };
        let is_far = |y: &f64| scheduled.units.forward(*y).abs() > SURPRISE;
        match data.rewards()[observations..].iter().any(is_far) {
            true => self.descend(data, self.search(data, streams)),
            false => scheduled,
        }
    }

    fn search(&self, data: &Dataset, streams: &Streams) -> SearchEnd {
        let mut rng = streams.stream(data.len() as u64, Purpose::HyperParameters);
        SearchEnd {
            observations: data.len(),
            theta: search(&standardized(data).1, &self.settings, &mut rng),
        }
    }

    fn descend(&self, data: &Dataset, search: SearchEnd) -> HyperFit {
        let (units, standardized) = standardized(data);
        HyperFit {
            values: polish(&standardized, &self.settings, &search.theta),
            search,
            observations: data.len(),
            units,
        }
    }

    fn advance(
        &self,
        data: &Dataset,
        streams: &Streams,
        previous: Option<FittedProcess>,
    ) -> Result<FittedProcess, FitError> {
        let previous =
            previous.filter(|state| state.streams == *streams && data.begins_with(&state.data));
        let kept = previous.as_ref().map(|state| state.fit.clone());
        let fit = self.hyper_fit_for(data, streams, kept);
        let extra = data.noise_variances(&fit.units).into_iter();
        let noises: Vec<f64> = extra.map(|variance| fit.values.noise + variance).collect();
        let conditioned = match previous.filter(|state| state.fit == fit) {
            Some(FittedProcess {
                mut conditioned, ..
            }) => {
                conditioned.grow(&conditioned.covariance.inputs(data.rows()), &noises)?;
                conditioned
            }
            None => {
                let dim = data.rows().dim();
                let covariance =
                    KernelCovariance::new(self.settings.kernel, fit.values.clone(), dim);
                let inputs = covariance.inputs(data.rows());
                Conditioned::new(covariance, &inputs, &noises, fit.observations)?
            }
        };
        Ok(FittedProcess {
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
        let HyperFit { values, units, .. } = &state.fit;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let refused = |change: fn(&mut GpSettings)| {
            let mut settings = GpSettings::default();
            change(&mut settings);
            settings.check().err().map(|e| e.field)
        };
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|s| s.starts = 0), Some("starts"));
        assert_eq!(refused(|s| s.refit.growth = f64::NAN), Some("refit.growth"));
        assert_eq!(refused(|s| s.likelihood_rows = 1), Some("likelihood_rows"));
    }
}
