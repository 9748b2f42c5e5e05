//! A constant subtracted from the values.

use neuralbo::record::{Direction, OutcomeConstraint};

use super::spread;
use crate::{Optimum, Problem};

/// Random points over which the mean is taken.
const POINTS: usize = 1000;
const SEED: u64 = 1;

/// A problem less a constant that reverses the sign of its mean value: twice the mean over the box, in two digits.
///
/// Rewards that were negative nearly everywhere become positive and just as large, or the other way round. No optimizer that
/// standardizes its observations notices.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::LEVY;
/// use neuralbo_lab::problems::wrappers::Offset;
///
/// let problem = Offset::new(LEVY.of(100));
/// assert_eq!(problem.constant(), 2600.0);
/// assert_eq!(problem.optimum().unwrap().value, -2600.0);
/// ```
#[derive(Clone, Debug)]
pub struct Offset<P> {
    inner: P,
    constant: f64,
}

impl<P: Problem> Offset<P> {
    /// What follows the `@` in the name.
    pub const NAME: &'static str = "offset";

    /// The problem less twice its mean.
    pub fn new(inner: P) -> Self {
        let constant = two_digits(2.0 * spread(&inner, POINTS, SEED).mean);
        Self { inner, constant }
    }

    /// What is subtracted.
    pub fn constant(&self) -> f64 {
        self.constant
    }
}

/// So that the last digits of a machine's sine do not make another problem of it.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

impl<P: Problem> Problem for Offset<P> {
    fn name(&self) -> String {
        format!("{}@{}", self.inner.name(), Self::NAME)
    }

    forward! {
        bounds() -> Vec<(f64, f64)>;
        direction() -> Direction;
        constraints() -> Vec<OutcomeConstraint>;
        measured(x) -> Vec<f64>;
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.inner.value(x) - self.constant
    }

    fn optimum(&self) -> Option<Optimum> {
        self.inner.optimum().map(|best| Optimum {
            value: best.value - self.constant,
            ..best
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::{ACKLEY, MICHALEWICZ};

    /// The mean of Ackley's function over its box is about 21, that of Michalewicz's about −0.11 a coordinate.
    #[test]
    fn the_mean_changes_its_sign() {
        check(ACKLEY.of(100), 42.0);
        check(MICHALEWICZ.of(100), -22.0);
    }

    fn check(problem: impl Problem + Copy, twice_the_mean: f64) {
        let offset = Offset::new(problem);
        assert!(
            (offset.constant() / twice_the_mean - 1.0).abs() < 0.15,
            "{}: {}",
            problem.name(),
            offset.constant()
        );
        let (before, after) = (spread(&problem, 5000, 2), spread(&offset, 5000, 2));
        assert!(
            (before.mean + after.mean).abs() < 0.1 * before.mean.abs(),
            "{before:?} {after:?}"
        );
        assert!((before.sd - after.sd).abs() < 1e-9 * before.sd);
    }

    #[test]
    fn constants_have_two_digits() {
        assert_eq!(
            [1734.2, 42.37, -0.5249, 0.0].map(two_digits),
            [1700.0, 42.0, -0.52, 0.0]
        );
    }
}
