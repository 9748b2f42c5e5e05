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

use crate::training::{AdamState, Trainer, TrainingData};
use faer::Mat;
use neuralbo::linalg::{
    Purpose, SettingError, Streams, at_least_one, not_negative, positive, require,
};
use neuralbo::net::{Activation, Architecture, Init, Mlp};
use neuralbo::surrogate::{Dataset, FitError, Posterior, Standardizer, Surrogate};
use posterior::GreedyPosterior;
use rand::RngExt;
use rand_distr::StandardNormal;

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
    learned: Option<Learner>,
}

/// The network while it learns: the fold up to the last milestone.
#[derive(Clone, Debug)]
struct Learner {
    data: Dataset,
    streams: Streams,
    /// In single precision.
    net: Mlp<f32>,
    adam: AdamState<f32>,
    /// Units of the rewards it was last fitted to.
    units: Standardizer,
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
}

impl Learner {
    /// Fresh weights.
    fn new(settings: &GreedySettings, inputs: usize, streams: &Streams) -> Result<Self, FitError> {
        let shape = Architecture {
            inputs,
            width: settings.width,
            depth: settings.depth,
            activation: Activation::Relu,
            biases: true,
        };
        let mut rng = streams.stream(0, Purpose::NetworkInit);
        Ok(Self {
            data: Dataset::new(inputs),
            streams: *streams,
            net: Mlp::new(shape, Init::Reference, &mut rng)?,
            adam: AdamState::default(),
            units: Standardizer::of(&[]),
            outcome: Ok(()),
        })
    }

    /// Goes on with all of `data`, its standardized rewards perturbed afresh. On an error the weights are as before.
    fn train(&mut self, settings: &GreedySettings, data: Dataset) {
        self.data = data;
        let (rows, rewards) = (self.data.rows(), self.data.rewards());
        let mut rng = (self.streams).stream(self.data.len() as u64, Purpose::Training);
        let units = Standardizer::of(rewards);
        let mut perturbed = |reward: &f64| {
            let noise: f64 = rng.sample(StandardNormal);
            (units.forward(*reward) + settings.perturbation * noise) as f32
        };
        let y: Vec<f32> = rewards.iter().map(&mut perturbed).collect();
        let x = Mat::from_fn(rows.dim(), rows.len(), |i, j| rows.row(j)[i] as f32);
        let anchor = self.net.theta().to_vec();
        let data = TrainingData::new(x.as_ref(), &y, &anchor);
        let trainer = Trainer::adam(settings.rate, settings.epochs, settings.batch);
        let report = trainer.train(&mut self.net, &data, &mut self.adam, &mut rng);
        match report {
            Ok(_) => self.units = units,
            // Moments of a diverged run would throw the next one off as well.
            Err(_) => self.adam = AdamState::default(),
        }
        self.outcome = report.map(drop).map_err(FitError::from);
    }

    fn posterior(&self, perturbation: f64) -> Result<Box<dyn Posterior>, FitError> {
        self.outcome.clone()?;
        Ok(Box::new(GreedyPosterior::new(self, perturbation)?))
    }
}

impl Surrogate for Greedy {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        data.check_finite()?;
        let (every, perturbation) = (self.settings.every, self.settings.perturbation);
        let fresh = || Learner::new(&self.settings, data.rows().dim(), streams);
        if data.len() < every {
            let mut learner = fresh()?;
            learner.train(&self.settings, data.clone());
            return learner.posterior(perturbation);
        }
        let grew = |old: &Learner| old.streams == *streams && data.begins_with(&old.data);
        let mut learner = self.learned.take().filter(grew).map_or_else(fresh, Ok)?;
        for milestone in (learner.data.len() + every..=data.len()).step_by(every) {
            learner.train(&self.settings, data.prefix(milestone));
        }
        self.learned.insert(learner).posterior(perturbation)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
