//! Location and spread of a sample.

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

/// The value below which the standard normal distribution has probability `level`; NaN of levels outside [0, 1].
///
/// ```
/// use neuralbo_lab::stats::normal_quantile;
///
/// assert!((normal_quantile(0.975) - 1.959_963_985).abs() < 1e-9);
/// ```
pub fn normal_quantile(level: f64) -> f64 {
    if (0.0..=1.0).contains(&level) {
        Normal::standard().inverse_cdf(level)
    } else {
        f64::NAN
    }
}

/// The middle value, or the mean of the two middle ones; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which a share `level` of the values lies, interpolated linearly between order statistics (Hyndman and Fan's
/// type 7); NaN of nothing, of NaN, and of levels outside [0, 1].
///
/// ```
/// use neuralbo_lab::stats::quantile;
///
/// assert_eq!(quantile(&[4.0, 1.0, 2.0], 0.25), 1.5);
/// ```
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
