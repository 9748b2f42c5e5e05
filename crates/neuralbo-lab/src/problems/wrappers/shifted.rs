//! The optimum moved to a random place.

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::record::{Direction, OutcomeConstraint};
use rand::RngExt;

use super::WrapperError;
use crate::{Optimum, Problem};

/// The new optimum is uniform in this part of the box, around its middle.
const PART: f64 = 0.8;

/// A problem translated so that its optimum is at a random point well inside the box.
///
/// What the translation pushes over an edge of the box is mirrored at it: the function stays continuous, is never evaluated outside
/// its own box and so keeps its best value.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Sphere;
/// use neuralbo_lab::problems::wrappers::Shifted;
///
/// let problem = Shifted::new(Sphere::new(2), 7)?;
/// let best = problem.optimum().unwrap();
/// assert_ne!(best.at, [0.0, 0.0]);
/// assert_eq!(problem.value(&best.at), 0.0);
/// # Ok::<(), neuralbo_lab::problems::wrappers::WrapperError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shifted<P> {
    inner: P,
    seed: u64,
    bounds: Vec<(f64, f64)>,
    from: Vec<f64>,
    best: Optimum,
}

impl<P: Problem> Shifted<P> {
    /// Moves the optimum to the place that `seed` chooses.
    pub fn new(inner: P, seed: u64) -> Result<Self, WrapperError> {
        let best = inner.optimum().ok_or_else(|| WrapperError::NoOptimum(inner.name()))?;
        let bounds = inner.bounds();
        let mut rng = Streams::new(seed).stream(0, Purpose::Design);
        let mut place = |&(low, high): &(f64, f64)| 0.5 * (low + high) + PART * (high - low) * (rng.random::<f64>() - 0.5);
        let at = bounds.iter().map(&mut place).collect();
        Ok(Self { inner, seed, bounds, from: best.at, best: Optimum { at, value: best.value } })
    }

    /// The point of the inner problem that `x` stands for.
    fn unshift(&self, x: &[f64]) -> Vec<f64> {
        let places = self.from.iter().zip(&self.best.at).zip(&self.bounds);
        x.iter().zip(places).map(|(v, ((from, to), bounds))| mirrored(from + (v - to), *bounds)).collect()
    }
}

/// `x` reflected at the bounds until it is between them.
fn mirrored(x: f64, (low, high): (f64, f64)) -> f64 {
    if low <= x && x <= high {
        return x;
    }
    let turns = ((x - low) / (high - low)).rem_euclid(2.0);
    (low + (high - low) * turns.min(2.0 - turns)).clamp(low, high)
}

impl<P: Problem> Problem for Shifted<P> {
    fn name(&self) -> String {
        format!("{}-shifted-{}", self.inner.name(), self.seed)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }

    fn direction(&self) -> Direction {
        self.inner.direction()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.inner.value(&self.unshift(x))
    }

    fn constraints(&self) -> Vec<OutcomeConstraint> {
        self.inner.constraints()
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        self.inner.measured(&self.unshift(x))
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(self.best.clone())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::problems::{Levy, by_name, conformance, names};

    #[test]
    fn every_problem_keeps_its_best_value_at_the_new_place() {
        for name in names().into_iter().filter(|name| by_name(name, None).unwrap().optimum().is_some()) {
            for seed in 0..5 {
                conformance::check(&Shifted::new(by_name(name, None).unwrap(), seed).unwrap());
            }
        }
    }

    proptest! {
        #[test]
        fn mirroring_ends_in_the_box_and_keeps_distances_small(x in -100.0..100.0, step in -1e-3..1e-3_f64) {
            let (a, b) = (mirrored(x, (-2.0, 3.0)), mirrored(x + step, (-2.0, 3.0)));
            prop_assert!((-2.0..=3.0).contains(&a));
            prop_assert!((a - b).abs() <= step.abs() + 1e-9);
        }

        #[test]
        fn the_landscape_around_the_optimum_moves_along(seed in 0..100u64, dx in -0.9..0.9, dy in -0.9..0.9) {
            let shifted = Shifted::new(Levy::new(2), seed).unwrap();
            let at = shifted.optimum().unwrap().at;
            let moved = shifted.value(&[at[0] + dx, at[1] + dy]);
            prop_assert!((moved - Levy::new(2).value(&[1.0 + dx, 1.0 + dy])).abs() < 1e-9);
        }
    }
}
