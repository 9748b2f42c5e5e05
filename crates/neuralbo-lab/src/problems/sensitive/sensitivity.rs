//! How strongly a classifier's outputs depend on its parameters, in closed form.
//!
//! With A = ∂f/∂(logits) = I − 1·pᵀ (p the probabilities) and D the mask of active hidden units, the Jacobian's blocks are outer
//! products: ∂f_k/∂W₂ = A_k· hᵀ, ∂f_k/∂b₂ = A_k·, ∂f_k/∂W₁ = (A W₂ D)_k· xᵀ, ∂f_k/∂b₁ = (A W₂ D)_k·. So
//!
//! ‖∂f/∂θ‖² = ‖A‖² (1 + ‖h‖²) + ‖A W₂ D‖² (1 + ‖x‖²)   (Frobenius norms),
//!
//! and the gradient of one output alone takes the norms of that row of A and A W₂ D.

use faer::Mat;
use neuralbo::linalg::product;

use super::LABELS;
use super::classifier::{Classifier, HIDDEN, largest};

/// Which derivative is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sensitivity {
    /// The Frobenius norm of the full Jacobian ∂f(x)/∂θ: the paper's text.
    #[default]
    Jacobian,
    /// The norm of the gradient of the largest log-probability: the authors' code.
    LargestOutput,
}

impl Sensitivity {
    /// The norm at a normalized image; NaN if it does not have 784 pixels.
    ///
    /// ```
    /// use neuralbo_lab::problems::sensitive::{Classifier, Sensitivity};
    ///
    /// let (classifier, image) = (Classifier::random(1), [0.5; 784]);
    /// let full = Sensitivity::Jacobian.norm(&classifier, &image);
    /// assert!(full >= Sensitivity::LargestOutput.norm(&classifier, &image));
    /// ```
    pub fn norm(self, classifier: &Classifier, image: &[f64]) -> f64 {
        let Some(flow) = classifier.single(image) else { return f64::NAN };
        let outputs = flow.log_probabilities.col(0);
        let by_logit = Mat::from_fn(LABELS, LABELS, |k, i| f64::from(k == i) - outputs[i].exp());
        let active = |j: usize| f64::from(flow.hidden[(j, 0)] > 0.0);
        let masked = Mat::from_fn(LABELS, HIDDEN, |i, j| classifier.output.weights[(i, j)] * active(j));
        let by_hidden = product(by_logit.as_ref(), masked.as_ref());
        let rows = match self {
            Self::Jacobian => 0..LABELS,
            Self::LargestOutput => {
                let at = largest(outputs.iter().copied());
                at..at + 1
            }
        };
        let rows = |matrix: &Mat<f64>| matrix.subrows(rows.start, rows.len()).squared_norm_l2();
        let (hidden, pixels) = (flow.hidden.squared_norm_l2(), image.iter().map(|x| x * x).sum::<f64>());
        (rows(&by_logit) * (1.0 + hidden) + rows(&by_hidden) * (1.0 + pixels)).sqrt()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::problems::sensitive::classifier::Layer;
    use proptest::prelude::*;

    /// Parameter number `at` of a layer, weights column by column and then biases.
    fn parameter(layer: &mut Layer, at: usize) -> &mut f64 {
        let (rows, weights) = (layer.weights.nrows(), layer.weights.nrows() * layer.weights.ncols());
        if at < weights { &mut layer.weights[(at % rows, at / rows)] } else { &mut layer.biases[at - weights] }
    }

    /// The squared norms of the Jacobian's rows by central differences over all 7960 parameters.
    fn differences(classifier: &Classifier, image: &[f64]) -> Vec<f64> {
        let step = 1e-5;
        let mut squares = vec![0.0; LABELS];
        let all = (0..7850).map(|at| (true, at)).chain((0..110).map(|at| (false, at)));
        let mut moved = classifier.clone();
        for (in_hidden, at) in all {
            let mut outputs = |by: f64| {
                let layer = if in_hidden { &mut moved.hidden } else { &mut moved.output };
                *parameter(layer, at) += by;
                moved.log_probabilities(image).unwrap()
            };
            let (up, down) = (outputs(step), outputs(-2.0 * step));
            outputs(step);
            for k in 0..LABELS {
                squares[k] += ((up[k] - down[k]) / (2.0 * step)).powi(2);
            }
        }
        squares
    }

    #[test]
    fn both_norms_agree_with_differences() {
        let classifier = Classifier::random(8);
        let image: Vec<f64> = (0..784).map(|i| 1.2 + 1.5 * (i as f64 * 0.61).sin()).collect();
        let rows = differences(&classifier, &image);
        let label = classifier.label(&image).unwrap();
        let (full, largest) = (rows.iter().sum::<f64>().sqrt(), rows[label].sqrt());
        assert!((Sensitivity::Jacobian.norm(&classifier, &image) / full - 1.0).abs() < 1e-7);
        assert!((Sensitivity::LargestOutput.norm(&classifier, &image) / largest - 1.0).abs() < 1e-7);
    }

    #[test]
    fn other_image_sizes_have_no_norm() {
        assert!(Sensitivity::Jacobian.norm(&Classifier::random(1), &[0.0; 49]).is_nan());
    }

    proptest! {
        #[test]
        fn one_row_is_never_more_than_all_of_them(seed in 0u64..50, value in -0.4..2.8f64) {
            let classifier = Classifier::random(seed);
            let image: Vec<f64> = (0..784).map(|i| value * (i as f64).cos()).collect();
            let one = Sensitivity::LargestOutput.norm(&classifier, &image);
            prop_assert!(one > 0.0 && one <= Sensitivity::Jacobian.norm(&classifier, &image));
        }
    }
}
