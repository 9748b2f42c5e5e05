//! Small square matrices: rotations and the linear maps made of them.

use super::random::normals;

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
