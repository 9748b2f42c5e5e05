//! The random numbers behind the instances.
//!
//! Instances are defined by the generator of the first BBOB workshop, so its numbers are part of the definition of the functions: a
//! multiplicative congruential generator with a Bays–Durham shuffle, and normals by Box and Muller from its halves.

use std::f64::consts::TAU;

const MULTIPLIER: u64 = 16_807;
const MODULUS: u64 = 2_147_483_647;
const WARM_UP: usize = 40;
const TABLE: usize = 32;
/// Divides a draw into a slot of the table.
const SLOT: u64 = 67_108_865;
/// Stands for an exact zero.
const TINY: f64 = 1e-99;

/// `n` uniform numbers of the stream `seed`, which is between 1 and the modulus.
pub(super) fn uniforms(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.max(1);
    let mut table = [0; TABLE];
    for i in (0..WARM_UP).rev() {
        state = state * MULTIPLIER % MODULUS;
        if let Some(slot) = table.get_mut(i) {
            *slot = state;
        }
    }
    let mut drawn = table[0];
    let draw = |_| {
        state = state * MULTIPLIER % MODULUS;
        let slot = (drawn / SLOT) as usize;
        drawn = std::mem::replace(&mut table[slot], state);
        non_zero(drawn as f64 / MODULUS as f64)
    };
    (0..n).map(draw).collect()
}

/// `n` standard normal numbers of the stream `seed`.
pub(super) fn normals(n: usize, seed: u64) -> Vec<f64> {
    let uniforms = uniforms(2 * n, seed);
    let (radii, angles) = uniforms.split_at(n);
    let normal = |(u, v): (&f64, &f64)| non_zero((-2.0 * u.ln()).sqrt() * (TAU * v).cos());
    radii.iter().zip(angles).map(normal).collect()
}

/// The order that sorts `n` uniform numbers of the stream `seed`: a random permutation.
pub(super) fn permutation(n: usize, seed: u64) -> Vec<usize> {
    let keys = uniforms(n, seed);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    order
}

fn non_zero(value: f64) -> f64 {
    if value == 0.0 { TINY } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniforms_are_in_the_unit_interval_and_even() {
        let draws = uniforms(10_000, 12_345);
        assert!(draws.iter().all(|u| 0.0 < *u && *u < 1.0));
        assert!((draws.iter().sum::<f64>() / 10_000.0 - 0.5).abs() < 0.01);
    }

    #[test]
    fn normals_have_unit_variance() {
        let draws = normals(10_000, 54_321);
        let mean = draws.iter().sum::<f64>() / 10_000.0;
        let variance = draws.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.03, "{mean}");
        assert!((variance - 1.0).abs() < 0.05, "{variance}");
    }

    #[test]
    fn a_permutation_has_every_index_once() {
        let mut order = permutation(100, 7);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100));
    }
}
