//! The transformations the functions are made of.
//!
//! Hansen, Finck, Ros, Auger: "Real-parameter black-box optimization benchmarking 2009: noiseless functions definitions", §0.2.
//! * T_osz: smooth, local irregularities; x̂ = ln|x|.
//! * T_asy^β: breaks the symmetry of positive and negative coordinates.
//! * Λ^α: diagonal, entry i (from 0) is α^(½·i/(D−1)).
//! * f_pen: squared distance to the box [−5, 5]^D.

use super::HALF_WIDTH;

/// T_osz of one number.
pub(super) fn oscillate(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let (c1, c2) = if x > 0.0 { (10.0, 7.9) } else { (5.5, 3.1) };
    let log = x.abs().ln();
    x.signum() * (log + 0.049 * ((c1 * log).sin() + (c2 * log).sin())).exp()
}

/// T_osz of every coordinate.
pub(super) fn oscillate_all(mut z: Vec<f64>) -> Vec<f64> {
    z.iter_mut().for_each(|v| *v = oscillate(*v));
    z
}

/// T_asy^β.
pub(super) fn asymmetric(mut z: Vec<f64>, beta: f64) -> Vec<f64> {
    let dim = z.len();
    for (i, v) in z.iter_mut().enumerate() {
        if *v > 0.0 {
            *v = v.powf(1.0 + beta * position(i, dim) * v.sqrt());
        }
    }
    z
}

/// Coordinate by coordinate product.
pub(super) fn scaled(mut z: Vec<f64>, factors: &[f64]) -> Vec<f64> {
    for (v, factor) in z.iter_mut().zip(factors) {
        *v *= factor;
    }
    z
}

/// The diagonal of Λ^α.
pub(super) fn conditioning(alpha: f64, dim: usize) -> Vec<f64> {
    powers(alpha.sqrt(), dim)
}

/// base^(i/(D−1)) for i = 0 … D−1.
pub(super) fn powers(base: f64, dim: usize) -> Vec<f64> {
    (0..dim).map(|i| base.powf(position(i, dim))).collect()
}

/// Where coordinate `i` stands between the first (0) and the last (1).
pub(super) fn position(i: usize, dim: usize) -> f64 {
    i as f64 / (dim - 1) as f64
}

/// f_pen.
pub(super) fn outside(x: &[f64]) -> f64 {
    let outside = |v: &f64| (v.abs() - HALF_WIDTH).max(0.0).powi(2);
    x.iter().map(outside).sum()
}

/// Coordinate by coordinate difference.
pub(super) fn minus(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(a, b)| a - b).collect()
}

/// Halves go up, unlike [`f64::round`] below zero.
pub(super) fn round_half_up(x: f64) -> f64 {
    (x + 0.5).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oscillation_keeps_signs_zero_and_one() {
        assert_eq!(oscillate(0.0), 0.0);
        assert_eq!(oscillate(1.0), 1.0);
        assert_eq!(oscillate(-1.0), -1.0);
        assert!((-40..40).all(|i| oscillate(f64::from(i) * 0.3) * f64::from(i) >= 0.0));
    }

    #[test]
    fn asymmetry_leaves_negative_coordinates_and_the_first_alone() {
        let z = asymmetric(vec![2.0, -3.0, 4.0], 0.5);
        assert_eq!(z[..2], [2.0, -3.0]);
        assert!((z[2] - 4.0_f64.powf(2.0)).abs() < 1e-12);
    }

    #[test]
    fn the_penalty_starts_at_the_box() {
        assert_eq!(outside(&[5.0, -5.0]), 0.0);
        assert_eq!(outside(&[7.0, -6.0]), 5.0);
    }
}
