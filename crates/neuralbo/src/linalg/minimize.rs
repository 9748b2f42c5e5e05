//! A single bounded minimization, made total.
//!
//! Objectives here come out of factorizations and may fail at some points: the descent steps back from there.

use super::lbfgs::{Descent, DescentDomain};

/// Relative decrease of the value below which a minimization ends.
const FLAT: f64 = 1e-12;

/// A value and a gradient.
type ValueAndGradient = (f64, Vec<f64>);

/// Where a minimization ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The best point seen, inside the bounds.
    pub x: Vec<f64>,
    /// Its value; +∞ if no evaluation gave a finite value and gradient.
    pub value: f64,
    /// Number of evaluations of the function with its gradient.
    pub evaluations: usize,
}

/// Minimizes `f`, which returns value and gradient, over a box that may have infinite sides, by projected L-BFGS.
///
/// Starts from `x0` moved into the box; stops when no component of the projected gradient exceeds `tolerance`, when the value
/// no longer decreases, or after `max_iterations` steps. A value or gradient that is not finite (or a gradient of another length)
/// counts as +∞. Without a finite value at the start, and when the bounds are no box for `x0`, the start itself is returned.
///
/// ```
/// use neuralbo::linalg::minimize_bounded;
///
/// let parabola = |x: &[f64]| ((x[0] - 3.0).powi(2), vec![2.0 * (x[0] - 3.0)]);
/// let minimum = minimize_bounded(parabola, &[0.0], &[-1.0], &[1.0], 100, 1e-8);
/// assert_eq!(minimum.x, [1.0]);
/// assert_eq!(minimum.value, 4.0);
/// ```
pub fn minimize_bounded(
    mut f: impl FnMut(&[f64]) -> (f64, Vec<f64>),
    x0: &[f64],
    lower: &[f64],
    upper: &[f64],
    max_iterations: usize,
    tolerance: f64,
) -> Minimum {
    let is_box = is_box(x0, lower, upper);
    let start = match is_box {
        true => moved_inside(x0, lower, upper),
        false => x0.to_vec(),
    };
    let (value, gradient) = total(f(&start), start.len());
    let (mut steps, mut evaluations) = (0, 1);
    if !is_box || !value.is_finite() {
        let x = start;
        return Minimum {
            x,
            value,
            evaluations,
        };
    }
    let domain = DescentDomain::new(lower, upper);
    let mut descent = Descent::new(&start, value, &gradient, vec![true; start.len()], &domain);
    while steps < max_iterations
        && !descent.is_done()
        && descent.steepness(&domain) > tolerance.max(0.0)
    {
        let (before, trial) = (descent.value(), descent.trial(&domain));
        let (value, gradient) = total(f(&trial), trial.len());
        evaluations += 1;
        if descent.receive(&trial, value, &gradient, &domain) {
            steps += 1;
            if before - value <= FLAT * before.abs().max(value.abs()) {
                break;
            }
        }
    }
    Minimum {
        x: descent.x().to_vec(),
        value: descent.value(),
        evaluations,
    }
}

fn moved_inside(x0: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    let bounded = x0.iter().zip(lower).zip(upper);
    bounded.map(|((x, l), u)| x.max(*l).min(*u)).collect()
}

fn is_box(x: &[f64], lower: &[f64], upper: &[f64]) -> bool {
    x.len() == lower.len() && x.len() == upper.len() && lower.iter().zip(upper).all(|(l, u)| l <= u)
}

/// An evaluation with +∞ for everything that is no value with a gradient.
fn total((value, gradient): ValueAndGradient, dim: usize) -> ValueAndGradient {
    let finite = value.is_finite() && gradient.iter().all(|slope| slope.is_finite());
    match finite && gradient.len() == dim {
        true => (value, gradient),
        false => (f64::INFINITY, vec![0.0; dim]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rosenbrock(x: &[f64]) -> ValueAndGradient {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        let gradient = vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b];
        (a * a + 100.0 * b * b, gradient)
    }

    fn quadratic(x: &[f64]) -> ValueAndGradient {
        let gradient = x.iter().map(|x| 2.0 * x).collect();
        (x.iter().map(|x| x * x).sum(), gradient)
    }

    #[test]
    fn rosenbrock_inside_on_and_without_bounds() {
        let within = |lower: [f64; 2], upper: [f64; 2]| {
            minimize_bounded(rosenbrock, &[-1.2, 1.0], &lower, &upper, 200, 1e-10)
        };
        let free = within([-2.0; 2], [2.0; 2]);
        assert!(free.x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{free:?}");
        assert!(free.evaluations < 100);
        // With x₀ ≤ 1/2 the minimum is at (1/2, 1/4), value 1/4.
        let bound = within([-2.0; 2], [0.5, 2.0]);
        assert_eq!(bound.x[0], 0.5);
        assert!((bound.x[1] - 0.25).abs() < 1e-8, "{bound:?}");
        assert!((bound.value - 0.25).abs() < 1e-12, "{bound:?}");
        let unbounded = within([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
        assert!(unbounded.value < 1e-12, "{unbounded:?}");
    }

    #[test]
    fn steps_back_from_points_without_a_value() {
        // NaN in the half x₀ < 0.3, where the unconstrained minimum (0, 0) lies: the border is the best finite place.
        for hole in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let f = |x: &[f64]| match x[0] < 0.3 {
                true => (hole, vec![f64::NAN; 2]),
                false => quadratic(x),
            };
            let minimum = minimize_bounded(f, &[0.9, 0.8], &[-1.0; 2], &[1.0; 2], 200, 1e-10);
            assert!(minimum.value < 0.2 && minimum.x[0] >= 0.3, "{minimum:?}");
        }
        // A hole on the way that does not hold the minimum does not stop the search.
        let f = |x: &[f64]| match x[0] < 0.0 {
            true => (f64::NAN, vec![]),
            false => rosenbrock(x),
        };
        let minimum = minimize_bounded(f, &[0.1, 1.9], &[-2.0; 2], &[2.0; 2], 500, 1e-10);
        assert!(minimum.value < 1e-8, "{minimum:?}");
    }

    #[test]
    fn without_a_finite_value_the_start_comes_back() {
        let nowhere = |_: &[f64]| (f64::NAN, vec![f64::NAN]);
        let minimum = minimize_bounded(nowhere, &[0.5], &[0.0], &[1.0], 100, 1e-8);
        assert_eq!((minimum.x, minimum.value), (vec![0.5], f64::INFINITY));
        assert_eq!(minimum.evaluations, 1);
    }

    #[test]
    fn odd_input_does_not_panic() {
        let minimum = |x0: &[f64], lower: &[f64], upper: &[f64], steps: usize| {
            minimize_bounded(quadratic, x0, lower, upper, steps, 1e-8)
        };
        assert_eq!(minimum(&[3.0], &[1.0], &[-1.0], 9).x, [3.0]);
        assert_eq!(minimum(&[3.0], &[], &[], 9).x, [3.0]);
        assert_eq!(minimum(&[], &[], &[], 9).value, 0.0);
        assert_eq!(minimum(&[3.0], &[-1.0], &[1.0], 0).x, [1.0]);
        assert_eq!(minimum(&[0.5], &[0.5], &[0.5], 9).x, [0.5]);
        assert!(minimize_bounded(quadratic, &[0.5], &[-1.0], &[1.0], 9, f64::NAN).value < 1e-12);
        assert!(minimum(&[f64::NAN], &[-1.0], &[1.0], 9).x[0].abs() <= 1.0);
        assert_eq!(minimum(&[0.5], &[f64::NAN], &[1.0], 9).x, [0.5]);
    }

    proptest! {
        #[test]
        fn separable_quadratics_end_at_the_clipped_center(
            cases in prop::collection::vec((-2.0..2.0f64, 0.1..10.0f64, -1.0..1.0f64), 1..12),
        ) {
            let f = |x: &[f64]| {
                let terms = x.iter().zip(&cases).map(|(x, (center, scale, _))| (x - center, scale));
                (terms.clone().map(|(d, s)| 0.5 * s * d * d).sum(), terms.map(|(d, s)| s * d).collect())
            };
            let start: Vec<f64> = cases.iter().map(|case| case.2).collect();
            let bounds = (vec![-1.0; cases.len()], vec![1.0; cases.len()]);
            let minimum = minimize_bounded(f, &start, &bounds.0, &bounds.1, 200, 1e-10);
            // The search ends where the value is flat to a relative 10⁻¹²: a shallow term may then be that far above its minimum.
            for (x, (center, scale, _)) in minimum.x.iter().zip(&cases) {
                let above = 0.5 * scale * (x - center.clamp(-1.0, 1.0)).powi(2);
                prop_assert!(above <= 1e-9 * (1.0 + minimum.value), "{above}");
            }
        }

        #[test]
        fn never_leaves_the_box_nor_gets_worse(start in prop::collection::vec(-3.0..3.0f64, 2), iterations in 0usize..30) {
            let (lower, upper) = ([-1.5, 0.2], [0.7, 1.1]);
            let minimum = minimize_bounded(rosenbrock, &start, &lower, &upper, iterations, 1e-8);
            let inside: Vec<f64> = (0..2).map(|i| start[i].clamp(lower[i], upper[i])).collect();
            prop_assert!(minimum.value <= rosenbrock(&inside).0);
            prop_assert!((0..2).all(|i| (lower[i]..=upper[i]).contains(&minimum.x[i])));
        }
    }
}
