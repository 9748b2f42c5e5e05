//! Elementary functions on slices, for activations of millions of units.
//!
//! Every kernel is straight-line arithmetic that the compiler turns into the widest vectors the machine has at run time, and
//! every lane does the same additions and multiplications in the same order: the result does not depend on the machine.

mod kernels;
mod lane;
mod tables;
#[cfg(test)]
mod tests;

use pulp::{Arch, Simd, WithSimd};

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
        Arch::new().dispatch(CdfPdf { z, cdf, pdf });
    }

    fn exp_slice(x: &[Self], out: &mut [Self]) {
        map::<Self, Exp>(x, out);
    }

    fn tanh_slice(x: &[Self], out: &mut [Self]) {
        map::<Self, Tanh>(x, out);
    }

    fn sin_slice(x: &[Self], out: &mut [Self]) {
        map::<Self, Sin>(x, out);
        repair_large_angles(x, out, |angle| angle.slow_sin_cos().0);
    }

    fn cos_slice(x: &[Self], out: &mut [Self]) {
        map::<Self, Cos>(x, out);
        repair_large_angles(x, out, |angle| angle.slow_sin_cos().1);
    }
}

/// A function of one lane, named by a type so that it is inlined into each vector width's own loop.
trait LaneFunction<T> {
    fn at(x: T) -> T;
}

macro_rules! kernels {
    ($($name:ident => $function:expr;)*) => {$(
        struct $name;
        impl<T: Lane> LaneFunction<T> for $name {
            #[inline(always)]
            fn at(x: T) -> T {
                $function(x)
            }
        }
    )*};
}

kernels! {
    Exp => kernels::exp;
    Tanh => kernels::tanh;
    Sin => (|x| kernels::sin_cos(x).0);
    Cos => (|x| kernels::sin_cos(x).1);
}

struct Map<'a, T, K> {
    x: &'a [T],
    out: &'a mut [T],
    kernel: std::marker::PhantomData<K>,
}

impl<T: Lane, K: LaneFunction<T>> WithSimd for Map<'_, T, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (out, &x) in self.out.iter_mut().zip(self.x) {
            *out = K::at(x);
        }
    }
}

fn map<T: Lane, K: LaneFunction<T>>(x: &[T], out: &mut [T]) {
    assert!(x.len() == out.len(), "slices of different lengths");
    Arch::new().dispatch(Map {
        x,
        out,
        kernel: std::marker::PhantomData::<K>,
    });
}

struct CdfPdf<'a, T> {
    z: &'a [T],
    cdf: &'a mut [T],
    pdf: &'a mut [T],
}

impl<T: Lane> WithSimd for CdfPdf<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((&z, cdf), pdf) in self
            .z
            .iter()
            .zip(self.cdf.iter_mut())
            .zip(self.pdf.iter_mut())
        {
            (*cdf, *pdf) = kernels::normal_cdf_pdf(z);
        }
    }
}

/// Angles beyond the reduction's reach are rare: they are redone one by one.
fn repair_large_angles<T: Lane>(x: &[T], out: &mut [T], exact: impl Fn(T) -> T) {
    for (out, &x) in out.iter_mut().zip(x) {
        if x.magnitude() > T::ANGLE_LIMIT {
            *out = exact(x);
        }
    }
}
