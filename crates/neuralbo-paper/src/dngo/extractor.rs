//! The trained network as a feature map: standardized coordinates in, last hidden activations and a constant one out.
//!
//! Symbols as in [`neuralbo::net`]; `A_{L−1}` the last hidden activations, `Ā_{L−1} = ∂s/∂A_{L−1}` the adjoints of any scalar `s`
//! built from them.

use super::DngoSettings;
use crate::training::{AdamState, Trainer, TrainingData, converted};
use faer::{Mat, MatRef};
use neuralbo::linalg::{Points, Purpose, Rng, Streams, product};
use neuralbo::net::{Activation, Architecture, Init, Mlp, Tape, multiply_entries};
use neuralbo::surrogate::{Dataset, FitError, Standardizer};

/// Coordinates that spread less than this are taken as constant: dividing by less would throw every other point far outside.
const SMALLEST_SPREAD: f64 = 1e-6;

/// Mean and spread of each coordinate.
#[derive(Clone, Debug, PartialEq)]
struct Scaling {
    center: Vec<f64>,
    spread: Vec<f64>,
}

impl Scaling {
    fn of(rows: &Points) -> Self {
        let (dim, count) = (rows.dim(), rows.len().max(1) as f64);
        let mean = |f: &dyn Fn(&[f64], usize) -> f64, i: usize| {
            rows.rows().map(|row| f(row, i)).sum::<f64>() / count
        };
        let center: Vec<f64> = (0..dim).map(|i| mean(&|row, i| row[i], i)).collect();
        let spread = (0..dim).map(|i| {
            let spread = mean(&|row, i| (row[i] - center[i]).powi(2), i).sqrt();
            if spread > SMALLEST_SPREAD {
                spread
            } else {
                1.0
            }
        });
        Self {
            spread: spread.collect(),
            center,
        }
    }

    fn apply(&self, rows: &Points) -> Mat<f64> {
        Mat::from_fn(rows.dim(), rows.len(), |i, j| {
            (rows.row(j)[i] - self.center[i]) / self.spread[i]
        })
    }
}

/// The feature map.
#[derive(Clone, Debug)]
pub(super) struct Extractor {
    scaling: Scaling,
    net: Mlp<f64>,
}

/// Features of some points that can be pulled back to gradients in the rows.
pub(super) struct DifferentiableFeatures<'a> {
    extractor: &'a Extractor,
    tape: Tape<f64>,
    pub values: Mat<f64>,
}

impl Extractor {
    /// Trains a fresh network on all of `data`.
    pub(super) fn train(
        settings: &DngoSettings,
        data: &Dataset,
        streams: &Streams,
    ) -> Result<Self, FitError> {
        let (number, rewards) = (data.len() as u64, data.rewards());
        let scaling = Scaling::of(data.rows());
        let mut net = fresh_network(settings, data.rows().dim(), streams, number)?;
        let targets = Standardizer::of(rewards).forward_all(rewards);
        // Rewards that are constant up to rounding teach nothing; the features of the fresh network serve as well.
        if targets.iter().any(|y| y.abs() > 1e-9) {
            let rng = streams.stream(number, Purpose::Training);
            net = trained(settings, &net, &scaling.apply(data.rows()), &targets, rng)?;
        }
        Ok(Self { scaling, net })
    }

    /// Features of the rows, one column a row.
    pub(super) fn apply(&self, rows: &Points) -> Mat<f64> {
        with_constant(hidden(&self.net, self.scaling.apply(rows).as_ref()).as_ref())
    }

    /// The same, differentiable.
    pub(super) fn differentiable(&self, rows: &Points) -> DifferentiableFeatures<'_> {
        let tape = self.net.tape(self.scaling.apply(rows).as_ref(), false);
        DifferentiableFeatures {
            extractor: self,
            values: with_constant(tape.activations[tape.slopes.len()].as_ref()),
            tape,
        }
    }
}

impl DifferentiableFeatures<'_> {
    /// Gradients in the rows, times `factor`, from the adjoints of all features (one column a row).
    pub(super) fn pullback(&self, adjoints: MatRef<'_, f64>, factor: f64) -> Points {
        let of_hidden = adjoints.subrows(0, adjoints.nrows() - 1).to_owned();
        let gradient = pullback(&self.extractor.net, &self.tape, of_hidden);
        let spread = &self.extractor.scaling.spread;
        let row = |j| {
            let pairs = gradient.col_as_slice(j).iter().zip(spread);
            pairs.map(|(g, spread)| factor * (g / spread)).collect()
        };
        Points::from_rows(spread.len(), (0..gradient.ncols()).map::<Vec<f64>, _>(row))
    }
}

/// The last hidden activations `A_{L−1}`, one column per point.
fn hidden(net: &Mlp<f64>, x: MatRef<'_, f64>) -> Mat<f64> {
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

/// `∂s/∂x`, one column per point, from `Ā_{L−1}`: `Ā_{l−1} = W_lᵀ (φ′(Z_l) ∘ Ā_l)` down to the inputs.
fn pullback(net: &Mlp<f64>, tape: &Tape<f64>, mut adjoints: Mat<f64>) -> Mat<f64> {
    let layers = net.architecture().layer_list();
    for (layer, slope) in layers.iter().zip(&tape.slopes).rev() {
        multiply_entries(&mut adjoints, slope);
        adjoints = product(layer.weights(net.theta()).transpose(), adjoints.as_ref());
    }
    adjoints
}

fn with_constant(hidden: MatRef<'_, f64>) -> Mat<f64> {
    let width = hidden.nrows();
    Mat::from_fn(width + 1, hidden.ncols(), |i, j| {
        if i < width { hidden[(i, j)] } else { 1.0 }
    })
}

/// Weights `N(0, 1/fan-in)` in every hidden layer: the reference initialization has `N(0, 1/m)`, right for all but the first.
fn fresh_network(
    settings: &DngoSettings,
    inputs: usize,
    streams: &Streams,
    number: u64,
) -> Result<Mlp<f64>, FitError> {
    let shape = Architecture {
        inputs,
        width: settings.width,
        depth: settings.hidden_layers + 1,
        activation: Activation::Tanh,
        biases: true,
    };
    let mut rng = streams.stream(number, Purpose::NetworkInit);
    let mut net = Mlp::new(shape, Init::Reference, &mut rng)?;
    let widen = (settings.width as f64 / inputs as f64).sqrt();
    net.theta_mut()[..inputs * settings.width]
        .iter_mut()
        .for_each(|w| *w *= widen);
    Ok(net)
}

/// Trains in single precision, twice as fast.
///
/// [`Mlp`] answers `√m` times its output layer. Fitting it to `√m y` makes the loss `m` times that of the plain network on `y`, and
/// Adam does not see the factor `m`: the parameters move as those of the plain network with the same learning rate would, where
/// fitting `y` itself would move the output `√m` times too fast.
fn trained(
    settings: &DngoSettings,
    fresh: &Mlp<f64>,
    inputs: &Mat<f64>,
    targets: &[f64],
    mut rng: Rng,
) -> Result<Mlp<f64>, FitError> {
    let mut net: Mlp<f32> = converted(fresh)?;
    let x = Mat::from_fn(inputs.nrows(), inputs.ncols(), |i, j| inputs[(i, j)] as f32);
    let scale = (settings.width as f64).sqrt();
    let y: Vec<f32> = targets.iter().map(|y| (scale * y) as f32).collect();
    let anchor = net.theta().to_vec();
    let data = TrainingData::new(x.as_ref(), &y, &anchor);
    let trainer = Trainer::adam(settings.rate, settings.epochs, settings.batch);
    trainer.train(&mut net, &data, &mut AdamState::default(), &mut rng)?;
    converted(&net)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::{shape, slope};
    use rand::RngExt;

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn pullback_matches_finite_differences_at_every_depth() {
        for (activation, depth) in [
            (Activation::Tanh, 2),
            (Activation::Tanh, 4),
            (Activation::Gelu, 3),
        ] {
            let shape = shape(3, 7, depth, activation, true);
            let mut rng = Streams::new(3).stream(0, Purpose::NetworkInit);
            let net = Mlp::<f64>::new(shape, Init::Reference, &mut rng).unwrap();
            let x = Mat::from_fn(3, 4, |_, _| rng.random_range(-1.0..1.0));
            let c = Mat::from_fn(7, 4, |_, _| rng.random_range(-1.0..1.0));
            let gradient = pullback(&net, &net.tape(x.as_ref(), false), c.clone());
            for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let expected = slope(1e-6, |by| {
                    let mut x = x.clone();
                    x[(i, j)] += by;
                    dot(hidden(&net, x.as_ref()).col_as_slice(j), c.col_as_slice(j))
                });
                assert!((gradient[(i, j)] - expected).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn the_output_is_linear_in_the_hidden_features() {
        let shape = shape(2, 6, 3, Activation::Tanh, true);
        let mut rng = Streams::new(5).stream(0, Purpose::NetworkInit);
        let net = Mlp::<f64>::new(shape, Init::Reference, &mut rng).unwrap();
        let x = Mat::from_fn(2, 3, |i, j| i as f64 - 0.4 * j as f64);
        let (features, output) = (hidden(&net, x.as_ref()), net.forward(x.as_ref()));
        let tail = &net.theta()[net.theta().len() - 7..];
        for (j, output) in output.iter().enumerate() {
            let linear = dot(features.col_as_slice(j), &tail[..6]);
            assert!((output - 6f64.sqrt() * (linear + tail[6])).abs() < 1e-12);
        }
    }
}
