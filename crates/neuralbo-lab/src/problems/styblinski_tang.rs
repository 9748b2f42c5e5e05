//! The Styblinski–Tang function: two wells per coordinate, one slightly deeper.

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry = Entry::function("styblinski-tang", Dims::AtLeast(1), |dim| {
    Box::new(StyblinskiTang::new(dim))
});

/// The lowest root of the derivative 4x³ − 32x + 5.
const WELL: f64 = -2.903_534_027_771_177_5;
const LOWEST: f64 = -39.166_165_703_771_42;

/// ½ Σ xᵢ⁴ − 16xᵢ² + 5xᵢ on [−5, 5]^d.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::StyblinskiTang;
///
/// let problem = StyblinskiTang::new(3);
/// let best = problem.optimum().unwrap();
/// assert!((problem.value(&best.at) - best.value).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyblinskiTang {
    dim: usize,
}

impl StyblinskiTang {
    /// The function of `dim` coordinates; `dim` is at least 1.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for StyblinskiTang {
    fn name(&self) -> String {
        format!("styblinski-tang-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-5.0, 5.0); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        0.5 * x
            .iter()
            .map(|v| v * (v * (v * v - 16.0) + 5.0))
            .sum::<f64>()
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![WELL; self.dim],
            value: LOWEST * self.dim as f64,
        })
    }
}
