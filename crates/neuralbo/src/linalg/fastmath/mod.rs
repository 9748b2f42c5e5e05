//! Elementary functions on slices, for activations of millions of units.
//!
//! Every kernel is straight-line arithmetic that the compiler turns into the widest vectors the machine has at run time, and
//! every lane does the same additions and multiplications in the same order: the result does not depend on the machine.

mod kernels;
mod lane;
mod tables;
#[cfg(test)]
mod tests;

use super::wide;
pub(super) use kernels::{mills, normal_cdf_pdf};
use lane::Lane;

/// Functions applied to all elements of a slice; implemented for `f32` and `f64`.
///
/// NaN gives NaN, infinities give the limits. Errors are a few units in the last place (see each function).
///
/// ```
/// use neuralbo::linalg::FastMath;
///
/// let (mut cdf, mut pdf) = ([0.0; 2], [0.0; 2]);
/// f64::normal_cdf_pdf(&[0.0, 50.0], &mut cdf, &mut pdf);
/// assert!((cdf[0] - 0.5).abs() < 1e-15 && cdf[1] == 1.0);
/// assert!((pdf[0] - 0.398942280401432).abs() < 1e-14 && pdf[1] == 0.0);
/// ```
///
/// # Panics
/// All methods, when the slices have different lengths.
pub trait FastMath: Sized {
    /// Φ(z) and φ(z), both with small relative error in either tail.
    fn normal_cdf_pdf(z: &[Self], cdf: &mut [Self], pdf: &mut [Self]);
    /// eˣ.
    fn exp_slice(x: &[Self], out: &mut [Self]);
    /// tanh x.
    fn tanh_slice(x: &[Self], out: &mut [Self]);
    /// sin x; slower beyond |x| = 10⁴.
    fn sin_slice(x: &[Self], out: &mut [Self]);
    /// cos x; slower beyond |x| = 10⁴.
    fn cos_slice(x: &[Self], out: &mut [Self]);
}

impl<T: Lane> FastMath for T {
    fn normal_cdf_pdf(z: &[Self], cdf: &mut [Self], pdf: &mut [Self]) {
        assert!(
            z.len() == cdf.len() && z.len() == pdf.len(),
            "slices of different lengths"
        );
        wide!({
            for ((&z, cdf), pdf) in z.iter().zip(cdf.iter_mut()).zip(pdf.iter_mut()) {
                (*cdf, *pdf) = kernels::normal_cdf_pdf(z);
            }
        });
    }

    fn exp_slice(x: &[Self], out: &mut [Self]) {
        map(x, out, kernels::exp);
    }

    fn tanh_slice(x: &[Self], out: &mut [Self]) {
        map(x, out, kernels::tanh);
    }

    fn sin_slice(x: &[Self], out: &mut [Self]) {
        map(
            x,
            out,
            #[inline(always)]
            |x| kernels::sin_cos(x).0,
        );
        repair_large_angles(x, out, |angle| angle.slow_sin_cos().0);
    }

    fn cos_slice(x: &[Self], out: &mut [Self]) {
        map(
            x,
            out,
            #[inline(always)]
            |x| kernels::sin_cos(x).1,
        );
        repair_large_angles(x, out, |angle| angle.slow_sin_cos().1);
    }
}

/// Applies `function`, which must be `#[inline(always)]`, to all elements.
#[inline(always)]
fn map<T: Lane>(x: &[T], out: &mut [T], function: impl Fn(T) -> T) {
    assert!(x.len() == out.len(), "slices of different lengths");
    wide!({
        for (out, &x) in out.iter_mut().zip(x) {
            *out = function(x);
        }
    });
}

/// Angles beyond the reduction's reach are rare: they are redone one by one.
fn repair_large_angles<T: Lane>(x: &[T], out: &mut [T], exact: impl Fn(T) -> T) {
    for (out, &x) in out.iter_mut().zip(x) {
        if x.magnitude() > T::ANGLE_LIMIT {
            *out = exact(x);
        }
    }
}
