//! The two floating-point types a network may be computed in, and their loops and products.
//!
//! Products are computed on the calling thread: ours are thin, threading inside one does not pay, and a fixed order of summation
//! keeps results the same on any number of threads. Parallelism lives outside: over tiles, restarts, trees and runs.

use super::FastMath;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use num_traits::Float;
use pulp::{Arch, Simd, WithSimd};

/// `f32` (fast: training, acquisition) or `f64` (exact: solves, tests).
pub trait Real:
    faer::traits::RealField + Float + FastMath + std::iter::Sum + Send + Sync + Default + 'static
{
    /// Rounds from double precision.
    fn from_f64(x: f64) -> Self;
    /// Widens to double precision.
    fn widen(self) -> f64;
}

impl Real for f32 {
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn widen(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }
    fn widen(self) -> f64 {
        self
    }
}

/// `a · b`.
pub fn product<T: Real>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    product_into(out.as_mut(), a, b);
    out
}

/// `out = a · b`.
pub fn product_into<T: Real>(out: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    matmul(out, Accum::Replace, a, b, T::from_f64(1.0), Par::Seq);
}

/// `out += alpha · a · b`.
pub fn add_product<T: Real>(out: MatMut<'_, T>, alpha: T, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    matmul(out, Accum::Add, a, b, alpha, Par::Seq);
}

/// A loop that is compiled for each vector width. It must be a closure that can be called again: only then is its body inlined
/// there, and not called as a function of the plain width.
struct Loop<F>(F);

impl<R, F: FnMut() -> R> WithSimd for Loop<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}

/// Runs `body`, which must be `#[inline(always)]`, in the widest vectors there are.
#[inline(always)]
pub fn vectorized<R>(body: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Loop(body))
}

/// [`vectorized`] of an expression.
macro_rules! wide {
    ($body:expr) => {
        $crate::linalg::vectorized(
            #[inline(always)]
            || $body,
        )
    };
}
pub(crate) use wide;
