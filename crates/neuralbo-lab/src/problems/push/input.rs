//! What the fourteen numbers mean.

/// Number of coordinates.
pub(super) const DIM: usize = 14;

/// Lower and upper bound of each coordinate.
pub(super) const BOUNDS: [(f64, f64); DIM] = {
    const PLACE: (f64, f64) = (-5.0, 5.0);
    const SPEED: (f64, f64) = (-10.0, 10.0);
    const DURATION: (f64, f64) = (2.0, 30.0);
    const ANGLE: (f64, f64) = (0.0, std::f64::consts::TAU);
    const SPIN: (f64, f64) = (-5.0, 5.0);
    [
        PLACE, PLACE, SPEED, SPEED, DURATION, ANGLE, PLACE, PLACE, SPEED, SPEED, DURATION, ANGLE,
        SPIN, SPIN,
    ]
};

/// The commanded linear velocities, which the noisy problem perturbs in this order.
pub(super) const VELOCITY_COORDINATES: [usize; 4] = [2, 3, 8, 9];

const STEPS_PER_DURATION: f64 = 10.0;

/// What one hand is told to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HandCommand {
    pub start: [f64; 2],
    pub velocity: [f64; 2],
    pub angular_velocity: f64,
    pub angle: f64,
    /// Number of steps during which the hand is driven.
    pub steps: u32,
}

/// A decoded point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PushInput {
    pub hands: [HandCommand; 2],
}

impl PushInput {
    pub fn new(x: &[f64; DIM]) -> Self {
        let hand = |first: usize, spin: usize| HandCommand {
            start: [x[first], x[first + 1]],
            velocity: [x[first + 2], x[first + 3]],
            angular_velocity: x[spin],
            angle: x[first + 5],
            steps: driven_steps(x[first + 4]),
        };
        Self {
            hands: [hand(0, 12), hand(6, 13)],
        }
    }

    /// Steps during which at least one hand is driven.
    pub fn driven_steps(&self) -> u32 {
        self.hands[0].steps.max(self.hands[1].steps)
    }
}

/// Whole steps of a push. Durations beyond the box count as its upper bound, so that no point takes forever.
fn driven_steps(duration: f64) -> u32 {
    (STEPS_PER_DURATION * duration.min(BOUNDS[4].1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_cut_to_whole_steps_within_the_box() {
        let found = [2.0, 2.09, 29.999, 30.0].map(driven_steps);
        assert_eq!(found, [20, 20, 299, 300]);
        let found = [-1.0, 1e300, f64::INFINITY, f64::NEG_INFINITY].map(driven_steps);
        assert_eq!(found, [0, 300, 300, 0]);
    }

    #[test]
    fn each_coordinate_has_its_place() {
        let x: [f64; DIM] = std::array::from_fn(|index| index as f64);
        let [one, two] = PushInput::new(&x).hands;
        let expect = |start, velocity, steps, angle, angular_velocity| HandCommand {
            start,
            velocity,
            angular_velocity,
            angle,
            steps,
        };
        assert_eq!(one, expect([0.0, 1.0], [2.0, 3.0], 40, 5.0, 12.0));
        assert_eq!(two, expect([6.0, 7.0], [8.0, 9.0], 100, 11.0, 13.0));
    }
}
