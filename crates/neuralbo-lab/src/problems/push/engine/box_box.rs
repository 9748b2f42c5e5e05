//! Contact between two boxes: the face that separates them best, and the other box's edge clipped to it.

use super::BOX_SKIN;
use super::manifold::{BoxFeature, ContactPoint, Feature, Manifold, Reference};
use super::shape::{BOX_NORMALS, Corners, next_corner, previous_corner};
use super::vector::{Placement, Vec2};

/// Boxes touch when their cores are at most this far apart.
const REACH: f32 = BOX_SKIN + BOX_SKIN;
/// B's face is preferred only if it is better by these margins, so that the choice does not flicker.
const RELATIVE_PREFERENCE: f32 = 0.98;
const ABSOLUTE_PREFERENCE: f32 = 0.001;

/// A box in the world.
#[derive(Clone, Copy)]
pub(super) struct PlacedBox<'a> {
    pub corners: &'a Corners,
    pub at: Placement,
}

/// An end point of the clipped edge.
#[derive(Clone, Copy)]
struct ClipPoint {
    position: Vec2,
    /// Part of the reference box and part of the other box.
    feature: Feature,
}

/// The manifold of two boxes, if they touch.
pub(super) fn collide(a: PlacedBox, b: PlacedBox) -> Option<Manifold> {
    let (edge_a, separation_a) = best_face(a, b);
    let (edge_b, separation_b) = best_face(b, a);
    if separation_a > REACH || separation_b > REACH {
        return None;
    }
    if separation_b > RELATIVE_PREFERENCE * separation_a + ABSOLUTE_PREFERENCE {
        clip_to_face(Reference::B, b, edge_b, a)
    } else {
        clip_to_face(Reference::A, a, edge_a, b)
    }
}

/// Separation of `other` from one face of `this`.
fn face_separation(this: PlacedBox, face: usize, other: PlacedBox) -> f32 {
    let normal = this.at.turn(BOX_NORMALS[face]);
    let support = least_along(&other.corners.0, other.at.undo(normal));
    let deepest = other.at.to_world(other.corners.0[support]);
    (deepest - this.at.to_world(this.corners.0[face])).dot(normal)
}

/// Index of the first vector with the smallest component along `direction`.
fn least_along(vectors: &[Vec2; 4], direction: Vec2) -> usize {
    let mut best = (0, f32::MAX);
    for (index, vector) in vectors.iter().enumerate() {
        let along = vector.dot(direction);
        if along < best.1 {
            best = (index, along);
        }
    }
    best.0
}

/// The face of `this` that separates it best from `other`: a climb around the box from the face that looks at it most.
fn best_face(this: PlacedBox, other: PlacedBox) -> (usize, f32) {
    let towards = this.at.undo(other.at.position - this.at.position);
    // The face most along a direction is the one least along its opposite.
    let start = least_along(&BOX_NORMALS, -towards);
    let separation = |face| face_separation(this, face, other);
    let here = separation(start);
    let [before, after] = [previous_corner, next_corner].map(|step| separation(step(start)));
    if before > here && before > after {
        climb(
            separation,
            previous_corner,
            (previous_corner(start), before),
        )
    } else if after > here {
        climb(separation, next_corner, (next_corner(start), after))
    } else {
        (start, here)
    }
}

/// Goes from face to face while the separation grows.
fn climb(
    separation: impl Fn(usize) -> f32,
    step: fn(usize) -> usize,
    mut best: (usize, f32),
) -> (usize, f32) {
    loop {
        let face = step(best.0);
        let found = separation(face);
        if found <= best.1 || found.is_nan() {
            return best;
        }
        best = (face, found);
    }
}

/// Clips the edge of `other` that faces the reference face to that face's width.
fn clip_to_face(
    reference: Reference,
    this: PlacedBox,
    face: usize,
    other: PlacedBox,
) -> Option<Manifold> {
    let (local_start, local_end) = this.corners.edge(face);
    let local_tangent = (local_end - local_start).normalized();
    let tangent = this.at.turn(local_tangent);
    let normal = tangent.clockwise();
    let (start, end) = (this.at.to_world(local_start), this.at.to_world(local_end));

    let edge = incident_edge(this, face, other);
    let edge = clip(edge, -tangent, -tangent.dot(start) + REACH, face)?;
    let edge = clip(edge, tangent, tangent.dot(end) + REACH, next_corner(face))?;

    let (front, middle) = (normal.dot(start), 0.5 * (local_start + local_end));
    let mut manifold = Manifold::new(reference, local_tangent.clockwise(), middle);
    for point in edge
        .iter()
        .filter(|point| normal.dot(point.position) - front <= REACH)
    {
        let feature = match reference {
            Reference::A => point.feature,
            Reference::B => (point.feature.1, point.feature.0),
        };
        let local = other.at.to_local(point.position);
        manifold = manifold.with_point(ContactPoint::new(local, feature));
    }
    (!manifold.points().is_empty()).then_some(manifold)
}

/// The edge of `other` whose normal is most opposed to the reference face.
fn incident_edge(this: PlacedBox, face: usize, other: PlacedBox) -> [ClipPoint; 2] {
    let normal = other.at.undo(this.at.turn(BOX_NORMALS[face]));
    let first = least_along(&BOX_NORMALS, normal);
    [first, next_corner(first)].map(|corner| ClipPoint {
        position: other.at.to_world(other.corners.0[corner]),
        feature: (BoxFeature::Edge(face), BoxFeature::Corner(corner)),
    })
}

/// The part of a segment with normal·p ≤ offset, with kept end points before new ones; none if nothing is left.
fn clip(
    segment: [ClipPoint; 2],
    normal: Vec2,
    offset: f32,
    corner: usize,
) -> Option<[ClipPoint; 2]> {
    let [first, second] = segment;
    let distance = segment.map(|point| normal.dot(point.position) - offset);
    let crossing = || {
        let share = distance[0] / (distance[0] - distance[1]);
        let other = match first.feature.1 {
            BoxFeature::Corner(index) | BoxFeature::Edge(index) => index,
        };
        ClipPoint {
            position: first.position + share * (second.position - first.position),
            feature: (BoxFeature::Corner(corner), BoxFeature::Edge(other)),
        }
    };
    let crosses = distance[0] * distance[1] < 0.0;
    match (distance[0] <= 0.0, distance[1] <= 0.0) {
        (true, true) => Some(segment),
        (true, false) if crosses => Some([first, crossing()]),
        (false, true) if crosses => Some([second, crossing()]),
        _ => None,
    }
}
