//! What a neural surrogate is made of.

use super::covariance::CovarianceKind;
use crate::training::Trainer;
use neuralbo::linalg::{SettingError, not_negative, positive};
use neuralbo::net::{Activation, Architecture, Init};

/// At which parameters the tangent features are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeaturePoint {
    /// At θ₀, as the paper does: a fixed feature map.
    Initial,
    /// At the parameters of the moment, as NeuralTS and the reference code do. Every observation keeps the features it had when
    /// it was made.
    Current,
}

/// Where each training starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// From θ₀ every time (line 6 of Algorithm 1).
    Initial,
    /// From where the last training ended, optimizer state included.
    Warm,
}

/// How the mean is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeanRule {
    /// `h(x; θ_t)` with θ_t from training.
    Trained {
        /// The training.
        trainer: Trainer,
        /// Its start.
        restart: Restart,
    },
    /// The linearized network in closed form, which the trained one approaches as the width grows:
    /// `h(x; θ₀) + g(x)ᵀ G (K + λI)⁻¹ (y − h₀)/m`.
    ClosedForm,
    /// Trained from θ₀ while that takes at most `budget` operations, in closed form beyond: what many small steps of full-batch
    /// descent converge to in the linearized network.
    TrainedWithin {
        /// The training.
        trainer: Trainer,
        /// Most operations of a training.
        budget: f64,
    },
}

impl MeanRule {
    /// The training for `t` observations and `p` parameters and its start; `None` for the closed form.
    pub fn training(&self, t: usize, p: usize) -> Option<(Trainer, Restart)> {
        match *self {
            Self::Trained { trainer, restart } => Some((trainer, restart)),
            Self::ClosedForm => None,
            Self::TrainedWithin { trainer, budget } => {
                (trainer.operations(t, p) <= budget).then_some((trainer, Restart::Initial))
            }
        }
    }

    /// Whether the closed form may be asked for, which needs the features of all data.
    fn may_be_closed(&self) -> bool {
        !matches!(self, Self::Trained { .. })
    }
}

/// What is done about the untrained network's output `h(x; θ₀)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Nothing: training has to remove it.
    None,
    /// The model is `h(x; θ) − h(x; θ₀)`, which begins at zero.
    Subtract,
    /// θ₀ consists of two halves that cancel: [`Init::Mirrored`] for [`Init::Standard`], [`Init::Antisymmetric`] for
    /// [`Init::HeZeroLast`].
    Antisymmetric,
}

/// Where the network's inputs lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputDomain {
    /// In the box `[−1, 1]^d`: `‖x‖` grows with `√d`.
    Box,
    /// In the unit ball: the box divided by `√d`.
    Ball,
    /// In the box `[0, 1]^d`: 0 is a corner.
    Unit,
}

/// Units of the targets the network is fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetUnits {
    /// Zero mean and unit spread.
    Standard,
    /// As told.
    Raw,
    /// Zero at the best and unit spread: no reward is positive, whatever constant is added to all.
    Relative,
    /// As told, but permuted at random before each fit. A control: nothing can be learnt from them.
    Shuffled,
}

/// Settings of a [`NeuralSurrogate`](super::NeuralSurrogate).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeuralSettings {
    /// Width `m`.
    pub width: usize,
    /// Layers `L`.
    pub depth: usize,
    /// Activation φ.
    pub activation: Activation,
    /// Whether layers have biases.
    pub biases: bool,
    /// Where the inputs lie.
    pub inputs: InputDomain,
    /// Whether a constant coordinate is appended to the inputs.
    pub constant_input: bool,
    /// Distribution of θ₀.
    pub init: Init,
    /// What is done about `h(x; θ₀)`.
    pub shift: Shift,
    /// Regularizer λ.
    pub lambda: f64,
    /// Exploration ν: the factor of σ.
    pub nu: f64,
    /// Whether ν is estimated once there are as many observations as a quadratic function has coefficients: `nu` is its value before.
    pub estimated_nu: bool,
    /// Where the features are taken.
    pub features: FeaturePoint,
    /// How the mean is found.
    pub mean: MeanRule,
    /// How the covariance is computed.
    pub covariance: CovarianceKind,
    /// Units of the targets.
    pub targets: TargetUnits,
    /// How many of the first observations train the network but never enter `U` (the reference code's initial design).
    pub skip_in_covariance: usize,
}

/// Settings that make no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A number out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Features that change cannot be fitted in closed form.
    #[error("features at the current parameters need a trained mean")]
    CurrentFeatures,
    /// The untrained network cannot be shifted.
    #[error("shift = {0}: it needs a network that is not zero at first, as init=section6 draws it")]
    Shift(&'static str),
    /// An estimate of ν needs the data.
    #[error("nu=auto needs the dual covariance of all observations")]
    EstimatedNu,
    /// A mean in closed form needs the data.
    #[error("a closed-form mean needs the dual covariance of all observations")]
    ClosedForm,
}

impl NeuralSettings {
    /// Checks the settings for rows of dimension `dim` and returns the network's shape.
    pub fn architecture(&self, dim: usize) -> Result<Architecture, SettingsError> {
        let inputs = dim + usize::from(self.constant_input);
        let Self {
            width,
            depth,
            activation,
            biases,
            ..
        } = *self;
        let shape = Architecture {
            inputs,
            width,
            depth,
            activation,
            biases,
        };
        shape.check()?;
        self.drawn_init()?.check_width(width)?;
        positive("lambda", self.lambda)?;
        not_negative("nu", self.nu)?;
        self.check_covariance()?;
        Ok(shape)
    }

    /// The norm of the longest input of `dim` coordinates.
    pub fn largest_input(&self, dim: usize) -> f64 {
        let square = match self.inputs {
            InputDomain::Box | InputDomain::Unit => dim as f64,
            InputDomain::Ball => 1.0,
        };
        (square + f64::from(u8::from(self.constant_input))).sqrt()
    }

    /// The distribution that θ₀ is drawn from.
    pub(super) fn drawn_init(&self) -> Result<Init, SettingsError> {
        match (self.shift, self.init) {
            (Shift::None, init) | (Shift::Subtract, init @ (Init::Standard | Init::Reference)) => {
                Ok(init)
            }
            (Shift::Antisymmetric, Init::Standard) => Ok(Init::Mirrored),
            (Shift::Antisymmetric, Init::HeZeroLast) => Ok(Init::Antisymmetric),
            (Shift::Subtract, _) => Err(SettingsError::Shift("subtract")),
            (Shift::Antisymmetric, _) => Err(SettingsError::Shift("antisymmetric")),
        }
    }

    fn check_covariance(&self) -> Result<(), SettingsError> {
        let closed_form = self.mean.may_be_closed();
        let forgets_data = matches!(
            self.covariance,
            CovarianceKind::Dense | CovarianceKind::Diagonal
        );
        if self.features == FeaturePoint::Current && closed_form {
            return Err(SettingsError::CurrentFeatures);
        }
        if self.estimated_nu && forgets_data {
            return Err(SettingsError::EstimatedNu);
        }
        if closed_form && (forgets_data || self.skip_in_covariance > 0) {
            return Err(SettingsError::ClosedForm);
        }
        Ok(())
    }

    /// The form of covariance for `t` observations and `p` parameters. The dual form stays where the automatic choice would
    /// forget the data that these settings need.
    pub(super) fn resolved_covariance(&self, t: usize, p: usize) -> CovarianceKind {
        let current = self.features == FeaturePoint::Current;
        let needs_data = self.mean.may_be_closed() || current || self.estimated_nu;
        match self.covariance {
            CovarianceKind::Auto if needs_data => CovarianceKind::Dual,
            kind => kind.resolve(t, p),
        }
    }
}
