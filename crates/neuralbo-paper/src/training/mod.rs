//! TrainNN (Algorithm 2 of the paper) and its relatives.
//!
//! The objective is `½ Σ_i (h(x_i; θ) − y_i)² + ½ mλ ‖θ − θ₀‖²`, as a sum or divided by the number of points.

mod backprop;
mod steps;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use backprop::Workspace;
use faer::{Mat, MatRef};
use neuralbo::linalg::{Purpose, Real, Rng, Streams};
use neuralbo::net::{Init, Mlp};
use neuralbo::surrogate::FitError;
use rand::seq::SliceRandom;
use steps::{AdamStep, Moving, ObjectiveTerms};

/// How the parameters move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Optimizer {
    /// Gradient descent.
    Descent,
    /// Adam.
    Adam {
        /// L2 penalty toward zero added to the gradient, as the reference code's optimizer does.
        weight_decay: f64,
    },
}

/// Whether the objective is the sum over points (Algorithm 2) or that sum divided by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossScale {
    /// `½ Σ r² + ½ mλ‖θ − θ₀‖²`.
    Sum,
    /// The same over `t`; of mini-batches the mean over a full batch.
    Mean,
    /// `mean r²`, twice [`LossScale::Mean`]: the reference code's mean squared error.
    MeanSquare,
}

/// What training did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingReport {
    /// Gradient steps taken.
    pub steps: usize,
    /// `½ Σ r²` over all data at the start.
    pub first: f64,
    /// `½ Σ r²` over all data at the end.
    pub loss: f64,
}

/// Training diverged: it left the finite numbers, or its loss over all data ended above the one it began with (and above that of a
/// network that answers zero: a warm start may begin at its minimum). The network holds its parameters from before the call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the loss went from {first:.3e} to {loss:.3e} in {step} steps")]
pub struct TrainError {
    /// Steps until it was noticed.
    pub step: usize,
    /// `½ Σ r²` over all data at the start.
    pub first: f64,
    /// The loss seen: over all data at the end, or over the batch that ended the training.
    pub loss: f64,
}

impl From<TrainError> for FitError {
    fn from(error: TrainError) -> Self {
        Self::Diverged {
            step: error.step,
            detail: error.to_string(),
        }
    }
}

/// First and second moments of Adam, kept between calls for warm starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdamState<T> {
    first: Vec<T>,
    second: Vec<T>,
    steps: i32,
}

/// Settings of one training.
///
/// # Batches
/// Data that are no multiple of the batch end in a smaller one. Its gradient is divided by the size of the *full* batches, so that
/// every point has the same weight in a pass. Divided by its own size, a last batch of one point would take a step as long as one of
/// fifty points, in the direction of that point alone and beyond the limit below.
///
/// # Stability
/// Near θ₀ a step of rate `η` on points with tangent kernel `K = GᵀG/m` multiplies their residuals by `I − ηm K/B` (mean over `B`
/// points). It contracts while `ηm λ_max(K)/B < 2`, and `λ_max(K) ≤ B · max k(x, x)`, so that
///
/// ```text
/// η m max k(x, x) < 2           the mean loss
/// η m max k(x, x) < 1           the mean square, twice the mean loss
/// η m max k(x, x) < 2/t         the sum over t points
/// ```
///
/// is enough for every batch; [`Trainer::stable_rate`] is that limit. Weights `N(0, 1/m)` have `k(x, x) ≈ ‖x‖²` at two layers. A
/// training over the limit is found by its loss: see [`TrainError`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trainer {
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Learning rate η.
    pub rate: f64,
    /// Passes over the data; full-batch they are the J steps of Algorithm 2.
    pub epochs: usize,
    /// Points a shuffled mini-batch (Section 6); a batch of at least the data is full-batch (Algorithm 2).
    pub batch: usize,
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

impl<'a, T> TrainingData<'a, T> {
    /// `d × t` inputs, `t` targets and θ₀.
    pub fn new(x: MatRef<'a, T>, y: &'a [T], anchor: &'a [T]) -> Self {
        Self { x, y, anchor }
    }
}

/// The network in another precision.
pub(crate) fn converted<T: Real, U: Real>(net: &Mlp<T>) -> Result<Mlp<U>, FitError> {
    // The draws are overwritten.
    let mut rng = Streams::new(0).stream(0, Purpose::NetworkInit);
    let mut other = Mlp::new(*net.architecture(), Init::HeZeroLast, &mut rng)?;
    let all = other.theta_mut().iter_mut().zip(net.theta());
    all.for_each(|(to, from)| *to = U::from_f64(from.widen()));
    Ok(other)
}

impl Trainer {
    /// Descent on the mean, with the weight `mλ` of the proximal term.
    pub fn descent(rate: f64, epochs: usize, batch: usize, proximal: f64) -> Self {
        Self {
            optimizer: Optimizer::Descent,
            rate,
            epochs,
            batch,
            loss: LossScale::Mean,
            proximal,
        }
    }

    /// Adam on the mean square, without a proximal term or weight decay.
    pub fn adam(rate: f64, epochs: usize, batch: usize) -> Self {
        Self {
            optimizer: Optimizer::Adam { weight_decay: 0.0 },
            loss: LossScale::MeanSquare,
            ..Self::descent(rate, epochs, batch, 0.0)
        }
    }

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

    /// The rate below which every batch of a network of `width` contracts its residuals near θ₀, given the largest `k(x, x)` and the
    /// number of points: the limit in the text above.
    ///
    /// ```
    /// let trainer = neuralbo_paper::training::Trainer::descent(1e-3, 50, 50, 0.0);
    /// assert_eq!(trainer.stable_rate(500, 2.0, 1000), 2e-3);
    /// ```
    pub fn stable_rate(&self, width: usize, largest_kernel: f64, points: usize) -> f64 {
        let limit = match self.loss {
            LossScale::Sum => 2.0 / points.max(1) as f64,
            LossScale::Mean => 2.0,
            LossScale::MeanSquare => 1.0,
        };
        limit / (width as f64 * largest_kernel)
    }

    /// Operations of a training on `t` points with `p` parameters: a product forward and two backward for each weight and point.
    pub fn operations(&self, t: usize, p: usize) -> f64 {
        6.0 * self.epochs as f64 * t as f64 * p as f64
    }

    fn run<T: Real>(
        &self,
        net: &mut Mlp<T>,
        data: &TrainingData<'_, T>,
        adam: &mut AdamState<T>,
        rng: &mut Rng,
    ) -> Result<TrainingReport, TrainError> {
        let count = data.y.len();
        let batch = self.batch.clamp(1, count.max(1));
        let mut pass = Pass::new(net, data, batch);
        let mut steps = 0;
        for _ in 0..self.epochs {
            pass.shuffle(rng);
            for start in (0..count).step_by(batch) {
                let end = (start + batch).min(count);
                let loss = pass.gradient(net, data, start..end);
                steps += 1;
                let finite = self.step(net.theta_mut(), &pass.gradient, data, batch, adam);
                if !finite || pass.has_blown_up(loss / (end - start) as f64) {
                    return Err(pass.failed(steps, loss));
                }
            }
        }
        let loss = total_loss(net, data);
        if pass.has_diverged(loss) {
            return Err(pass.failed(steps, loss));
        }
        let first = pass.first;
        Ok(TrainingReport { steps, first, loss })
    }

    /// From the gradient of `½ Σ r²` over a batch to that of the chosen objective, proximal term included; `batch` is the size of
    /// a full one.
    fn terms<T: Real>(&self, count: usize, batch: usize) -> ObjectiveTerms<T> {
        let (count, batch) = (count as f64, batch as f64);
        let (loss, proximal) = match self.loss {
            LossScale::Sum => (count / batch, self.proximal),
            LossScale::Mean => (1.0 / batch, self.proximal / count),
            LossScale::MeanSquare => (2.0 / batch, 2.0 * self.proximal / count),
        };
        let decay = match self.optimizer {
            Optimizer::Adam { weight_decay } => weight_decay,
            Optimizer::Descent => 0.0,
        };
        ObjectiveTerms {
            loss: T::from_f64(loss),
            proximal: T::from_f64(proximal),
            decay: T::from_f64(decay),
        }
    }

    /// Moves θ; whether the gradient was finite.
    fn step<T: Real>(
        &self,
        theta: &mut [T],
        gradient: &[T],
        data: &TrainingData<'_, T>,
        batch: usize,
        adam: &mut AdamState<T>,
    ) -> bool {
        let terms = self.terms(data.y.len(), batch);
        match self.optimizer {
            Optimizer::Descent => {
                steps::descend(terms, T::from_f64(self.rate), theta, gradient, data.anchor)
            }
            Optimizer::Adam { .. } => {
                let step = adam.next_step(theta.len(), self.rate);
                let moving = Moving {
                    theta,
                    first: &mut adam.first,
                    second: &mut adam.second,
                };
                steps::adam(terms, step, moving, gradient, data.anchor)
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
            negligible: T::from_f64(1e-30),
        }
    }
}

/// A batch whose loss is this many times the one at the start ends the training at once.
const BLOW_UP: f64 = 1e3;
/// Errors of this size are rounding in single precision: a loss made of them is not above another one.
const ROUNDING: f64 = 1e-5;

/// Buffers of a training run: the shuffled batch, the gradient and the workspace.
pub(super) struct Pass<T> {
    order: Vec<usize>,
    shuffled: bool,
    x: Mat<T>,
    y: Vec<T>,
    pub gradient: Vec<T>,
    work: Workspace<T>,
    /// `½ Σ r²` over all data at the start.
    pub first: f64,
    /// The same of a network that answers zero.
    zero: f64,
}

impl<T: Real> Pass<T> {
    pub(super) fn new(net: &Mlp<T>, data: &TrainingData<'_, T>, batch: usize) -> Self {
        let count = data.y.len();
        let shuffled = batch < count;
        Self {
            order: (0..count).collect(),
            shuffled,
            x: if shuffled {
                Mat::zeros(data.x.nrows(), batch)
            } else {
                Mat::new()
            },
            y: Vec::with_capacity(batch),
            gradient: vec![T::zero(); net.theta().len()],
            work: Workspace::new(net, batch),
            first: total_loss(net, data),
            zero: data.y.iter().map(|y| 0.5 * y.widen() * y.widen()).sum(),
        }
    }

    /// Whether the loss of a batch has left the finite numbers or is far above where it began: ReLU units that were thrown out of
    /// reach die and would otherwise look converged.
    pub(super) fn has_blown_up(&self, mean_loss: f64) -> bool {
        let start = self.first.max(self.zero) / self.order.len() as f64;
        !mean_loss.is_finite() || mean_loss > BLOW_UP * start.max(ROUNDING * ROUNDING)
    }

    /// Whether a loss over all data is no better than none: above the first one and that of a network that answers zero.
    pub(super) fn has_diverged(&self, loss: f64) -> bool {
        let rounding = 0.5 * ROUNDING * ROUNDING * self.order.len() as f64;
        !loss.is_finite() || loss > self.first.max(self.zero) + rounding
    }

    pub(super) fn failed(&self, step: usize, loss: f64) -> TrainError {
        let first = self.first;
        TrainError { step, first, loss }
    }

    pub(super) fn shuffle(&mut self, rng: &mut Rng) {
        if self.shuffled {
            self.order.shuffle(rng);
        }
    }

    /// Leaves the gradient of `½ Σ r²` over the batch in `self.gradient`.
    pub(super) fn gradient(
        &mut self,
        net: &Mlp<T>,
        data: &TrainingData<'_, T>,
        batch: std::ops::Range<usize>,
    ) -> f64 {
        if !self.shuffled {
            let gradient = &mut self.gradient;
            return self.work.loss_gradient(net, data.x, data.y, gradient);
        }
        self.y.clear();
        for (j, &i) in self.order[batch.clone()].iter().enumerate() {
            self.x.col_mut(j).copy_from(data.x.col(i));
            self.y.push(data.y[i]);
        }
        let x = self.x.subcols(0, batch.len());
        self.work.loss_gradient(net, x, &self.y, &mut self.gradient)
    }
}

/// `½ Σ r²` over all data.
pub(super) fn total_loss<T: Real>(net: &Mlp<T>, data: &TrainingData<'_, T>) -> f64 {
    let pairs = net.forward(data.x).into_iter().zip(data.y);
    let residuals = pairs.map(|(h, y)| h.widen() - y.widen());
    residuals.map(|r| 0.5 * r * r).sum()
}
