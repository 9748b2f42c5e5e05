//! Rover trajectory in 60 dimensions: 30 points shape a path through a field of obstacles.
//!
//! The problem of Wang et al., "Batched Large-scale Bayesian Optimization in High-dimensional Spaces" (AISTATS 2018), in its
//! 60-dimensional form. Coordinates 2i and 2i+1, mapped from [0, 1] to [−0.1, 1.1], are point i. The path is the cubic
//! polynomial that fits the points best; its length costs little, obstacles on the way cost much, and so does an end away
//! from start or goal. The value, to be maximized, is 5 minus the cost.

mod curve;

use curve::CubicFit;
use neuralbo::linalg::Rng;
use neuralbo::record::Direction;
use rand_distr::{Distribution, StandardNormal};

use super::{BuildProblem, Dims, ProblemEntry};
use crate::{Problem, Simulation};

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
    obstacles: Vec<Patch>,
}

impl Rover {
    /// The rover with its field of 113 obstacles.
    pub fn new() -> Self {
        let centres = CENTRES.lines().filter_map(parse_centre);
        let obstacles = centres.map(Patch::around).collect();
        Self { obstacles }
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
        OFFSET - self.path_cost(&path) - end_cost(&path)
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

/// Obstacle centres, one `cx,cy` a line after the header.
const CENTRES: &str = include_str!("trees.csv");
/// Half the side of a square obstacle.
const HALF_SIDE: f64 = 0.025;
/// Cost of each unit of length, anywhere.
const TRAVEL_COST: f64 = 0.05;
/// Added inside an obstacle or outside the unit square.
const CRASH_COST: f64 = 20.0;

/// A square `[low, high)` in both coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Patch {
    low: [f64; 2],
    high: [f64; 2],
}

impl Patch {
    const UNIT: Self = Self {
        low: [0.0; 2],
        high: [1.0; 2],
    };

    fn around(centre: [f64; 2]) -> Self {
        Self {
            low: centre.map(|c| c - HALF_SIDE),
            high: centre.map(|c| c + HALF_SIDE),
        }
    }

    fn contains(&self, point: [f64; 2]) -> bool {
        (0..2).all(|axis| self.low[axis] <= point[axis] && point[axis] < self.high[axis])
    }
}

impl Rover {
    /// ∫ cost along the path, by the trapezoidal rule over its samples.
    pub fn path_cost(&self, path: &[[f64; 2]]) -> f64 {
        let costs: Vec<f64> = path.iter().map(|&point| self.cost(point)).collect();
        let length = |ends: &[[f64; 2]]| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
        let pieces = path.windows(2).zip(costs.windows(2));
        let costs = pieces.map(|(ends, costs)| length(ends) * 0.5 * (costs[0] + costs[1]));
        costs.sum()
    }

    /// Cost of each unit of length at a point.
    fn cost(&self, point: [f64; 2]) -> f64 {
        let crash = !Patch::UNIT.contains(point)
            || self.obstacles.iter().any(|square| square.contains(point));
        if crash {
            TRAVEL_COST + CRASH_COST
        } else {
            TRAVEL_COST
        }
    }
}

/// A line `cx,cy`; none for the header.
fn parse_centre(line: &str) -> Option<[f64; 2]> {
    let (x, y) = line.split_once(',')?;
    Some([x.parse().ok()?, y.parse().ok()?])
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

    #[test]
    fn every_obstacle_is_read() {
        assert_eq!(Rover::new().obstacles.len(), 113);
        assert_eq!(CENTRES.lines().count(), 114);
    }

    #[test]
    fn crashing_costs_once_even_where_obstacles_overlap_outside_the_square() {
        let twice = Rover {
            obstacles: vec![Patch::around([0.0, 0.5]), Patch::around([0.01, 0.5])],
        };
        assert_eq!(twice.cost([-0.001, 0.5]), 20.05);
        assert_eq!(twice.cost([0.2, 0.5]), 0.05);
    }

    #[test]
    fn squares_are_half_open() {
        let unit = Patch::UNIT;
        let found = [[0.0, 0.0], [1.0, 0.5], [0.5, 1.0]].map(|point| unit.contains(point));
        assert_eq!(found, [true, false, false]);
    }

    #[test]
    fn a_free_path_costs_its_length_times_the_travel_cost() {
        let free = Rover {
            obstacles: Vec::new(),
        };
        let cost = free.path_cost(&[[0.1, 0.1], [0.4, 0.5], [0.4, 0.9]]);
        assert!((cost - 0.05 * 0.9).abs() < 1e-15, "{cost}");
    }
}
