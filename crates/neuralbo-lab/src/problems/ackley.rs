//! Ackley's function: a deep hole in a nearly flat plain of ripples.

use std::f64::consts::{E, TAU};

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry =
    Entry::function("ackley", Dims::AtLeast(1), |dim| Box::new(Ackley::new(dim)));

const DEPTH: f64 = 20.0;
const DECAY: f64 = 0.2;

/// −a·exp(−b·√(mean x²)) − exp(mean cos(c·x)) + a + e on [−32.768, 32.768]^d with a = 20, b = 0.2, c = 2π.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Ackley;
///
/// let problem = Ackley::new(10);
/// let best = problem.optimum().unwrap();
/// assert!((problem.value(&best.at) - best.value).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ackley {
    dim: usize,
}

impl Ackley {
    /// The function of `dim` coordinates; `dim` is at least 1.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for Ackley {
    fn name(&self) -> String {
        format!("ackley-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-32.768, 32.768); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        let dim = self.dim as f64;
        let mean_square = x.iter().map(|v| v * v).sum::<f64>() / dim;
        let mean_cosine = x.iter().map(|v| (TAU * v).cos()).sum::<f64>() / dim;
        DEPTH * (1.0 - (-DECAY * mean_square.sqrt()).exp()) + E - mean_cosine.exp()
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![0.0; self.dim],
            value: 0.0,
        })
    }
}
