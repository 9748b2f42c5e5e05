//! The two shapes on the table, centred on their body.

use super::BOX_SKIN;
use super::aabb::Aabb;
use super::vector::{Placement, Vec2};

/// Outward normals of a box; edge `i` goes from corner `i` to corner `i + 1`, counter-clockwise.
pub(super) const BOX_NORMALS: [Vec2; 4] = [
    Vec2::new(0.0, -1.0),
    Vec2::new(1.0, 0.0),
    Vec2::new(0.0, 1.0),
    Vec2::new(-1.0, 0.0),
];

/// A solid box, as the corners of its core (the skin comes on top).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corners(pub [Vec2; 4]);

impl Corners {
    /// Corner `edge` and the next one.
    pub fn edge(&self, edge: usize) -> (Vec2, Vec2) {
        (self.0[edge], self.0[next_corner(edge)])
    }
}

pub(super) fn next_corner(corner: usize) -> usize {
    (corner + 1) % 4
}

pub(super) fn previous_corner(corner: usize) -> usize {
    (corner + 3) % 4
}

/// What a body looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BodyShape {
    Box(Corners),
    Disc { radius: f32 },
}

impl BodyShape {
    pub fn rectangle(half_width: f32, half_height: f32) -> Self {
        let (x, y) = (half_width, half_height);
        Self::Box(Corners([
            Vec2::new(-x, -y),
            Vec2::new(x, -y),
            Vec2::new(x, y),
            Vec2::new(-x, y),
        ]))
    }

    /// How far the solid reaches beyond its core: a box's skin, or all of a disc.
    pub fn radius(&self) -> f32 {
        match *self {
            Self::Box(_) => BOX_SKIN,
            Self::Disc { radius } => radius,
        }
    }

    pub fn is_disc(&self) -> bool {
        matches!(self, Self::Disc { .. })
    }

    /// The bounding rectangle of the shape, skin included.
    pub(super) fn bounds(&self, at: Placement) -> Aabb {
        let core = match self {
            Self::Box(corners) => {
                let [first, others @ ..] = corners.0.map(|corner| at.to_world(corner));
                others
                    .into_iter()
                    .fold(Aabb::new(first, first), Aabb::including)
            }
            Self::Disc { .. } => Aabb::new(at.position, at.position),
        };
        core.grown(self.radius())
    }
}
