//! The share of the noise in the variance of the values, by repeated evaluations of the same points.
//!
//! What a model leaves unexplained is noise *or* structure that the model misses; only repetitions tell the two apart.

use super::Estimate;
use super::options::normal_quantile;
use crate::surrogate::Dataset;

/// Fewest degrees of freedom: repetitions beyond the first evaluation of each point.
const FEWEST: usize = 5;

/// The pooled variance within points, as a share of the variance of all values; `None` with too few repetitions.
///
/// The interval is that of normal noise, by Wilson and Hilferty's quantiles of the χ² distribution.
pub(super) fn noise_share(data: &Dataset, level: f64) -> Option<Estimate> {
    let mut order: Vec<usize> = (0..data.len()).collect();
    let row = |i: usize| data.rows().row(i);
    order.sort_by(|a, b| {
        let mut pairs = row(*a).iter().zip(row(*b)).map(|(x, y)| x.total_cmp(y));
        pairs.find(|order| order.is_ne()).unwrap_or(a.cmp(b))
    });
    let groups: Vec<Vec<f64>> = order
        .chunk_by(|a, b| row(*a) == row(*b))
        .map(|group| group.iter().map(|i| data.rewards()[*i]).collect())
        .collect();
    let freedom = data.len() - groups.len();
    if freedom < FEWEST {
        return None;
    }
    let within: f64 = groups.iter().map(|group| squares(group)).sum();
    let variance = squares(data.rewards()) / (data.len() - 1) as f64;
    let share = |freedom: f64| match variance > 0.0 {
        true => (within / freedom / variance).clamp(0.0, 1.0),
        false => 0.0,
    };
    let quantile = |p: f64| {
        let spread = 2.0 / (9.0 * freedom as f64);
        freedom as f64 * (1.0 - spread + normal_quantile(p) * spread.sqrt()).powi(3)
    };
    Some(Estimate {
        value: share(freedom as f64),
        low: share(quantile(0.5 * (1.0 + level))),
        high: share(quantile(0.5 * (1.0 - level)).max(f64::MIN_POSITIVE)),
    })
}

/// The sum of squared differences from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::linalg::{Points, Purpose, Streams};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// The value x on [−1, 1] with noise of 0.1: a share of 0.01 / (1/3 + 0.01).
    fn noisy(points: usize, repeats: usize, seed: u64) -> Dataset {
        let mut rng = Streams::new(seed).stream(0, Purpose::Noise);
        let mut data = Dataset::new(1);
        for _ in 0..points {
            let x: f64 = rng.random_range(-1.0..1.0);
            for _ in 0..repeats {
                data.push(&[x], x + 0.1 * rng.sample::<f64, _>(StandardNormal));
            }
        }
        data
    }

    #[test]
    fn repeated_evaluations_tell_the_share_of_the_noise() {
        let holding = (0..200).filter(|seed| {
            let data = noisy(60, 2, *seed);
            let truth = 0.01 / (squares(data.rewards()) / (data.len() - 1) as f64);
            let found = noise_share(&data, 0.9).unwrap();
            (found.low..=found.high).contains(&truth)
        });
        // 180 of them, give or take 4.2.
        assert!((165..=195).contains(&holding.count()));
        let truth = 0.01 / (1.0 / 3.0 + 0.01);
        let many = noise_share(&noisy(2000, 2, 1), 0.9).unwrap();
        assert!((many.value / truth - 1.0).abs() < 0.1, "{many:?}");
    }

    #[test]
    fn without_repetitions_nothing_is_said() {
        assert_eq!(noise_share(&noisy(100, 1, 1), 0.9), None);
        assert_eq!(noise_share(&noisy(4, 2, 1), 0.9), None);
        let equal = Dataset::from_parts(Points::from_rows(1, vec![[0.5]; 9]), vec![2.0; 9]);
        assert_eq!(noise_share(&equal, 0.9).unwrap().high, 0.0);
    }
}
