//! Monotone transforms of rewards before a model is fitted: how bad the bad ones are must not decide the fit.

/// Rewards far below all others raised to a limit: `factor` times as far below the best as the `usual` quantile of all gaps to
/// it. `None` where no reward is changed.
pub(crate) fn limit_outliers(rewards: &[f64], usual: f64, factor: f64) -> Option<Vec<f64>> {
    let best = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut gaps: Vec<f64> = rewards.iter().map(|reward| best - reward).collect();
    gaps.sort_by(f64::total_cmp);
    let usual = *gaps.get((usual * gaps.len().saturating_sub(1) as f64) as usize)?;
    let limit = best - factor * usual;
    let outlying = usual > 0.0 && rewards.iter().any(|reward| *reward < limit);
    outlying.then(|| rewards.iter().map(|reward| reward.max(limit)).collect())
}

/// Rewards below the median brought nearer to it by a logarithm, in units of the distance from the median to the best.
pub(crate) fn compress_below_median(rewards: &[f64]) -> Vec<f64> {
    let mut sorted = rewards.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(best), Some(median)) = (sorted.last(), sorted.get(sorted.len() / 2)) else {
        return sorted;
    };
    let unit = best - median;
    if !(unit > 0.0 && unit.is_finite()) {
        return rewards.to_vec();
    }
    let compress = |reward: &f64| match reward < median {
        true => median - unit * ((median - reward) / unit).ln_1p(),
        false => *reward,
    };
    rewards.iter().map(compress).collect()
}

/// The median distance of values from `level`, 1 where it is 0.
pub(crate) fn median_distance(values: &[f64], level: f64) -> f64 {
    let mut distances: Vec<f64> = values.iter().map(|value| (value - level).abs()).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances.get(distances.len() / 2).copied();
    median.filter(|median| *median > 0.0).unwrap_or(1.0)
}

/// Values farther than `far` from `level` brought nearer by a logarithm; the others as they are.
pub(crate) fn compress_far_from(level: f64, far: f64, values: &[f64]) -> Vec<f64> {
    let compress = |value: &f64| {
        let distance = value - level;
        match distance.abs() <= far {
            true => *value,
            false => level + distance.signum() * far * (1.0 + (distance.abs() / far).ln()),
        }
    };
    values.iter().map(compress).collect()
}

/// `−ln(1 − x)` below zero, `x` above.
pub(crate) fn compress_below_zero(x: f64) -> f64 {
    if x < 0.0 { -(-x).ln_1p() } else { x }
}

/// The inverse of [`compress_below_zero`].
pub(crate) fn expand_below_zero(x: f64) -> f64 {
    if x < 0.0 { -(-x).exp_m1() } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outliers_are_limited() {
        let mut rewards: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(limit_outliers(&rewards, 0.5, 10.0), None);
        rewards[3] = -1e9;
        // The gaps are 0 to 9 and the outlier's; their median is 4.
        let limited = limit_outliers(&rewards, 0.5, 10.0).unwrap_or_default();
        assert_eq!((limited[3], limited[4]), (9.0 - 40.0, 4.0));
        assert_eq!(limit_outliers(&[2.0; 3], 0.5, 10.0), None);
        assert_eq!(limit_outliers(&[], 0.5, 10.0), None);
    }

    #[test]
    fn only_rewards_below_the_median_are_compressed_and_their_order_stays() {
        let found = compress_below_median(&[-1e6, 3.0, 5.0, -7.0, 4.0]);
        assert_eq!((found[1], found[2], found[4]), (3.0, 5.0, 4.0));
        assert!((found[3] - (3.0 - 2.0 * 6f64.ln())).abs() < 1e-12);
        assert!(found[0] < found[3] && found[0] > -30.0, "{found:?}");
        assert_eq!(compress_below_median(&[2.0, 2.0]), [2.0, 2.0]);
        assert!(compress_below_median(&[]).is_empty());
    }

    #[test]
    fn only_values_far_from_the_level_are_compressed_and_their_order_stays() {
        let values = [0.0, 1.0, -2.0, 1.0, 1e9, -1e9, 11.0];
        assert_eq!(median_distance(&values, 0.0), 2.0);
        let found = compress_far_from(0.0, 10.0, &values);
        assert_eq!(found[..4], [0.0, 1.0, -2.0, 1.0]);
        assert!((found[4] - 10.0 * (1.0 + 1e8f64.ln())).abs() < 1e-9 && found[5] == -found[4]);
        assert!((10.0..11.0).contains(&found[6]), "{found:?}");
        let ones = (median_distance(&[3.0, 3.0], 3.0), median_distance(&[], 0.0));
        assert_eq!(ones, (1.0, 1.0));
    }

    #[test]
    fn compression_below_zero_can_be_undone() {
        for x in [-30.0, -0.5, 0.0, 2.0] {
            assert!((expand_below_zero(compress_below_zero(x)) - x).abs() < 1e-12);
        }
    }
}
