//! Thompson sampling: act on one draw from the posterior.

use std::sync::Arc;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::surrogate::{Function, Posterior};

use super::maximize::row_fingerprint;

/// A whole function drawn from the posterior, its deviation from the mean widened `nu` times: values at different rows have the
/// posterior's joint distribution.
///
/// A posterior that cannot draw functions gives [`IndependentThompson`] instead, which has the right marginals only.
pub fn thompson_sample(
    posterior: &Arc<dyn Posterior>,
    nu: f64,
    rng: &mut Rng,
) -> Box<dyn Function> {
    match posterior.sample_function(rng) {
        Some(sample) if nu == 1.0 => sample,
        Some(sample) => Box::new(Widened {
            posterior: Arc::clone(posterior),
            sample,
            nu,
        }),
        None => Box::new(IndependentThompson::new(Arc::clone(posterior), nu, rng)),
    }
}

/// `μ(x) + ν (f̃(x) − μ(x))` for a sample `f̃`.
struct Widened {
    posterior: Arc<dyn Posterior>,
    sample: Box<dyn Function>,
    nu: f64,
}

impl Widened {
    fn mix(&self, sample: &mut [f64], mean: &[f64]) {
        sample
            .iter_mut()
            .zip(mean)
            .for_each(|(f, m)| *f = m + self.nu * (*f - m));
    }
}

impl Function for Widened {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let mut values = self.sample.value(rows);
        self.mix(&mut values, &self.posterior.predict(rows).mean);
        values
    }

    fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
        let (mut values, mut gradient) = self.sample.value_and_gradient(rows)?;
        let at = self.posterior.predict_with_gradient(rows)?;
        self.mix(&mut values, &at.prediction.mean);
        self.mix(gradient.as_mut_slice(), at.mean_gradient.as_slice());
        Some((values, gradient))
    }
}

/// `μ(x) + ν σ(x) ε_x` with one standard normal `ε_x` a row, independent between rows.
///
/// The noise of a row is a function of the row and of a seed drawn once, so the same row always has the same value. It is a
/// jagged function without a gradient: it is meant for the best of a finite list, where the length `N` of the list acts as
/// hidden exploration of about `ν √(2 ln N)`.
pub struct IndependentThompson {
    posterior: Arc<dyn Posterior>,
    nu: f64,
    noise: Streams,
}

impl IndependentThompson {
    /// Draws the seed of the noise from `rng`.
    pub fn new(posterior: Arc<dyn Posterior>, nu: f64, rng: &mut Rng) -> Self {
        Self {
            posterior,
            nu,
            noise: Streams::new(rng.random()),
        }
    }

    fn noise(&self, row: &[f64]) -> f64 {
        let print = row_fingerprint(row);
        StandardNormal.sample(&mut self.noise.indexed(
            print as u64,
            Purpose::Sample,
            (print >> 64) as u64,
        ))
    }
}

impl Function for IndependentThompson {
    fn value(&self, rows: &Points) -> Vec<f64> {
        let at = self.posterior.predict(rows);
        rows.rows()
            .zip(at.mean.iter().zip(&at.sd))
            .map(|(row, (mean, sd))| mean + self.nu * sd * self.noise(row))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::UpperConfidence;
    use crate::acquisition::testing::{Quadratic, assert_gradient};
    use crate::surrogate::{Prediction, PredictionGradient};

    fn sample(seed: u64, nu: f64) -> IndependentThompson {
        let mut rng = Streams::new(seed).stream(0, Purpose::Sample);
        IndependentThompson::new(Arc::new(Quadratic), nu, &mut rng)
    }

    fn line(n: usize) -> Points {
        Points::from_rows(1, (0..n).map(|i| [2.0 * i as f64 / n as f64 - 1.0]))
    }

    #[test]
    fn standardized_values_are_standard_normal() {
        let rows = line(4000);
        let values = sample(1, 2.5).value(&rows);
        let unit = |(x, v): (&[f64], f64)| (v - Quadratic::mean(x)) / (2.5 * Quadratic::sd(x));
        let z: Vec<f64> = rows.rows().zip(values).map(unit).collect();
        let mean = z.iter().sum::<f64>() / 4000.0;
        let second = z.iter().map(|v| v * v).sum::<f64>() / 4000.0;
        let lagged = z.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / 3999.0;
        // Four standard errors of each moment of 4,000 independent normals.
        assert!(
            mean.abs() < 0.064 && (second - 1.0).abs() < 0.09 && lagged.abs() < 0.064,
            "{mean} {second} {lagged}"
        );
    }

    #[test]
    fn a_row_keeps_its_value_whatever_its_neighbours() {
        let (function, rows) = (sample(2, 1.0), line(9));
        let together = function.value(&rows);
        let some = function.value(&rows.select(&[7, 3]));
        assert_eq!(some, [together[7], together[3]]);
        assert_ne!(sample(3, 1.0).value(&rows), together);
    }

    #[test]
    fn without_exploration_only_the_mean_is_left() {
        let rows = line(5);
        let means: Vec<f64> = rows.rows().map(Quadratic::mean).collect();
        assert_eq!(sample(4, 0.0).value(&rows), means);
    }

    #[test]
    fn a_posterior_without_functions_still_gives_a_sample() {
        let posterior: Arc<dyn Posterior> = Arc::new(Quadratic);
        let mut rng = Streams::new(1).stream(0, Purpose::Sample);
        let found = thompson_sample(&posterior, 2.0, &mut rng).value(&line(5));
        assert_eq!(found, sample(1, 2.0).value(&line(5)));
    }

    /// The quadratic, whose every sample is `μ + σ z` with a single `z`.
    struct Rigid;

    impl Posterior for Rigid {
        fn predict(&self, rows: &Points) -> Prediction {
            Quadratic.predict(rows)
        }

        fn predict_with_gradient(&self, rows: &Points) -> Option<PredictionGradient> {
            Quadratic.predict_with_gradient(rows)
        }

        fn sample_function(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
            Some(Box::new(UpperConfidence {
                posterior: Arc::new(Quadratic),
                width: StandardNormal.sample(rng),
            }))
        }
    }

    #[test]
    fn a_function_sample_is_widened_around_the_mean() {
        let posterior: Arc<dyn Posterior> = Arc::new(Rigid);
        let rng = || Streams::new(5).stream(0, Purpose::Sample);
        let draw = |nu| thompson_sample(&posterior, nu, &mut rng());
        let row = [0.4, -0.7];
        let value = |nu| draw(nu).value(&Points::from_rows(2, [row]))[0];
        let deviation = |nu| value(nu) - Quadratic::mean(&row);
        assert!(deviation(1.0).abs() > 1e-3);
        assert!((deviation(3.0) - 3.0 * deviation(1.0)).abs() < 1e-12);
        assert_gradient(&*draw(3.0), &row, 1e-7);
    }
}
