//! Information gain of observed points.

use super::TheoryError;
use faer::{Mat, MatRef};
use neuralbo::linalg::{Cholesky, positive};

/// `I(y; f) = ½ log det(I + H/λ)` (section "Maximum Information Gain"), a lower bound on γ_t (Chowdhury and Gopalan, 2017,
/// Lemma 3).
///
/// ```
/// let gain = neuralbo_paper::theory::information_gain(faer::mat![[3.0]].as_ref(), 1.0)?;
/// assert!((gain - 0.5 * 4.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), neuralbo_paper::theory::TheoryError>(())
/// ```
pub fn information_gain(kernel: MatRef<'_, f64>, lambda: f64) -> Result<f64, TheoryError> {
    positive("lambda", lambda)?;
    let size = kernel.nrows();
    let shifted = Mat::from_fn(size, size, |i, j| {
        kernel[(i, j)] / lambda + if i == j { 1.0 } else { 0.0 }
    });
    let factor = Cholesky::factor(shifted.as_ref())
        .map_err(|_| TheoryError::NotPositiveDefinite { size })?;
    Ok(0.5 * factor.log_det())
}
