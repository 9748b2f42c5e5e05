//! The classifier: 784 pixels, 10 hidden ReLU units, 10 log-probabilities.
//!
//! | symbol | meaning | shape |
//! | --- | --- | --- |
//! | x | normalized image | 784 |
//! | W₁, b₁ | hidden layer | 10 × 784, 10 |
//! | h = max(0, W₁x + b₁) | hidden units | 10 |
//! | W₂, b₂ | output layer | 10 × 10, 10 |
//! | f = log softmax(W₂h + b₂) | log-probabilities | 10 |

use faer::{Mat, MatRef};
use neuralbo::linalg::{Purpose, Rng, Streams, log_sum_exp, product};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::{Digits, LABELS, PIXELS};

/// Number of hidden units.
pub(super) const HIDDEN: usize = 10;
/// Images that go through the network together: enough for the products, few enough for the cache.
const CHUNK: usize = 500;

/// One layer: weights (outputs × inputs) and biases.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layer {
    pub weights: Mat<f64>,
    pub biases: Vec<f64>,
}

impl Layer {
    /// Weights and biases uniform in ±1/√inputs.
    fn random(outputs: usize, inputs: usize, rng: &mut Rng) -> Self {
        let bound = 1.0 / (inputs as f64).sqrt();
        let mut draw = || rng.random_range(-bound..bound);
        let weights = Mat::from_fn(outputs, inputs, |_, _| draw());
        Self {
            weights,
            biases: (0..outputs).map(|_| draw()).collect(),
        }
    }

    pub fn apply(&self, inputs: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = product(self.weights.as_ref(), inputs);
        for column in out.col_iter_mut() {
            let values = column.iter_mut().zip(&self.biases);
            values.for_each(|(value, bias)| *value += bias);
        }
        out
    }

    fn with_noise(&self, sd: f64, rng: &mut Rng) -> Self {
        let noise = Mat::from_fn(self.weights.nrows(), self.weights.ncols(), |_, _| {
            let normal: f64 = StandardNormal.sample(rng);
            sd * normal
        });
        Self {
            weights: &self.weights + noise,
            biases: self.biases.clone(),
        }
    }
}

/// A classifier of handwritten digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    pub(super) hidden: Layer,
    pub(super) output: Layer,
}

/// What flows through the network for a batch, one column an image.
pub(super) struct Flow {
    /// h.
    pub hidden: Mat<f64>,
    /// f.
    pub log_probabilities: Mat<f64>,
}

impl Classifier {
    /// An untrained classifier: all parameters uniform in ±1/√inputs of their layer.
    pub fn random(seed: u64) -> Self {
        let mut rng = Streams::new(seed).stream(0, Purpose::NetworkInit);
        Self {
            hidden: Layer::random(HIDDEN, PIXELS, &mut rng),
            output: Layer::random(LABELS, HIDDEN, &mut rng),
        }
    }

    pub(super) fn flow(&self, images: MatRef<'_, f64>) -> Flow {
        let (hidden, mut log_probabilities) = self.hidden_and_logits(images);
        for image in 0..log_probabilities.ncols() {
            let column = log_probabilities.col_as_slice_mut(image);
            let total = log_sum_exp(column);
            column.iter_mut().for_each(|logit| *logit -= total);
        }
        Flow {
            hidden,
            log_probabilities,
        }
    }

    fn hidden_and_logits(&self, images: MatRef<'_, f64>) -> (Mat<f64>, Mat<f64>) {
        let mut hidden = self.hidden.apply(images);
        let units = hidden.col_iter_mut().flat_map(|column| column.iter_mut());
        units.for_each(|unit| *unit = unit.max(0.0));
        let logits = self.output.apply(hidden.as_ref());
        (hidden, logits)
    }

    /// One normalized image of 784 pixels.
    pub(super) fn single(&self, image: &[f64]) -> Flow {
        self.flow(MatRef::from_column_major_slice(image, PIXELS, 1))
    }

    /// The most probable label of each normalized image, one a column.
    pub(super) fn labels(&self, images: MatRef<'_, f64>) -> Vec<usize> {
        let (_, logits) = self.hidden_and_logits(images);
        let columns = logits.col_iter();
        columns
            .map(|column| largest(column.iter().copied()))
            .collect()
    }

    /// The share of digits that are labelled right.
    pub fn accuracy(&self, digits: &Digits) -> f64 {
        let right = chunks(digits.len()).map(|range| {
            let given = self.labels(digits.columns(range.clone()).as_ref());
            let pairs = given.into_iter().zip(&digits.labels()[range]);
            pairs
                .filter(|(given, label)| *given == usize::from(**label))
                .count()
        });
        right.sum::<usize>() as f64 / digits.len() as f64
    }

    /// A copy with N(0, sd²) added to every weight; biases stay as they are.
    pub(super) fn with_noise(&self, sd: f64, rng: &mut Rng) -> Self {
        Self {
            hidden: self.hidden.with_noise(sd, rng),
            output: self.output.with_noise(sd, rng),
        }
    }
}

/// `0..len` in pieces.
fn chunks(len: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let starts = (0..len).step_by(CHUNK);
    starts.map(move |start| start..(start + CHUNK).min(len))
}

/// Where the largest value is; the first of equals.
pub(super) fn largest(values: impl Iterator<Item = f64>) -> usize {
    let better = |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
    values.enumerate().fold((0, f64::NEG_INFINITY), better).0
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The log-probability of each label.
    pub fn log_probabilities(classifier: &Classifier, image: &[f64]) -> Vec<f64> {
        let flow = classifier.single(image);
        flow.log_probabilities.col_as_slice(0).to_vec()
    }

    /// The most probable label.
    pub fn label(classifier: &Classifier, image: &[f64]) -> usize {
        largest(log_probabilities(classifier, image).into_iter())
    }

    #[test]
    fn outputs_are_those_of_the_formula() {
        let classifier = Classifier::random(3);
        let image: Vec<f64> = (0..PIXELS).map(|i| (i as f64 * 0.37).sin()).collect();
        let layer = |layer: &Layer, x: &[f64]| -> Vec<f64> {
            let product = |i| {
                (0..x.len())
                    .map(|j| layer.weights[(i, j)] * x[j])
                    .sum::<f64>()
            };
            (0..10).map(|i| layer.biases[i] + product(i)).collect()
        };
        let hidden: Vec<f64> = layer(&classifier.hidden, &image)
            .into_iter()
            .map(|z| z.max(0.0))
            .collect();
        let logits = layer(&classifier.output, &hidden);
        let total: f64 = logits.iter().map(|z| z.exp()).sum::<f64>().ln();
        let got = log_probabilities(&classifier, &image);
        let mut pairs = got.iter().zip(&logits);
        assert!(pairs.all(|(g, z)| (g - (z - total)).abs() < 1e-12));
        let column = MatRef::from_column_major_slice(&image, PIXELS, 1);
        let found = classifier.labels(column);
        assert_eq!(found, [largest(logits.into_iter())]);
    }

    #[test]
    fn pieces_cover_everything_once() {
        let covered: Vec<usize> = chunks(1201).flatten().collect();
        assert_eq!(covered, (0..1201).collect::<Vec<_>>());
        assert_eq!(chunks(0).count(), 0);
    }
}
