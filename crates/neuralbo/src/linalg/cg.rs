//! Preconditioned conjugate gradients for positive definite operators that are only known by their products.

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CgSettings {
    /// Residual norm relative to that of the right-hand side.
    pub tolerance: f64,
    /// Largest number of operator products.
    pub max_iterations: usize,
}

/// Solves `A x = b` from `x = 0` with a preconditioner `P⁻¹ ≈ A⁻¹` and returns `x`.
///
/// Ends early when the operator loses positive definiteness to rounding; the last iterate is returned then, which is never worse
/// than zero in the energy norm.
///
/// ```
/// use neuralbo::linalg::{CgSettings, conjugate_gradients};
///
/// let twice = |v: &[f64]| v.iter().map(|x| 2.0 * x).collect();
/// let settings = CgSettings { tolerance: 1e-12, max_iterations: 10 };
/// assert_eq!(conjugate_gradients(twice, |v| v.to_vec(), &[2.0, 4.0], settings), vec![1.0, 2.0]);
/// ```
pub fn conjugate_gradients(
    apply: impl Fn(&[f64]) -> Vec<f64>,
    precondition: impl Fn(&[f64]) -> Vec<f64>,
    b: &[f64],
    settings: CgSettings,
) -> Vec<f64> {
    let mut x = vec![0.0; b.len()];
    let mut residual = b.to_vec();
    let target = settings.tolerance * norm(b);
    let mut z = precondition(&residual);
    let mut direction = z.clone();
    let mut rho = dot(&residual, &z);
    for _ in 0..settings.max_iterations {
        if norm(&residual) <= target {
            break;
        }
        let image = apply(&direction);
        let curvature = dot(&direction, &image);
        if !(curvature > 0.0 && rho > 0.0) {
            break;
        }
        let step = rho / curvature;
        axpy(step, &direction, &mut x);
        axpy(-step, &image, &mut residual);
        z = precondition(&residual);
        let next = dot(&residual, &z);
        let ratio = next / rho;
        direction
            .iter_mut()
            .zip(&z)
            .for_each(|(d, z)| *d = z + ratio * *d);
        rho = next;
    }
    x
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
