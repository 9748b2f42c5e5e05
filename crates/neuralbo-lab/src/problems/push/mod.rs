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
mod input;
mod scene;
mod simulation;

use neuralbo::linalg::Rng;
use neuralbo::study::Direction;
use rand_distr::{Distribution, StandardNormal};

use crate::Problem;
use input::{BOUNDS, DIM, PushInput, VELOCITY_COORDINATES};
pub use simulation::{Pose, PushOutcome};

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

    /// The reward seen by an optimizer: each of the four commanded velocities is off by N(0, 0.01²), drawn from `rng`.
    ///
    /// ```
    /// use neuralbo::linalg::{Purpose, Streams};
    /// use neuralbo_lab::problems::push::RobotPushing;
    ///
    /// let x = [-2.0, 2.0, 4.0, 0.0, 10.0, 1.57, -5.0, -5.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
    /// let seen = |trial| RobotPushing.observe(&x, &mut Streams::new(1).stream(trial, Purpose::Noise));
    /// assert_eq!(seen(0), seen(0));
    /// assert_ne!(seen(0), seen(1));
    /// ```
    pub fn observe(&self, x: &[f64], rng: &mut Rng) -> f64 {
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
