//! One step of descent or of Adam over all parameters, in the widest vectors the machine has.

use neuralbo::linalg::{Real, vectorized};
use neuralbo::net::lanes::LANES;
use num_traits::Float;

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

/// Weights of the terms of an objective: `loss · ∇½Σr² + proximal · (θ − θ₀)`, plus `decay · θ`.
#[derive(Clone, Copy)]
pub(super) struct ObjectiveTerms<T> {
    pub loss: T,
    pub proximal: T,
    pub decay: T,
}

impl<T: Real> ObjectiveTerms<T> {
    #[inline(always)]
    fn combine(self, g: T, theta: T, anchor: T) -> T {
        self.loss * g + self.proximal * (theta - anchor) + self.decay * theta
    }
}

/// `θ −= rate · ∇objective`; whether the gradient was finite everywhere.
pub(super) fn descend<T: Real>(
    terms: ObjectiveTerms<T>,
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
    /// Smaller moments are zero.
    pub negligible: T,
}

/// What Adam moves: θ and the two moments of its gradient.
pub(super) struct Moving<'a, T> {
    pub theta: &'a mut [T],
    pub first: &'a mut [T],
    pub second: &'a mut [T],
}

/// One step of Adam (Kingma & Ba 2015) on `∇objective`; whether the gradient was finite everywhere.
pub(super) fn adam<T: Real>(
    terms: ObjectiveTerms<T>,
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
    /// The parameter and its moments after a gradient `g`. Moments of units that no longer change decay to zero instead of to
    /// subnormal numbers, with which processors compute many times slower.
    #[inline(always)]
    fn apply(self, g: T, theta: T, first: T, second: T) -> [T; 3] {
        let first = self.flushed(self.beta1 * first + (T::one() - self.beta1) * g);
        let second = self.flushed(self.beta2 * second + (T::one() - self.beta2) * g * g);
        [
            theta - self.rate * first / (Float::sqrt(second * self.correction) + self.tiny),
            first,
            second,
        ]
    }

    /// Zero for magnitudes below `negligible`; NaN stays NaN.
    #[inline(always)]
    fn flushed(self, moment: T) -> T {
        if Float::abs(moment) < self.negligible {
            T::zero()
        } else {
            moment
        }
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
    fn a_step_notices_what_is_not_finite_wherever_it_is() {
        let terms = ObjectiveTerms {
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
                    negligible: 1e-30,
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

    #[test]
    fn moments_without_gradients_end_at_zero_not_at_subnormal_numbers() {
        let step = AdamStep::<f32> {
            beta1: 0.9,
            beta2: 0.999,
            rate: 0.1,
            correction: 1.0,
            tiny: 1e-8,
            negligible: 1e-30,
        };
        let [mut theta, mut first, mut second] = [1.0, 1e-28, 1e-29];
        for _ in 0..4000 {
            [theta, first, second] = step.apply(0.0, theta, first, second);
            assert!(!first.is_subnormal() && !second.is_subnormal());
        }
        assert_eq!([first, second], [0.0, 0.0]);
        assert!(step.apply(f32::NAN, theta, first, second)[1].is_nan());
    }
}
