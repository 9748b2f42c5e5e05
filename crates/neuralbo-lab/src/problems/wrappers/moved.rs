//! The optimum moved away from where it was.

use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::{Direction, OutcomeConstraint};
use rand::RngExt;

use super::WrapperError;
use crate::{Optimum, Problem};

/// How far the optimum moves in every coordinate, as a part of half the box.
const PART: f64 = 0.4;
/// Chooses the directions: the same for everybody, so that a name stands for one function.
const SEED: u64 = 0x6d6f_7665;

/// A problem translated so that its optimum lies elsewhere in the box: 0.4 of half the box away in every coordinate.
///
/// Up or down is drawn for each coordinate from a fixed seed; where that would leave the box it is the other way. What the
/// translation pushes over an edge of the box is mirrored at it: the function stays continuous, is never evaluated outside its own box
/// and so keeps its best value.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::SPHERE;
/// use neuralbo_lab::problems::wrappers::Moved;
///
/// let problem = Moved::new(SPHERE.of(1))?;
/// let best = problem.optimum().unwrap();
/// assert_eq!(best.at[0].abs(), 0.4 * 5.12);
/// assert_eq!(problem.value(&best.at), 0.0);
/// # Ok::<(), neuralbo_lab::problems::wrappers::WrapperError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Moved<P> {
    inner: P,
    bounds: Vec<(f64, f64)>,
    from: Vec<f64>,
    best: Optimum,
}

impl<P: Problem> Moved<P> {
    /// What follows the `@` in the name.
    pub const NAME: &'static str = "moved";

    /// Moves the optimum of a problem that knows it.
    pub fn new(inner: P) -> Result<Self, WrapperError> {
        let best = inner
            .optimum()
            .ok_or_else(|| WrapperError::NoOptimum(inner.name()))?;
        let bounds = inner.bounds();
        let mut rng = Streams::new(SEED).stream(0, Purpose::Design);
        let at = best
            .at
            .iter()
            .zip(&bounds)
            .map(|(x, bounds)| moved(*x, *bounds, &mut rng))
            .collect();
        Ok(Self {
            inner,
            bounds,
            from: best.at,
            best: Optimum {
                at,
                value: best.value,
            },
        })
    }

    /// The point of the inner problem that `x` stands for.
    fn unmoved(&self, x: &[f64]) -> Vec<f64> {
        let places = self.from.iter().zip(&self.best.at).zip(&self.bounds);
        x.iter()
            .zip(places)
            .map(|(v, ((from, to), bounds))| mirrored(from + (v - to), *bounds))
            .collect()
    }
}

/// The new place of one coordinate of the optimum.
fn moved(x: f64, (low, high): (f64, f64), rng: &mut Rng) -> f64 {
    let step = 0.5 * PART * (high - low);
    let signed = if rng.random::<bool>() { step } else { -step };
    if (low..=high).contains(&(x + signed)) {
        x + signed
    } else {
        x - signed
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

impl<P: Problem> Problem for Moved<P> {
    fn name(&self) -> String {
        format!("{}@{}", self.inner.name(), Self::NAME)
    }

    forward! {
        direction() -> Direction;
        constraints() -> Vec<OutcomeConstraint>;
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.inner.value(&self.unmoved(x))
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        self.inner.measured(&self.unmoved(x))
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
    use crate::problems::{ACKLEY, LEVY};

    /// Both directions occur, and the distance is the same in all coordinates.
    #[test]
    fn the_optimum_is_elsewhere_in_every_coordinate() {
        let at = Moved::new(LEVY.of(100)).unwrap().optimum().unwrap().at;
        assert!(at.iter().all(|x| (x - 1.0).abs() == 4.0));
        assert!(
            [5.0, -3.0]
                .iter()
                .all(|place| (30..70).contains(&at.iter().filter(|x| *x == place).count()))
        );
    }

    /// 20(1 − e^(−0.2·13.1072)) + e − e^(cos 2π·13.1072), whatever the dimension.
    #[test]
    fn the_centre_of_moved_ackley_has_its_value() {
        for dim in [1, 20, 100] {
            let centre = Moved::new(ACKLEY.of(dim)).unwrap().value(&vec![0.0; dim]);
            assert!((centre - 19.08).abs() < 0.005, "{centre}");
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
        fn the_landscape_around_the_optimum_moves_along(dx in -0.9..0.9, dy in -0.9..0.9) {
            let problem = Moved::new(LEVY.of(2)).unwrap();
            let at = problem.optimum().unwrap().at;
            let moved = problem.value(&[at[0] + dx, at[1] + dy]);
            prop_assert!((moved - LEVY.of(2).value(&[1.0 + dx, 1.0 + dy])).abs() < 1e-9);
        }
    }
}
