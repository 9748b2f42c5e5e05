//! The table with its two objects and two hands.

use super::engine::{BODIES, BodyPlan, BodyShape, TableFriction, Vec2};
use super::input::{HandCommand, PushInput};

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
