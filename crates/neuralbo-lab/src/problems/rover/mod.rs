//! Rover trajectory in 60 dimensions: 30 points shape a path through a field of obstacles.
//!
//! The problem of Wang et al., "Batched Large-scale Bayesian Optimization in High-dimensional Spaces" (AISTATS 2018), in its
//! 60-dimensional form. Coordinates 2i and 2i+1, mapped from [0, 1] to [−0.1, 1.1], are point i. The path is the cubic
//! polynomial that fits the points best; its length costs little, obstacles on the way cost much, and so does an end away
//! from start or goal. The value, to be maximized, is 5 minus the cost.

mod curve;
mod field;

use neuralbo::linalg::Rng;
use neuralbo::record::Direction;
use rand_distr::{Distribution, StandardNormal};

use super::{BuildProblem, Dims, ProblemEntry};
use crate::{Problem, Simulation};
use curve::CubicFit;
use field::Field;

pub(super) const ENTRY: ProblemEntry = ProblemEntry {
    name: "rover",
    about: "rover trajectory, 60 coordinates, maximized",
    dims: Dims::Fixed(2 * POINTS),
    build: BuildProblem::Simulation(|| Box::new(Rover::new())),
};

/// Number of points that shape the path.
const POINTS: usize = 30;
/// The unit cube is stretched to this range before the coordinates become points.
const LOWEST: f64 = -0.1;
const HIGHEST: f64 = 1.1;
/// Number of samples along the path.
const SAMPLES: usize = 1000;
const START: [f64; 2] = [0.05, 0.05];
const GOAL: [f64; 2] = [0.95, 0.95];
/// Cost of each unit of distance (L1) between an end of the path and where it should be.
const END_COST: f64 = 10.0;
const OFFSET: f64 = 5.0;
/// Standard deviation of the noise on each mapped coordinate.
const POINT_NOISE: f64 = 1e-4;

/// The rover problem; the value is maximized and stays below 5.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::rover::Rover;
///
/// let rover = Rover::new();
/// let straight: Vec<f64> = (0..60).map(|i| 0.125 + 0.75 * f64::from(i / 2) / 29.0).collect();
/// let in_a_corner = vec![0.0; 60];
/// assert!(rover.value(&straight) > rover.value(&in_a_corner));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rover {
    field: Field,
}

impl Rover {
    /// The rover with its field of 113 obstacles.
    pub fn new() -> Self {
        Self {
            field: Field::new(),
        }
    }

    /// The value with something added to each mapped coordinate.
    fn value_of(&self, x: &[f64], mut offset: impl FnMut() -> f64) -> f64 {
        if x.len() != 2 * POINTS {
            return f64::NAN;
        }
        let mut mapped = |u: f64| u * (HIGHEST - LOWEST) + LOWEST + offset();
        let pairs = x.chunks_exact(2);
        let points: Vec<[f64; 2]> = pairs
            .map(|pair| [mapped(pair[0]), mapped(pair[1])])
            .collect();
        let path = CubicFit::new(&points).samples(SAMPLES);
        OFFSET - self.field.path_cost(&path) - end_cost(&path)
    }
}

impl Default for Rover {
    fn default() -> Self {
        Self::new()
    }
}

fn end_cost(path: &[[f64; 2]]) -> f64 {
    let off = |point: Option<&[f64; 2]>, target: [f64; 2]| {
        point.map_or(0.0, |point| {
            (point[0] - target[0]).abs() + (point[1] - target[1]).abs()
        })
    };
    END_COST * off(path.first(), START) + END_COST * off(path.last(), GOAL)
}

impl Problem for Rover {
    fn name(&self) -> String {
        "rover-60".into()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(0.0, 1.0); 2 * POINTS]
    }

    fn direction(&self) -> Direction {
        Direction::Maximize
    }

    /// The noiseless value; NaN if `x` does not have 60 coordinates.
    fn value(&self, x: &[f64]) -> f64 {
        self.value_of(x, || 0.0)
    }
}

impl Simulation for Rover {
    /// The value seen by an optimizer: each of the 60 mapped coordinates is off by N(0, 0.0001²), drawn from `rng`.
    ///
    /// ```
    /// use neuralbo::linalg::{Purpose, Streams};
    /// use neuralbo_lab::Simulation;
    /// use neuralbo_lab::problems::rover::Rover;
    ///
    /// let x: Vec<f64> = (0..60).map(|i| 0.125 + 0.75 * f64::from(i / 2) / 29.0).collect();
    /// let seen = |trial| Rover::new().observe(&x, &mut Streams::new(1).stream(trial, Purpose::Noise));
    /// assert_eq!(seen(0), seen(0));
    /// assert_ne!(seen(0), seen(1));
    /// ```
    fn observe(&self, x: &[f64], rng: &mut Rng) -> f64 {
        self.value_of(x, || {
            POINT_NOISE * Distribution::<f64>::sample(&StandardNormal, rng)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuralbo::linalg::{Purpose, Streams};
    use proptest::prelude::*;

    #[test]
    fn noise_shifts_every_mapped_coordinate() {
        let stream = || Streams::new(5).stream(9, Purpose::Noise);
        let straight = |i| 0.125 + 0.75 * f64::from(i / 2) / 29.0;
        let x: Vec<f64> = (0..60).map(straight).collect();
        let mut rng = stream();
        let mut shifted = x.clone();
        for u in &mut shifted {
            let draw: f64 = StandardNormal.sample(&mut rng);
            *u += 1e-4 * draw / 1.2;
        }
        let rover = Rover::new();
        assert!((rover.observe(&x, &mut stream()) - rover.value(&shifted)).abs() < 1e-9);
        assert_ne!(rover.value(&x), rover.value(&shifted));
    }

    #[test]
    fn points_of_another_dimension_have_no_value() {
        assert!(Rover::new().value(&[0.5; 59]).is_nan());
    }

    proptest! {
        #[test]
        fn values_stay_below_five(x in prop::collection::vec(0.0..1.0f64, 60)) {
            prop_assert!(Rover::new().value(&x) < 5.0);
        }

        #[test]
        fn no_point_makes_it_fail(x in prop::collection::vec(prop::num::f64::ANY, 60)) {
            Rover::new().value(&x);
        }
    }
}
