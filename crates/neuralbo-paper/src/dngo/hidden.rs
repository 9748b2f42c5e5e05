//! The last hidden layer as a feature map: its activations `A_{L−1}(x)` and the way back from them to the inputs.
//!
//! Symbols as in [`neuralbo::net`]; `Ā_{L−1} = ∂s/∂A_{L−1}` are the adjoints of any scalar `s` built from the features.

use faer::{Mat, MatRef};
use neuralbo::linalg::product;
use neuralbo::net::{Mlp, Tape, multiply_entries};

/// The last hidden activations of a batch, ready to be differentiated.
pub(super) struct HiddenFeatures<'a> {
    net: &'a Mlp<f64>,
    tape: Tape<f64>,
}

/// The last hidden activations `A_{L−1}`, one column per point.
pub(super) fn hidden(net: &Mlp<f64>, x: MatRef<'_, f64>) -> Mat<f64> {
    let layers = net.architecture().layer_list();
    let mut a = x.to_owned();
    for layer in &layers[..layers.len() - 1] {
        a = layer.apply(net.theta(), a.as_ref());
        for j in 0..a.ncols() {
            net.architecture().activation.apply(a.col_as_slice_mut(j));
        }
    }
    a
}

impl<'a> HiddenFeatures<'a> {
    /// The same activations with what [`HiddenFeatures::pullback`] needs.
    pub(super) fn of(net: &'a Mlp<f64>, x: MatRef<'_, f64>) -> Self {
        let tape = net.tape(x, false);
        Self { net, tape }
    }

    /// The activations `A_{L−1}`, one column per point.
    pub(super) fn values(&self) -> MatRef<'_, f64> {
        self.tape.activations[self.tape.slopes.len()].as_ref()
    }

    /// `∂s/∂x`, one column per point, from `Ā_{L−1}`: `Ā_{l−1} = W_lᵀ (φ′(Z_l) ∘ Ā_l)` down to the inputs.
    pub(super) fn pullback(&self, adjoints: Mat<f64>) -> Mat<f64> {
        let layers = self.net.architecture().layer_list();
        let mut adjoints = adjoints;
        for (layer, slope) in layers.iter().zip(&self.tape.slopes).rev() {
            multiply_entries(&mut adjoints, slope);
            adjoints = product(
                layer.weights(self.net.theta()).transpose(),
                adjoints.as_ref(),
            );
        }
        adjoints
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use neuralbo::linalg::{Purpose, Streams};
    use neuralbo::net::{Activation, Architecture, Init};
    use rand::RngExt;

    #[test]
    fn pullback_matches_finite_differences_at_every_depth() {
        for (activation, depth) in [
            (Activation::Tanh, 2),
            (Activation::Tanh, 4),
            (Activation::Gelu, 3),
        ] {
            let shape = Architecture {
                inputs: 3,
                width: 7,
                depth,
                activation,
                biases: true,
            };
            let mut rng = Streams::new(3).stream(0, Purpose::NetworkInit);
            let net = Mlp::<f64>::new(shape, Init::Reference, &mut rng).unwrap();
            let mut x = Mat::from_fn(3, 4, |_, _| rng.random_range(-1.0..1.0));
            let c = Mat::from_fn(7, 4, |_, _| rng.random_range(-1.0..1.0));
            let gradient = HiddenFeatures::of(&net, x.as_ref()).pullback(c.clone());
            let scalar = |x: &Mat<f64>, j: usize| {
                let a = hidden(&net, x.as_ref());
                a.col_as_slice(j)
                    .iter()
                    .zip(c.col_as_slice(j))
                    .map(|(a, c)| a * c)
                    .sum::<f64>()
            };
            for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let (at, h) = (x[(i, j)], 1e-6);
                x[(i, j)] = at + h;
                let up = scalar(&x, j);
                x[(i, j)] = at - h;
                let down = scalar(&x, j);
                x[(i, j)] = at;
                assert!((gradient[(i, j)] - (up - down) / (2.0 * h)).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn the_output_is_linear_in_the_hidden_features() {
        let shape = Architecture {
            inputs: 2,
            width: 6,
            depth: 3,
            activation: Activation::Tanh,
            biases: true,
        };
        let net = Mlp::<f64>::new(
            shape,
            Init::Reference,
            &mut Streams::new(5).stream(0, Purpose::NetworkInit),
        )
        .unwrap();
        let x = Mat::from_fn(2, 3, |i, j| i as f64 - 0.4 * j as f64);
        let (features, output) = (hidden(&net, x.as_ref()), net.forward(x.as_ref()));
        let tail = &net.theta()[net.theta().len() - 7..];
        for (j, output) in output.iter().enumerate() {
            let linear: f64 = features
                .col_as_slice(j)
                .iter()
                .zip(tail)
                .map(|(a, w)| a * w)
                .sum();
            assert!((output - 6f64.sqrt() * (linear + tail[6])).abs() < 1e-12);
        }
    }
}
