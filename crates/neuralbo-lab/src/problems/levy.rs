//! Levy's function: ripples over a quadratic, the optimum at (1, …, 1).

use std::f64::consts::PI;

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry =
    Entry::function("levy", Dims::AtLeast(1), |dim| Box::new(Levy::new(dim)));

/// sin²(πw₁) + Σ (wᵢ−1)²(1+10 sin²(πwᵢ+1)) + (w_d−1)²(1+sin²(2πw_d)) with w = 1 + (x−1)/4, on [−10, 10]^d.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Levy;
///
/// let problem = Levy::new(10);
/// let best = problem.optimum().unwrap();
/// assert!((problem.value(&best.at) - best.value).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levy {
    dim: usize,
}

impl Levy {
    /// The function of `dim` coordinates; `dim` is at least 1.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for Levy {
    fn name(&self) -> String {
        format!("levy-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-10.0, 10.0); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        let w: Vec<f64> = x.iter().map(|v| 1.0 + (v - 1.0) / 4.0).collect();
        let (Some(first), Some((last, rest))) = (w.first(), w.split_last()) else {
            return 0.0;
        };
        let middle: f64 = rest
            .iter()
            .map(|v| (v - 1.0).powi(2) * (1.0 + 10.0 * (PI * v + 1.0).sin().powi(2)))
            .sum();
        (PI * first).sin().powi(2)
            + middle
            + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![1.0; self.dim],
            value: 0.0,
        })
    }
}
