//! Rosenbrock's function: a curved, nearly flat valley.

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry = Entry::function("rosenbrock", Dims::AtLeast(2), |dim| {
    Box::new(Rosenbrock::new(dim))
});

/// Σ 100(xᵢ₊₁−xᵢ²)² + (1−xᵢ)² on [−5, 10]^d.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Rosenbrock;
///
/// let problem = Rosenbrock::new(3);
/// let best = problem.optimum().unwrap();
/// assert!((problem.value(&best.at) - best.value).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rosenbrock {
    dim: usize,
}

impl Rosenbrock {
    /// The function of `dim` coordinates; `dim` is at least 2.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for Rosenbrock {
    fn name(&self) -> String {
        format!("rosenbrock-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-5.0, 10.0); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        x.windows(2)
            .map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2))
            .sum()
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![1.0; self.dim],
            value: 0.0,
        })
    }
}
