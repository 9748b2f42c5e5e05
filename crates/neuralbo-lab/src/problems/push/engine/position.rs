//! Moves overlapping bodies apart a little, without giving them velocity (nonlinear Gauss–Seidel).

use super::LINEAR_SLOP;
use super::body::Body;
use super::contact::{Arms, Contact};
use super::vector::{Placement, Vec2, lesser, limit};

/// Share of the overlap removed in one round.
const BAUMGARTE: f32 = 0.2;
const MAX_CORRECTION: f32 = 0.2;
/// Overlap that counts as solved.
const ACCEPTED_SEPARATION: f32 = -3.0 * LINEAR_SLOP;

/// One round over all contacts; whether no point was found overlapping too much.
pub(super) fn separate(contacts: &[Contact], bodies: &mut [Body]) -> bool {
    let smallest = contacts.iter().fold(0.0, |smallest, contact| {
        lesser(smallest, contact.separate(bodies))
    });
    smallest >= ACCEPTED_SEPARATION
}

impl Contact {
    /// Corrects point after point, each from the poses the last one left; returns the smallest separation seen.
    fn separate(&self, bodies: &mut [Body]) -> f32 {
        let mut smallest = 0.0;
        for point in self.manifold.points() {
            let separation = self.separate_point(point.local, bodies);
            smallest = lesser(smallest, separation);
        }
        smallest
    }

    fn separate_point(&self, local: Vec2, bodies: &mut [Body]) -> f32 {
        let [a, b] = self.bodies.map(|index| &bodies[index]);
        let [at_a, at_b] = [a, b].map(|body| Placement::new(body.position, body.angle));
        let view = self.manifold.view(at_a, at_b);
        let point = view.clip_point(local);
        let separation = view.height(point) - self.radii[0] - self.radii[1];
        let arms = Arms::new(point, a, b);
        let normal = view.normal();

        let excess = limit(BAUMGARTE * (separation + LINEAR_SLOP), -MAX_CORRECTION, 0.0);
        let resistance = self.masses.resistance(arms, normal);
        let size = if resistance > 0.0 {
            -excess / resistance
        } else {
            0.0
        };
        let shift = size * normal;
        bodies[self.bodies[0]].shift(-1.0, shift, arms.a.cross(shift));
        bodies[self.bodies[1]].shift(1.0, shift, arms.b.cross(shift));
        separation
    }
}

impl Body {
    /// Moves and turns the body by a pseudo-impulse in direction `sign`.
    fn shift(&mut self, sign: f32, impulse: Vec2, moment: f32) {
        self.position += sign * (self.inverse_mass * impulse);
        self.angle += sign * (self.inverse_inertia * moment);
    }
}
