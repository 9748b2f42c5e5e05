//! Whether differences are more than chance.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{mean, ranks, sd};

/// p of Welch's one-sided t-test that the mean of `a` is larger than the mean of `b`; `None` if either has fewer than two values
/// or one that is not finite.
///
/// When neither sample varies there is nothing to estimate: p is 0 if `a` is larger, 1 if it is smaller and ½ if both are equal.
pub fn mean_is_larger(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() < 2 || b.len() < 2 || a.iter().chain(b).any(|value| !value.is_finite()) {
        return None;
    }
    let (n, m) = (a.len() as f64, b.len() as f64);
    let difference = mean(a) - mean(b);
    let (ea, eb) = (sd(a).powi(2) / n, sd(b).powi(2) / m);
    let variance = ea + eb;
    if variance == 0.0 {
        return Some(match difference {
            d if d > 0.0 => 0.0,
            d if d < 0.0 => 1.0,
            _ => 0.5,
        });
    }
    // Satterthwaite's degrees of freedom.
    let freedom = variance.powi(2) / (ea * ea / (n - 1.0) + eb * eb / (m - 1.0));
    let statistic = difference / variance.sqrt();
    Some(StudentsT::new(0.0, 1.0, freedom).ok()?.sf(statistic))
}

/// p of the exact one-sided test that the values of `a` tend to be larger than those of `b`: Wilcoxon's rank sum, that is Mann and
/// Whitney's U.
///
/// p is the share of all ways to divide the values into two samples of these sizes whose rank sum of the first is at least as large;
/// equal values share their ranks. `None` if a sample is empty or a value is NaN.
pub fn rank_sum_test(a: &[f64], b: &[f64]) -> Option<f64> {
    let all = [a, b].concat();
    if a.is_empty() || b.is_empty() || all.iter().any(|value| value.is_nan()) {
        return None;
    }
    // Doubled, so that the mean ranks of equal values are whole numbers and sums of ranks can be counted one by one.
    let ranks: Vec<usize> = ranks(&all).iter().map(|r| (2.0 * r) as usize).collect();
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

/// Benjamini and Hochberg's procedure: the smallest rate of false discoveries at which each test would be a discovery.
///
/// With the p-values in rising order p₍₁₎ … p₍ₙ₎, the adjusted value of the i-th is the smallest p₍ⱼ₎·n/j with j ≥ i, at most 1.
/// NaN, a test that could not be made, counts as 1: it is never a discovery and keeps its place in the family.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    // The smaller of NaN and 1 is 1.
    let p = |i: usize| p_values[i].min(1.0);
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p(a).total_cmp(&p(b)));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut smallest = 1.0f64;
    for (below, &i) in order.iter().enumerate().rev() {
        smallest = smallest.min(p(i) * p_values.len() as f64 / (below + 1) as f64);
        adjusted[i] = smallest;
    }
    adjusted
}
