//! What an instance fixes, and what a function makes of it.

use super::matrix::Matrix;
use super::random::{normals, uniforms};
use super::transforms::{conditioning, minus, outside, round_half_up};

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
