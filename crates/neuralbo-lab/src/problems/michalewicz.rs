//! Michalewicz's function: steep narrow valleys, nearly flat between them.

use std::f64::consts::PI;

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry = Entry::function("michalewicz", Dims::AtLeast(1), |dim| {
    Box::new(Michalewicz::new(dim))
});

/// Twice the usual m = 10.
const EXPONENT: i32 = 20;
/// Halvings by the golden ratio until a bracket of length π is below the rounding error.
const SECTIONS: usize = 80;

/// −Σ sin(xᵢ) sin²⁰(i·xᵢ²/π) on [0, π]^d.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Michalewicz;
///
/// let best = Michalewicz::new(10).optimum().unwrap();
/// assert!((best.value + 9.66015).abs() < 1e-5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Michalewicz {
    dim: usize,
}

impl Michalewicz {
    /// The function of `dim` coordinates; `dim` is at least 1.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Problem for Michalewicz {
    fn name(&self) -> String {
        format!("michalewicz-{}", self.dim)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(0.0, PI); self.dim]
    }

    fn value(&self, x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(i, &v)| term(i + 1, v)).sum()
    }

    fn optimum(&self) -> Option<Optimum> {
        let at: Vec<f64> = (1..=self.dim).map(minimizer).collect();
        let value = self.value(&at);
        Some(Optimum { at, value })
    }
}

/// What coordinate `i` (from 1) adds.
fn term(i: usize, x: f64) -> f64 {
    -x.sin() * (i as f64 * x * x / PI).sin().powi(EXPONENT)
}

/// The best coordinate `i`.
///
/// The term vanishes where i·x²/π is a multiple of π; between two such points both factors are log-concave, so there is one valley
/// and golden-section search finds its bottom.
fn minimizer(i: usize) -> f64 {
    let zero = |k: usize| PI * (k as f64 / i as f64).sqrt();
    let valleys = (0..i).map(|k| golden_section(|x| term(i, x), zero(k), zero(k + 1)));
    valleys
        .min_by(|&a, &b| term(i, a).total_cmp(&term(i, b)))
        .unwrap_or_default()
}

/// The minimizer of a function with one valley in `[low, high]`.
fn golden_section(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    for _ in 0..SECTIONS {
        let step = ratio * (high - low);
        if f(high - step) < f(low + step) {
            high = low + step
        } else {
            low = high - step
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::problems::conformance;

    #[test]
    fn proves_its_optimum() {
        for dim in [1, 2, 5, 10, 100] {
            conformance::check(&Michalewicz::new(dim));
        }
    }

    #[test]
    fn published_optima_are_reached() {
        for (dim, value) in [
            (2, -1.8013034),
            (5, -4.687658),
            (10, -9.6601517),
            (20, -19.6370136),
            (50, -49.6248323),
        ] {
            let best = Michalewicz::new(dim).optimum().unwrap();
            assert!((best.value - value).abs() < 1e-6, "{dim}: {}", best.value);
        }
    }
}
