//! Rastrigin's function: a regular grid of local optima over a quadratic.

use std::f64::consts::TAU;

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry = Entry::function("rastrigin", Dims::AtLeast(1), |dim| {
    Box::new(Rastrigin::new(dim))
});

/// 10d + Σ xᵢ² − 10 cos(2πxᵢ) on [−5.12, 5.12]^d.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Rastrigin;
///
/// let problem = Rastrigin::new(3);
/// let best = problem.optimum().unwrap();
/// assert!((problem.value(&best.at) - best.value).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rastrigin {
    dim: usize,
}

impl Rastrigin {
    /// The function of `dim` coordinates; `dim` is at least 1.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for Rastrigin {
    fn name(&self) -> String {
        format!("rastrigin-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-5.12, 5.12); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        x.iter()
            .map(|v| v * v + 10.0 * (1.0 - (TAU * v).cos()))
            .sum()
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![0.0; self.dim],
            value: 0.0,
        })
    }
}
