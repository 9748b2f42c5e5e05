//! Friction between one body and the table: it stops the body as long as force and torque stay within limits.

use super::TIME_STEP;
use super::body::Body;
use super::vector::{Vec2, limit};

/// Limits of the table's friction and the impulses found so far, kept over the steps as a first guess.
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
