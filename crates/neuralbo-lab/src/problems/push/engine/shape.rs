//! The two shapes on the table, centred on their body.

use super::BOX_SKIN;
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

/// Margin by which a stored rectangle exceeds the shape, so that small motions leave it alone.
const MARGIN: f32 = 0.1;
/// A stored rectangle is stretched ahead of the motion by this multiple of the displacement.
const LOOK_AHEAD: f32 = 2.0;

/// An axis-aligned rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aabb {
    lower: Vec2,
    upper: Vec2,
}

impl Aabb {
    pub fn new(lower: Vec2, upper: Vec2) -> Self {
        Self { lower, upper }
    }

    pub fn including(self, point: Vec2) -> Self {
        Self::new(self.lower.min(point), self.upper.max(point))
    }

    pub fn united(self, other: Self) -> Self {
        Self::new(self.lower.min(other.lower), self.upper.max(other.upper))
    }

    pub fn grown(self, by: f32) -> Self {
        let margin = Vec2::new(by, by);
        Self::new(self.lower - margin, self.upper + margin)
    }

    /// The rectangle to store for a shape at rest.
    pub fn fat(self) -> Self {
        self.grown(MARGIN)
    }

    /// The rectangle to store for a shape that has just moved by `displacement`.
    pub fn fat_ahead(self, displacement: Vec2) -> Self {
        let ahead = LOOK_AHEAD * displacement;
        let mut fat = self.fat();
        stretch(&mut fat.lower.x, &mut fat.upper.x, ahead.x);
        stretch(&mut fat.lower.y, &mut fat.upper.y, ahead.y);
        fat
    }

    pub fn contains(&self, inner: &Self) -> bool {
        self.lower.x <= inner.lower.x
            && self.lower.y <= inner.lower.y
            && inner.upper.x <= self.upper.x
            && inner.upper.y <= self.upper.y
    }

    /// Whether the rectangles share a point, judged by the rounded gaps between them.
    pub fn overlaps(&self, other: &Self) -> bool {
        let gaps = [other.lower - self.upper, self.lower - other.upper];
        !gaps.iter().any(|gap| gap.x > 0.0 || gap.y > 0.0)
    }
}

fn stretch(lower: &mut f32, upper: &mut f32, by: f32) {
    if by < 0.0 {
        *lower += by;
    } else {
        *upper += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Aabb {
        Aabb::new(Vec2::new(0.0, 0.0), Vec2::new(1.0, 1.0))
    }

    #[test]
    fn fat_rectangle_looks_ahead_on_the_side_of_motion_only() {
        let fat = unit().fat_ahead(Vec2::new(0.5, -0.25));
        let found = (fat.lower, fat.upper);
        assert_eq!(found, (Vec2::new(-0.1, -0.6), Vec2::new(2.1, 1.1)));
    }

    #[test]
    fn touching_rectangles_overlap() {
        let beside = Aabb::new(Vec2::new(1.0, 0.0), Vec2::new(2.0, 1.0));
        let apart = Aabb::new(Vec2::new(1.5, 0.0), Vec2::new(2.0, 1.0));
        assert!(unit().overlaps(&beside) && beside.overlaps(&unit()));
        assert!(!unit().overlaps(&apart) && !apart.overlaps(&unit()));
    }

    #[test]
    fn a_rectangle_contains_itself_but_not_its_fat_version() {
        assert!(unit().contains(&unit()));
        assert!(!unit().contains(&unit().fat()) && unit().fat().contains(&unit()));
    }
}
