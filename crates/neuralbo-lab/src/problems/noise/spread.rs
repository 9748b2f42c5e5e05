//! How much a problem's values vary, to choose noise by.

use neuralbo::linalg::{Purpose, Rng, Streams};
use rand::RngExt;

use crate::Problem;
use crate::stats::{mean, median};

/// Statistics of the values at random points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
}

/// The spread of the true values at `points` uniform points; all zero without points.
///
/// ```
/// use neuralbo_lab::problems::SPHERE;
/// use neuralbo_lab::problems::noise::spread;
///
/// // x² of a uniform x in [−5.12, 5.12] has the mean 5.12²/3.
/// let spread = spread(&SPHERE.of(1), 10_000, 1);
/// assert!((spread.mean - 8.74).abs() < 0.2);
/// ```
pub fn spread(problem: &dyn Problem, points: usize, seed: u64) -> Spread {
    let values = values(problem, points, seed, |rng, low, high| {
        low + (high - low) * rng.random::<f64>()
    });
    if values.is_empty() {
        return Spread { mean: 0.0, sd: 0.0 };
    }
    let mean = mean(&values);
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
    Spread {
        mean,
        sd: variance.sqrt(),
    }
}

/// The median absolute deviation of the true values from their median, at 1001 uniform points.
pub fn median_deviation(problem: &dyn Problem) -> f64 {
    let mut values = values(problem, 1001, 1, |rng, low, high| {
        rng.random_range(low..=high)
    });
    let centre = median(&values);
    values.iter_mut().for_each(|v| *v = (*v - centre).abs());
    median(&values)
}

/// The true values at random points of the box; `draw` is uniform between two bounds.
fn values(
    problem: &dyn Problem,
    points: usize,
    seed: u64,
    draw: fn(&mut Rng, f64, f64) -> f64,
) -> Vec<f64> {
    let bounds = problem.bounds();
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    let mut coordinate = |(low, high): &(f64, f64)| draw(&mut rng, *low, *high);
    let mut point = || -> Vec<f64> { bounds.iter().map(&mut coordinate).collect() };
    (0..points).map(|_| problem.value(&point())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::{ACKLEY, LEVY, MICHALEWICZ};

    /// A tenth of the standard deviation is the noise of the experiments; these are the figures they were set up with.
    #[test]
    fn a_tenth_of_the_sd_is_the_noise_of_the_experiments() {
        for (dim, ackley, levy, michalewicz) in [
            (10, 0.042, 4.82, 0.071),
            (20, 0.026, 7.00, 0.101),
            (100, 0.011, 15.8, 0.224),
        ] {
            let problems: [(&dyn Problem, f64); 3] = [
                (&ACKLEY.of(dim), ackley),
                (&LEVY.of(dim), levy),
                (&MICHALEWICZ.of(dim), michalewicz),
            ];
            for (problem, noise) in problems {
                let ours = 0.1 * spread(problem, 5000, 1).sd;
                let name = problem.name();
                assert!((ours / noise - 1.0).abs() < 0.06, "{name}: {ours}, {noise}");
            }
        }
    }
}
