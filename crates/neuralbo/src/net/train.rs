//! TrainNN (Algorithm 2 of the paper) and its relatives.
//!
//! The objective is `½ Σ_i (h(x_i; θ) − y_i)² + ½ mλ ‖θ − θ₀‖²`, as a sum or divided by the number of points.

use super::backprop::Workspace;
use super::lanes::{self, AdamStep, Moving, Terms};
use super::mlp::Mlp;
use crate::linalg::{Real, Rng};
use faer::{Mat, MatRef};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// A loss this many times the one at the start is divergence.
const BLOW_UP: f64 = 1e3;

/// How the parameters move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Optimizer {
    /// Full-batch gradient descent: Algorithm 2.
    GradientDescent {
        /// Learning rate η.
        rate: f64,
        /// Number of steps J.
        steps: usize,
    },
    /// Stochastic gradient descent over shuffled mini-batches: Section 6.
    Sgd {
        /// Learning rate.
        rate: f64,
        /// Passes over the data.
        epochs: usize,
        /// Points a batch.
        batch: usize,
    },
    /// Adam over shuffled mini-batches.
    Adam {
        /// Learning rate.
        rate: f64,
        /// Passes over the data.
        epochs: usize,
        /// Points a batch; a batch of at least the data is full-batch.
        batch: usize,
        /// L2 penalty toward zero added to the gradient, as the reference code's optimizer does.
        weight_decay: f64,
    },
}

/// Whether the objective is the sum over points (Algorithm 2) or that sum divided by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossScale {
    /// `½ Σ r² + ½ mλ‖θ − θ₀‖²`.
    Sum,
    /// The same over `t`; mini-batches use their own mean.
    Mean,
    /// `mean r²`, twice [`LossScale::Mean`]: the reference code's mean squared error.
    MeanSquare,
}

/// What training did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingReport {
    /// Gradient steps taken.
    pub steps: usize,
    /// `½ Σ r²` over the last pass, each point at the parameters of its own step.
    pub loss: f64,
}

/// Training left the finite numbers; the network holds its parameters from before the call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("training diverged at step {step}: loss {loss:e}")]
pub struct TrainError {
    /// Step at which it was noticed.
    pub step: usize,
    /// The loss seen.
    pub loss: f64,
}

/// First and second moments of Adam, kept between calls for warm starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdamState<T> {
    first: Vec<T>,
    second: Vec<T>,
    steps: i32,
}

/// Settings of one training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trainer {
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Sum or mean.
    pub loss: LossScale,
    /// `mλ`: the weight of the proximal term `½ mλ‖θ − θ₀‖²`; zero switches it off.
    pub proximal: f64,
}

/// The data of one training: inputs as columns, targets, and the anchor θ₀ of the proximal term.
pub struct TrainingData<'a, T> {
    /// `d × t` inputs.
    pub x: MatRef<'a, T>,
    /// `t` targets.
    pub y: &'a [T],
    /// θ₀.
    pub anchor: &'a [T],
}

impl Trainer {
    /// Trains `net` in place. `adam` carries the moments of [`Optimizer::Adam`] from call to call.
    pub fn train<T: Real>(
        &self,
        net: &mut Mlp<T>,
        data: &TrainingData<'_, T>,
        adam: &mut AdamState<T>,
        rng: &mut Rng,
    ) -> Result<TrainingReport, TrainError> {
        let before = net.theta().to_vec();
        let result = self.run(net, data, adam, rng);
        if result.is_err() {
            net.theta_mut().copy_from_slice(&before);
        }
        result
    }

    /// Operations of a training on `t` points with `p` parameters: a product forward and two backward for each weight and point.
    pub fn operations(&self, t: usize, p: usize) -> f64 {
        let passes = match self.optimizer {
            Optimizer::GradientDescent { steps, .. } => steps,
            Optimizer::Sgd { epochs, .. } | Optimizer::Adam { epochs, .. } => epochs,
        };
        6.0 * passes as f64 * t as f64 * p as f64
    }

    fn run<T: Real>(
        &self,
        net: &mut Mlp<T>,
        data: &TrainingData<'_, T>,
        adam: &mut AdamState<T>,
        rng: &mut Rng,
    ) -> Result<TrainingReport, TrainError> {
        let count = data.y.len();
        let (epochs, batch) = match self.optimizer {
            Optimizer::GradientDescent { steps, .. } => (steps, count),
            Optimizer::Sgd { epochs, batch, .. } | Optimizer::Adam { epochs, batch, .. } => {
                (epochs, batch.clamp(1, count.max(1)))
            }
        };
        let mut pass = Pass::new(net, data, batch);
        let mut report = TrainingReport { steps: 0, loss: 0.0 };
        for _ in 0..epochs {
            report.loss = 0.0;
            pass.shuffle(rng);
            for start in (0..count).step_by(batch) {
                let end = (start + batch).min(count);
                let loss = pass.gradient(net, data, start..end);
                report.loss += loss;
                report.steps += 1;
                let finite = self.step(net.theta_mut(), &pass.gradient, data, end - start, adam);
                if !finite || pass.has_diverged(loss / (end - start) as f64) {
                    return Err(TrainError { step: report.steps, loss });
                }
            }
        }
        Ok(report)
    }

    /// From the gradient of `½ Σ r²` over a batch of `size` to that of the chosen objective, proximal term included.
    fn terms<T: Real>(&self, count: usize, size: usize) -> Terms<T> {
        let (count, size) = (count as f64, size as f64);
        let (loss, proximal) = match self.loss {
            LossScale::Sum => (count / size, self.proximal),
            LossScale::Mean => (1.0 / size, self.proximal / count),
            LossScale::MeanSquare => (2.0 / size, 2.0 * self.proximal / count),
        };
        let decay = match self.optimizer {
            Optimizer::Adam { weight_decay, .. } => weight_decay,
            Optimizer::GradientDescent { .. } | Optimizer::Sgd { .. } => 0.0,
        };
        Terms { loss: T::from_f64(loss), proximal: T::from_f64(proximal), decay: T::from_f64(decay) }
    }

    /// Moves θ; whether the gradient was finite.
    fn step<T: Real>(
        &self,
        theta: &mut [T],
        gradient: &[T],
        data: &TrainingData<'_, T>,
        size: usize,
        adam: &mut AdamState<T>,
    ) -> bool {
        let terms = self.terms(data.y.len(), size);
        match self.optimizer {
            Optimizer::GradientDescent { rate, .. } | Optimizer::Sgd { rate, .. } => {
                lanes::descend(terms, T::from_f64(rate), theta, gradient, data.anchor)
            }
            Optimizer::Adam { rate, .. } => {
                let step = adam.next_step(theta.len(), rate);
                let moving = Moving { theta, first: &mut adam.first, second: &mut adam.second };
                lanes::adam(terms, step, moving, gradient, data.anchor)
            }
        }
    }
}

impl<T: Real> AdamState<T> {
    /// Counts a step and returns its constants, the usual ones.
    fn next_step(&mut self, parameters: usize, rate: f64) -> AdamStep<T> {
        let (beta1, beta2) = (0.9, 0.999);
        self.first.resize(parameters, T::zero());
        self.second.resize(parameters, T::zero());
        self.steps += 1;
        AdamStep {
            beta1: T::from_f64(beta1),
            beta2: T::from_f64(beta2),
            rate: T::from_f64(rate / (1.0 - f64::powi(beta1, self.steps))),
            correction: T::from_f64(1.0 / (1.0 - f64::powi(beta2, self.steps))),
            tiny: T::from_f64(1e-8),
        }
    }
}

/// Buffers of a training run: the shuffled batch, the gradient and the workspace.
struct Pass<T> {
    order: Vec<usize>,
    shuffled: bool,
    x: Mat<T>,
    y: Vec<T>,
    gradient: Vec<T>,
    work: Workspace<T>,
    /// Mean loss of a network that answers zero, or of the first batch if that is larger.
    start_loss: f64,
    steps: usize,
}

impl<T: Real> Pass<T> {
    fn new(net: &Mlp<T>, data: &TrainingData<'_, T>, batch: usize) -> Self {
        let count = data.y.len();
        let shuffled = batch < count;
        Self {
            order: (0..count).collect(),
            shuffled,
            x: if shuffled { Mat::zeros(data.x.nrows(), batch) } else { Mat::new() },
            y: Vec::with_capacity(batch),
            gradient: vec![T::zero(); net.theta().len()],
            work: Workspace::new(net, batch),
            start_loss: data.y.iter().map(|y| 0.5 * y.widen() * y.widen()).sum::<f64>() / count.max(1) as f64,
            steps: 0,
        }
    }

    /// Whether the loss has left the finite numbers or is far above where it began: ReLU units that were thrown out of reach die
    /// and would otherwise look converged.
    fn has_diverged(&mut self, mean_loss: f64) -> bool {
        let limit = BLOW_UP * self.start_loss.max(f64::MIN_POSITIVE);
        if self.steps == 0 {
            self.start_loss = self.start_loss.max(mean_loss);
        }
        self.steps += 1;
        !mean_loss.is_finite() || (self.steps > 1 && mean_loss > limit)
    }

    fn shuffle(&mut self, rng: &mut Rng) {
        if self.shuffled {
            self.order.shuffle(rng);
        }
    }

    /// Leaves the gradient of `½ Σ r²` over the batch in `self.gradient`.
    fn gradient(&mut self, net: &Mlp<T>, data: &TrainingData<'_, T>, batch: std::ops::Range<usize>) -> f64 {
        if !self.shuffled {
            return self.work.loss_gradient(net, data.x, data.y, &mut self.gradient);
        }
        self.y.clear();
        for (j, &i) in self.order[batch.clone()].iter().enumerate() {
            self.x.col_mut(j).copy_from(data.x.col(i));
            self.y.push(data.y[i]);
        }
        self.work.loss_gradient(net, self.x.subcols(0, batch.len()), &self.y, &mut self.gradient)
    }
}
