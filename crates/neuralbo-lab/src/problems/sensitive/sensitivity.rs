//! How strongly a classifier's outputs depend on its parameters, in closed form.
//!
//! With A = ∂f/∂(logits) = I − 1·pᵀ (p the probabilities) and D the mask of active hidden units, the Jacobian's blocks are outer
//! products: ∂f_k/∂W₂ = A_k· hᵀ, ∂f_k/∂b₂ = A_k·, ∂f_k/∂W₁ = (A W₂ D)_k· xᵀ, ∂f_k/∂b₁ = (A W₂ D)_k·. So
//!
//! ‖∂f/∂θ‖² = ‖A‖² (1 + ‖h‖²) + ‖A W₂ D‖² (1 + ‖x‖²)   (Frobenius norms).
//!
//! The gradient of one output alone has that row of A in place of A, the Jacobian of the probabilities diag(p) A.
//!
//! What the three prefer differs: ‖A‖² = 8 + 10‖p‖² is *largest* where the classifier is certain (18, and 9 where all labels are
//! equal), because the log-probabilities of labels that lose move most. The row of the winning label, 1 − 2p_k + ‖p‖², and
//! diag(p) A vanish there: they are large where labels are nearly equal, which is where a small change of the weights changes the label.

use faer::Mat;
use neuralbo::linalg::product;

use super::LABELS;
use super::classifier::{Classifier, HIDDEN, largest};

/// Which derivative is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// The Frobenius norm of the full Jacobian ∂f(x)/∂θ: the paper's text.
    Jacobian,
    /// The norm of the gradient of the largest log-probability: the authors' code.
    LargestOutput,
    /// The Frobenius norm of the Jacobian of the probabilities, the other outputs that f(x) may stand for.
    Probabilities,
}

impl Sensitivity {
    /// The norm at a normalized image of 784 pixels.
    pub fn norm(self, classifier: &Classifier, image: &[f64]) -> f64 {
        let flow = classifier.single(image);
        let logs = flow.log_probabilities.col_as_slice(0).iter();
        let probabilities: Vec<f64> = logs.map(|l| l.exp()).collect();
        let by_logit = self.by_logit(&probabilities);
        let active = |j: usize| f64::from(flow.hidden[(j, 0)] > 0.0);
        let masked = Mat::from_fn(LABELS, HIDDEN, |i, j| {
            classifier.output.weights[(i, j)] * active(j)
        });
        let by_hidden = product(by_logit.as_ref(), masked.as_ref());
        let hidden = flow.hidden.squared_norm_l2();
        let pixels = image.iter().map(|x| x * x).sum::<f64>();
        (by_logit.squared_norm_l2() * (1.0 + hidden) + by_hidden.squared_norm_l2() * (1.0 + pixels))
            .sqrt()
    }

    /// The derivative of what is measured by the logits, at these probabilities.
    fn by_logit(self, p: &[f64]) -> Mat<f64> {
        let log = |k: usize, i: usize| f64::from(k == i) - p[i];
        match self {
            Self::Jacobian => Mat::from_fn(LABELS, LABELS, log),
            Self::Probabilities => Mat::from_fn(LABELS, LABELS, |k, i| p[k] * log(k, i)),
            Self::LargestOutput => {
                let label = largest(p.iter().copied());
                Mat::from_fn(1, LABELS, |_, i| log(label, i))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::sensitive::classifier::Layer;
    use crate::problems::sensitive::classifier::tests::{label, log_probabilities};
    use proptest::prelude::*;

    /// Parameter number `at` of a layer, weights column by column and then biases.
    fn parameter(layer: &mut Layer, at: usize) -> &mut f64 {
        let rows = layer.weights.nrows();
        let weights = rows * layer.weights.ncols();
        if at < weights {
            &mut layer.weights[(at % rows, at / rows)]
        } else {
            &mut layer.biases[at - weights]
        }
    }

    /// The squared norms of the rows of the Jacobian of `of` log-probabilities by central differences over all 7960 parameters.
    fn differences(classifier: &Classifier, image: &[f64], of: fn(f64) -> f64) -> Vec<f64> {
        let step = 1e-5;
        let mut squares = vec![0.0; LABELS];
        let mut moved = classifier.clone();
        for at in 0..7850 + 110_usize {
            let mut outputs = |by: f64| {
                match at.checked_sub(7850) {
                    None => *parameter(&mut moved.hidden, at) += by,
                    Some(at) => *parameter(&mut moved.output, at) += by,
                }
                log_probabilities(&moved, image)
            };
            let (up, down) = (outputs(step), outputs(-2.0 * step));
            outputs(step);
            for k in 0..LABELS {
                squares[k] += ((of(up[k]) - of(down[k])) / (2.0 * step)).powi(2);
            }
        }
        squares
    }

    #[test]
    fn all_norms_agree_with_differences() {
        let classifier = Classifier::random(8);
        let pixel = |i| 1.2 + 1.5 * (f64::from(i) * 0.61).sin();
        let image: Vec<f64> = (0..784).map(pixel).collect();
        let rows = differences(&classifier, &image, |log| log);
        let of_probabilities = differences(&classifier, &image, f64::exp);
        let norm_of = |rows: &[f64]| rows.iter().sum::<f64>().sqrt();
        let label = label(&classifier, &image);
        for (sensitivity, expected) in [
            (Sensitivity::Jacobian, norm_of(&rows)),
            (Sensitivity::LargestOutput, rows[label].sqrt()),
            (Sensitivity::Probabilities, norm_of(&of_probabilities)),
        ] {
            let norm = sensitivity.norm(&classifier, &image);
            assert!((norm / expected - 1.0).abs() < 1e-7, "{sensitivity:?}");
        }
    }

    /// 8 + 10‖p‖² for the log-probabilities; 1 − 2p_k + ‖p‖² for the largest of them.
    #[test]
    fn certainty_doubles_the_full_jacobian_and_ends_the_others() {
        let square =
            |sensitivity: Sensitivity, p: &[f64]| sensitivity.by_logit(p).squared_norm_l2();
        let (mut certain, mut tie) = ([0.0; 10], [0.0; 10]);
        certain[3] = 1.0;
        (tie[3], tie[8]) = (0.5, 0.5);
        for (p, jacobian, largest) in [
            (&[0.1; 10], 9.0, 0.9),
            (&tie, 13.0, 0.5),
            (&certain, 18.0, 0.0),
        ] {
            assert!((square(Sensitivity::Jacobian, p) - jacobian).abs() < 1e-12);
            assert!((square(Sensitivity::LargestOutput, p) - largest).abs() < 1e-12);
        }
        let of_probabilities = |p: &[f64]| square(Sensitivity::Probabilities, p);
        assert_eq!(of_probabilities(&certain), 0.0);
        assert!(of_probabilities(&tie) > of_probabilities(&[0.1; 10]));
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
