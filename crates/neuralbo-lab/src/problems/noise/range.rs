//! The smallest and the largest value of a problem over its box.

use std::ops::RangeInclusive;

use crate::Problem;

/// Values tried of one coordinate in a sweep.
const GRID: usize = 256;
/// Halvings of the distance of two grid points around the best one.
const REFINEMENTS: i32 = 40;
/// A sweep that gains less than this part of the value is the last one.
const GAIN: f64 = 1e-9;
/// Sweeps over all coordinates at most.
const SWEEPS: usize = 20;

/// The smallest and the largest value over the box.
///
/// The optimum is taken where the problem knows it. What is not known is searched one coordinate after the other, from the centre
/// and from both ends of the box, until nothing is gained: exact for sums of functions of one coordinate and for all that grow
/// with each coordinate by itself, and never outside the true range.
///
/// ```
/// use neuralbo_lab::problems::MICHALEWICZ;
/// use neuralbo_lab::problems::noise::range;
///
/// let (low, high) = range(&MICHALEWICZ.of(5));
/// assert!((low + 4.687658).abs() < 1e-6 && high.abs() < 1e-12);
/// ```
pub fn range(problem: &dyn Problem) -> (f64, f64) {
    let known = problem
        .optimum()
        .filter(|_| problem.outcome_constraints().is_empty())
        .map(|best| problem.direction().reward(best.value));
    // Rewards are the larger the better, whatever the direction.
    let reward = |x: &[f64]| problem.direction().reward(problem.value(x));
    let best = known.unwrap_or_else(|| largest(problem, &reward));
    let worst = -largest(problem, &|x| -reward(x));
    let ends = [best, worst].map(|reward| problem.direction().reward(reward));
    (ends[0].min(ends[1]), ends[0].max(ends[1]))
}

/// The largest value of a function that the search finds.
fn largest(problem: &dyn Problem, f: &dyn Fn(&[f64]) -> f64) -> f64 {
    let bounds = problem.bounds();
    let climbed = [0.0, 0.5, 1.0].map(|part| {
        let start = bounds.iter().map(|(low, high)| low + part * (high - low));
        climb(start.collect(), &bounds, f)
    });
    climbed.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Sweeps over the coordinates until nothing is gained.
fn climb(mut x: Vec<f64>, bounds: &[(f64, f64)], f: &dyn Fn(&[f64]) -> f64) -> f64 {
    let mut best = f(&x);
    for _ in 0..SWEEPS {
        let before = best;
        for (i, (low, high)) in bounds.iter().enumerate() {
            best = line(&mut x, i, *low..=*high, best, f);
        }
        if best - before <= GAIN * best.abs() {
            break;
        }
    }
    best
}

/// Puts coordinate `i` where the function is largest: the best point of a grid, refined.
fn line(
    x: &mut [f64],
    i: usize,
    ends: RangeInclusive<f64>,
    value: f64,
    f: &dyn Fn(&[f64]) -> f64,
) -> f64 {
    let (low, high) = ends.into_inner();
    let mut best = (x[i], value);
    let mut try_at = |place: f64, best: &mut (f64, f64)| {
        x[i] = place.clamp(low, high);
        let found = f(x);
        if found > best.1 {
            *best = (x[i], found);
        }
    };
    let step = (high - low) / GRID as f64;
    (0..=GRID).for_each(|k| try_at(low + step * k as f64, &mut best));
    for halving in 1..=REFINEMENTS {
        let (centre, reach) = (best.0, step * 0.5_f64.powi(halving));
        try_at(centre - reach, &mut best);
        try_at(centre + reach, &mut best);
    }
    x[i] = best.0;
    best.1
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{E, PI};

    use super::*;
    use crate::problems::{ACKLEY, LEVY, MICHALEWICZ, ROSENBROCK, SPHERE};

    fn close(found: (f64, f64), expected: (f64, f64), relative: f64) {
        let low = (found.0 - expected.0).abs() < 1e-6;
        let high = (found.1 / expected.1 - 1.0).abs() < relative;
        assert!(low && high, "{found:?} {expected:?}");
    }

    /// No point can have a larger root mean square than the corner or a smaller mean cosine than −1.
    #[test]
    fn ackley_comes_up_to_its_bound() {
        let bound = 20.0 * (1.0 - (-0.2 * 32.768f64).exp()) + E - (-1.0f64).exp();
        for dim in [2, 10] {
            close(range(&ACKLEY.of(dim)), (0.0, bound), 1e-4);
        }
    }

    /// A sum of functions of one coordinate: its maximum is the sum of theirs, taken here over a fine grid.
    #[test]
    fn levy_has_the_sum_of_the_largest_terms() {
        let most = |term: &dyn Fn(f64) -> f64| {
            let values = (0..=200_000).map(|k| term(-1.75 + 5.0 * f64::from(k) / 200_000.0));
            values.fold(0.0, f64::max)
        };
        let middle = |w: f64| (w - 1.0).powi(2) * (1.0 + 10.0 * (PI * w + 1.0).sin().powi(2));
        let first = most(&|w| (PI * w).sin().powi(2) + middle(w));
        let last = most(&|w| (w - 1.0).powi(2) * (1.0 + (2.0 * PI * w).sin().powi(2)));
        for dim in [2, 10] {
            let largest = first + (dim - 2) as f64 * most(&middle) + last;
            close(range(&LEVY.of(dim)), (0.0, largest), 1e-8);
        }
    }

    #[test]
    fn corners_and_zeros_are_found() {
        close(range(&SPHERE.of(3)), (0.0, 3.0 * 5.12 * 5.12), 1e-12);
        // 100·(−5 − 10²)² + (1 − 10)² at (10, −5).
        close(range(&ROSENBROCK.of(2)), (0.0, 1_102_581.0), 1e-12);
        assert!(range(&MICHALEWICZ.of(3)).1.abs() < 1e-12);
    }
}
