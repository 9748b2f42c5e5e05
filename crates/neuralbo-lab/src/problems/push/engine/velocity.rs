//! Contact impulses that stop bodies from moving into each other, with Coulomb friction (sequential impulses).

use super::body::Body;
use super::contact::{Contact, Masses, PairMotion, SolverPoint};
use super::pairs::BodyPair;
use super::vector::{Symmetric2, Vec2, greater, limit};

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

/// One round on both normal impulses of a two-point contact at once; they stay as they are if rounding leaves no case that fits.
///
/// Looks for accumulated impulses x ≥ 0 and normal velocities v = K x + b ≥ 0 with x·v = 0 (a linear complementarity problem)
/// by trying all four cases. Here b is the normal velocity that would remain without any impulse.
pub(super) fn solve_block(
    points: &mut [SolverPoint; 2],
    motion: &mut PairMotion,
    normal: Vec2,
    [k, k_inverse]: [Symmetric2; 2],
    masses: &Masses,
) {
    let old = Vec2::new(points[0].normal_impulse, points[1].normal_impulse);
    let velocity = points.map(|point| motion.relative(point.arms).dot(normal));
    let b = Vec2::new(velocity[0], velocity[1]) - k.apply(old);
    let Some(new) = complementary_impulses(points, k, k_inverse, b) else {
        return;
    };

    let change = new - old;
    let [first, second] = [change.x * normal, change.y * normal];
    let [arms_1, arms_2] = points.map(|point| point.arms);
    motion.apply_sum(
        first + second,
        arms_1.a.cross(first) + arms_2.a.cross(second),
        arms_1.b.cross(first) + arms_2.b.cross(second),
        masses,
    );
    points[0].normal_impulse = new.x;
    points[1].normal_impulse = new.y;
}

/// The first case that fits: both points push, only the first, only the second, none.
fn complementary_impulses(
    points: &[SolverPoint; 2],
    k: Symmetric2,
    k_inverse: Symmetric2,
    b: Vec2,
) -> Option<Vec2> {
    let both = -k_inverse.apply(b);
    if both.x >= 0.0 && both.y >= 0.0 {
        return Some(both);
    }
    let first = -points[0].normal_mass * b.x;
    if first >= 0.0 && k.xy * first + b.y >= 0.0 {
        return Some(Vec2::new(first, 0.0));
    }
    let second = -points[1].normal_mass * b.y;
    if second >= 0.0 && k.xy * second + b.x >= 0.0 {
        return Some(Vec2::new(0.0, second));
    }
    (b.x >= 0.0 && b.y >= 0.0).then_some(Vec2::ZERO)
}
