//! Coordinates on a grid.

use neuralbo::record::{Direction, OutcomeConstraint};

use super::WrapperError;
use crate::{Optimum, Problem};

/// How far, in grid steps, the optimum may be from a grid point to count as one.
const ON_GRID: f64 = 1e-9;

/// A problem that sees every point rounded to the nearest of a few equally spaced values in each coordinate: plateaus and jumps.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Sphere;
/// use neuralbo_lab::problems::wrappers::Discretized;
///
/// let problem = Discretized::new(Sphere::new(1), 3)?; // −5.12, 0 and 5.12
/// assert_eq!(problem.value(&[2.0]), 0.0);
/// assert_eq!(problem.value(&[3.0]), 5.12 * 5.12);
/// # Ok::<(), neuralbo_lab::problems::wrappers::WrapperError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Discretized<P> {
    inner: P,
    levels: usize,
    bounds: Vec<(f64, f64)>,
}

impl<P: Problem> Discretized<P> {
    /// `levels` values per coordinate, both bounds among them.
    pub fn new(inner: P, levels: usize) -> Result<Self, WrapperError> {
        if levels < 2 {
            return Err(WrapperError::Levels(levels));
        }
        let bounds = inner.bounds();
        Ok(Self {
            inner,
            levels,
            bounds,
        })
    }

    fn step(&self, (low, high): (f64, f64)) -> f64 {
        (high - low) / (self.levels - 1) as f64
    }

    fn snap(&self, x: &[f64]) -> Vec<f64> {
        let snap = |(v, &bounds): (&f64, &(f64, f64))| {
            let step = self.step(bounds);
            bounds.0 + step * ((v.clamp(bounds.0, bounds.1) - bounds.0) / step).round()
        };
        x.iter().zip(&self.bounds).map(snap).collect()
    }
}

impl<P: Problem> Problem for Discretized<P> {
    fn name(&self) -> String {
        format!("{}-grid-{}", self.inner.name(), self.levels)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }

    fn direction(&self) -> Direction {
        self.inner.direction()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.inner.value(&self.snap(x))
    }

    /// The inner optimum where it is on the grid; not known otherwise.
    fn constraints(&self) -> Vec<OutcomeConstraint> {
        self.inner.constraints()
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        self.inner.measured(&self.snap(x))
    }

    fn optimum(&self) -> Option<Optimum> {
        let best = self.inner.optimum()?;
        let snapped = self.snap(&best.at);
        let on_grid = |((x, s), bounds): ((&f64, &f64), &(f64, f64))| {
            (x - s).abs() <= ON_GRID * self.step(*bounds)
        };
        best.at
            .iter()
            .zip(&snapped)
            .zip(&self.bounds)
            .all(on_grid)
            .then_some(best)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::problems::{Ackley, Levy, conformance};

    #[test]
    fn the_optimum_is_known_only_on_the_grid() {
        conformance::check(&Discretized::new(Ackley::new(3), 65).unwrap());
        assert!(
            Discretized::new(Ackley::new(3), 64)
                .unwrap()
                .optimum()
                .is_none()
        );
        assert!(Discretized::new(Levy::new(2), 1).is_err());
    }

    proptest! {
        #[test]
        fn snapping_twice_is_snapping_once(x in -12.0..12.0_f64, levels in 2..50usize) {
            let problem = Discretized::new(Levy::new(1), levels).unwrap();
            let once = problem.snap(&[x]);
            prop_assert!((problem.snap(&once)[0] - once[0]).abs() < 1e-12);
            prop_assert!((once[0] - x.clamp(-10.0, 10.0)).abs() <= 0.5 * problem.step((-10.0, 10.0)) + 1e-12);
        }
    }
}
