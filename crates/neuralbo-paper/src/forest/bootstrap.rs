//! How often each row enters a tree.

use neuralbo::linalg::Rng;
use rand::RngExt;

/// Counts of a bootstrap sample: `len` draws with replacement from `len` rows.
pub(super) fn bootstrap_counts(len: usize, rng: &mut Rng) -> Vec<u32> {
    let mut counts = vec![0; len];
    for _ in 0..len {
        counts[rng.random_range(0..len as u32) as usize] += 1;
    }
    counts
}

/// A Poisson(1) draw, the limit of a bootstrap count, by inversion of the distribution function.
pub(super) fn poisson_one(rng: &mut Rng) -> u32 {
    let uniform: f64 = rng.random();
    let mut count = 0;
    let mut probability = (-1.0_f64).exp();
    let mut cumulative = probability;
    // The terms underflow long before 64 draws; the bound only guards the sum's rounding just below 1.
    while uniform >= cumulative && count < 64 {
        count += 1;
        probability /= f64::from(count);
        cumulative += probability;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuralbo::linalg::{Purpose, Streams};

    #[test]
    fn a_bootstrap_sample_draws_as_many_as_there_are() {
        let counts = bootstrap_counts(1000, &mut Streams::new(3).stream(0, Purpose::Bootstrap));
        assert_eq!(counts.iter().sum::<u32>(), 1000);
        let absent = counts.iter().filter(|&&c| c == 0).count() as f64 / 1000.0;
        assert!(
            (absent - (-1.0_f64).exp()).abs() < 0.05,
            "share of absent rows {absent}"
        );
    }

    #[test]
    fn poisson_draws_have_unit_mean_and_variance() {
        let mut rng = Streams::new(5).stream(0, Purpose::Bootstrap);
        let draws: Vec<f64> = (0..20_000)
            .map(|_| f64::from(poisson_one(&mut rng)))
            .collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(
            (mean - 1.0).abs() < 0.03 && (variance - 1.0).abs() < 0.06,
            "mean {mean}, variance {variance}"
        );
    }
}
