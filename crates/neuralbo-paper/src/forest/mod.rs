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
//! # Growing data
//! Below 64 observations all trees are grown with each of them. From there on a tree is grown anew when the data grew by about an
//! eighth, each tree at another moment, and meanwhile takes in what arrives as online bagging does (Oza and Russell, 2001): an
//! observation enters a tree Poisson(1) times, and the leaf it falls in is split again. Upper splits lag a little behind; leaves
//! never do.
//!
//! # Determinism
//! Tree `k` of a forest on `n` rows is a function of the rows, of `n` and of `k`; it draws from streams of its own, and
//! predictions add the trees up in order. Neither the number of threads nor the fits before make a difference.
//!
//! # Running evaluations
//! [`Posterior::with_pending`] takes a pending row in like an observation, valued at the forest's mean.

mod bagged;
mod grow;
mod growth;
mod posterior;
#[cfg(test)]
mod tests;
mod tree;

use bagged::BaggedTree;
use growth::Bagging;
use neuralbo::linalg::{SettingError, Streams, at_least_one};
use neuralbo::surrogate::{Dataset, FitError, Posterior, Surrogate};
use posterior::ForestPosterior;
use std::sync::Arc;

/// How many trees and how each is grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestSettings {
    /// Number of trees, at least 1.
    pub trees: usize,
    /// Fewest draws of the bootstrap sample in a leaf, at least 1.
    pub min_leaf: usize,
    /// Whether each tree sees a bootstrap sample instead of all rows.
    pub bootstrap: bool,
}

impl Default for ForestSettings {
    /// 500 bootstrapped trees that try every coordinate and grow until a leaf holds one observation.
    fn default() -> Self {
        Self {
            trees: 500,
            min_leaf: 1,
            bootstrap: true,
        }
    }
}

impl ForestSettings {
    fn check(&self) -> Result<(), SettingError> {
        at_least_one("trees", self.trees)?;
        at_least_one("min_leaf", self.min_leaf)
    }
}

/// The random forest.
///
/// ```
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo_paper::forest::{Forest, ForestSettings};
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
    state: Option<ForestState>,
}

/// The trees of the latest fit and what they were grown from.
#[derive(Clone, Debug)]
struct ForestState {
    streams: Streams,
    data: Dataset,
    trees: Vec<Arc<BaggedTree>>,
}

impl Forest {
    /// A forest with checked settings.
    pub fn new(settings: ForestSettings) -> Result<Self, SettingError> {
        settings.check()?;
        Ok(Self {
            settings,
            state: None,
        })
    }
}

impl Surrogate for Forest {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        data.check_finite()?;
        let bagging = Bagging {
            settings: self.settings,
            streams: *streams,
        };
        let previous = self
            .state
            .take()
            .filter(|state| state.streams == *streams && data.begins_with(&state.data));
        let trees = bagging.trees(data, previous.map_or_else(Vec::new, |state| state.trees));
        self.state = Some(ForestState {
            streams: *streams,
            data: data.clone(),
            trees: trees.clone(),
        });
        Ok(Box::new(ForestPosterior::new(bagging, data, trees)))
    }
}
