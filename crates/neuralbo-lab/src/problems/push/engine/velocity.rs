//! Contact impulses that stop bodies from moving into each other, with Coulomb friction (sequential impulses).

use super::block::solve_block;
use super::body::Body;
use super::contact::{Contact, Masses, PairMotion, SolverPoint};
use super::pairs::BodyPair;
use super::vector::{Vec2, greater, limit};

impl Contact {
    /// Applies the impulses kept from the step before.
    pub fn warm_start(&self, bodies: &mut [Body]) {
        let mut motion = self.load(bodies);
        let tangent = self.normal.clockwise();
        for point in self.solved() {
            let impulse = point.normal_impulse * self.normal + point.tangent_impulse * tangent;
            motion.apply(impulse, point.arms, &self.masses);
        }
        self.store(bodies, motion);
    }

    /// One velocity round: friction at every point, then the normal impulses.
    pub fn solve_velocity(&mut self, bodies: &mut [Body]) {
        let mut motion = self.load(bodies);
        let (masses, normal, count) = (self.masses, self.normal, self.solved().len());
        for point in &mut self.points[..count] {
            solve_friction(
                point,
                &mut motion,
                normal.clockwise(),
                self.friction,
                &masses,
            );
        }
        match self.block {
            None => solve_normal(&mut self.points[0], &mut motion, normal, &masses),
            Some(block) => solve_block(&mut self.points, &mut motion, normal, block, &masses),
        }
        self.store(bodies, motion);
    }

    /// Keeps the impulses for the next step; a point left out of the solve keeps what it had.
    pub fn keep_impulses(&self, pair: &mut BodyPair) {
        if let Some(manifold) = &mut pair.manifold {
            for (kept, solved) in manifold.points_mut().iter_mut().zip(self.solved()) {
                kept.normal_impulse = solved.normal_impulse;
                kept.tangent_impulse = solved.tangent_impulse;
            }
        }
    }

    fn load(&self, bodies: &[Body]) -> PairMotion {
        let [a, b] = self.bodies.map(|index| bodies[index].motion);
        PairMotion { a, b }
    }

    fn store(&self, bodies: &mut [Body], motion: PairMotion) {
        let [a, b] = self.bodies;
        bodies[a].motion = motion.a;
        bodies[b].motion = motion.b;
    }
}

/// Stops sliding as far as friction (at most the coefficient times the normal impulse) allows.
fn solve_friction(
    point: &mut SolverPoint,
    motion: &mut PairMotion,
    tangent: Vec2,
    friction: f32,
    masses: &Masses,
) {
    let sliding = motion.relative(point.arms).dot(tangent);
    let most = friction * point.normal_impulse;
    let wanted = point.tangent_impulse + point.tangent_mass * -sliding;
    let total = limit(wanted, -most, most);
    let impulse = (total - point.tangent_impulse) * tangent;
    point.tangent_impulse = total;
    motion.apply(impulse, point.arms, masses);
}

/// Stops approach at a single point; the accumulated impulse never pulls.
fn solve_normal(point: &mut SolverPoint, motion: &mut PairMotion, normal: Vec2, masses: &Masses) {
    let approach = motion.relative(point.arms).dot(normal);
    let total = greater(point.normal_impulse - point.normal_mass * approach, 0.0);
    let impulse = (total - point.normal_impulse) * normal;
    point.normal_impulse = total;
    motion.apply(impulse, point.arms, masses);
}
