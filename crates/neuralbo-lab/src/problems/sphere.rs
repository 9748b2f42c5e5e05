//! The sphere: the easiest function there is.

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry =
    Entry::function("sphere", Dims::AtLeast(1), |dim| Box::new(Sphere::new(dim)));

/// Σ xᵢ² on [−5.12, 5.12]^d.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Sphere;
///
/// let problem = Sphere::new(3);
/// let best = problem.optimum().unwrap();
/// assert!((problem.value(&best.at) - best.value).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sphere {
    dim: usize,
}

impl Sphere {
    /// The function of `dim` coordinates; `dim` is at least 1.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for Sphere {
    fn name(&self) -> String {
        format!("sphere-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-5.12, 5.12); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        x.iter().map(|v| v * v).sum()
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![0.0; self.dim],
            value: 0.0,
        })
    }
}
