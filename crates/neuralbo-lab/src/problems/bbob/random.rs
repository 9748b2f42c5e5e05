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

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    dim: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// A random rotation: the columns of a normal matrix made orthonormal one after the other (modified Gram–Schmidt).
    pub(super) fn rotation(dim: usize, seed: u64) -> Self {
        let mut columns = normals(dim * dim, seed);
        for i in 0..dim {
            let (done, rest) = columns.split_at_mut(i * dim);
            let column = &mut rest[..dim];
            for earlier in done.chunks_exact(dim) {
                let overlap = dot(column, earlier);
                for (c, e) in column.iter_mut().zip(earlier) {
                    *c -= overlap * e;
                }
            }
            let length = dot(column, column).sqrt();
            column.iter_mut().for_each(|c| *c /= length);
        }
        Self {
            dim,
            entries: columns,
        }
        .transposed()
    }

    /// The rows times `factors`, one each: diag(factors) · self.
    pub(super) fn scaled(mut self, factors: &[f64]) -> Self {
        for (row, factor) in self.entries.chunks_exact_mut(self.dim).zip(factors) {
            row.iter_mut().for_each(|entry| *entry *= factor);
        }
        self
    }

    /// self · other.
    pub(super) fn times(&self, other: &Matrix) -> Self {
        let columns = other.transposed();
        Self {
            dim: self.dim,
            entries: self.rows().flat_map(|row| columns.apply(row)).collect(),
        }
    }

    /// self · x.
    pub(super) fn apply(&self, x: &[f64]) -> Vec<f64> {
        self.rows().map(|row| dot(row, x)).collect()
    }

    /// Rows and columns exchanged.
    pub(super) fn transposed(&self) -> Self {
        let dim = self.dim;
        let entry = |k| self.entries[(k % dim) * dim + k / dim];
        let entries = (0..dim * dim).map(entry).collect();
        Self { dim, entries }
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(self.dim)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
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

    #[test]
    fn a_rotation_times_its_transpose_is_the_identity() {
        for dim in [2, 5, 40] {
            let rotation = Matrix::rotation(dim, 10_003);
            let product = rotation.times(&rotation.transposed());
            for (k, entry) in product.entries.iter().enumerate() {
                let expected = if k / dim == k % dim { 1.0 } else { 0.0 };
                assert!((entry - expected).abs() < 1e-12);
            }
        }
    }
}
