//! Models of the objective: what is fitted to data, what it predicts, and what can be drawn from it.
//!
//! # Contract
//! * Everything here works on encoded rows (see [`crate::space`]) and on *rewards*: larger is better.
//! * [`Surrogate::fit`] may keep state between calls (a factor that grows, warm weights), but its result is a function of the
//!   data and the streams alone, provided that the data only ever grew by appending. A surrogate that is handed anything else
//!   starts over.
//! * A posterior is immutable, may be shared between threads, and answers in the units of the rewards it was fitted to.
//! * Prediction, sampling and gradients are separate capabilities: a posterior without one says so through `None`.

mod dataset;
pub mod gaussian;
pub mod gp;
pub mod pool;
mod refit;
pub mod tangent;
pub mod tiles;
pub(crate) mod warp;

pub use dataset::Dataset;
pub(crate) use dataset::nearest_indices;
pub use refit::Refit;
pub use warp::Standardizer;

pub use crate::linalg::SettingError;
use crate::linalg::{Points, Rng, Streams};

/// Predicted mean and standard deviation of the noise-free reward, one a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Means.
    pub mean: Vec<f64>,
    /// Standard deviations, never negative.
    pub sd: Vec<f64>,
}

/// A prediction and its derivatives with respect to the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionGradient {
    /// Means and standard deviations.
    pub prediction: Prediction,
    /// Gradient of each mean.
    pub mean_gradient: Points,
    /// Gradient of each standard deviation.
    pub sd_gradient: Points,
}

/// Why a model could not be fitted; strategies answer with a recorded space-filling fallback.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There is nothing to fit.
    #[error("the model needs at least {needed} observation{s} and has {found}", s = if *needed == 1 { "" } else { "s" })]
    TooFewObservations {
        /// Observations needed.
        needed: usize,
        /// Observations found.
        found: usize,
    },
    /// The factor of the model's covariance would not fit in memory.
    #[error("the model takes at most {most} observations and has {found}")]
    TooManyObservations {
        /// Observations it takes.
        most: usize,
        /// Observations found.
        found: usize,
    },
    /// A matrix lost positive definiteness in spite of its jitter.
    #[error("the covariance of {size} observations is not positive definite")]
    NotPositiveDefinite {
        /// Number of observations.
        size: usize,
    },
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A reward is infinite or not a number.
    #[error("reward {index} is {value}, not finite")]
    NotFinite {
        /// Place of the reward, from 0.
        index: usize,
        /// The reward.
        value: f64,
    },
    /// Training left the finite numbers.
    #[error("training diverged at step {step}: {detail}")]
    Diverged {
        /// Gradient step at which it was noticed.
        step: usize,
        /// What was seen.
        detail: String,
    },
}

/// A model that can be fitted to observations.
pub trait Surrogate: Send {
    /// Fits the model to all of `data`.
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError>;
}

/// A fitted model.
pub trait Posterior: Send + Sync {
    /// Mean and standard deviation of the noise-free reward at each row.
    fn predict(&self, rows: &Points) -> Prediction;

    /// The means alone, for those who need no deviations.
    fn means(&self, rows: &Points) -> Vec<f64> {
        self.predict(rows).mean
    }

    /// What each observation would be predicted to be by all the others; `None` when the model cannot tell.
    fn left_out(&self) -> Option<Vec<f64>> {
        None
    }

    /// Predictions with derivatives; `None` when the model has no gradients.
    fn predict_with_gradient(&self, rows: &Points) -> Option<PredictionGradient> {
        let _ = rows;
        None
    }

    /// Standard deviation of the noise of one observation; `None` when the model does not estimate it.
    fn noise_sd(&self) -> Option<f64> {
        None
    }

    /// A whole function drawn from the posterior; `None` when the model cannot.
    fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        let _ = rng;
        None
    }

    /// A much cheaper posterior for a first look at many rows: its deviations are upper bounds, or it is an estimate by a part of
    /// the model. `None` when there is no such shortcut or nothing to gain from it.
    fn preview(&self) -> Option<Box<dyn Posterior>> {
        None
    }

    /// The posterior if `rows` had been observed at their predicted means: the mean stays, the uncertainty shrinks where
    /// evaluations are running. `None` when the model cannot.
    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        let _ = rows;
        None
    }
}

/// A real function of encoded rows: a posterior sample or an acquisition function.
pub trait Function: Send + Sync {
    /// The value at each row.
    fn value(&self, rows: &Points) -> Vec<f64>;

    /// A much cheaper function to look at first, a bound or an estimate of this one; `None` where there is none.
    fn preview(&self) -> Option<Box<dyn Function>> {
        None
    }

    /// Values and gradients at each row; `None` when the function has no gradient.
    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let _ = rows;
        None
    }
}
