//! Both normal impulses of a two-point contact at once.
//!
//! Looks for accumulated impulses x ≥ 0 and normal velocities v = K x + b ≥ 0 with x·v = 0 (a linear complementarity problem)
//! by trying all four cases. Here b is the normal velocity that would remain without any impulse.

use super::contact::{Masses, PairMotion, SolverPoint};
use super::vector::{Symmetric2, Vec2};

/// One round on both normal impulses; they stay as they are if rounding leaves no case that fits.
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
