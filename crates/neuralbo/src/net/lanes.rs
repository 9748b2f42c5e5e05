//! Element-wise loops over units and parameters, in the widest vectors the machine has at run time.
//!
//! Every loop does the same additions and multiplications in the same order whatever the vectors' width: sums go to
//! [`LANES`] partial sums that are added up in a fixed order, and nothing is fused.

use crate::linalg::Real;
use num_traits::Float;
use pulp::{Arch, Simd, WithSimd};

/// Partial sums of a dot product: enough independent additions to hide their latency.
const LANES: usize = 32;
/// Lanes added to at once.
const BLOCK: usize = 8;

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
pub(crate) fn vectorized<R>(body: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Loop(body))
}

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

/// The sum of the lanes, by halves.
#[inline(always)]
fn add_up<T: Real>(mut lanes: [T; LANES]) -> T {
    let mut half = LANES / 2;
    while half > 0 {
        for k in 0..half {
            lanes[k] += lanes[k + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// `⟨a, b⟩`.
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    vectorized(
        #[inline(always)]
        || dot_lanes(a, b),
    )
}

/// `y += a x`.
pub(crate) fn axpy<T: Real>(a: T, x: &[T], y: &mut [T]) {
    vectorized(
        #[inline(always)]
        || y.iter_mut().zip(x).for_each(|(y, &x)| *y += a * x),
    );
}

/// `a ∘= b`.
pub(super) fn multiply<T: Real>(a: &mut [T], b: &[T]) {
    vectorized(
        #[inline(always)]
        || a.iter_mut().zip(b).for_each(|(a, &b)| *a *= b),
    );
}

/// `out = factor · x`.
pub(super) fn scale<T: Real>(factor: T, x: &[T], out: &mut [T]) {
    vectorized(
        #[inline(always)]
        || {
            out.iter_mut()
                .zip(x)
                .for_each(|(out, &x)| *out = factor * x)
        },
    );
}

/// `out = scale · a ∘ b`.
pub(super) fn scaled_product<T: Real>(scale: T, a: &[T], b: &[T], out: &mut [T]) {
    vectorized(
        #[inline(always)]
        || {
            out.iter_mut()
                .zip(a)
                .zip(b)
                .for_each(|((out, &a), &b)| *out = scale * a * b)
        },
    );
}

/// `z = max(z, 0)`.
pub(super) fn relu<T: Real>(z: &mut [T]) {
    vectorized(
        #[inline(always)]
        || z.iter_mut().for_each(|z| *z = positive_part(*z)),
    );
}

/// `z = max(z, 0)` and its slope, 0 or 1.
pub(super) fn relu_with_slope<T: Real>(z: &mut [T], slope: &mut [T]) {
    vectorized(
        #[inline(always)]
        || {
            for (z, slope) in z.iter_mut().zip(slope.iter_mut()) {
                *slope = if *z > T::zero() { T::one() } else { T::zero() };
                *z = positive_part(*z);
            }
        },
    );
}

#[inline(always)]
fn positive_part<T: Real>(z: T) -> T {
    // Not an `if`, which would become a masked store.
    Float::max(z, T::zero())
}

/// `(Σ w·max(z, 0), z = max(z, 0))` in one pass.
pub(super) fn relu_dot<T: Real>(z: &mut [T], w: &[T]) -> T {
    vectorized(
        #[inline(always)]
        || {
            z.iter_mut().for_each(|z| *z = positive_part(*z));
            dot_lanes(z, w)
        },
    )
}

/// A point's share of the gradient at a ReLU output: `g += r a` and `e = r w` where `a > 0`.
pub(super) fn relu_output<T: Real>(r: T, a: &[T], w: &[T], g: &mut [T], e: &mut [T]) {
    vectorized(
        #[inline(always)]
        || {
            for (((&a, &w), g), e) in a.iter().zip(w).zip(g.iter_mut()).zip(e.iter_mut()) {
                *g += r * a;
                *e = if a > T::zero() { r * w } else { T::zero() };
            }
        },
    );
}

/// Weights of the terms of an objective: `loss · ∇½Σr² + proximal · (θ − θ₀)`, plus `decay · θ`.
#[derive(Clone, Copy)]
pub(super) struct Terms<T> {
    pub loss: T,
    pub proximal: T,
    pub decay: T,
}

impl<T: Real> Terms<T> {
    #[inline(always)]
    fn combine(self, g: T, theta: T, anchor: T) -> T {
        self.loss * g + self.proximal * (theta - anchor) + self.decay * theta
    }
}

/// `θ −= rate · ∇objective`; whether the gradient was finite everywhere.
pub(super) fn descend<T: Real>(
    terms: Terms<T>,
    rate: T,
    theta: &mut [T],
    gradient: &[T],
    anchor: &[T],
) -> bool {
    vectorized(
        #[inline(always)]
        || {
            let mut wrong = [T::zero(); LANES];
            let (theta, theta_tail) = theta.as_chunks_mut::<LANES>();
            let (gradient, gradient_tail) = gradient.as_chunks::<LANES>();
            let (anchor, anchor_tail) = anchor.as_chunks::<LANES>();
            let mut step = |k: usize, theta: &mut T, g: T, anchor: T| {
                let g = terms.combine(g, *theta, anchor);
                // Zero for every finite number, NaN for the others.
                wrong[k] += g * T::zero();
                *theta -= rate * g;
            };
            for ((theta, g), anchor) in theta.iter_mut().zip(gradient).zip(anchor) {
                for k in 0..LANES {
                    step(k, &mut theta[k], g[k], anchor[k]);
                }
            }
            for (k, ((theta, &g), &anchor)) in theta_tail
                .iter_mut()
                .zip(gradient_tail)
                .zip(anchor_tail)
                .enumerate()
            {
                step(k, theta, g, anchor);
            }
            add_up(wrong) == T::zero()
        },
    )
}

/// Constants of one step of Adam, its bias corrections included.
#[derive(Clone, Copy)]
pub(super) struct AdamStep<T> {
    pub beta1: T,
    pub beta2: T,
    pub rate: T,
    pub correction: T,
    pub tiny: T,
}

/// What Adam moves: θ and the two moments of its gradient.
pub(super) struct Moving<'a, T> {
    pub theta: &'a mut [T],
    pub first: &'a mut [T],
    pub second: &'a mut [T],
}

/// One step of Adam (Kingma & Ba 2015) on `∇objective`; whether the gradient was finite everywhere.
pub(super) fn adam<T: Real>(
    terms: Terms<T>,
    step: AdamStep<T>,
    moving: Moving<'_, T>,
    gradient: &[T],
    anchor: &[T],
) -> bool {
    let Moving {
        theta,
        first,
        second,
    } = moving;
    vectorized(
        #[inline(always)]
        || {
            let mut wrong = [T::zero(); LANES];
            let (theta, theta_tail) = theta.as_chunks_mut::<LANES>();
            let (first, first_tail) = first.as_chunks_mut::<LANES>();
            let (second, second_tail) = second.as_chunks_mut::<LANES>();
            let (gradient, gradient_tail) = gradient.as_chunks::<LANES>();
            let (anchor, anchor_tail) = anchor.as_chunks::<LANES>();
            let constants = gradient.iter().zip(anchor);
            for (((theta, first), second), (g, anchor)) in
                theta.iter_mut().zip(first).zip(second).zip(constants)
            {
                for k in 0..LANES {
                    let g = terms.combine(g[k], theta[k], anchor[k]);
                    wrong[k] += g * T::zero();
                    [theta[k], first[k], second[k]] = step.apply(g, theta[k], first[k], second[k]);
                }
            }
            for k in 0..theta_tail.len() {
                let g = terms.combine(gradient_tail[k], theta_tail[k], anchor_tail[k]);
                wrong[k] += g * T::zero();
                [theta_tail[k], first_tail[k], second_tail[k]] =
                    step.apply(g, theta_tail[k], first_tail[k], second_tail[k]);
            }
            add_up(wrong) == T::zero()
        },
    )
}

impl<T: Real> AdamStep<T> {
    /// The parameter and its moments after a gradient `g`.
    #[inline(always)]
    fn apply(self, g: T, theta: T, first: T, second: T) -> [T; 3] {
        let first = self.beta1 * first + (T::one() - self.beta1) * g;
        let second = self.beta2 * second + (T::one() - self.beta2) * g * g;
        [
            theta - self.rate * first / (Float::sqrt(second * self.correction) + self.tiny),
            first,
            second,
        ]
    }
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
            assert_eq!(
                (g[k], e[k]),
                (1.0 + 2.0 * a[k], if z[k] > 0.0 { 2.0 * w[k] } else { 0.0 })
            );
        }
    }

    #[test]
    fn a_step_notices_what_is_not_finite_wherever_it_is() {
        let terms = Terms {
            loss: 0.5,
            proximal: 0.1,
            decay: 0.0,
        };
        for at in [0, 40, 69] {
            for bad in [f64::NAN, f64::INFINITY] {
                let (mut theta, mut gradient, anchor) =
                    (numbers(70, 1), numbers(70, 2), numbers(70, 3));
                let expected: Vec<f64> = (0..70)
                    .map(|k| theta[k] - 0.2 * (0.5 * gradient[k] + 0.1 * (theta[k] - anchor[k])))
                    .collect();
                assert!(descend(terms, 0.2, &mut theta.clone(), &gradient, &anchor));
                gradient[at] = bad;
                assert!(!descend(terms, 0.2, &mut theta, &gradient, &anchor));
                assert!((0..70).all(|k| k == at || (theta[k] - expected[k]).abs() < 1e-15));
                let step = AdamStep {
                    beta1: 0.9,
                    beta2: 0.999,
                    rate: 0.1,
                    correction: 1.0,
                    tiny: 1e-8,
                };
                let (mut first, mut second) = (vec![0.0; 70], vec![0.0; 70]);
                let moving = Moving {
                    theta: &mut theta,
                    first: &mut first,
                    second: &mut second,
                };
                assert!(!adam(terms, step, moving, &gradient, &anchor));
            }
        }
    }
}
