//! Gaussian noise on observations, and how much a problem's values vary, to choose it by.

use std::ops::RangeInclusive;

use neuralbo::linalg::{Purpose, Rng, Streams};
use rand::RngExt;
use rand_distr::StandardNormal;

use crate::Problem;
use crate::stats::{mean, median};

/// A standard deviation that is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("sd = {0} is not a noise level; it must be finite and not negative")]
pub struct NoiseError(f64);

/// Additive Gaussian noise of the observations of one run.
///
/// It depends on the seed and the evaluation's index only, so every method that is compared on the same run meets the same
/// noise.
///
/// ```
/// use neuralbo_lab::problems::noise::GaussianNoise;
///
/// let noise = GaussianNoise::new(0.1, 7)?;
/// assert_ne!(noise.at(0), noise.at(1));
/// assert_eq!(noise.at(1), noise.at(1));
/// assert!(GaussianNoise::new(-1.0, 7).is_err());
/// # Ok::<(), neuralbo_lab::problems::noise::NoiseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussianNoise {
    sd: f64,
    streams: Streams,
}

impl GaussianNoise {
    /// Noise of standard deviation `sd`.
    pub fn new(sd: f64, seed: u64) -> Result<Self, NoiseError> {
        if !(sd.is_finite() && sd >= 0.0) {
            return Err(NoiseError(sd));
        }
        let streams = Streams::new(seed);
        Ok(Self { sd, streams })
    }

    /// What evaluation number `index` adds to the value.
    pub fn at(&self, index: u64) -> f64 {
        let mut rng = self.streams.stream(index, Purpose::Noise);
        let normal: f64 = rng.sample(StandardNormal);
        self.sd * normal
    }
}

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
    use super::*;
    use std::f64::consts::{E, PI};

    use crate::problems::{ACKLEY, LEVY, MICHALEWICZ, ROSENBROCK, SPHERE};

    #[test]
    fn noise_has_the_asked_size_and_no_bias_and_depends_on_the_seed() {
        let source = GaussianNoise::new(0.5, 3).unwrap();
        let noise: Vec<f64> = (0..4000).map(|i| source.at(i)).collect();
        let mean = noise.iter().sum::<f64>() / 4000.0;
        let sd = (noise.iter().map(|e| e * e).sum::<f64>() / 4000.0).sqrt();
        assert!(mean.abs() < 0.03 && (sd - 0.5).abs() < 0.03, "{mean} {sd}");
        assert_ne!(GaussianNoise::new(0.5, 2).unwrap().at(5), source.at(5));
    }

    #[test]
    fn impossible_noise_is_refused() {
        for sd in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(GaussianNoise::new(sd, 1).is_err());
        }
    }

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
