//! Plane vectors, rotations and placements in `f32`.
//!
//! Sines and cosines have the same bits on every platform. System libraries differ in the last bit of some `f32` sines, and a
//! single bit can send a push another way. The reference results were made with the method glibc took up in version 2.28, so it is
//! the method here: reduction by multiples of π/2 and a minimax polynomial, both in double precision. The coefficients are those of
//! Arm's Optimized Routines; the error stays below 0.57 units in the last place.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

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

/// Angles from here on (far more turns than a hand can make) are left to the double-precision functions.
const LARGEST_REDUCED: f32 = 120.0;
/// Quadrants are counted in fixed point with this many fractional bits.
const QUADRANT_BITS: i32 = 24;
/// sin r ≈ r + s₀ r³ + s₁ r⁵ + s₂ r⁷ on |r| ≤ π/4.
const SINE: [f64; 3] = [
    -0.166_666_549_437_010_84,
    0.008_332_178_146_138_854,
    -0.000_195_172_989_813_857_25,
];
/// cos r ≈ 1 + c₀ r² + c₁ r⁴ + c₂ r⁶ + c₃ r⁸ on |r| ≤ π/4.
const COSINE: [f64; 4] = [
    -0.499_999_997_251_082_24,
    0.041_666_623_324_344_516,
    -0.001_388_676_379_437_604,
    2.439_045_070_356_454_2e-5,
];

/// Sine and cosine of an angle in radians.
pub(super) fn sine_cosine(angle: f32) -> (f32, f32) {
    let x = f64::from(angle);
    let (sine, cosine) = if angle.abs() < LARGEST_REDUCED {
        reduced(x)
    } else {
        x.sin_cos()
    };
    (sine as f32, cosine as f32)
}

/// By the polynomials, from the nearest multiple of π/2.
fn reduced(x: f64) -> (f64, f64) {
    let quadrant = nearest_quadrant(x);
    let rest = x - f64::from(quadrant) * FRAC_PI_2;
    let (sine, cosine) = (short_sine(rest), short_cosine(rest));
    match quadrant & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// The multiple of π/2 nearest to `x`.
fn nearest_quadrant(x: f64) -> i32 {
    let fixed = x * FRAC_2_PI * f64::from(1 << QUADRANT_BITS);
    (fixed as i32 + (1 << (QUADRANT_BITS - 1))) >> QUADRANT_BITS
}

fn short_sine(r: f64) -> f64 {
    let square = r * r;
    let cube = r * square;
    (r + cube * SINE[0]) + cube * square * (SINE[1] + square * SINE[2])
}

fn short_cosine(r: f64) -> f64 {
    let square = r * r;
    let fourth = square * square;
    (1.0 + square * COSINE[0] + fourth * COSINE[1])
        + fourth * square * (COSINE[2] + square * COSINE[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a million angles of all sizes and both signs.
    fn angles() -> impl Iterator<Item = f32> {
        let largest = LARGEST_REDUCED.to_bits();
        let angles = (0..largest).step_by(4241).map(f32::from_bits);
        angles.flat_map(|angle| [angle, -angle])
    }

    #[test]
    fn values_are_within_two_thirds_of_a_unit_in_the_last_place() {
        for angle in angles() {
            let (sine, cosine) = sine_cosine(angle);
            let exact = f64::from(angle);
            for (value, exact) in [(sine, exact.sin()), (cosine, exact.cos())] {
                let unit = f64::from(value.abs().next_up() - value.abs());
                let error = (f64::from(value) - exact).abs();
                assert!(error <= 0.66 * unit, "angle {angle}: {value}");
            }
        }
    }

    #[test]
    fn huge_and_undefined_angles_do_not_fail() {
        assert_eq!(sine_cosine(1e10).0, 1e10f64.sin() as f32);
        assert!(sine_cosine(f32::NAN).0.is_nan() && sine_cosine(f32::INFINITY).1.is_nan());
    }
}
