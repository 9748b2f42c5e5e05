//! Training the classifier: stochastic gradient descent with momentum on the negative log-likelihood.

use faer::Mat;
use neuralbo::linalg::{Purpose, Rng, Streams, product};
use rand::RngExt;

use super::classifier::{Classifier, Layer};
use super::{Digits, LABELS};

/// How a classifier is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// Passes over the training digits.
    pub epochs: usize,
    /// Digits per step.
    pub batch: usize,
    /// Size of the first step.
    pub learning_rate: f64,
    /// Share of the last step that is repeated.
    pub momentum: f64,
    /// Pull toward zero, relative to the step size.
    pub weight_decay: f64,
}

impl Default for Training {
    fn default() -> Self {
        Self { epochs: 4, batch: 64, learning_rate: 0.01, momentum: 0.5, weight_decay: 0.0 }
    }
}

/// Gradient, or last step, of each layer.
struct Gradient {
    hidden: Layer,
    output: Layer,
}

impl Classifier {
    /// Trains a fresh classifier; the same seed gives the same classifier.
    pub fn trained(digits: &Digits, training: &Training, seed: u64) -> Self {
        let mut classifier = Self::random(seed);
        let mut step = Gradient { hidden: zeros(&classifier.hidden), output: zeros(&classifier.output) };
        let mut order: Vec<usize> = (0..digits.len()).collect();
        for epoch in 0..training.epochs {
            shuffle(&mut order, &mut Streams::new(seed).stream(epoch as u64, Purpose::Training));
            for batch in order.chunks(training.batch.max(1)) {
                let gradient = classifier.gradient(digits, batch);
                descend(&mut classifier.hidden, &mut step.hidden, &gradient.hidden, training);
                descend(&mut classifier.output, &mut step.output, &gradient.output, training);
            }
        }
        classifier
    }

    /// Gradient of the mean negative log-likelihood of the digits at `batch`.
    fn gradient(&self, digits: &Digits, batch: &[usize]) -> Gradient {
        let images = digits.gather(batch);
        let flow = self.flow(images.as_ref());
        let share = 1.0 / batch.len() as f64;
        // ∂loss/∂logit = softmax − one-hot.
        let output_error = Mat::from_fn(LABELS, batch.len(), |label, i| {
            let is_label = usize::from(digits.labels()[batch[i]]) == label;
            share * (flow.log_probabilities[(label, i)].exp() - f64::from(is_label))
        });
        let mut hidden_error = product(self.output.weights.transpose(), output_error.as_ref());
        for (error, hidden) in hidden_error.col_iter_mut().zip(flow.hidden.col_iter()) {
            error.iter_mut().zip(hidden.iter()).filter(|(_, unit)| **unit <= 0.0).for_each(|(error, _)| *error = 0.0);
        }
        Gradient { hidden: layer_gradient(&hidden_error, &images), output: layer_gradient(&output_error, &flow.hidden) }
    }
}

fn layer_gradient(error: &Mat<f64>, inputs: &Mat<f64>) -> Layer {
    let biases = (0..error.nrows()).map(|i| error.row(i).iter().sum()).collect();
    Layer { weights: product(error.as_ref(), inputs.transpose()), biases }
}

fn zeros(layer: &Layer) -> Layer {
    Layer { weights: Mat::zeros(layer.weights.nrows(), layer.weights.ncols()), biases: vec![0.0; layer.biases.len()] }
}

/// step ← momentum · step + gradient + decay · parameter;  parameter ← parameter − rate · step.
fn descend(layer: &mut Layer, step: &mut Layer, gradient: &Layer, training: &Training) {
    let Training { learning_rate, momentum, weight_decay, .. } = *training;
    step.weights *= faer::Scale(momentum);
    step.weights += &gradient.weights;
    if weight_decay > 0.0 {
        step.weights += faer::Scale(weight_decay) * &layer.weights;
    }
    layer.weights -= faer::Scale(learning_rate) * &step.weights;
    for ((bias, step), gradient) in layer.biases.iter_mut().zip(&mut step.biases).zip(&gradient.biases) {
        *step = momentum * *step + gradient;
        *bias -= learning_rate * *step;
    }
}

/// Fisher–Yates.
fn shuffle(order: &mut [usize], rng: &mut Rng) {
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
}
