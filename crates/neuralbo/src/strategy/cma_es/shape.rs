//! The shape of the search distribution: a covariance and its root, full or diagonal.
//!
//! Symbols: `C = B D² Bᵀ` the covariance, `C^{1/2} z = B D z`, `C^{-1/2} y = B D⁻¹ Bᵀ y`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{Mat, Par};

/// Smallest variance relative to the largest: rounding must not make the covariance singular.
const SMALLEST_RATIO: f64 = 1e-14;

#[derive(Clone, Debug)]
pub(super) enum SearchCovariance {
    Full {
        covariance: Mat<f64>,
        basis: Mat<f64>,
        /// Root variances along the basis, `D`.
        scales: Vec<f64>,
    },
    Diagonal {
        variances: Vec<f64>,
    },
}

impl SearchCovariance {
    pub(super) fn unit(dim: usize, diagonal: bool) -> Self {
        if diagonal {
            Self::Diagonal {
                variances: vec![1.0; dim],
            }
        } else {
            Self::Full {
                covariance: Mat::identity(dim, dim),
                basis: Mat::identity(dim, dim),
                scales: vec![1.0; dim],
            }
        }
    }

    /// `C^{1/2} z`, up to a rotation of `z`.
    pub(super) fn colour(&self, z: &[f64]) -> Vec<f64> {
        match self {
            Self::Full { basis, scales, .. } => {
                let scaled: Vec<f64> = z.iter().zip(scales).map(|(z, s)| z * s).collect();
                times(basis, &scaled)
            }
            Self::Diagonal { variances } => {
                z.iter().zip(variances).map(|(z, v)| z * v.sqrt()).collect()
            }
        }
    }

    /// `C^{-1/2} y`.
    pub(super) fn whiten(&self, y: &[f64]) -> Vec<f64> {
        match self {
            Self::Full { basis, scales, .. } => {
                let along = |j: usize| {
                    let products = y.iter().enumerate().map(|(i, y)| basis[(i, j)] * y);
                    products.sum::<f64>() / scales[j]
                };
                times(basis, &(0..y.len()).map(along).collect::<Vec<_>>())
            }
            Self::Diagonal { variances } => {
                y.iter().zip(variances).map(|(y, v)| y / v.sqrt()).collect()
            }
        }
    }

    /// `C ← decay · C + Σ wᵢ yᵢ yᵢᵀ`.
    pub(super) fn update<'a>(&mut self, decay: f64, terms: impl Iterator<Item = (f64, &'a [f64])>) {
        match self {
            Self::Full { covariance, .. } => {
                *covariance *= faer::Scale(decay);
                for (weight, y) in terms {
                    for (j, yj) in y.iter().enumerate() {
                        for (slot, yi) in covariance.col_mut(j).iter_mut().zip(y) {
                            *slot += weight * yi * yj;
                        }
                    }
                }
            }
            Self::Diagonal { variances } => {
                variances.iter_mut().for_each(|v| *v *= decay);
                for (weight, y) in terms {
                    for (v, y) in variances.iter_mut().zip(y) {
                        *v += weight * y * y;
                    }
                }
                keep_positive(variances);
            }
        }
    }

    /// Brings the root up to date with the covariance; false when the decomposition failed and nothing changed.
    pub(super) fn refresh(&mut self) -> bool {
        let Self::Full {
            covariance,
            basis,
            scales,
        } = self
        else {
            return true;
        };
        let Some((mut variances, vectors)) = eigen(covariance) else {
            return false;
        };
        keep_positive(&mut variances);
        *scales = variances.iter().map(|v| v.sqrt()).collect();
        *basis = vectors;
        true
    }

    /// Largest root variance.
    pub(super) fn largest_scale(&self) -> f64 {
        match self {
            Self::Full { scales, .. } => scales.iter().copied().fold(0.0, f64::max),
            Self::Diagonal { variances } => variances.iter().copied().fold(0.0, f64::max).sqrt(),
        }
    }
}

/// `B v`.
fn times(basis: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    let entry = |i: usize| v.iter().enumerate().map(|(j, v)| basis[(i, j)] * v).sum();
    (0..v.len()).map(entry).collect()
}

fn keep_positive(variances: &mut [f64]) {
    let floor = SMALLEST_RATIO * variances.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    variances.iter_mut().for_each(|v| *v = v.max(floor));
}

/// Eigenvalues and vectors on one thread, so that the result does not depend on how many there are.
fn eigen(matrix: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = matrix.nrows();
    let mut values = faer::diag::Diag::<f64>::zeros(n);
    let mut vectors = Mat::<f64>::zeros(n, n);
    let scratch = evd::self_adjoint_evd_scratch::<f64>(
        n,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    );
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    evd::self_adjoint_evd(
        matrix.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        stack,
        Default::default(),
    )
    .ok()?;
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    let finite = values.iter().all(|v| v.is_finite());
    finite.then_some((values, vectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitening_undoes_the_covariance() {
        let mut shape = SearchCovariance::unit(3, false);
        shape.update(
            0.5,
            [(2.0, [1.0, -1.0, 0.5].as_slice()), (1.0, &[0.0, 3.0, 1.0])].into_iter(),
        );
        assert!(shape.refresh());
        let SearchCovariance::Full { covariance, .. } = &shape else {
            unreachable!()
        };
        // ‖C^{-1/2} y‖² = yᵀ C⁻¹ y, with C⁻¹ by an independent solve.
        let y = [0.3, -0.7, 1.1];
        let solved = faer::linalg::solvers::Solve::solve(
            &covariance.partial_piv_lu(),
            faer::mat![[0.3], [-0.7], [1.1]],
        );
        let expected: f64 = (0..3).map(|i| y[i] * solved[(i, 0)]).sum();
        let found: f64 = shape.whiten(&y).iter().map(|v| v * v).sum();
        assert!(
            (found - expected).abs() < 1e-12,
            "{found} against {expected}"
        );
        // Columns of the root reproduce the covariance.
        for i in 0..3 {
            let entry: f64 = (0..3).map(|k| shape.colour(&unit(k))[i].powi(2)).sum();
            assert!((entry - covariance[(i, i)]).abs() < 1e-12);
        }
    }

    fn unit(k: usize) -> [f64; 3] {
        std::array::from_fn(|i| f64::from(u8::from(i == k)))
    }
}
