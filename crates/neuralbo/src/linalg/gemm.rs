//! Matrix products on the calling thread.
//!
//! Our products are thin; threading inside one does not pay, and a fixed order of summation keeps results the same on any
//! number of threads. Parallelism lives outside: over tiles, restarts, trees and runs.

use super::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

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
