//! Sine and cosine in single precision with the same bits on every platform.
//!
//! System libraries differ in the last bit of some `f32` sines, and a single bit can send a push another way. The reference
//! results were made with the method glibc took up in version 2.28, so it is the method here: reduction by multiples of π/2
//! and a minimax polynomial, both in double precision. The coefficients are those of Arm's Optimized Routines; the error
//! stays below 0.57 units in the last place.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

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
