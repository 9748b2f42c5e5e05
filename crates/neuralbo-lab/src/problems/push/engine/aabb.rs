//! Axis-aligned bounding rectangles.

use super::vector::Vec2;

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
