//! NeuralGreedy (Paria et al. 2022): a network fitted to randomly perturbed rewards, whose maximum is the next point.
//!
//! Every ten evaluations the network is trained for 20 more epochs on the rewards plus fresh noise `ξ ~ N(0, s²)`; the noise is
//! all there is of exploration. `s` is [`GreedySettings::perturbation`], in units of the rewards' standard deviation.
//!
//! # A function of the data
//! Training goes on from the weights it left (20 epochs from fresh ones would barely leave them). The network of `t` observations
//! is therefore the result of a fold over the milestones 10, 20, … ≤ `t`: fresh weights, then at each milestone `k` one training
//! on the first `k` observations with the draws that belong to `k`. A surrogate that is called as the data grow does only what is
//! new; a fresh one repeats the fold, `O(t²)` passes over single points, which is what the study has spent on training so far.
//! With fewer than ten observations the network is trained on all of them, from fresh weights each time. A training that diverges
//! fails the fit, and leaves the next one the weights from before it.
//!
//! # What is predicted
//! The mean is the network itself. It has no uncertainty of its own: the standard deviation reported is that of the perturbation,
//! the same everywhere. A function sample is the network too, so all suggestions between two trainings have the same maximum;
//! they differ because points that were evaluated or are running are not suggested again, and there is no posterior with pending
//! points.

mod posterior;
mod training;

use neuralbo::linalg::{
    Purpose, SettingError, Streams, at_least_one, not_negative, positive, require,
};
use neuralbo::surrogate::{Dataset, FitError, Posterior, Surrogate};
use posterior::GreedyPosterior;
use training::Learner;

/// Settings of [`Greedy`]; the default is the method as described.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreedySettings {
    /// Width `m` of the hidden layers.
    pub width: usize,
    /// Number of layers `L`, the output included.
    pub depth: usize,
    /// Adam's learning rate.
    pub rate: f64,
    /// Points a mini-batch.
    pub batch: usize,
    /// Passes over the data at each training.
    pub epochs: usize,
    /// Observations between two trainings.
    pub every: usize,
    /// Standard deviation of the noise on the targets, in units of the rewards' standard deviation.
    pub perturbation: f64,
}

impl Default for GreedySettings {
    fn default() -> Self {
        Self {
            width: 500,
            depth: 2,
            rate: 1e-3,
            batch: 32,
            epochs: 20,
            every: 10,
            perturbation: 0.1,
        }
    }
}

impl GreedySettings {
    /// Checks every setting.
    pub fn check(&self) -> Result<(), SettingError> {
        at_least_one("width", self.width)?;
        at_least_one("batch", self.batch)?;
        at_least_one("every", self.every)?;
        require("depth", self.depth, self.depth >= 2, "at least 2")?;
        positive("rate", self.rate)?;
        not_negative("perturbation", self.perturbation)
    }
}

/// Number of points drawn before the network is used: `5d`, but at least 2.5 % and at most 7.5 % of the budget `T`.
///
/// ```
/// use neuralbo_paper::greedy::warm_up;
///
/// assert_eq!(warm_up(10, 1000), 50);
/// assert_eq!(warm_up(14, 6000), 150);
/// assert_eq!(warm_up(100, 1000), 75);
/// ```
pub fn warm_up(dim: usize, budget: usize) -> usize {
    let (low, high) = (0.025 * budget as f64, 0.075 * budget as f64);
    let length = (5.0 * dim as f64).clamp(low, high);
    (length.round() as usize).max(1)
}

/// The surrogate; between calls it keeps the network and the data it has seen.
///
/// ```
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo_paper::greedy::{Greedy, GreedySettings};
/// use neuralbo::surrogate::{Dataset, Surrogate};
///
/// let mut data = Dataset::new(1);
/// for i in 0..40 {
///     let x = f64::from(i) / 20.0 - 1.0;
///     data.push(&[x], 2.0 * x);
/// }
/// let posterior = Greedy::new(GreedySettings::default())?.fit(&data, &Streams::new(1))?;
/// let prediction = posterior.predict(&Points::from_rows(1, [[-0.8], [0.8]]));
/// assert!(prediction.mean[0] < prediction.mean[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Greedy {
    settings: GreedySettings,
    learned: Option<Learned>,
}

/// The fold up to the last milestone.
#[derive(Clone, Debug)]
struct Learned {
    data: Dataset,
    streams: Streams,
    learner: Learner,
    /// How the last training ended.
    outcome: Result<(), FitError>,
}

impl Greedy {
    /// A surrogate with checked settings.
    pub fn new(settings: GreedySettings) -> Result<Self, SettingError> {
        settings.check()?;
        Ok(Self {
            settings,
            learned: None,
        })
    }

    /// The learner after the last milestone of `data`, which has at least one.
    fn advance(&mut self, data: &Dataset, streams: &Streams) -> Result<&Learner, FitError> {
        let milestone = data.len() - data.len() % self.settings.every;
        let mut learned = match self
            .learned
            .take()
            .filter(|learned| learned.continues(data, streams))
        {
            Some(learned) => learned,
            None => Learned::fresh(&self.settings, data.rows().dim(), streams)?,
        };
        while learned.data.len() < milestone {
            let next = learned.data.len() + self.settings.every;
            learned.data = data.prefix(next);
            let mut rng = streams.stream(next as u64, Purpose::Training);
            let Learned { data, learner, .. } = &mut learned;
            learned.outcome = learner.train(&self.settings, data, &mut rng);
        }
        let learned = self.learned.insert(learned);
        learned.outcome.clone().map(|()| &learned.learner)
    }
}

impl Learned {
    fn fresh(settings: &GreedySettings, dim: usize, streams: &Streams) -> Result<Self, FitError> {
        let learner = Learner::new(settings, dim, &mut streams.stream(0, Purpose::NetworkInit))?;
        Ok(Self {
            data: Dataset::new(dim),
            streams: *streams,
            learner,
            outcome: Ok(()),
        })
    }

    fn continues(&self, data: &Dataset, streams: &Streams) -> bool {
        self.streams == *streams && data.begins_with(&self.data)
    }
}

impl Surrogate for Greedy {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        data.check_finite()?;
        let perturbation = self.settings.perturbation;
        if data.len() >= self.settings.every {
            let learner = self.advance(data, streams)?;
            return Ok(Box::new(GreedyPosterior::new(learner, perturbation)?));
        }
        let mut learner = Learned::fresh(&self.settings, data.rows().dim(), streams)?.learner;
        let mut rng = streams.stream(data.len() as u64, Purpose::Training);
        learner.train(&self.settings, data, &mut rng)?;
        Ok(Box::new(GreedyPosterior::new(&learner, perturbation)?))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
