//! Plane vectors, rotations and placements in `f32`.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::trigonometry::sine_cosine;

/// A vector or point in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vec2 {
    pub x: f32,
    pub y: f32,
}

impl Vec2 {
    pub const ZERO: Self = Self::new(0.0, 0.0);

    pub const fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }

    pub fn cross(self, other: Self) -> f32 {
        self.x * other.y - self.y * other.x
    }

    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// The vector at length one; vectors too short to have a direction stay as they are.
    pub fn normalized(self) -> Self {
        let length = self.length();
        if length < f32::EPSILON {
            self
        } else {
            (1.0 / length) * self
        }
    }

    /// Turned clockwise by a right angle: the tangent that belongs to a normal.
    pub fn clockwise(self) -> Self {
        Self::new(self.y, -self.x)
    }

    pub fn min(self, other: Self) -> Self {
        Self::new(lesser(self.x, other.x), lesser(self.y, other.y))
    }

    pub fn max(self, other: Self) -> Self {
        Self::new(greater(self.x, other.x), greater(self.y, other.y))
    }
}

/// Velocity of a point at arm `r` of a body turning at rate `spin`.
pub(super) fn spin_velocity(spin: f32, r: Vec2) -> Vec2 {
    Vec2::new(-spin * r.y, spin * r.x)
}

/// The smaller number, and `b` where they cannot be compared.
pub(super) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger number, and `b` where they cannot be compared.
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `value` limited to `[low, high]`; unlike [`f32::clamp`] it accepts any limits, even NaN.
pub(super) fn limit(value: f32, low: f32, high: f32) -> f32 {
    greater(low, lesser(value, high))
}

impl Add for Vec2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Vec2 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Neg for Vec2 {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

impl Mul<Vec2> for f32 {
    type Output = Vec2;
    fn mul(self, v: Vec2) -> Vec2 {
        Vec2::new(self * v.x, self * v.y)
    }
}

impl AddAssign for Vec2 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Vec2 {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Where a body's frame lies in the world, its rotation kept as sine and cosine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pub position: Vec2,
    sin: f32,
    cos: f32,
}

impl Placement {
    pub fn new(position: Vec2, angle: f32) -> Self {
        let (sin, cos) = sine_cosine(angle);
        Self { position, sin, cos }
    }

    /// A direction of the body's frame in the world.
    pub fn turn(self, v: Vec2) -> Vec2 {
        let (sin, cos) = (self.sin, self.cos);
        Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
    }

    /// A direction of the world in the body's frame.
    pub fn undo(self, v: Vec2) -> Vec2 {
        let (sin, cos) = (self.sin, self.cos);
        Vec2::new(cos * v.x + sin * v.y, -sin * v.x + cos * v.y)
    }

    /// From the body's frame to the world.
    pub fn to_world(self, local: Vec2) -> Vec2 {
        self.turn(local) + self.position
    }

    /// From the world to the body's frame.
    pub fn to_local(self, world: Vec2) -> Vec2 {
        self.undo(world - self.position)
    }
}

/// A symmetric 2×2 matrix `[[xx, xy], [xy, yy]]`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Symmetric2 {
    pub xx: f32,
    pub xy: f32,
    pub yy: f32,
}

impl Symmetric2 {
    pub fn apply(self, v: Vec2) -> Vec2 {
        Vec2::new(self.xx * v.x + self.xy * v.y, self.xy * v.x + self.yy * v.y)
    }

    /// The inverse by the adjugate; a singular matrix gives zero.
    pub fn inverse(self) -> Self {
        let determinant = self.xx * self.yy - self.xy * self.xy;
        let scale = if determinant == 0.0 {
            determinant
        } else {
            1.0 / determinant
        };
        Self {
            xx: scale * self.yy,
            xy: -scale * self.xy,
            yy: scale * self.xx,
        }
    }
}
