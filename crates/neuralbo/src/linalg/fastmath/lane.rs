//! What a kernel needs to know of a float width: its bit layout and its polynomials.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::tables::{f32_tables, f64_tables};

/// A float width, seen through operations that compile to the same vector instruction in every lane.
///
/// Nothing here rounds differently with wider vectors: there is no fused multiply-add and no reordering.
pub trait Lane:
    Copy
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// 2.
    const TWO: Self;
    /// ½.
    const HALF: Self;
    /// 1/ln 2.
    const INV_LN_2: Self;
    /// 2/π.
    const TWO_OVER_PI: Self;
    /// 1/√(2π).
    const INV_SQRT_TAU: Self;
    /// Added and subtracted, it rounds to the nearest integer, which then lies in the lowest bits.
    const ROUNDER: Self;
    /// Beyond ± this the exponential is ∞ or 0.
    const EXP_LIMIT: Self;
    /// Beyond ± this φ is 0.
    const PDF_LIMIT: Self;
    /// Beyond ± half of this tanh is ±1.
    const TANH_LIMIT: Self;
    /// Beyond ± this sin and cos are left to `libm`.
    const ANGLE_LIMIT: Self;
    /// See the tables.
    const EXPM1: &'static [Self];
    /// See the tables.
    const MILLS: &'static [Self];
    /// See the tables.
    const MILLS_CENTER: Self;
    /// See the tables.
    const SIN: &'static [Self];
    /// See the tables.
    const COS: &'static [Self];
    /// See the tables.
    const LN_2: [Self; 2];
    /// See the tables.
    const HALF_PI: &'static [Self];

    /// |x|.
    fn magnitude(self) -> Self;
    /// `self` with the sign of `sign`.
    fn with_sign(self, sign: Self) -> Self;
    /// 2ᵏ for an integer k of the normal exponent range.
    fn power_of_two(k: Self) -> Self;
    /// `self` cut to half its digits: its square is exact.
    fn leading_half(self) -> Self;
    /// The two lowest bits of an integer.
    fn quadrant(k: Self) -> (bool, bool);
    /// Reference sine and cosine, for angles too large to reduce here.
    fn slow_sin_cos(self) -> (Self, Self);
}

macro_rules! impl_lane {
    ($float:ident, $tables:ident, $rounder:expr, $exp_limit:expr, $pdf_limit:expr, $angle_limit:expr, $half_mask:expr, $sincos:path) => {
        impl Lane for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const TWO: Self = 2.0;
            const HALF: Self = 0.5;
            const INV_LN_2: Self = std::$float::consts::LOG2_E;
            const TWO_OVER_PI: Self = std::$float::consts::FRAC_2_PI;
            const INV_SQRT_TAU: Self =
                std::$float::consts::FRAC_2_SQRT_PI * 0.5 * std::$float::consts::FRAC_1_SQRT_2;
            const ROUNDER: Self = $rounder;
            const EXP_LIMIT: Self = $exp_limit;
            const PDF_LIMIT: Self = $pdf_limit;
            const TANH_LIMIT: Self = 40.0;
            const ANGLE_LIMIT: Self = $angle_limit;
            const EXPM1: &'static [Self] = &$tables::EXPM1;
            const MILLS: &'static [Self] = &$tables::MILLS;
            const MILLS_CENTER: Self = $tables::MILLS_CENTER;
            const SIN: &'static [Self] = &$tables::SIN;
            const COS: &'static [Self] = &$tables::COS;
            const LN_2: [Self; 2] = $tables::LN_2;
            const HALF_PI: &'static [Self] = &$tables::HALF_PI;

            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn with_sign(self, sign: Self) -> Self {
                self.copysign(sign)
            }
            #[inline(always)]
            fn power_of_two(k: Self) -> Self {
                // The sum's lowest bits hold k + bias; the shift moves them to the exponent and drops the rest.
                const BIAS: $float = ($float::MAX_EXP - 1) as $float;
                $float::from_bits(
                    (k + (Self::ROUNDER + BIAS)).to_bits() << ($float::MANTISSA_DIGITS - 1),
                )
            }
            #[inline(always)]
            fn leading_half(self) -> Self {
                $float::from_bits(self.to_bits() & $half_mask)
            }
            #[inline(always)]
            fn quadrant(k: Self) -> (bool, bool) {
                let bits = (k + Self::ROUNDER).to_bits();
                (bits & 1 != 0, bits & 2 != 0)
            }
            fn slow_sin_cos(self) -> (Self, Self) {
                $sincos(self)
            }
        }
    };
}

impl_lane!(
    f64,
    f64_tables,
    6755399441055744.0,
    746.0,
    40.0,
    1e5,
    !((1 << 27) - 1),
    libm::sincos
);
impl_lane!(
    f32,
    f32_tables,
    12582912.0,
    106.0,
    15.0,
    1e4,
    !((1 << 12) - 1),
    libm::sincosf
);
