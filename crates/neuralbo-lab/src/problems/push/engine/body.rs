//! A moving body: its fixed properties, its state and its sleep.

use super::aabb::Aabb;
use super::shape::BodyShape;
use super::table_friction::TableFriction;
use super::vector::{Placement, Vec2};
use super::{PI, TIME_STEP};

const MAX_TRANSLATION: f32 = 2.0;
const MAX_ROTATION: f32 = 0.5 * PI;
const LINEAR_SLEEP_TOLERANCE: f32 = 0.01;
const ANGULAR_SLEEP_TOLERANCE: f32 = 2.0 / 180.0 * PI;

/// What is needed to put a body on the table; it starts at rest and awake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPlan {
    pub shape: BodyShape,
    pub mass: f32,
    pub inertia: f32,
    /// Friction coefficient of the surface against other bodies.
    pub surface_friction: f32,
    pub table_friction: TableFriction,
    pub position: Vec2,
    pub angle: f32,
}

/// Linear and angular velocity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Motion {
    pub linear: Vec2,
    pub angular: f32,
}

/// A moving body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(super) shape: BodyShape,
    pub(super) inverse_mass: f32,
    pub(super) inverse_inertia: f32,
    pub(super) surface_friction: f32,
    pub(super) table_friction: TableFriction,
    pub(crate) position: Vec2,
    pub(crate) angle: f32,
    pub(super) motion: Motion,
    /// Frame at the end of the last step; `position` and `angle` run ahead of it while a step is solved.
    pub(super) placement: Placement,
    pub(super) awake: bool,
    pub(super) fat_bounds: Aabb,
    /// Whether the fat bounds changed since pairs were last looked for.
    pub(super) moved: bool,
    force: Vec2,
    torque: f32,
    still_time: f32,
}

impl Body {
    pub fn new(plan: &BodyPlan) -> Self {
        let placement = Placement::new(plan.position, plan.angle);
        Self {
            shape: plan.shape,
            inverse_mass: 1.0 / plan.mass,
            inverse_inertia: 1.0 / plan.inertia,
            surface_friction: plan.surface_friction,
            table_friction: plan.table_friction,
            position: plan.position,
            angle: plan.angle,
            motion: Motion::default(),
            placement,
            awake: true,
            fat_bounds: plan.shape.bounds(placement).fat(),
            moved: true,
            force: Vec2::ZERO,
            torque: 0.0,
            still_time: 0.0,
        }
    }

    pub fn velocity(&self) -> Vec2 {
        self.motion.linear
    }

    pub fn angular_velocity(&self) -> f32 {
        self.motion.angular
    }

    /// Adds a force at the centre and a torque for the coming step, waking the body.
    pub fn push(&mut self, force: Vec2, torque: f32) {
        self.wake();
        self.force += force;
        self.torque += torque;
    }

    pub(super) fn clear_pushes(&mut self) {
        self.force = Vec2::ZERO;
        self.torque = 0.0;
    }

    /// Wakes a sleeping body; a body awake keeps its sleep timer.
    pub(super) fn wake(&mut self) {
        if !self.awake {
            self.awake = true;
            self.still_time = 0.0;
        }
    }

    pub(super) fn fall_asleep(&mut self) {
        self.awake = false;
        self.still_time = 0.0;
        self.motion = Motion::default();
        self.clear_pushes();
    }

    /// Updates the time spent nearly still and returns it.
    pub(super) fn update_still_time(&mut self) -> f32 {
        let Motion { linear, angular } = self.motion;
        let moving = angular * angular > ANGULAR_SLEEP_TOLERANCE * ANGULAR_SLEEP_TOLERANCE
            || linear.dot(linear) > LINEAR_SLEEP_TOLERANCE * LINEAR_SLEEP_TOLERANCE;
        self.still_time = if moving {
            0.0
        } else {
            self.still_time + TIME_STEP
        };
        self.still_time
    }

    /// Turns the pushes of this step into velocity.
    pub(super) fn accelerate(&mut self) {
        self.motion.linear += TIME_STEP * (self.inverse_mass * self.force);
        self.motion.angular += TIME_STEP * self.inverse_inertia * self.torque;
    }

    /// Moves the body for one step, at a limited speed.
    pub(super) fn advance(&mut self) {
        let translation = TIME_STEP * self.motion.linear;
        if translation.dot(translation) > MAX_TRANSLATION * MAX_TRANSLATION {
            self.motion.linear = (MAX_TRANSLATION / translation.length()) * self.motion.linear;
        }
        let rotation = TIME_STEP * self.motion.angular;
        if rotation * rotation > MAX_ROTATION * MAX_ROTATION {
            self.motion.angular *= MAX_ROTATION / rotation.abs();
        }
        self.position += TIME_STEP * self.motion.linear;
        self.angle += TIME_STEP * self.motion.angular;
    }

    /// Brings frame and fat bounds up to date with the pose reached in this step.
    pub(super) fn settle(&mut self) {
        let before = self.placement;
        self.placement = Placement::new(self.position, self.angle);
        let [old, new] = [before, self.placement].map(|at| self.shape.bounds(at));
        let swept = old.united(new);
        if !self.fat_bounds.contains(&swept) {
            self.fat_bounds = swept.fat_ahead(self.placement.position - before.position);
            self.moved = true;
        }
    }
}

/// Wakes both bodies of a pair.
pub(super) fn wake_both(bodies: &mut [Body], pair: [usize; 2]) {
    for index in pair {
        bodies[index].wake();
    }
}
