//! What an instance fixes, what a function makes of it, and the transformations that functions are made of.
//!
//! Hansen, Finck, Ros, Auger: "Real-parameter black-box optimization benchmarking 2009: noiseless functions definitions", §0.2.
//! * T_osz: smooth, local irregularities; x̂ = ln|x|.
//! * T_asy^β: breaks the symmetry of positive and negative coordinates.
//! * Λ^α: diagonal, entry i (from 0) is α^(½·i/(D−1)).
//! * f_pen: squared distance to the box [−5, 5]^D.

use super::HALF_WIDTH;
use super::random::{Matrix, normals, uniforms};

/// Separates the streams of the two rotations.
const SECOND_STREAM: u64 = 1_000_000;
/// |f_opt| never exceeds this.
const MAX_OFFSET: f64 = 1000.0;

/// One function in one instance and dimension, before it is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct BbobSetup {
    pub(super) dim: usize,
    pub(super) seed: u64,
}

impl BbobSetup {
    /// Functions 4 and 18 are variants of 3 and 17 and share their streams for `x_opt`, rotations and `f_opt`.
    pub(super) fn new(function: u32, instance: u32, dim: usize) -> Self {
        let stream = match function {
            4 => 3,
            18 => 17,
            other => u64::from(other),
        };
        Self {
            dim,
            seed: stream + 10_000 * u64::from(instance),
        }
    }

    /// The best value: a ratio of normals, i.e. Cauchy, to two decimals.
    pub(super) fn f_opt(&self) -> f64 {
        let normal = |seed| normals(1, seed)[0];
        let offset =
            round_half_up(100.0 * 100.0 * normal(self.seed) / normal(self.seed + 1)) / 100.0;
        offset.clamp(-MAX_OFFSET, MAX_OFFSET)
    }

    /// The best point of most functions: uniform in [−4, 4]^D to four decimals, no coordinate zero.
    pub(super) fn x_opt(&self) -> Vec<f64> {
        let place = |u: f64| match 8.0 * (1e4 * u).floor() / 1e4 - 4.0 {
            0.0 => -1e-5,
            x => x,
        };
        let uniforms = uniforms(self.dim, self.seed).into_iter().map(place);
        uniforms.collect()
    }

    /// The same with the numbers of the other stream.
    pub(super) fn second(&self) -> Self {
        Self {
            seed: self.seed + SECOND_STREAM,
            ..*self
        }
    }

    /// The rotation R.
    pub(super) fn r(&self) -> Matrix {
        Matrix::rotation(self.dim, self.seed + SECOND_STREAM)
    }

    /// The rotation Q.
    pub(super) fn q(&self) -> Matrix {
        Matrix::rotation(self.dim, self.seed)
    }

    /// R · Λ^α · Q.
    pub(super) fn r_lambda_q(&self, alpha: f64) -> Matrix {
        self.r()
            .times(&self.q().scaled(&conditioning(alpha, self.dim)))
    }

    /// The stretch of the functions made of Rosenbrock's, max(1, √D/8).
    pub(super) fn rosenbrock_stretch(&self) -> f64 {
        ((self.dim as f64).sqrt() / 8.0).max(1.0)
    }
}

type Core = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// A function above its best value.
pub(super) struct Landscape {
    pub(super) x_opt: Vec<f64>,
    penalty: f64,
    core: Core,
}

impl Landscape {
    /// `core` is given x itself.
    pub(super) fn new(
        x_opt: Vec<f64>,
        core: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            x_opt,
            penalty: 0.0,
            core: Box::new(core),
        }
    }

    /// `core` is given x − x_opt.
    pub(super) fn around(
        x_opt: Vec<f64>,
        core: impl Fn(Vec<f64>) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let centre = x_opt.clone();
        Self::new(x_opt, move |x| core(minus(x, &centre)))
    }

    /// Adds `factor` · f_pen.
    pub(super) fn penalized(self, factor: f64) -> Self {
        Self {
            penalty: factor,
            ..self
        }
    }

    /// f(x) − f_opt.
    pub(super) fn excess(&self, x: &[f64]) -> f64 {
        (self.core)(x) + self.penalty * outside(x)
    }
}

/// T_osz of one number.
pub(super) fn oscillate(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let (c1, c2) = if x > 0.0 { (10.0, 7.9) } else { (5.5, 3.1) };
    let log = x.abs().ln();
    x.signum() * (log + 0.049 * ((c1 * log).sin() + (c2 * log).sin())).exp()
}

/// T_osz of every coordinate.
pub(super) fn oscillate_all(mut z: Vec<f64>) -> Vec<f64> {
    z.iter_mut().for_each(|v| *v = oscillate(*v));
    z
}

/// T_asy^β.
pub(super) fn asymmetric(mut z: Vec<f64>, beta: f64) -> Vec<f64> {
    let dim = z.len();
    for (i, v) in z.iter_mut().enumerate() {
        if *v > 0.0 {
            *v = v.powf(1.0 + beta * position(i, dim) * v.sqrt());
        }
    }
    z
}

/// Coordinate by coordinate product.
pub(super) fn scaled(mut z: Vec<f64>, factors: &[f64]) -> Vec<f64> {
    for (v, factor) in z.iter_mut().zip(factors) {
        *v *= factor;
    }
    z
}

/// The diagonal of Λ^α.
pub(super) fn conditioning(alpha: f64, dim: usize) -> Vec<f64> {
    powers(alpha.sqrt(), dim)
}

/// base^(i/(D−1)) for i = 0 … D−1.
pub(super) fn powers(base: f64, dim: usize) -> Vec<f64> {
    (0..dim).map(|i| base.powf(position(i, dim))).collect()
}

/// Where coordinate `i` stands between the first (0) and the last (1).
pub(super) fn position(i: usize, dim: usize) -> f64 {
    i as f64 / (dim - 1) as f64
}

/// f_pen.
pub(super) fn outside(x: &[f64]) -> f64 {
    let outside = |v: &f64| (v.abs() - HALF_WIDTH).max(0.0).powi(2);
    x.iter().map(outside).sum()
}

/// Coordinate by coordinate difference.
pub(super) fn minus(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(a, b)| a - b).collect()
}

/// Halves go up, unlike [`f64::round`] below zero.
pub(super) fn round_half_up(x: f64) -> f64 {
    (x + 0.5).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oscillation_keeps_signs_zero_and_one() {
        assert_eq!(oscillate(0.0), 0.0);
        assert_eq!(oscillate(1.0), 1.0);
        assert_eq!(oscillate(-1.0), -1.0);
        assert!((-40..40).all(|i| oscillate(f64::from(i) * 0.3) * f64::from(i) >= 0.0));
    }

    #[test]
    fn asymmetry_leaves_negative_coordinates_and_the_first_alone() {
        let z = asymmetric(vec![2.0, -3.0, 4.0], 0.5);
        assert_eq!(z[..2], [2.0, -3.0]);
        assert!((z[2] - 4.0_f64.powf(2.0)).abs() < 1e-12);
    }

    #[test]
    fn the_penalty_starts_at_the_box() {
        assert_eq!(outside(&[5.0, -5.0]), 0.0);
        assert_eq!(outside(&[7.0, -6.0]), 5.0);
    }
}
