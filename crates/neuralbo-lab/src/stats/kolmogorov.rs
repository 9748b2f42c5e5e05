//! The Kolmogorov–Smirnov test of normality, with exact p-values.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | n | size of the sample |
//! | D | largest distance between the sample's distribution function and the normal one |
//! | d | observed value of D |

use faer::Mat;
use neuralbo::linalg::product;
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

use super::standardized;

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

/// P(D ≥ d) for a sample of size n.
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
