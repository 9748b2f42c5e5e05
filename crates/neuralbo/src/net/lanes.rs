//! Element-wise loops over units and parameters, in the widest vectors the machine has at run time.
//!
//! Every loop does the same additions and multiplications in the same order whatever the vectors' width: sums go to
//! [`LANES`] partial sums that are added up in a fixed order, and nothing is fused.

use crate::linalg::{Real, wide};
use num_traits::Float;

/// Partial sums of a dot product: enough independent additions to hide their latency.
pub const LANES: usize = 32;
/// Lanes added to at once.
const BLOCK: usize = 8;

/// `⟨a, b⟩`.
#[inline(always)]
fn dot_lanes<T: Real>(a: &[T], b: &[T]) -> T {
    let mut blocks = [[T::zero(); BLOCK]; LANES / BLOCK];
    let (head_a, tail_a) = a.as_chunks::<LANES>();
    let (head_b, tail_b) = b.as_chunks::<LANES>();
    for (a, b) in head_a.iter().zip(head_b) {
        for (c, block) in blocks.iter_mut().enumerate() {
            for k in 0..BLOCK {
                block[k] += a[c * BLOCK + k] * b[c * BLOCK + k];
            }
        }
    }
    let mut sums = [T::zero(); BLOCK];
    for block in blocks {
        for k in 0..BLOCK {
            sums[k] += block[k];
        }
    }
    for (k, (&a, &b)) in tail_a.iter().zip(tail_b).enumerate() {
        sums[k % BLOCK] += a * b;
    }
    sums.into_iter().sum()
}

/// `⟨a, b⟩`.
pub fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    wide!(dot_lanes(a, b))
}

/// `y += a x`.
pub fn axpy<T: Real>(a: T, x: &[T], y: &mut [T]) {
    wide!(y.iter_mut().zip(x).for_each(|(y, &x)| *y += a * x));
}

/// `a ∘= b`.
pub fn multiply<T: Real>(a: &mut [T], b: &[T]) {
    wide!(a.iter_mut().zip(b).for_each(|(a, &b)| *a *= b));
}

/// `out = factor · x`.
pub fn scale<T: Real>(factor: T, x: &[T], out: &mut [T]) {
    wide!(out.iter_mut().zip(x).for_each(|(y, &x)| *y = factor * x));
}

/// `out = scale · a ∘ b`.
pub fn scaled_product<T: Real>(scale: T, a: &[T], b: &[T], out: &mut [T]) {
    wide!({
        out.iter_mut()
            .zip(a)
            .zip(b)
            .for_each(|((out, &a), &b)| *out = scale * a * b)
    });
}

/// `z = max(z, 0)`.
pub fn relu<T: Real>(z: &mut [T]) {
    wide!(z.iter_mut().for_each(|z| *z = positive_part(*z)));
}

/// `z = max(z, 0)` and its slope, 0 or 1.
pub fn relu_with_slope<T: Real>(z: &mut [T], slope: &mut [T]) {
    wide!({
        for (z, slope) in z.iter_mut().zip(slope.iter_mut()) {
            *slope = if *z > T::zero() { T::one() } else { T::zero() };
            *z = positive_part(*z);
        }
    });
}

#[inline(always)]
fn positive_part<T: Real>(z: T) -> T {
    // Not an `if`, which would become a masked store.
    Float::max(z, T::zero())
}

/// `(Σ w·max(z, 0), z = max(z, 0))` in one pass.
pub fn relu_dot<T: Real>(z: &mut [T], w: &[T]) -> T {
    wide!({
        z.iter_mut().for_each(|z| *z = positive_part(*z));
        dot_lanes(z, w)
    })
}

/// A point's share of the gradient at a ReLU output: `g += r a` and `e = r w` where `a > 0`.
pub fn relu_output<T: Real>(r: T, a: &[T], w: &[T], g: &mut [T], e: &mut [T]) {
    wide!({
        for (((&a, &w), g), e) in a.iter().zip(w).zip(g.iter_mut()).zip(e.iter_mut()) {
            *g += r * a;
            *e = if a > T::zero() { r * w } else { T::zero() };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(len: usize, seed: u32) -> Vec<f64> {
        (0..len as u32)
            .map(|i| f64::from((i * 37 + seed * 11) % 23) / 7.0 - 1.5)
            .collect()
    }

    #[test]
    fn dot_adds_up_every_element_of_any_length() {
        for len in [0, 1, 31, 32, 33, 100] {
            let (a, b) = (numbers(len, 1), numbers(len, 2));
            let expected: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn fused_output_pass_is_the_separate_ones() {
        let (z, w) = (numbers(70, 3), numbers(70, 4));
        let mut a = z.clone();
        let value = relu_dot(&mut a, &w);
        assert!(a.iter().zip(&z).all(|(a, z)| *a == z.max(0.0)));
        assert!((value - a.iter().zip(&w).map(|(a, w)| a * w).sum::<f64>()).abs() < 1e-12);
        let (mut g, mut e) = (vec![1.0; 70], vec![9.0; 70]);
        relu_output(2.0, &a, &w, &mut g, &mut e);
        for k in 0..70 {
            let expected = if z[k] > 0.0 { 2.0 * w[k] } else { 0.0 };
            assert_eq!((g[k], e[k]), (1.0 + 2.0 * a[k], expected));
        }
    }
}
