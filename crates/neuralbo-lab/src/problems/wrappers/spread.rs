//! How much a problem's values vary, to choose noise by.

use neuralbo::linalg::{Purpose, Streams};
use rand::RngExt;

use crate::Problem;
use crate::stats::median;

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
/// use neuralbo_lab::problems::wrappers::spread;
///
/// // x² of a uniform x in [−5.12, 5.12] has the mean 5.12²/3.
/// let spread = spread(&SPHERE.of(1), 10_000, 1);
/// assert!((spread.mean - 8.74).abs() < 0.2);
/// ```
pub fn spread(problem: &dyn Problem, points: usize, seed: u64) -> Spread {
    let bounds = problem.bounds();
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    let mut draw = || -> Vec<f64> {
        bounds
            .iter()
            .map(|(low, high)| low + (high - low) * rng.random::<f64>())
            .collect()
    };
    let values: Vec<f64> = (0..points).map(|_| problem.value(&draw())).collect();
    if values.is_empty() {
        return Spread { mean: 0.0, sd: 0.0 };
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
    Spread {
        mean,
        sd: variance.sqrt(),
    }
}

/// The median absolute deviation of the true values from their median, at 1001 uniform points.
pub fn median_deviation(problem: &dyn Problem) -> f64 {
    let mut rng = Streams::new(1).stream(0, Purpose::Design);
    let bounds = problem.bounds();
    let mut value = || {
        let x: Vec<f64> = bounds
            .iter()
            .map(|(low, high)| rng.random_range(*low..=*high))
            .collect();
        problem.value(&x)
    };
    let values: Vec<f64> = (0..1001).map(|_| value()).collect();
    let center = median(&values);
    median(
        &values
            .iter()
            .map(|v| (v - center).abs())
            .collect::<Vec<_>>(),
    )
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
                assert!(
                    (ours / noise - 1.0).abs() < 0.06,
                    "{}: {ours} is not {noise}",
                    problem.name()
                );
            }
        }
    }
}
