//! A Cholesky factor that grows with the data.
//!
//! Symbols: `A = L Lᵀ` (n×n), `B` (n×k) the cross block and `C` (k×k) the corner of an extended matrix `[[A, B], [Bᵀ, C]]`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// The matrix handed in is not positive definite: its pivot `index` is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pivot {index} is not positive")]
pub struct NotPositiveDefinite {
    /// The pivot that failed.
    pub index: usize,
}

/// The lower factor `L` of a positive definite matrix, extended in O(n²) per appended row.
///
/// ```
/// use faer::mat;
/// use neuralbo::linalg::Cholesky;
///
/// let whole = Cholesky::factor(mat![[4.0, 2.0], [2.0, 5.0]].as_ref())?;
/// let mut grown = Cholesky::factor(mat![[4.0]].as_ref())?;
/// grown.append(mat![[2.0]].as_ref(), mat![[5.0]].as_ref())?;
/// assert!((whole.log_det() - grown.log_det()).abs() < 1e-14);
/// # Ok::<(), neuralbo::linalg::NotPositiveDefinite>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cholesky {
    size: usize,
    capacity: usize,
    data: Vec<f64>,
}

impl Cholesky {
    /// Factors `a`, of which only the lower triangle is read.
    pub fn factor(a: MatRef<'_, f64>) -> Result<Self, NotPositiveDefinite> {
        let mut empty = Self::default();
        empty.append(MatRef::from_column_major_slice(&[], 0, a.nrows()), a)?;
        Ok(empty)
    }

    /// Number of rows `n`.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Extends the factored matrix by the cross block `cross` (n×k) and the corner `corner` (k×k). On an error nothing changes.
    pub fn append(
        &mut self,
        cross: MatRef<'_, f64>,
        corner: MatRef<'_, f64>,
    ) -> Result<(), NotPositiveDefinite> {
        let (old, added) = (self.size, corner.nrows());
        let mut strip = cross.to_owned();
        self.solve_lower(strip.as_mut());
        let mut block = corner.to_owned();
        triangular_matmul(
            block.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            strip.transpose(),
            BlockStructure::Rectangular,
            strip.as_ref(),
            BlockStructure::Rectangular,
            -1.0,
            Par::Seq,
        );
        factor_in_place(block.as_mut()).map_err(|e| NotPositiveDefinite {
            index: old + e.index,
        })?;
        self.reserve(old + added);
        self.size = old + added;
        let mut factor = self.factor_mut();
        let mut rows = factor.as_mut().submatrix_mut(old, 0, added, old);
        rows.copy_from(strip.transpose());
        let mut corner = factor.submatrix_mut(old, old, added, added);
        corner.copy_from_triangular_lower(block.as_ref());
        Ok(())
    }

    /// Keeps the factor of the first `size` rows.
    pub fn truncate(&mut self, size: usize) {
        self.size = self.size.min(size);
    }

    /// Replaces `b` by `L⁻¹ b`.
    pub fn solve_lower(&self, b: MatMut<'_, f64>) {
        solve_lower_triangular_in_place(self.lower(), b, Par::Seq);
    }

    /// Replaces `b` by `L⁻ᵀ b`.
    pub fn solve_upper(&self, b: MatMut<'_, f64>) {
        solve_upper_triangular_in_place(self.lower().transpose(), b, Par::Seq);
    }

    /// Replaces `b` by `A⁻¹ b`.
    pub fn solve(&self, mut b: MatMut<'_, f64>) {
        self.solve_lower(b.as_mut());
        self.solve_upper(b);
    }

    /// `A⁻¹ b` for one right-hand side.
    pub fn solve_vec(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        self.solve(MatMut::from_column_major_slice_mut(&mut x, b.len(), 1));
        x
    }

    /// `log det A`.
    pub fn log_det(&self) -> f64 {
        let lower = self.lower();
        2.0 * (0..self.size).map(|i| lower[(i, i)].ln()).sum::<f64>()
    }

    /// `A⁻¹` in full.
    pub fn inverse(&self) -> Mat<f64> {
        let mut inverse = Mat::identity(self.size, self.size);
        self.solve(inverse.as_mut());
        inverse
    }

    /// The factor; what stands above its diagonal has no meaning.
    pub fn lower(&self) -> MatRef<'_, f64> {
        let (size, stride) = (self.size, self.capacity.max(1));
        MatRef::from_column_major_slice_with_stride(&self.data, size, size, stride)
    }

    fn factor_mut(&mut self) -> MatMut<'_, f64> {
        let (size, stride) = (self.size, self.capacity.max(1));
        MatMut::from_column_major_slice_with_stride_mut(&mut self.data, size, size, stride)
    }

    /// Grows by a quarter at least, so that appending rows one by one copies the factor rarely.
    fn reserve(&mut self, size: usize) {
        if size <= self.capacity {
            return;
        }
        let capacity = match self.size {
            0 => size,
            _ => size.max(self.capacity + self.capacity / 4 + 8),
        };
        let mut data = vec![0.0; capacity * capacity];
        for j in 0..self.size {
            let (from, to) = (j * self.capacity, j * capacity);
            data[to..to + self.size].copy_from_slice(&self.data[from..from + self.size]);
        }
        (self.capacity, self.data) = (capacity, data);
    }
}

fn factor_in_place(a: MatMut<'_, f64>) -> Result<(), NotPositiveDefinite> {
    let scratch = cholesky_in_place_scratch::<f64>(a.nrows(), Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let (stack, unchanged) = (MemStack::new(&mut memory), LltRegularization::default());
    match cholesky_in_place(a, unchanged, Par::Seq, stack, Default::default()) {
        Ok(_) => Ok(()),
        Err(LltError::NonPositivePivot { index }) => Err(NotPositiveDefinite { index }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams};
    use rand::RngExt;

    fn positive_definite(n: usize) -> Mat<f64> {
        let mut rng = Streams::new(n as u64).stream(0, Purpose::Design);
        let b = Mat::from_fn(n, n + 2, |_, _| rng.random::<f64>() - 0.5);
        &b * b.transpose() + Mat::<f64>::identity(n, n) * faer::Scale(0.01)
    }

    #[test]
    fn grown_factor_equals_the_whole_one() {
        let a = positive_definite(37);
        let whole = Cholesky::factor(a.as_ref()).unwrap();
        let mut grown = Cholesky::default();
        let mut size = 0;
        for added in [1, 1, 5, 1, 12, 17] {
            let cross = a.submatrix(0, size, size, added);
            let corner = a.submatrix(size, size, added, added);
            grown.append(cross, corner).unwrap();
            size += added;
        }
        for j in 0..37 {
            for i in j..37 {
                assert!((whole.lower()[(i, j)] - grown.lower()[(i, j)]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn solves_and_determinant() {
        let a = positive_definite(20);
        let factor = Cholesky::factor(a.as_ref()).unwrap();
        let residual = &a * factor.inverse() - Mat::<f64>::identity(20, 20);
        assert!(residual.norm_max() < 1e-9);
        assert!((factor.log_det() - a.determinant().ln()).abs() < 1e-9);
    }

    #[test]
    fn an_indefinite_extension_is_refused_and_changes_nothing() {
        let mut factor = Cholesky::factor(faer::mat![[1.0]].as_ref()).unwrap();
        let (cross, corner) = (faer::mat![[2.0]], faer::mat![[1.0]]);
        let error = factor.append(cross.as_ref(), corner.as_ref()).unwrap_err();
        assert_eq!((error.index, factor.size()), (1, 1));
    }
}
