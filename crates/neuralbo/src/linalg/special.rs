//! Functions of the normal distribution that stay accurate far in the tails, and sums in log space.
//!
//! Symbols: φ, Φ density and distribution function of N(0, 1); R(x) = (1 − Φ(x))/φ(x) Mills ratio;
//! h(z) = φ(z) + z Φ(z) expected improvement at unit standard deviation.
//!
//! The log of the expected improvement follows Ament, Daulton, Eriksson, Balandat & Bakshy (2023), "Unexpected improvements to
//! expected improvement for Bayesian optimization": for z < 0, h(z) = φ(z)(1 − x R(x)) with x = −z, which never underflows in logs.

use super::fastmath;

/// ln √(2π).
const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_7;

/// Below −this, 1 − x R(x) is taken from its asymptotic series: the direct difference would lose x² units in the last place.
const SERIES_START: f64 = 50.0;

/// Mills ratio R(x) = (1 − Φ(x))/φ(x).
pub fn mills(x: f64) -> f64 {
    if x < 0.0 {
        let (tail, density) = fastmath::normal_cdf_pdf(x);
        (1.0 - tail) / density
    } else {
        fastmath::mills(x)
    }
}

/// φ(z).
pub fn normal_pdf(z: f64) -> f64 {
    fastmath::normal_cdf_pdf(z).1
}

/// Φ(z), with small relative error also for z far below 0.
pub fn normal_cdf(z: f64) -> f64 {
    fastmath::normal_cdf_pdf(z).0
}

/// ln Φ(z), finite as long as z² is.
///
/// ```
/// use neuralbo::linalg::log_normal_cdf;
///
/// assert!((log_normal_cdf(-40.0) + 804.6084420137538).abs() < 1e-9);
/// ```
pub fn log_normal_cdf(z: f64) -> f64 {
    if z > 0.0 {
        libm::log1p(-normal_cdf(-z))
    } else {
        log_normal_pdf(z) + libm::log(mills(-z))
    }
}

fn log_normal_pdf(z: f64) -> f64 {
    -0.5 * z * z - LN_SQRT_TAU
}

/// ln Σ eˣⁱ; −∞ for no terms.
///
/// ```
/// use neuralbo::linalg::log_sum_exp;
///
/// assert!((log_sum_exp(&[1000.0, 1000.0]) - 1000.0 - std::f64::consts::LN_2).abs() < 1e-12);
/// ```
pub fn log_sum_exp(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() && !terms.iter().any(|term| term.is_nan()) {
        return largest;
    }
    largest + libm::log(terms.iter().map(|term| libm::exp(term - largest)).sum())
}

/// ln h(z) = ln(φ(z) + z Φ(z)).
pub fn log_ei_unit(z: f64) -> f64 {
    if z == f64::NEG_INFINITY {
        z
    } else if z < -1.0 {
        log_normal_pdf(z) + libm::log(mills_gap(-z))
    } else {
        let (cdf, pdf) = fastmath::normal_cdf_pdf(z);
        libm::log(pdf + z * cdf)
    }
}

/// d ln h(z)/dz = Φ(z)/h(z).
pub fn log_ei_unit_slope(z: f64) -> f64 {
    if z < -SERIES_START {
        // R(x) ≈ 1/x leaves (1/x − gap/x)/gap: no overflow and no 0/0 however large x is.
        let x = -z;
        let scaled_gap = scaled_mills_gap(x);
        x * (1.0 - scaled_gap / x / x) / scaled_gap
    } else if z < -1.0 {
        mills(-z) / mills_gap(-z)
    } else {
        let (cdf, pdf) = fastmath::normal_cdf_pdf(z);
        if z == f64::INFINITY {
            0.0
        } else {
            cdf / (pdf + z * cdf)
        }
    }
}

/// 1 − x R(x) for x ≥ 1.
fn mills_gap(x: f64) -> f64 {
    if x > SERIES_START {
        scaled_mills_gap(x) / x / x
    } else {
        1.0 - x * mills(x)
    }
}

/// x²(1 − x R(x)) = 1 − 3/x² + 15/x⁴ − 105/x⁶ + …, for large x.
fn scaled_mills_gap(x: f64) -> f64 {
    let y = 1.0 / x / x;
    1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y * (1.0 - 11.0 * y))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::linalg::testing::{assert_close, special};

    #[test]
    fn match_high_precision_values() {
        type Function = fn(f64) -> f64;
        let functions: [(&str, Function, f64); 6] = [
            ("normal_pdf", normal_pdf, 2e-15),
            ("normal_cdf", normal_cdf, 2e-15),
            ("log_normal_cdf", log_normal_cdf, 1e-14),
            ("mills", mills, 2e-15),
            ("log_ei_unit", log_ei_unit, 1e-12),
            ("log_ei_unit_slope", log_ei_unit_slope, 1e-11),
        ];
        for (name, function, relative) in functions {
            for (x, want) in special(name) {
                assert_close(name, x, function(x), want, relative, 1e-323);
            }
        }
    }

    #[test]
    fn nothing_is_nan_at_the_ends() {
        for z in [-1e300, -1e160, -1e8, -1e6, -50.0, 1e6, 1e300] {
            let found = [log_ei_unit(z), log_normal_cdf(z)];
            assert!(!found.iter().any(|value| value.is_nan()), "z = {z}");
            assert!(log_ei_unit_slope(z) > 0.0, "z = {z}");
        }
        assert_eq!(log_ei_unit(f64::INFINITY), f64::INFINITY);
        assert_eq!(log_ei_unit(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(log_normal_cdf(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(log_ei_unit_slope(f64::NEG_INFINITY), f64::INFINITY);
        assert!(log_ei_unit(f64::NAN).is_nan());
    }

    #[test]
    fn log_sum_exp_at_the_ends() {
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[f64::INFINITY, 0.0]), f64::INFINITY);
        assert!(log_sum_exp(&[f64::NAN, 0.0]).is_nan() && log_sum_exp(&[f64::NAN]).is_nan());
    }

    proptest! {
        #[test]
        fn slope_is_the_derivative(z in -60.0..10.0f64) {
            let step = 1e-5;
            let difference = (log_ei_unit(z + step) - log_ei_unit(z - step)) / (2.0 * step);
            prop_assert!((difference / log_ei_unit_slope(z) - 1.0).abs() < 1e-6);
        }
    }
}
