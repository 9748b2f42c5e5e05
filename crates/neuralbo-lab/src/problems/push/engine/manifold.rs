//! Where and how two shapes touch.

use super::vector::{Placement, Vec2};

/// Which body carries the reference face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    A,
    B,
}

/// A corner or an edge of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoxFeature {
    Corner(usize),
    Edge(usize),
}

/// The features of A and B that make up a contact point; the same over steps for the same point.
pub(super) type Feature = (BoxFeature, BoxFeature);

/// A point where two shapes touch, with its accumulated impulses.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactPoint {
    /// In the frame of the body that does not carry the reference face.
    pub local: Vec2,
    pub feature: Feature,
    pub normal_impulse: f32,
    pub tangent_impulse: f32,
}

impl ContactPoint {
    pub fn new(local: Vec2, feature: Feature) -> Self {
        Self {
            local,
            feature,
            normal_impulse: 0.0,
            tangent_impulse: 0.0,
        }
    }
}

/// Up to two points against one reference face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manifold {
    pub reference: Reference,
    /// Outward normal of the reference face, in its body's frame.
    pub local_normal: Vec2,
    /// A point on the reference face, in its body's frame.
    pub local_point: Vec2,
    points: [ContactPoint; 2],
    count: usize,
}

impl Manifold {
    pub fn new(reference: Reference, local_normal: Vec2, local_point: Vec2) -> Self {
        let unused = ContactPoint::new(Vec2::ZERO, (BoxFeature::Corner(0), BoxFeature::Corner(0)));
        Self {
            reference,
            local_normal,
            local_point,
            points: [unused; 2],
            count: 0,
        }
    }

    pub fn with_point(mut self, point: ContactPoint) -> Self {
        if let Some(slot) = self.points.get_mut(self.count) {
            *slot = point;
            self.count += 1;
        }
        self
    }

    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    pub fn points_mut(&mut self) -> &mut [ContactPoint] {
        &mut self.points[..self.count]
    }

    /// Takes over the impulses of those points of `old` that are still there.
    pub fn inherit_impulses(&mut self, old: &Self) {
        for point in self.points_mut() {
            let mut before = old.points().iter();
            if let Some(same) = before.find(|other| other.feature == point.feature) {
                point.normal_impulse = same.normal_impulse;
                point.tangent_impulse = same.tangent_impulse;
            }
        }
    }

    /// The reference face and the contact points in the world.
    pub fn view(&self, a: Placement, b: Placement) -> ManifoldView {
        let (face, other) = match self.reference {
            Reference::A => (a, b),
            Reference::B => (b, a),
        };
        ManifoldView {
            reference: self.reference,
            outward: face.turn(self.local_normal),
            plane: face.to_world(self.local_point),
            other,
        }
    }
}

/// A manifold's reference face in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct ManifoldView {
    reference: Reference,
    outward: Vec2,
    plane: Vec2,
    other: Placement,
}

impl ManifoldView {
    /// The contact normal, from A to B.
    pub fn normal(&self) -> Vec2 {
        match self.reference {
            Reference::A => self.outward,
            Reference::B => -self.outward,
        }
    }

    pub fn clip_point(&self, local: Vec2) -> Vec2 {
        self.other.to_world(local)
    }

    /// Distance of a world point in front of the reference face.
    pub fn height(&self, point: Vec2) -> f32 {
        (point - self.plane).dot(self.outward)
    }

    /// The point half-way between the two surfaces, given the radii of A and B.
    pub fn middle(&self, local: Vec2, [radius_a, radius_b]: [f32; 2]) -> Vec2 {
        let (face_radius, other_radius) = match self.reference {
            Reference::A => (radius_a, radius_b),
            Reference::B => (radius_b, radius_a),
        };
        let clip = self.clip_point(local);
        let on_face = clip + (face_radius - self.height(clip)) * self.outward;
        let on_other = clip - other_radius * self.outward;
        0.5 * (on_face + on_other)
    }
}
