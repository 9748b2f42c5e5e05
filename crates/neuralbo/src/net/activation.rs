//! Activations φ with two derivatives.

use super::lanes;
use crate::linalg::{Real, wide};
use serde::{Deserialize, Serialize};

/// Units handled at once, in buffers on the stack.
const CHUNK: usize = 256;

/// The activation φ of the hidden layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `max(z, 0)`, the paper's.
    Relu,
    /// `z Φ(z)` with the normal distribution function Φ.
    Gelu,
    /// `tanh z`.
    Tanh,
}

impl Activation {
    /// All activations.
    pub const ALL: [Self; 3] = [Self::Relu, Self::Gelu, Self::Tanh];

    /// Replaces each `z` by `φ(z)`.
    pub fn apply<T: Real>(self, z: &mut [T]) {
        if self == Self::Relu {
            lanes::relu(z);
            return;
        }
        let (mut input, mut cdf, mut pdf) =
            ([T::zero(); CHUNK], [T::zero(); CHUNK], [T::zero(); CHUNK]);
        for z in z.chunks_mut(CHUNK) {
            let input = &mut input[..z.len()];
            input.copy_from_slice(z);
            match self {
                Self::Relu => {}
                Self::Gelu => {
                    T::normal_cdf_pdf(input, &mut cdf[..z.len()], &mut pdf[..z.len()]);
                    lanes::multiply(z, &cdf[..z.len()]);
                }
                Self::Tanh => T::tanh_slice(input, z),
            }
        }
    }

    /// Replaces each `z` by `φ(z)` and writes `φ′(z)`, and `φ″(z)` where asked for.
    pub fn apply_with_derivatives<T: Real>(
        self,
        z: &mut [T],
        slope: &mut [T],
        curvature: Option<&mut [T]>,
    ) {
        if self == Self::Relu {
            lanes::relu_with_slope(z, slope);
            return;
        }
        let (mut input, mut unused) = ([T::zero(); CHUNK], [T::zero(); CHUNK]);
        let mut curvature = curvature;
        for (k, (z, slope)) in z.chunks_mut(CHUNK).zip(slope.chunks_mut(CHUNK)).enumerate() {
            let input = &mut input[..z.len()];
            input.copy_from_slice(z);
            let curvature = match &mut curvature {
                Some(curvature) => &mut curvature[k * CHUNK..k * CHUNK + z.len()],
                None => &mut unused[..z.len()],
            };
            self.primitives(input, z, slope, curvature);
            self.combine_all(input, z, slope, curvature);
        }
    }

    /// From the [`primitives`](Self::primitives) at `input` to φ, φ′ and φ″.
    fn combine_all<T: Real>(self, input: &[T], z: &mut [T], slope: &mut [T], curvature: &mut [T]) {
        let combine = self.combine::<T>();
        wide!({
            for (((&input, z), slope), curvature) in input
                .iter()
                .zip(z.iter_mut())
                .zip(slope.iter_mut())
                .zip(curvature.iter_mut())
            {
                [*z, *slope, *curvature] = combine(input, *z, *slope, *curvature);
            }
        });
    }

    /// The slow functions an activation is made of, over whole slices: up to three a point.
    fn primitives<T: Real>(self, input: &[T], a: &mut [T], b: &mut [T], c: &mut [T]) {
        match self {
            Self::Relu => {}
            Self::Gelu => T::normal_cdf_pdf(input, b, c),
            Self::Tanh => T::tanh_slice(input, a),
        }
    }

    /// From `z` and its [`primitives`](Self::primitives) to `[φ, φ′, φ″]`.
    fn combine<T: Real>(self) -> impl Fn(T, T, T, T) -> [T; 3] {
        let two = T::from_f64(2.0);
        move |z, a, b, c| match self {
            Self::Relu => [a, b, T::zero()],
            Self::Gelu => [z * b, b + z * c, (two - z * z) * c],
            Self::Tanh => {
                let slope = T::one() - a * a;
                [a, slope, -two * a * slope]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_near, differences};
    use std::f64::consts::{FRAC_1_SQRT_2, PI};

    /// φ, φ′ and φ″ by the formulas of the definitions, with the error function of `libm`.
    fn by_definition(activation: Activation, z: f64) -> [f64; 3] {
        match activation {
            Activation::Relu => [z.max(0.0), if z > 0.0 { 1.0 } else { 0.0 }, 0.0],
            Activation::Gelu => {
                let cdf = 0.5 * libm::erfc(-z * FRAC_1_SQRT_2);
                let pdf = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
                [z * cdf, cdf + z * pdf, (2.0 - z * z) * pdf]
            }
            Activation::Tanh => {
                let (t, slope) = (z.tanh(), z.cosh().powi(-2));
                [t, slope, -2.0 * t * slope]
            }
        }
    }

    fn evaluated(activation: Activation, z: &[f64]) -> [Vec<f64>; 3] {
        let [mut value, mut slope, mut curvature] = [z.to_vec(), z.to_vec(), vec![0.0; z.len()]];
        activation.apply_with_derivatives(&mut value, &mut slope, Some(&mut curvature));
        [value, slope, curvature]
    }

    #[test]
    fn slices_agree_with_the_definitions() {
        let points: Vec<f64> = (0..401).map(|i| (i as f64 - 200.0) / 20.0).collect();
        for activation in Activation::ALL {
            let mut alone = points.clone();
            activation.apply(&mut alone);
            let [value, slope, curvature] = evaluated(activation, &points);
            for (found, k) in [(alone, 0), (value, 0), (slope, 1), (curvature, 2)] {
                let exact = |z: &f64| by_definition(activation, *z)[k];
                let expected: Vec<f64> = points.iter().map(exact).collect();
                assert_near(&found, &expected, 1e-13);
            }
        }
    }

    #[test]
    fn derivatives_match_finite_differences() {
        for activation in Activation::ALL {
            for z in [-3.1, -0.7, 0.2, 1.9, 4.4] {
                let [_, slope, curvature] = evaluated(activation, &[z]);
                let by = |k: usize| differences(&[z], |z| evaluated(activation, z)[k][0]);
                assert_near(&[slope, curvature].concat(), &[by(0), by(1)].concat(), 1e-8);
            }
        }
    }
}
