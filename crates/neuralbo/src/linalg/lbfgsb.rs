//! Bounded minimization with gradients: L-BFGS-B (Byrd, Lu, Nocedal & Zhu 1995) from the `basin` crate, made total.
//!
//! Objectives here come out of factorizations and may fail at some points. Such a point is shown to the line search as a high
//! plateau, from which it steps back, and the best finite point ever seen is what is returned.

use std::cell::RefCell;
use std::convert::Infallible;

use basin::{
    BoxBounds, ConstraintDescription, ConstraintSet, Constraints, CostFunction, Executor, FirstOrderState, Gradient, Lbfgsb,
};

/// A value and a gradient.
type Evaluation = (f64, Vec<f64>);

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

/// Minimizes `f`, which returns value and gradient, over a box that may have infinite sides.
///
/// Starts from `x0` moved into the box; stops when no component of the projected gradient exceeds `tolerance`, when the value
/// no longer decreases, or after `max_iterations`. A value or gradient that is not finite (or a gradient of another length)
/// counts as +∞. Without any finite point, and when the bounds are no box for `x0`, the start itself is returned.
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
    f: impl FnMut(&[f64]) -> (f64, Vec<f64>),
    x0: &[f64],
    lower: &[f64],
    upper: &[f64],
    max_iterations: usize,
    tolerance: f64,
) -> Minimum {
    let start = moved_inside(x0, lower, upper);
    let record = RefCell::new(Record::new(f, start.clone()));
    let objective = Objective { record: &record, lower: lower.to_vec(), upper: upper.to_vec() };
    let (_, slope) = objective.evaluate(&start);
    // Nothing is known about the way down from a plateau, and basin refuses what is no box.
    if max_iterations > 0 && record.borrow().value.is_finite() && !slope.is_empty() && is_box(&start, lower, upper) {
        let tolerance = if tolerance.is_finite() { tolerance.max(0.0) } else { 0.0 };
        let solver = Lbfgsb::new().with_absolute_projected_gradient_tolerance(tolerance);
        let iterations = max_iterations.try_into().unwrap_or(u64::MAX);
        // However the run ends, the record has seen every point of it.
        let _ = Executor::new(objective, solver, FirstOrderState::new(start)).max_iter(iterations).run();
    }
    record.into_inner().into_minimum()
}

fn moved_inside(x0: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    if is_box(x0, lower, upper) {
        x0.iter().zip(lower).zip(upper).map(|((x, l), u)| x.max(*l).min(*u)).collect()
    } else {
        x0.to_vec()
    }
}

fn is_box(x: &[f64], lower: &[f64], upper: &[f64]) -> bool {
    x.len() == lower.len() && x.len() == upper.len() && lower.iter().zip(upper).all(|(l, u)| l <= u)
}

/// The user's function with the memory of what it returned.
struct Record<F> {
    f: F,
    x: Vec<f64>,
    value: f64,
    worst: f64,
    evaluations: usize,
    /// The last point and its evaluation: the start is evaluated here and asked for once more by the solver.
    last: Option<(Vec<f64>, Evaluation)>,
}

impl<F: FnMut(&[f64]) -> Evaluation> Record<F> {
    fn new(f: F, start: Vec<f64>) -> Self {
        Self { f, x: start, value: f64::INFINITY, worst: f64::NEG_INFINITY, evaluations: 0, last: None }
    }

    fn evaluate(&mut self, x: &[f64]) -> Evaluation {
        if let Some((last, evaluation)) = &self.last
            && last == x
        {
            return evaluation.clone();
        }
        let evaluation = self.evaluate_anew(x);
        self.last = Some((x.to_vec(), evaluation.clone()));
        evaluation
    }

    fn evaluate_anew(&mut self, x: &[f64]) -> Evaluation {
        let (value, gradient) = (self.f)(x);
        self.evaluations += 1;
        if !value.is_finite() || gradient.len() != x.len() || gradient.iter().any(|slope| !slope.is_finite()) {
            return (self.plateau(), vec![0.0; x.len()]);
        }
        self.worst = self.worst.max(value);
        if value < self.value {
            self.value = value;
            self.x = x.to_vec();
        }
        (value, gradient)
    }

    /// A finite stand-in for +∞, above every value seen; finite so that the line search can interpolate.
    fn plateau(&self) -> f64 {
        if self.value.is_infinite() {
            return f64::MAX;
        }
        (self.worst + (self.worst - self.value) + self.worst.abs() + 1.0).min(f64::MAX)
    }

    fn into_minimum(self) -> Minimum {
        Minimum { x: self.x, value: self.value, evaluations: self.evaluations }
    }
}

struct Objective<'a, F> {
    record: &'a RefCell<Record<F>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<F: FnMut(&[f64]) -> Evaluation> Objective<'_, F> {
    fn evaluate(&self, x: &[f64]) -> Evaluation {
        self.record.borrow_mut().evaluate(x)
    }
}

impl<F> Constraints for Objective<'_, F> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&self.lower), Some(&self.upper)))
    }
}

impl<F: FnMut(&[f64]) -> Evaluation> CostFunction for Objective<'_, F> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Infallible;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Infallible> {
        Ok(self.evaluate(x).0)
    }
}

impl<F: FnMut(&[f64]) -> Evaluation> Gradient for Objective<'_, F> {
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(self.evaluate(x).1)
    }

    fn cost_and_gradient(&self, x: &Vec<f64>) -> Result<Evaluation, Infallible> {
        Ok(self.evaluate(x))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rosenbrock(x: &[f64]) -> Evaluation {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        (a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
    }

    fn quadratic(x: &[f64]) -> Evaluation {
        (x.iter().map(|x| x * x).sum(), x.iter().map(|x| 2.0 * x).collect())
    }

    #[test]
    fn rosenbrock_inside_and_on_the_bounds() {
        let free = minimize_bounded(rosenbrock, &[-1.2, 1.0], &[-2.0; 2], &[2.0; 2], 200, 1e-10);
        assert!(free.x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{free:?}");
        assert!(free.evaluations < 100);
        // With x₀ ≤ 1/2 the minimum is at (1/2, 1/4), value 1/4.
        let bound = minimize_bounded(rosenbrock, &[-1.2, 1.0], &[-2.0; 2], &[0.5, 2.0], 200, 1e-10);
        assert_eq!(bound.x[0], 0.5);
        assert!((bound.x[1] - 0.25).abs() < 1e-8 && (bound.value - 0.25).abs() < 1e-12, "{bound:?}");
    }

    #[test]
    fn infinite_bounds_are_no_bounds() {
        let minimum = minimize_bounded(rosenbrock, &[-1.2, 1.0], &[f64::NEG_INFINITY; 2], &[f64::INFINITY; 2], 200, 1e-10);
        assert!(minimum.value < 1e-12, "{minimum:?}");
    }

    #[test]
    fn steps_back_from_points_without_a_value() {
        // NaN in the half x₀ < 0.3, where the unconstrained minimum (0, 0) lies: the border is the best finite place.
        for hole in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let f = |x: &[f64]| if x[0] < 0.3 { (hole, vec![f64::NAN; 2]) } else { quadratic(x) };
            let minimum = minimize_bounded(f, &[0.9, 0.8], &[-1.0; 2], &[1.0; 2], 200, 1e-10);
            assert!(minimum.value < 0.2 && minimum.x[0] >= 0.3, "{minimum:?}");
        }
        // A hole on the way that does not hold the minimum does not stop the search.
        let f = |x: &[f64]| if x[0] < 0.0 { (f64::NAN, vec![]) } else { rosenbrock(x) };
        let minimum = minimize_bounded(f, &[0.1, 1.9], &[-2.0; 2], &[2.0; 2], 500, 1e-10);
        assert!(minimum.value < 1e-8, "{minimum:?}");
    }

    #[test]
    fn without_a_finite_value_the_start_comes_back() {
        let minimum = minimize_bounded(|_| (f64::NAN, vec![f64::NAN]), &[0.5], &[0.0], &[1.0], 100, 1e-8);
        assert_eq!(minimum, Minimum { x: vec![0.5], value: f64::INFINITY, evaluations: 1 });
    }

    #[test]
    fn odd_input_does_not_panic() {
        assert_eq!(minimize_bounded(quadratic, &[3.0], &[1.0], &[-1.0], 9, 1e-8).x, [3.0]);
        assert_eq!(minimize_bounded(quadratic, &[3.0], &[], &[], 9, 1e-8).x, [3.0]);
        assert_eq!(minimize_bounded(quadratic, &[], &[], &[], 9, 1e-8).value, 0.0);
        assert_eq!(minimize_bounded(quadratic, &[3.0], &[-1.0], &[1.0], 0, 1e-8).x, [1.0]);
        assert_eq!(minimize_bounded(quadratic, &[0.5], &[0.5], &[0.5], 9, 1e-8).x, [0.5]);
        assert!(minimize_bounded(quadratic, &[0.5], &[-1.0], &[1.0], 9, f64::NAN).value < 1e-12);
        assert!(minimize_bounded(quadratic, &[f64::NAN], &[-1.0], &[1.0], 9, 1e-8).x[0].abs() <= 1.0);
        assert_eq!(minimize_bounded(quadratic, &[0.5], &[f64::NAN], &[1.0], 9, 1e-8).x, [0.5]);
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
            for (x, (center, ..)) in minimum.x.iter().zip(&cases) {
                prop_assert!((x - center.clamp(-1.0, 1.0)).abs() < 1e-5);
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
