//! A Cholesky factor in panels of rows, for matrices that grow large: half the memory of a square, and nothing is ever copied.
//!
//! Symbols: `A = L Lᵀ` (n×n). Panel `b` holds the rows `b·P … (b + 1)·P` of `L` with the columns up to its last row, `P` being
//! [`PANEL`].
//!
//! A complete panel is factored as a block, the rows of the last, incomplete one are appended one by one; when it becomes
//! complete it is factored again as a block. So the factor depends on the matrix alone, not on how many rows came at a time.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use neuralbo::linalg::{Cholesky, NotPositiveDefinite};
use std::sync::Arc;

/// Rows of a panel.
pub const PANEL: usize = 256;

/// The lower factor of a growing positive definite matrix.
///
/// ```
/// use faer::mat;
/// use neuralbo_paper::neural::covariance::PanelCholesky;
///
/// let mut factor = PanelCholesky::default();
/// factor.append(faer::Mat::zeros(0, 1).as_ref(), 4.0)?;
/// factor.append(mat![[2.0]].as_ref(), 5.0)?;
/// assert_eq!(factor.solve_vec(&[8.0, 12.0]), [1.0, 2.0]);
/// # Ok::<(), neuralbo::linalg::NotPositiveDefinite>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PanelCholesky {
    size: usize,
    /// All of `PANEL` rows, of which the last panel may use some only.
    panels: Vec<Arc<Mat<f64>>>,
}

impl PanelCholesky {
    /// Number of rows `n`.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Appends a row of the matrix: `cross` (n×1) beside the rows there are, `diagonal` at its own place. On an error nothing
    /// changes.
    pub fn append(
        &mut self,
        cross: MatRef<'_, f64>,
        diagonal: f64,
    ) -> Result<(), NotPositiveDefinite> {
        let mut row = cross.to_owned();
        self.solve_lower(row.as_mut());
        let pivot = diagonal - row.col_as_slice(0).iter().map(|x| x * x).sum::<f64>();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(NotPositiveDefinite { index: self.size });
        }
        let (panel, at) = (self.size / PANEL, self.size % PANEL);
        if at == 0 {
            self.panels
                .push(Arc::new(Mat::zeros(PANEL, self.size + PANEL)));
        }
        let panel = Arc::make_mut(&mut self.panels[panel]);
        for (j, &x) in row.col_as_slice(0).iter().enumerate() {
            panel[(at, j)] = x;
        }
        panel[(at, self.size)] = pivot.sqrt();
        self.size += 1;
        Ok(())
    }

    /// Appends a whole panel: the cross block (n×P) and the corner (P×P), in place of the rows of the incomplete panel that
    /// there may be. On an error nothing changes.
    pub fn complete(
        &mut self,
        cross: MatRef<'_, f64>,
        corner: MatRef<'_, f64>,
    ) -> Result<(), NotPositiveDefinite> {
        let whole = Self {
            size: cross.nrows(),
            panels: self.panels[..cross.nrows() / PANEL].to_vec(),
        };
        let mut strip = cross.to_owned();
        whole.solve_lower(strip.as_mut());
        let mut block = corner.to_owned();
        matmul(
            block.as_mut(),
            Accum::Add,
            strip.transpose(),
            strip.as_ref(),
            -1.0,
            Par::Seq,
        );
        let block = Cholesky::factor(block.as_ref()).map_err(|e| NotPositiveDefinite {
            index: whole.size + e.index,
        })?;
        let mut panel = Mat::zeros(PANEL, whole.size + PANEL);
        panel
            .as_mut()
            .subcols_mut(0, whole.size)
            .copy_from(strip.transpose());
        panel
            .as_mut()
            .subcols_mut(whole.size, PANEL)
            .copy_from_triangular_lower(block.lower());
        *self = whole;
        self.panels.push(Arc::new(panel));
        self.size += PANEL;
        Ok(())
    }

    /// The panels that are in use: first row, rows and the factor's rows.
    fn parts(&self) -> impl DoubleEndedIterator<Item = (usize, usize, MatRef<'_, f64>)> {
        self.panels.iter().enumerate().map(|(k, panel)| {
            let (start, rows) = (k * PANEL, PANEL.min(self.size - k * PANEL));
            (start, rows, panel.submatrix(0, 0, rows, start + rows))
        })
    }

    /// Replaces `b` by `L⁻¹ b`.
    pub fn solve_lower(&self, mut b: MatMut<'_, f64>) {
        for (start, rows, panel) in self.parts() {
            let (above, below) = b.as_mut().split_at_row_mut(start);
            let mut here = below.subrows_mut(0, rows);
            matmul(
                here.as_mut(),
                Accum::Add,
                panel.subcols(0, start),
                above.as_ref(),
                -1.0,
                Par::Seq,
            );
            solve_lower_triangular_in_place(panel.subcols(start, rows), here, Par::Seq);
        }
    }

    /// Replaces `b` by `L⁻ᵀ b`.
    pub fn solve_upper(&self, mut b: MatMut<'_, f64>) {
        for (start, rows, panel) in self.parts().rev() {
            let (above, below) = b.as_mut().split_at_row_mut(start);
            let mut here = below.subrows_mut(0, rows);
            solve_upper_triangular_in_place(
                panel.subcols(start, rows).transpose(),
                here.as_mut(),
                Par::Seq,
            );
            matmul(
                above,
                Accum::Add,
                panel.subcols(0, start).transpose(),
                here.as_ref(),
                -1.0,
                Par::Seq,
            );
        }
    }

    /// `A⁻¹ b` for one right-hand side.
    pub fn solve_vec(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        let mut column = MatMut::from_column_major_slice_mut(&mut x, b.len(), 1);
        self.solve_lower(column.as_mut());
        self.solve_upper(column);
        x
    }

    /// `log det A`.
    pub fn log_det(&self) -> f64 {
        let part = |(start, rows, panel): (usize, usize, MatRef<'_, f64>)| -> f64 {
            (0..rows).map(|i| panel[(i, start + i)].ln()).sum()
        };
        2.0 * self.parts().map(part).sum::<f64>()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use neuralbo::linalg::{Purpose, Streams};
    use rand::RngExt;

    fn positive_definite(n: usize) -> Mat<f64> {
        let mut rng = Streams::new(n as u64).stream(0, Purpose::Design);
        let b = Mat::from_fn(n, 40, |_, _| rng.random::<f64>() - 0.5);
        &b * b.transpose() + Mat::<f64>::identity(n, n)
    }

    /// The factor of the first `n` rows of `a`, one by one, complete panels as blocks.
    fn grown(a: &Mat<f64>, n: usize) -> PanelCholesky {
        let mut factor = PanelCholesky::default();
        for i in 0..n {
            factor.append(a.submatrix(0, i, i, 1), a[(i, i)]).unwrap();
            if (i + 1) % PANEL == 0 {
                let start = i + 1 - PANEL;
                factor
                    .complete(
                        a.submatrix(0, start, start, PANEL),
                        a.submatrix(start, start, PANEL, PANEL),
                    )
                    .unwrap();
            }
        }
        factor
    }

    #[test]
    fn solves_and_determinant_are_those_of_the_whole_factor() {
        let a = positive_definite(700);
        for n in [1, 255, 256, 257, 700] {
            let (whole, factor) = (
                Cholesky::factor(a.submatrix(0, 0, n, n)).unwrap(),
                grown(&a, n),
            );
            assert_eq!(factor.size(), n);
            assert!((factor.log_det() - whole.log_det()).abs() < 1e-9 * n as f64);
            let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let difference = |(x, y): (f64, &f64)| (x - y).abs();
            let worst = factor
                .solve_vec(&b)
                .into_iter()
                .zip(&whole.solve_vec(&b))
                .map(difference)
                .fold(0.0, f64::max);
            assert!(worst < 1e-10, "{n}: {worst:e}");
            let mut many = Mat::from_fn(n, 5, |i, j| ((i + j) as f64).cos());
            let mut other = many.clone();
            factor.solve_lower(many.as_mut());
            whole.solve_lower(other.as_mut());
            assert!((many - other).norm_max() < 1e-10);
        }
    }

    #[test]
    fn rows_that_make_the_matrix_indefinite_are_refused_and_change_nothing() {
        let a = positive_definite(300);
        let mut factor = grown(&a, 300);
        let before = factor.log_det();
        let repeated = factor.append(a.submatrix(0, 7, 300, 1), a[(7, 7)] - 2.0);
        assert_eq!(repeated, Err(NotPositiveDefinite { index: 300 }));
        let corner = Mat::<f64>::identity(PANEL, PANEL) * faer::Scale(-1.0);
        assert_eq!(
            factor.complete(a.submatrix(0, 0, 256, PANEL), corner.as_ref()),
            Err(NotPositiveDefinite { index: 256 })
        );
        assert_eq!((factor.size(), factor.log_det()), (300, before));
    }
}
