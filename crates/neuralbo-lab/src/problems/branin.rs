//! Branin's function: two coordinates, three equal optima.

use std::f64::consts::PI;

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry = Entry::function("branin", Dims::Fixed(2), |_| Box::new(Branin));

/// (x₂ − 5.1x₁²/4π² + 5x₁/π − 6)² + 10(1 − 1/8π) cos x₁ + 10 on [−5, 10] × [0, 15].
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Branin;
///
/// assert!((Branin.value(&[std::f64::consts::PI, 2.275]) - 0.397887).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branin;

impl Problem for Branin {
    fn name(&self) -> String {
        "branin".into()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-5.0, 10.0), (0.0, 15.0)]
    }

    fn value(&self, x: &[f64]) -> f64 {
        let valley = x[1] - 5.1 * x[0] * x[0] / (4.0 * PI * PI) + 5.0 * x[0] / PI - 6.0;
        valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            at: vec![PI, 2.275],
            value: 10.0 / (8.0 * PI),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_three_equal_optima() {
        for at in [[-PI, 12.275], [PI, 2.275], [3.0 * PI, 2.475]] {
            assert!((Branin.value(&at) - 0.397_887_357_729_738).abs() < 1e-12);
        }
    }
}
