//! Statistics of finished runs: summaries, ranks and the tests of the paper's tables.
//!
//! Distributions come from `statrs`; everything is checked against values of SciPy and statsmodels.

use faer::Mat;
use neuralbo::linalg::product;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::gamma::ln_gamma;

#[cfg(test)]
mod tests;

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

/// The mean; NaN of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation with n − 1 in the denominator; NaN of fewer than two values.
pub fn sd(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::NAN;
    }
    let mean = mean(values);
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (squares.sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

/// The value below which the standard normal distribution has probability `level`, which is between 0 and 1.
pub fn normal_quantile(level: f64) -> f64 {
    Normal::standard().inverse_cdf(level)
}

/// The middle value, or the mean of the two middle ones; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which a share `level` of the values lies, interpolated linearly between order statistics (Hyndman and Fan's
/// type 7); NaN of nothing, of NaN, and of levels outside [0, 1].
pub fn quantile(values: &[f64], level: f64) -> f64 {
    let impossible = values.is_empty() || values.iter().any(|value| value.is_nan());
    if impossible || !(0.0..=1.0).contains(&level) {
        return f64::NAN;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = level * (sorted.len() - 1) as f64;
    let (low, share) = (at.floor() as usize, at.fract());
    if share == 0.0 {
        sorted[low]
    } else {
        (1.0 - share) * sorted[low] + share * sorted[low + 1]
    }
}

/// The values less their mean, divided by their standard deviation; `None` if they do not differ.
pub fn standardized(values: &[f64]) -> Option<Vec<f64>> {
    let (mean, sd) = (mean(values), sd(values));
    (sd.is_finite() && sd > 0.0).then(|| values.iter().map(|value| (value - mean) / sd).collect())
}

/// The rank of each value, 1 for the smallest; equal values share the mean of their ranks. NaN, a method that failed, comes last.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    // Failures are equal among themselves and worse than any number; +0 makes 0 and −0 equal.
    let key = |value: &f64| match value.is_nan() {
        true => (true, 0.0),
        false => (false, value + 0.0),
    };
    let keys: Vec<(bool, f64)> = values.iter().map(key).collect();
    let rank = |of: &(bool, f64)| {
        let smaller = keys.iter().filter(|key| *key < of).count();
        let equal = keys.iter().filter(|key| *key == of).count();
        smaller as f64 + 0.5 * (equal as f64 + 1.0)
    };
    keys.iter().map(rank).collect()
}

/// The mean rank of each method over problems, one row per problem and one column per method, smaller values better; `None` if
/// there is no problem or rows differ in length.
pub fn average_ranks(table: &[Vec<f64>]) -> Option<Vec<f64>> {
    let methods = table.first()?.len();
    let mut sums = vec![0.0; methods];
    for row in table {
        if row.len() != methods {
            return None;
        }
        let pairs = sums.iter_mut().zip(ranks(row));
        pairs.for_each(|(sum, rank)| *sum += rank);
    }
    sums.iter_mut().for_each(|sum| *sum /= table.len() as f64);
    Some(sums)
}

/// From here on (in n·d²) twice the one-sided probability is exact to 14 digits (Simard and L'Ecuyer 2011).
const ONE_SIDED_SUFFICES: f64 = 4.0;
/// Powers of the transition matrix are kept below this by moving it to an exponent.
const RESCALE: f64 = 1e140;

/// p of the test of the values, standardized by their own mean and standard deviation (n − 1), against the standard normal
/// distribution.
///
/// Two-sided, with the exact distribution of D (`scipy.stats.kstest`'s default). As in the paper the p-value takes no notice of the
/// two estimated parameters, so it is larger than a test made for that (Lilliefors) would say. `None` if there are fewer than two
/// values or they do not differ.
pub fn normality_test(values: &[f64]) -> Option<f64> {
    let mut standardized = standardized(values)?;
    standardized.sort_by(f64::total_cmp);
    let n = standardized.len() as f64;
    let normal = Normal::standard();
    let distance = |(i, &value): (usize, &f64)| {
        let expected = normal.cdf(value);
        f64::max((i as f64 + 1.0) / n - expected, expected - i as f64 / n)
    };
    let distances = standardized.iter().enumerate().map(distance);
    Some(exceedance(
        standardized.len(),
        distances.fold(0.0, f64::max),
    ))
}

/// P(D ≥ d) for a sample of size n, where D is the largest distance between its distribution function and the normal one.
pub(super) fn exceedance(n: usize, d: f64) -> f64 {
    let size = n as f64;
    if d >= 1.0 {
        0.0
    } else if size * d * d >= ONE_SIDED_SUFFICES {
        (2.0 * one_sided(n, d)).min(1.0)
    } else {
        (1.0 - within(n, d)).clamp(0.0, 1.0)
    }
}

/// P(D⁺ ≥ d) = d Σⱼ C(n, j) (d + j/n)^(j−1) (1 − d − j/n)^(n−j), j = 0 … ⌊n(1−d)⌋ (Smirnov; Birnbaum and Tingey 1951).
fn one_sided(n: usize, d: f64) -> f64 {
    let size = n as f64;
    let term = |j: usize| {
        let (j, share) = (j as f64, j as f64 / size);
        let left = 1.0 - d - share;
        if left <= 0.0 {
            return 0.0;
        }
        let choose = ln_gamma(size + 1.0) - ln_gamma(j + 1.0) - ln_gamma(size - j + 1.0);
        (choose + (j - 1.0) * (d + share).ln() + (size - j) * left.ln()).exp()
    };
    d * (0..=(size * (1.0 - d)) as usize).map(term).sum::<f64>()
}

/// P(D < d) by Durbin's matrix, as Marsaglia, Tsang and Wang (2003) compute it: with k = ⌈nd⌉ and h = k − nd,
/// P = n!/nⁿ · (Hⁿ)ₖₖ for a (2k−1) × (2k−1) matrix H of inverse factorials.
fn within(n: usize, d: f64) -> f64 {
    let size = n as f64;
    let k = ((size * d) as usize) + 1;
    let h = k as f64 - size * d;
    let (power, exponent) = power(&durbin(k, h), n);
    let log = power[(k - 1, k - 1)].ln() + exponent + ln_gamma(size + 1.0) - size * size.ln();
    log.exp()
}

/// H: (1 / (i − j + 1)!) below and on the first superdiagonal, its first column and last row corrected by powers of h.
fn durbin(k: usize, h: f64) -> Mat<f64> {
    let size = 2 * k - 1;
    let mut factorial = vec![1.0; size + 1];
    for i in 1..=size {
        factorial[i] = factorial[i - 1] * i as f64;
    }
    Mat::from_fn(size, size, |i, j| {
        let mut value = if i + 1 >= j { 1.0 } else { return 0.0 };
        if j == 0 {
            value -= h.powi(i as i32 + 1);
        }
        if i == size - 1 {
            value -= h.powi((size - j) as i32);
        }
        if j == 0 && i == size - 1 {
            value += (2.0 * h - 1.0).max(0.0).powi(size as i32);
        }
        value / factorial[i + 1 - j]
    })
}

/// The n-th power as a matrix and the logarithm of its factor.
fn power(matrix: &Mat<f64>, n: usize) -> (Mat<f64>, f64) {
    if n == 1 {
        return (matrix.clone(), 0.0);
    }
    let (half, exponent) = power(matrix, n / 2);
    let mut result = product(half.as_ref(), half.as_ref());
    if n % 2 == 1 {
        result = product(result.as_ref(), matrix.as_ref());
    }
    let mut exponent = 2.0 * exponent;
    let middle = matrix.nrows() / 2;
    if result[(middle, middle)] > RESCALE {
        result *= faer::Scale(1.0 / RESCALE);
        exponent += RESCALE.ln();
    }
    (result, exponent)
}
