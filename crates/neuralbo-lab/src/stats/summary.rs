//! Location and spread of a sample, and ranks of methods.

use statrs::distribution::{ContinuousCDF, Normal};

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
