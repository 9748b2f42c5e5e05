//! A moving body: its fixed properties, its state and its sleep.

use super::shape::{Aabb, BodyShape};
use super::vector::{Placement, Vec2, limit};
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

/// Friction between a body and the table, which stops the body as long as force and torque stay within limits; with the impulses
/// found so far, kept over the steps as a first guess.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableFriction {
    max_force: f32,
    max_torque: f32,
    linear_impulse: Vec2,
    angular_impulse: f32,
}

impl TableFriction {
    pub fn new(max_force: f32, max_torque: f32) -> Self {
        Self {
            max_force,
            max_torque,
            linear_impulse: Vec2::ZERO,
            angular_impulse: 0.0,
        }
    }

    /// The new accumulated angular impulse after trying to stop a spin.
    fn angular_target(&self, spin: f32, inverse_inertia: f32) -> f32 {
        let wanted = -(1.0 / inverse_inertia) * spin;
        let most = TIME_STEP * self.max_torque;
        limit(self.angular_impulse + wanted, -most, most)
    }

    /// The new accumulated linear impulse after trying to stop a velocity.
    fn linear_target(&self, velocity: Vec2, inverse_mass: f32) -> Vec2 {
        // The mass as the inverse of diag(k, k) by its determinant, which does not round like 1/k.
        let mass = 1.0 / (inverse_mass * inverse_mass) * inverse_mass;
        let wanted = self.linear_impulse - mass * velocity;
        let most = TIME_STEP * self.max_force;
        if wanted.dot(wanted) > most * most {
            most * wanted.normalized()
        } else {
            wanted
        }
    }
}

impl Body {
    /// Applies the impulses kept from the step before.
    pub(super) fn warm_start_table_friction(&mut self) {
        self.motion.linear += self.inverse_mass * self.table_friction.linear_impulse;
        self.motion.angular += self.inverse_inertia * self.table_friction.angular_impulse;
    }

    /// One velocity round: spin first, then translation.
    pub(super) fn solve_table_friction(&mut self) {
        let friction = &mut self.table_friction;
        let angular = friction.angular_target(self.motion.angular, self.inverse_inertia);
        self.motion.angular += self.inverse_inertia * (angular - friction.angular_impulse);
        friction.angular_impulse = angular;

        let linear = friction.linear_target(self.motion.linear, self.inverse_mass);
        self.motion.linear += self.inverse_mass * (linear - friction.linear_impulse);
        friction.linear_impulse = linear;
    }
}
