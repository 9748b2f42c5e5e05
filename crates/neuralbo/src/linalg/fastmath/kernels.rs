//! One-lane kernels: straight-line code without branches, so that a loop over a slice becomes wide vector code.
//!
//! Symbols: φ, Φ density and distribution function of N(0, 1); R(x) = (1 − Φ(x))/φ(x) Mills ratio; k an integer, r a reduced
//! argument. NaN passes through because every clamp keeps its argument when a comparison is false.

use super::lane::Lane;

/// Horner's rule, constant term first, on even and odd powers apart: two short chains of operations run at once, one long
/// chain would wait for itself.
#[inline(always)]
fn polynomial<T: Lane>(x: T, coefficients: &[T]) -> T {
    let square = x * x;
    let (mut even, mut odd) = (T::ZERO, T::ZERO);
    for (power, &coefficient) in coefficients.iter().enumerate().rev() {
        if power % 2 == 0 {
            even = even * square + coefficient;
        } else {
            odd = odd * square + coefficient;
        }
    }
    even + x * odd
}

#[inline(always)]
fn select<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

#[inline(always)]
fn clamp<T: Lane>(x: T, low: T, high: T) -> T {
    let x = select(x < low, low, x);
    select(x > high, high, x)
}

#[inline(always)]
fn round<T: Lane>(x: T) -> T {
    (x + T::ROUNDER) - T::ROUNDER
}

/// (k, e^r − 1) with x + tail = k ln 2 + r and |r| ≤ ln 2 / 2.
#[inline(always)]
fn reduced_expm1<T: Lane>(x: T, tail: T) -> (T, T) {
    let k = round(x * T::INV_LN_2);
    let r = ((x - k * T::LN_2[0]) - k * T::LN_2[1]) + tail;
    (k, r * polynomial(r, T::EXPM1))
}

/// e^(x + tail) for |tail| ≪ 1. Scaling in two steps reaches subnormal results and infinity.
#[inline(always)]
fn exp_with_tail<T: Lane>(x: T, tail: T) -> T {
    let (k, fraction) = reduced_expm1(x, tail);
    let half = round(k * T::HALF);
    (T::ONE + fraction) * T::power_of_two(half) * T::power_of_two(k - half)
}

/// eˣ.
#[inline(always)]
pub fn exp<T: Lane>(x: T) -> T {
    exp_with_tail(clamp(x, -T::EXP_LIMIT, T::EXP_LIMIT), T::ZERO)
}

/// e^(−x²/2) for x ≥ 0. The square is taken in two exact parts, or its rounding would cost x² units in the last place.
#[inline(always)]
fn gaussian<T: Lane>(x: T) -> T {
    let lead = x.leading_half();
    exp_with_tail(
        -(lead * lead * T::HALF),
        -((x - lead) * (x + lead) * T::HALF),
    )
}

/// Mills ratio R(x) for x ≥ 0.
#[inline(always)]
pub fn mills<T: Lane>(x: T) -> T {
    let inverse = T::ONE / (x + T::MILLS_CENTER);
    let t = T::ONE - T::TWO * T::MILLS_CENTER * inverse;
    polynomial(t, T::MILLS) * inverse
}

/// (Φ(z), φ(z)).
#[inline(always)]
pub fn normal_cdf_pdf<T: Lane>(z: T) -> (T, T) {
    let x = z.magnitude();
    let x = select(x > T::PDF_LIMIT, T::PDF_LIMIT, x);
    let pdf = gaussian(x) * T::INV_SQRT_TAU;
    let tail = pdf * mills(x);
    (select(z > T::ZERO, T::ONE - tail, tail), pdf)
}

/// tanh x = m/(m + 2) with m = e^(2|x|) − 1, exact to the last digits also around 0.
#[inline(always)]
pub fn tanh<T: Lane>(x: T) -> T {
    let twice = x.magnitude() * T::TWO;
    let (k, fraction) = reduced_expm1(select(twice > T::TANH_LIMIT, T::TANH_LIMIT, twice), T::ZERO);
    let scale = T::power_of_two(k);
    let minus_one = scale * fraction + (scale - T::ONE);
    (minus_one / (minus_one + T::TWO)).with_sign(x)
}

/// (sin x, cos x) for |x| up to [`Lane::ANGLE_LIMIT`] (Cody–Waite reduction by π/2).
#[inline(always)]
pub fn sin_cos<T: Lane>(x: T) -> (T, T) {
    let k = round(x * T::TWO_OVER_PI);
    let mut r = x;
    for &part in T::HALF_PI {
        r = r - k * part;
    }
    let square = r * r;
    let sin = r + r * (square * polynomial(square, T::SIN));
    let cos = T::ONE + square * polynomial(square, T::COS);
    let (odd, second) = T::quadrant(k);
    let (sin, cos) = (select(odd, cos, sin), select(odd, sin, cos));
    (select(second, -sin, sin), select(odd != second, -cos, cos))
}
