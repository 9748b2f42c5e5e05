//! A random forest: bootstrapped regression trees whose spread is the uncertainty.
//!
//! Every tree is grown on a bootstrap sample of all data by exact least-squares splits (Breiman, "Random forests", 2001), and
//! the forest answers with the mean and the standard deviation of the trees' predictions, as SMAC does (Hutter, Hoos and
//! Leyton-Brown, 2011). Splits compare one encoded coordinate with a value midway between two seen ones, so an integer is cut
//! between grid values and a one-hot coordinate separates one category from the others.
//!
//! # Floor of the standard deviation
//! Trees agree exactly wherever the data leave them no choice: everywhere for constant rewards, near a repeated point
//! otherwise. The standard deviation is therefore never below 10⁻⁶ of the rewards' scale (their largest distance from the
//! mean; the magnitude of a constant reward; 1 when all rewards are 0), which keeps improvement-based acquisitions finite.
//!
//! # Determinism
//! Tree `k` of a forest on `n` rows draws only from its own stream, and predictions add the trees up in order: neither depends
//! on the number of threads.
//!
//! # Running evaluations
//! [`Posterior::with_pending`] follows online bagging (Oza and Russell, 2001): each tree keeps its bootstrap sample and receives
//! a pending row, valued at the forest's mean, Poisson(1) times. Only trees that received one are grown again: 63 % of them
//! for one row, all but a share e⁻ᵖ for `p` rows; the rest are shared with the posterior that was asked.

mod bootstrap;
mod grow;
mod posterior;
mod scale;
mod settings;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use settings::{ForestSettings, ForestSettingsError};

use super::{Dataset, FitError, Posterior, Surrogate};
use crate::linalg::Streams;
use posterior::ForestPosterior;

/// The random forest; each fit grows all trees anew on all data.
///
/// ```
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo::surrogate::forest::{Forest, ForestSettings};
/// use neuralbo::surrogate::{Dataset, Posterior, Surrogate};
///
/// let mut data = Dataset::new(1);
/// for i in 0..20 {
///     let x = f64::from(i) / 10.0 - 1.0;
///     data.push(&[x], x * x);
/// }
/// let mut forest = Forest::new(ForestSettings { trees: 50, ..ForestSettings::default() })?;
/// let prediction = forest.fit(&data, &Streams::new(1))?.predict(&Points::from_rows(1, [[0.5]]));
/// assert!((prediction.mean[0] - 0.25).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forest {
    settings: ForestSettings,
}

impl Forest {
    /// A forest with checked settings.
    pub fn new(settings: ForestSettings) -> Result<Self, ForestSettingsError> {
        settings.check()?;
        Ok(Self { settings })
    }
}

impl Surrogate for Forest {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        Ok(Box::new(ForestPosterior::fit(self.settings, data, *streams)?))
    }
}
