//! An exact test that assumes no distribution: every assignment of the values is counted.
//!
//! Ranks are doubled, so that the mean ranks of equal values are whole numbers and sums of ranks can be counted one by one.

use super::ranks;

/// Tests whether the values of `a` tend to be larger than those of `b`: Wilcoxon's rank sum, that is Mann and Whitney's U, one-sided.
///
/// p is the share of all ways to divide the values into two samples of these sizes whose rank sum of the first is at least as large;
/// equal values share their ranks. `None` if a sample is empty or a value is NaN.
///
/// ```
/// use neuralbo_lab::stats::rank_sum_test;
///
/// // The most extreme of the 20 divisions.
/// assert_eq!(rank_sum_test(&[3.1, 2.9, 3.3], &[1.0, 1.2, 0.9]), Some(0.05));
/// ```
pub fn rank_sum_test(a: &[f64], b: &[f64]) -> Option<f64> {
    let all = [a, b].concat();
    if a.is_empty() || b.is_empty() || all.iter().any(|value| value.is_nan()) {
        return None;
    }
    let ranks = doubled(&ranks(&all));
    let observed: usize = ranks[..a.len()].iter().sum();
    let most: usize = ranks.iter().sum();
    // ways[k][s]: the divisions of the values so far with k in the first sample and the rank sum s, as a share of all.
    let mut ways = vec![vec![0.0; most + 1]; a.len() + 1];
    ways[0][0] = 1.0;
    for rank in &ranks {
        for k in (1..=a.len()).rev() {
            for sum in (*rank..=most).rev() {
                ways[k][sum] += ways[k - 1][sum - rank];
            }
        }
    }
    let of_size = &ways[a.len()];
    Some(of_size[observed..].iter().sum::<f64>() / of_size.iter().sum::<f64>())
}

fn doubled(ranks: &[f64]) -> Vec<usize> {
    ranks.iter().map(|rank| (2.0 * rank) as usize).collect()
}
