//! Griewank's function: a wide quadratic with very many shallow local optima.

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry = Entry::function("griewank", Dims::AtLeast(1), |dim| {
    Box::new(Griewank::new(dim))
});

/// Σ xᵢ²/4000 − Π cos(xᵢ/√i) + 1 on [−600, 600]^d.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Griewank;
///
/// let problem = Griewank::new(3);
/// let best = problem.optimum().unwrap();
/// assert!((problem.value(&best.at) - best.value).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Griewank {
    dim: usize,
}

impl Griewank {
    /// The function of `dim` coordinates; `dim` is at least 1.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for Griewank {
    fn name(&self) -> String {
        format!("griewank-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-600.0, 600.0); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        let quadratic = x.iter().map(|v| v * v).sum::<f64>() / 4000.0;
        let ripples: f64 = x
            .iter()
            .zip(1..)
            .map(|(v, i)| (v / f64::from(i).sqrt()).cos())
            .product();
        quadratic - ripples + 1.0
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![0.0; self.dim],
            value: 0.0,
        })
    }
}
