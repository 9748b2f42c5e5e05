//! The control loop: drive the hands, let everything come to rest, measure how far the objects got.

use super::engine::{BODIES, Body, BodyPlan, BodyShape, PhysicsWorld, TableFriction, Vec2};

/// Steps without drive at the end of a run.
const COASTING_STEPS: u32 = 100;
/// Gain of the hands' velocity controllers, per unit of mass.
const GAIN: f32 = 30.0;

/// Where a body came to rest: position in metres and angle in radians (not wrapped), in the engine's precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Horizontal position.
    pub x: f32,
    /// Vertical position.
    pub y: f32,
    /// Angle.
    pub angle: f32,
}

/// The end of one simulated push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushOutcome {
    /// Total progress of the objects towards their goals.
    pub reward: f64,
    /// Final poses of the box and the disc.
    pub objects: [Pose; 2],
    /// Final poses of the hands.
    pub hands: [Pose; 2],
    /// Number of simulated steps.
    pub steps: u32,
    /// Number of steps in which at least two bodies touched.
    pub contact_steps: u32,
}

pub(super) fn simulate(input: &PushInput) -> PushOutcome {
    let mut world = PhysicsWorld::new(&plans(input));
    let steps = input.driven_steps() + COASTING_STEPS;
    let mut contact_steps = 0;
    for step in 0..steps {
        for (command, hand) in input.hands.iter().zip(HANDS) {
            if step < command.steps {
                drive(world.body_mut(hand), command);
            }
        }
        world.step();
        contact_steps += u32::from(world.has_contact());
    }
    let pose = |index| pose(world.body(index));
    let objects = [BOX, DISC].map(pose);
    PushOutcome {
        reward: reward(&objects),
        objects,
        hands: HANDS.map(pose),
        steps,
        contact_steps,
    }
}

/// Pushes a hand towards its commanded velocities, in proportion to what is missing.
fn drive(hand: &mut Body, command: &HandCommand) {
    let mass = f64::from(HAND_MASS);
    let torque =
        mass * (command.angular_velocity - f64::from(hand.angular_velocity())) * f64::from(GAIN);
    let missing: Vec2 = rounded(command.velocity) - hand.velocity();
    hand.push(GAIN * (HAND_MASS * missing), torque as f32);
}

fn pose(body: &Body) -> Pose {
    Pose {
        x: body.position.x,
        y: body.position.y,
        angle: body.angle,
    }
}

/// Σ |goal − start| − |goal − end| over the objects, rounded in the order (sum of starts) − first − second.
fn reward(objects: &[Pose; 2]) -> f64 {
    let [box_end, disc_end] = objects.map(|pose| [f64::from(pose.x), f64::from(pose.y)]);
    most_reward() - distance(GOALS[0], box_end) - distance(GOALS[1], disc_end)
}

/// The reward with both objects on their goals.
pub(super) fn most_reward() -> f64 {
    distance(GOALS[0], OBJECT_STARTS[0]) + distance(GOALS[1], OBJECT_STARTS[1])
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}

/// Indices of the bodies in the world, in order of creation.
pub(super) const BOX: usize = 0;
pub(super) const DISC: usize = 1;
pub(super) const HANDS: [usize; 2] = [2, 3];

/// Mass of a hand in kg, one step above the nearest `f32` to 0.12 (density times the area as it is summed from triangles).
pub(super) const HAND_MASS: f32 = 0.120_000_005;

/// Where the box and the disc start.
pub(super) const OBJECT_STARTS: [[f64; 2]; 2] = [[0.0, 2.0], [0.0, -2.0]];
/// Where the box and the disc should end up.
pub(super) const GOALS: [[f64; 2]; 2] = [[4.0, 3.5], [-4.0, 3.5]];

/// The bodies for one input, in order of creation.
pub(super) fn plans(input: &PushInput) -> [BodyPlan; BODIES] {
    let [square, disc] = [
        BodyShape::rectangle(0.5, 0.5),
        BodyShape::Disc { radius: 1.0 },
    ];
    let [first, second] = input.hands.each_ref().map(hand);
    [
        object(square, 0.05, 0.008_333_334, OBJECT_STARTS[0]),
        object(disc, 0.157_079_64, 0.078_539_82, OBJECT_STARTS[1]),
        first,
        second,
    ]
}

fn object(shape: BodyShape, mass: f32, inertia: f32, start: [f64; 2]) -> BodyPlan {
    BodyPlan {
        shape,
        mass,
        inertia,
        surface_friction: 0.01,
        table_friction: TableFriction::new(5.0, 2.0),
        position: rounded(start),
        angle: 0.0,
    }
}

fn hand(command: &HandCommand) -> BodyPlan {
    BodyPlan {
        shape: BodyShape::rectangle(1.0, 0.3),
        mass: HAND_MASS,
        inertia: 0.043_600_004,
        surface_friction: 0.1,
        table_friction: TableFriction::new(2.0, 2.0),
        position: rounded(command.start),
        angle: command.angle as f32,
    }
}

/// A point rounded to the engine's precision.
pub(super) fn rounded([x, y]: [f64; 2]) -> Vec2 {
    Vec2::new(x as f32, y as f32)
}

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
