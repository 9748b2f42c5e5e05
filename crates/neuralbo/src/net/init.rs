//! How θ₀ is drawn.

use super::mlp::{Architecture, LayerShape};
use crate::linalg::{Rng, SettingError, require};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// Distribution of the initial parameters. Biases are zero where a rule does not name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    /// Every weight `N(0, 1/m)` (Section 6 of the paper); then `E k(x,x) = ‖x‖²` at `L = 2` with ReLU.
    Standard,
    /// Hidden weights `N(0, 2/m)`, output weights zero (Section 4), so that `h(x; θ₀) = 0`. At θ₀ only the output layer's
    /// features survive.
    HeZeroLast,
    /// [`Init::Standard`] in two mirrored halves with opposite output weights: `h(x; θ₀) = 0`, no feature is lost, and
    /// `E k(x,x) = ‖x‖²` as before. `W_1 = [A; A]` with `A ~ N(0, 1/m)`, inner `W_l = diag(A, A)` with `A ~ N(0, 2/m)`,
    /// `W_L = [w, −w]` with `w ~ N(0, 1/m)`.
    Mirrored,
    /// The same with the variances of Zhou et al. (2020), twice as large in every layer.
    Antisymmetric,
    /// The released reference code: hidden weights `N(0, 1/m)`; output weights and all biases uniform in ±1/√fan-in.
    Reference,
}

impl Init {
    /// Hidden layers of two halves need an even width.
    pub fn check_width(self, width: usize) -> Result<(), SettingError> {
        let halves = matches!(self, Self::Mirrored | Self::Antisymmetric);
        let holds = !halves || width.is_multiple_of(2);
        require(
            "width",
            width,
            holds,
            "an even width: the network consists of two halves",
        )
    }

    /// Draws the flat parameter vector, in double precision whatever the network computes in.
    pub(crate) fn draw(
        self,
        shape: &Architecture,
        rng: &mut Rng,
    ) -> Result<Vec<f64>, SettingError> {
        self.check_width(shape.width)?;
        let mut theta = vec![0.0; shape.parameters()];
        let layers = shape.layer_list();
        for (l, layer) in layers.iter().enumerate() {
            let last = l + 1 == layers.len();
            let weights = &mut theta[layer.offset..layer.offset + layer.rows * layer.cols];
            let variance = |factor: f64| factor / shape.width as f64;
            match self {
                Self::Standard => fill_normal(weights, variance(1.0), rng),
                Self::HeZeroLast if last => {}
                Self::HeZeroLast => fill_normal(weights, variance(2.0), rng),
                Self::Mirrored => fill_mirrored(weights, layer, l, 1.0, rng),
                Self::Antisymmetric => fill_mirrored(weights, layer, l, 2.0, rng),
                Self::Reference if last => fill_uniform(weights, layer.cols, rng),
                Self::Reference => fill_normal(weights, variance(1.0), rng),
            }
            if let (Self::Reference, Some(range)) = (self, layer.bias_range()) {
                fill_uniform(&mut theta[range], layer.cols, rng);
            }
        }
        Ok(theta)
    }
}

fn fill_normal(weights: &mut [f64], variance: f64, rng: &mut Rng) {
    let sd = variance.sqrt();
    weights
        .iter_mut()
        .for_each(|w| *w = sd * rng.sample::<f64, _>(StandardNormal));
}

fn fill_uniform(weights: &mut [f64], fan_in: usize, rng: &mut Rng) {
    let bound = 1.0 / (fan_in as f64).sqrt();
    weights
        .iter_mut()
        .for_each(|w| *w = rng.random_range(-bound..bound));
}

/// One half drawn with variance `factor/m` (inner layers twice that: half as many units feed each), the other its mirror image.
fn fill_mirrored(
    weights: &mut [f64],
    layer: &LayerShape,
    index: usize,
    factor: f64,
    rng: &mut Rng,
) {
    let output = layer.rows == 1;
    let width = if output { layer.cols } else { layer.rows };
    let half = width / 2;
    let draw = |factor: f64, rng: &mut Rng| {
        (factor / width as f64).sqrt() * rng.sample::<f64, _>(StandardNormal)
    };
    if output {
        for k in 0..half {
            weights[k] = draw(factor, rng);
            weights[half + k] = -weights[k];
        }
        return;
    }
    let columns = if index == 0 { layer.cols } else { half };
    for j in 0..columns {
        for i in 0..half {
            let w = draw(if index == 0 { factor } else { 2.0 * factor }, rng);
            let mirror = if index == 0 { j } else { half + j };
            weights[j * layer.rows + i] = w;
            weights[mirror * layer.rows + half + i] = w;
        }
    }
}
