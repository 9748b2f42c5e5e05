//! Contact between a box (A) and a disc (B).

use super::manifold::{BoxFeature, ContactPoint, Manifold, Reference};
use super::shape::{BOX_NORMALS, Corners};
use super::vector::{Placement, Vec2};

/// The manifold of a box and a disc whose radii (skin and disc) add up to `reach`, if they touch.
pub(super) fn collide(
    corners: &Corners,
    at: Placement,
    disc_at: Placement,
    reach: f32,
) -> Option<Manifold> {
    let centre = at.to_local(disc_at.position);
    let (face, separation) = deepest_face(corners, centre, reach)?;
    let (normal, point) = nearest_surface(corners, face, separation, centre, reach)?;
    let contact = ContactPoint::new(Vec2::ZERO, (BoxFeature::Corner(0), BoxFeature::Corner(0)));
    Some(Manifold::new(Reference::A, normal, point).with_point(contact))
}

/// The face with the largest separation from the disc's centre; none if the disc is out of reach.
fn deepest_face(corners: &Corners, centre: Vec2, reach: f32) -> Option<(usize, f32)> {
    let mut best = (0, -f32::MAX);
    for (face, normal) in BOX_NORMALS.iter().enumerate() {
        let separation = normal.dot(centre - corners.0[face]);
        if separation > reach {
            return None;
        }
        if separation > best.1 {
            best = (face, separation);
        }
    }
    Some(best)
}

/// Normal and reference point: the face itself or, beyond its ends, the corner.
fn nearest_surface(
    corners: &Corners,
    face: usize,
    separation: f32,
    centre: Vec2,
    reach: f32,
) -> Option<(Vec2, Vec2)> {
    let (start, end) = corners.edge(face);
    let normal = BOX_NORMALS[face];
    let middle = 0.5 * (start + end);
    if separation < f32::EPSILON {
        return Some((normal, middle));
    }
    for (corner, opposite) in [(start, end), (end, start)] {
        let offset = centre - corner;
        if offset.dot(opposite - corner) <= 0.0 {
            return (offset.dot(offset) <= reach * reach).then(|| (offset.normalized(), corner));
        }
    }
    ((centre - middle).dot(normal) <= reach).then_some((normal, middle))
}
