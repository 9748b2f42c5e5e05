//! A small planar rigid-body engine in single precision: what the pushing table needs and nothing more.
//!
//! It follows Box2D 2.3.0 to the last bit for four moving bodies (boxes and discs), without gravity, restitution, sensors or
//! continuous collision, each body dragged along a table with limited friction. Bit equality is a matter of *order*: every
//! sum below is written in the order in which it has to be rounded, so algebraically equal rewrites change results.
//!
//! One step ([`PhysicsWorld::step`]) goes through the files in this order:
//!
//! | file | what |
//! | --- | --- |
//! | `pairs` | which bodies are near enough to be looked at |
//! | `box_box`, `box_disc` | where two shapes touch: a [`manifold`] |
//! | `world` | groups of bodies that touch, solved apart from each other; sleep |
//! | `body` | friction between a body and the table |
//! | `contact`, `velocity` | impulses that keep bodies from sinking into each other |
//!
//! Symbols: `c` centre, `a` angle, `v` velocity, `ω` angular velocity, `n` contact normal from body A to body B, `r` arm from
//! a centre to a contact point, `K` inverse effective mass, `h` time step.

mod body;
mod box_box;
mod box_disc;
mod contact;
mod manifold;
mod pairs;
mod shape;
mod vector;
mod velocity;
mod world;

pub(super) use body::{Body, BodyPlan, TableFriction};
pub(super) use shape::BodyShape;
pub(super) use vector::Vec2;
pub(super) use world::PhysicsWorld;

/// Time step h in seconds.
pub(super) const TIME_STEP: f32 = 0.01;
/// Number of moving bodies.
pub(super) const BODIES: usize = 4;

const VELOCITY_ROUNDS: usize = 10;
const POSITION_ROUNDS: usize = 10;
const PI: f32 = std::f32::consts::PI;
/// Penetration that is left alone, so that resting contacts persist.
const LINEAR_SLOP: f32 = 0.005;
/// Rounded skin around every box.
const BOX_SKIN: f32 = 2.0 * LINEAR_SLOP;
