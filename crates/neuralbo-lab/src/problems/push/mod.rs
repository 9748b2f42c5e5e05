//! Robot pushing in 14 dimensions: two hands push a box and a disc over a table towards their goals.
//!
//! The problem of Wang et al., "Batched Large-scale Bayesian Optimization in High-dimensional Spaces" (AISTATS 2018),
//! re-created with an engine of our own that agrees with the original's to the last bit.
//!
//! | coordinates | meaning | bounds |
//! | --- | --- | --- |
//! | 0, 1 and 6, 7 | start position of hand 1 and hand 2 | [−5, 5] |
//! | 2, 3 and 8, 9 | commanded velocity | [−10, 10] |
//! | 4 and 10 | duration of the push (ten steps each unit) | [2, 30] |
//! | 5 and 11 | start angle | [0, 2π] |
//! | 12 and 13 | commanded angular velocity | [−5, 5] |

mod engine;
mod simulation;

use neuralbo::linalg::Rng;
use neuralbo::record::Direction;
use rand_distr::{Distribution, StandardNormal};

use super::{BuildProblem, Dims, ProblemEntry};
use crate::{Problem, Simulation};
use simulation::{BOUNDS, DIM, PushInput, VELOCITY_COORDINATES};
pub use simulation::{Pose, PushOutcome};

pub(super) const ENTRY: ProblemEntry = ProblemEntry {
    name: "push",
    about: "robot pushing, 14 coordinates, maximized",
    dims: Dims::Fixed(DIM),
    build: BuildProblem::Simulation(|| Box::new(RobotPushing)),
};

/// Standard deviation of the noise on each commanded velocity component.
const VELOCITY_NOISE: f64 = 0.01;

/// The robot pushing problem; the reward is maximized.
///
/// The reward is how much closer, in total, the two objects came to their goals: 0 if nothing moved, at most
/// [`RobotPushing::ceiling`], negative if they were pushed away.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::push::RobotPushing;
///
/// // Hand 1 starts left of the box and moves right; hand 2 stays in a far corner.
/// let x = [-2.0, 2.0, 4.0, 0.0, 10.0, 1.57, -5.0, -5.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
/// let reward = RobotPushing.value(&x);
/// assert!(reward > 1.0 && reward < RobotPushing::ceiling());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotPushing;

impl RobotPushing {
    /// The reward with both objects on their goals, about 11.07: an upper bound.
    pub fn ceiling() -> f64 {
        simulation::most_reward()
    }

    /// Runs the push without noise; none if `x` does not have 14 coordinates.
    ///
    /// ```
    /// use neuralbo_lab::problems::push::RobotPushing;
    ///
    /// let still = [5.0, 5.0, 0.0, 0.0, 2.0, 0.0, -5.0, -5.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
    /// let outcome = RobotPushing.simulate(&still).ok_or("14 coordinates")?;
    /// assert_eq!((outcome.steps, outcome.contact_steps, outcome.reward), (120, 0, 0.0));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn simulate(&self, x: &[f64]) -> Option<PushOutcome> {
        let x: &[f64; DIM] = x.try_into().ok()?;
        Some(simulation::simulate(&PushInput::new(x)))
    }
}

impl Problem for RobotPushing {
    fn name(&self) -> String {
        "push-14".into()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        BOUNDS.to_vec()
    }

    fn direction(&self) -> Direction {
        Direction::Maximize
    }

    /// The noiseless reward; NaN if `x` does not have 14 coordinates.
    fn value(&self, x: &[f64]) -> f64 {
        self.simulate(x).map_or(f64::NAN, |outcome| outcome.reward)
    }
}

impl Simulation for RobotPushing {
    /// The reward seen by an optimizer: each of the four commanded velocities is off by N(0, 0.01²), drawn from `rng`.
    ///
    /// ```
    /// use neuralbo::linalg::{Purpose, Streams};
    /// use neuralbo_lab::Simulation;
    /// use neuralbo_lab::problems::push::RobotPushing;
    ///
    /// let x = [-2.0, 2.0, 4.0, 0.0, 10.0, 1.57, -5.0, -5.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
    /// let seen = |trial| RobotPushing.observe(&x, &mut Streams::new(1).stream(trial, Purpose::Noise));
    /// assert_eq!(seen(0), seen(0));
    /// assert_ne!(seen(0), seen(1));
    /// ```
    fn observe(&self, x: &[f64], rng: &mut Rng) -> f64 {
        let mut noisy = x.to_vec();
        for coordinate in VELOCITY_COORDINATES {
            let draw: f64 = StandardNormal.sample(rng);
            if let Some(velocity) = noisy.get_mut(coordinate) {
                *velocity += VELOCITY_NOISE * draw;
            }
        }
        self.value(&noisy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuralbo::linalg::{Purpose, Streams};
    use proptest::prelude::*;

    /// Both hands push: one the box, one the disc.
    const BUSY: [f64; DIM] = [
        -2.0, 2.0, 4.0, 0.0, 10.0, 1.57, 1.0, -4.0, -2.0, 5.0, 12.0, 0.3, 0.5, -1.0,
    ];

    #[test]
    fn noise_shifts_the_four_velocities_in_their_order() {
        let stream = || Streams::new(5).stream(9, Purpose::Noise);
        let mut rng = stream();
        let mut shifted = BUSY;
        for coordinate in [2, 3, 8, 9] {
            let draw: f64 = StandardNormal.sample(&mut rng);
            shifted[coordinate] += 0.01 * draw;
        }
        let found = RobotPushing.observe(&BUSY, &mut stream());
        assert_eq!(found, RobotPushing.value(&shifted));
        assert_ne!(RobotPushing.value(&shifted), RobotPushing.value(&BUSY));
    }

    #[test]
    fn points_of_another_dimension_have_no_value() {
        assert!(RobotPushing.value(&BUSY[..13]).is_nan());
        let mut rng = Streams::new(0).stream(0, Purpose::Noise);
        assert!(RobotPushing.observe(&[], &mut rng).is_nan());
    }

    #[test]
    fn the_ceiling_is_the_distance_to_be_covered() {
        assert_eq!(RobotPushing::ceiling(), 11.072737127026487);
    }

    proptest! {
        #[test]
        fn rewards_stay_below_the_ceiling(unit in prop::array::uniform14(0.0..1.0f64)) {
            let x: Vec<f64> = unit.iter().zip(BOUNDS).map(|(u, (low, high))| low + u * (high - low)).collect();
            prop_assert!(RobotPushing.value(&x) <= RobotPushing::ceiling());
        }

        #[test]
        fn no_point_makes_it_fail(x in prop::array::uniform14(prop::num::f64::ANY)) {
            RobotPushing.value(&x);
        }

        /// One wild coordinate among ordinary ones reaches further into the engine than fourteen wild ones.
        #[test]
        fn no_coordinate_makes_it_fail(at in 0..DIM, wild in prop::num::f64::ANY) {
            let mut x = BUSY;
            x[at] = wild;
            RobotPushing.value(&x);
        }
    }
}
