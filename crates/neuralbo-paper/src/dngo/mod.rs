//! DNGO (Snoek et al. 2015): Bayesian linear regression on the last hidden layer of a trained network.
//!
//! A network of three hidden layers of 50 tanh units is fitted to standardized rows and rewards by Adam. Its last hidden layer and
//! a constant make the features of a linear regression whose weights have a normal posterior; its two precisions are integrated
//! over by an ensemble sampler, or maximize the evidence. Predictions are the mean and the standard deviation of that mixture,
//! of the reward without noise.
//!
//! The features are fitted to the rewards without any penalty and the regression takes them as given, so the standard deviations
//! tend to be too small. That is the method's, not an accident.
//!
//! # What is refitted when
//! The regression and its precisions are fitted to all observations every time. Training takes 500 epochs, far more than the rest,
//! and follows [`Refit`]: on every observation up to 30, then each time the data grew by a twentieth. In between, the features are
//! those of the network trained on the observations up to the last milestone, always from fresh weights drawn for that milestone,
//! so that a fresh surrogate finds the same network.

mod extractor;
mod hyper;
mod posterior;
mod regression;

pub use hyper::PrecisionRule;

use extractor::Extractor;
use neuralbo::linalg::{
    Purpose, SettingError, Streams, at_least_one, not_negative, positive, require,
};
use neuralbo::surrogate::{Dataset, FitError, Posterior, Refit, Standardizer, Surrogate};
use posterior::DngoPosterior;
use regression::{MixtureComponent, Regression, Weights};
use std::sync::Arc;

/// Settings of [`Dngo`]; the default is the method as described.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DngoSettings {
    /// Number of hidden layers.
    pub hidden_layers: usize,
    /// Units a hidden layer.
    pub width: usize,
    /// Adam's learning rate.
    pub rate: f64,
    /// Points a mini-batch.
    pub batch: usize,
    /// Passes over the data.
    pub epochs: usize,
    /// What is done about the regression's precisions.
    pub hyper_parameters: PrecisionRule,
    /// When the network is trained again.
    pub refit: Refit,
}

impl Default for DngoSettings {
    fn default() -> Self {
        Self {
            hidden_layers: 3,
            width: 50,
            rate: 0.01,
            batch: 10,
            epochs: 500,
            hyper_parameters: PrecisionRule::Ensemble {
                walkers: 20,
                sweeps: 200,
            },
            refit: Refit {
                every_until: 30,
                growth: 0.05,
            },
        }
    }
}

impl DngoSettings {
    /// Checks every setting.
    pub fn check(&self) -> Result<(), SettingError> {
        at_least_one("hidden_layers", self.hidden_layers)?;
        at_least_one("width", self.width)?;
        at_least_one("batch", self.batch)?;
        if let PrecisionRule::Ensemble { walkers, .. } = self.hyper_parameters {
            // With fewer than twice the two coordinates each half can be stuck on a line.
            require("walkers", walkers, walkers >= 4, "at least 4")?;
        }
        positive("rate", self.rate)?;
        not_negative("growth", self.refit.growth)
    }
}

/// The surrogate; between calls it keeps the network of the last milestone.
///
/// ```
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo_paper::dngo::{Dngo, DngoSettings};
/// use neuralbo::surrogate::{Dataset, Surrogate};
///
/// let mut data = Dataset::new(1);
/// for x in [-1.0, -0.5, 0.0, 0.5, 1.0_f64] {
///     data.push(&[x], 3.0 * x + 10.0);
/// }
/// let mut dngo = Dngo::new(DngoSettings::default())?;
/// let posterior = dngo.fit(&data, &Streams::new(1))?;
/// let prediction = posterior.predict(&Points::from_rows(1, [[0.25]]));
/// assert!((prediction.mean[0] - 10.75).abs() < 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dngo {
    settings: DngoSettings,
    trained: Option<Trained>,
}

/// A network, and what it was trained on.
#[derive(Clone, Debug)]
struct Trained {
    data: Dataset,
    streams: Streams,
    extractor: Arc<Extractor>,
}

impl Dngo {
    /// A surrogate with checked settings.
    pub fn new(settings: DngoSettings) -> Result<Self, SettingError> {
        settings.check()?;
        Ok(Self {
            settings,
            trained: None,
        })
    }

    /// The network of the last milestone, trained unless it is the one at hand.
    fn extractor(&mut self, data: &Dataset, streams: &Streams) -> Result<Arc<Extractor>, FitError> {
        let prefix = data.prefix(self.settings.refit.milestone(data.len()));
        if let Some(trained) = self
            .trained
            .as_ref()
            .filter(|t| t.streams == *streams && t.data == prefix)
        {
            return Ok(Arc::clone(&trained.extractor));
        }
        let extractor = Arc::new(Extractor::train(&self.settings, &prefix, streams)?);
        self.trained = Some(Trained {
            data: prefix,
            streams: *streams,
            extractor: Arc::clone(&extractor),
        });
        Ok(extractor)
    }
}

impl Surrogate for Dngo {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        data.check_finite()?;
        let extractor = self.extractor(data, streams)?;
        let units = Standardizer::of(data.rewards());
        let targets = units.forward_all(data.rewards());
        let regression = Regression::new(extractor.apply(data.rows()).as_ref(), &targets)
            .ok_or(FitError::NotPositiveDefinite { size: data.len() })?;
        let mut rng = streams.stream(data.len() as u64, Purpose::HyperParameters);
        let chosen = self.settings.hyper_parameters.choose(&regression, &mut rng);
        let members = chosen
            .into_iter()
            .map(|at| MixtureComponent {
                precisions: at,
                mean: regression.mean(at),
            })
            .collect();
        let weights = Weights::new(members, regression.gram, regression.spectrum);
        Ok(Box::new(DngoPosterior {
            extractor,
            weights,
            units,
        }))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
