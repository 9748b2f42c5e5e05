//! The batches of a training run, their gradients, and when a loss has diverged.

use super::backprop::Workspace;
use super::{TrainError, TrainingData};
use faer::Mat;
use neuralbo::linalg::{Real, Rng};
use neuralbo::net::Mlp;
use rand::seq::SliceRandom;

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
