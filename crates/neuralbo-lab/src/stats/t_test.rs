//! The one-sided t-test of two samples with variances of their own (Welch).

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{mean, sd};

/// The outcome of a t-test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// Difference of the means in standard errors.
    pub statistic: f64,
    /// Degrees of freedom; NaN when neither sample varies.
    pub freedom: f64,
    /// Probability of a statistic at least as large if the means were equal.
    pub p: f64,
}

/// Tests whether the mean of `a` is larger than the mean of `b`; `None` if either has fewer than two values or one that is not
/// finite.
///
/// When neither sample varies there is nothing to estimate: p is 0 if `a` is larger, 1 if it is smaller and ½ if both are equal.
///
/// ```
/// use neuralbo_lab::stats::mean_is_larger;
///
/// let test = mean_is_larger(&[3.1, 2.9, 3.3], &[1.0, 1.2, 0.9]).ok_or("three values each")?;
/// assert!(test.p < 0.001);
/// # Ok::<(), &str>(())
/// ```
pub fn mean_is_larger(a: &[f64], b: &[f64]) -> Option<TTest> {
    if a.len() < 2 || b.len() < 2 || a.iter().chain(b).any(|value| !value.is_finite()) {
        return None;
    }
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (va, vb) = (sd(a).powi(2), sd(b).powi(2));
    let difference = mean(a) - mean(b);
    // Satterthwaite's degrees of freedom.
    let (ea, eb) = (va / n, vb / m);
    let variance = ea + eb;
    let freedom = variance.powi(2) / (ea * ea / (n - 1.0) + eb * eb / (m - 1.0));
    if variance == 0.0 {
        return Some(without_spread(difference));
    }
    let statistic = difference / variance.sqrt();
    Some(TTest {
        statistic,
        freedom,
        p: StudentsT::new(0.0, 1.0, freedom).ok()?.sf(statistic),
    })
}

fn without_spread(difference: f64) -> TTest {
    let (statistic, p) = match difference {
        d if d > 0.0 => (f64::INFINITY, 0.0),
        d if d < 0.0 => (f64::NEG_INFINITY, 1.0),
        _ => (0.0, 0.5),
    };
    TTest {
        statistic,
        freedom: f64::NAN,
        p,
    }
}
