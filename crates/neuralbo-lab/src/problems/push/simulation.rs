//! The control loop: drive the hands, let everything come to rest, measure how far the objects got.

use super::engine::{Body, PhysicsWorld, Vec2};
use super::input::{HandCommand, PushInput};
use super::scene::{BOX, DISC, GOALS, HAND_MASS, HANDS, OBJECT_STARTS, plans, rounded};

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
