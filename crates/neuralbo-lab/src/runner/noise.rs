//! How large the noise of observations is.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::Problem;
use crate::problems::noise::{median_deviation, range, spread};

/// Random points over which a function's standard deviation is taken, and their seed.
const SPREAD: (usize, u64) = (10_000, 1);
/// The paper's text: this part of the function's range is the variance.
const TEXT_VARIANCE: f64 = 0.01;

/// How large the noise is; written `none`, `code`, `text` or a share such as `0.1sd`.
///
/// ```
/// use neuralbo_lab::problems::SPHERE;
/// use neuralbo_lab::runner::NoiseLevel;
///
/// let level: NoiseLevel = "0.01range".parse()?;
/// assert!((level.sd(&SPHERE.of(1)) - 0.01 * 5.12 * 5.12).abs() < 1e-12);
/// assert!("loud".parse::<NoiseLevel>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoiseLevel {
    /// No noise.
    None,
    /// As in the authors' code: standard deviation 0.1·std(f) over random points.
    Code,
    /// As in the paper's text: variance 1 % of the function's range.
    Text,
    /// Standard deviation as a share of the function's range over the box.
    OfRange(f64),
    /// Standard deviation as a share of the function's own over random points.
    OfSd(f64),
    /// Standard deviation as a share of the function's median absolute deviation over random points.
    OfMad(f64),
}

impl NoiseLevel {
    /// The standard deviation of the noise on a problem.
    pub fn sd(self, problem: &dyn Problem) -> f64 {
        let width = || {
            let (low, high) = range(problem);
            high - low
        };
        let deviation = || spread(problem, SPREAD.0, SPREAD.1).sd;
        match self {
            Self::None => 0.0,
            Self::Code => 0.1 * deviation(),
            Self::Text => (TEXT_VARIANCE * width()).sqrt(),
            Self::OfRange(share) => share * width(),
            Self::OfSd(share) => share * deviation(),
            Self::OfMad(share) => share * median_deviation(problem),
        }
    }
}

impl FromStr for NoiseLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |unit: &str| {
            let share: f64 = text.strip_suffix(unit)?.parse().ok()?;
            (share.is_finite() && share >= 0.0).then_some(share)
        };
        let level = match text {
            "none" => Some(Self::None),
            "code" => Some(Self::Code),
            "text" => Some(Self::Text),
            _ => share("range")
                .map(Self::OfRange)
                .or_else(|| share("sd").map(Self::OfSd))
                .or_else(|| share("mad").map(Self::OfMad)),
        };
        level.ok_or_else(|| {
            format!(
                "noise = `{text}` is unknown; it must be none, code, text or a share of the \
                 function's range, sd or mad, such as 0.1sd"
            )
        })
    }
}

impl fmt::Display for NoiseLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Code => f.write_str("code"),
            Self::Text => f.write_str("text"),
            Self::OfRange(share) => write!(f, "{share}range"),
            Self::OfSd(share) => write!(f, "{share}sd"),
            Self::OfMad(share) => write!(f, "{share}mad"),
        }
    }
}

impl Serialize for NoiseLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_read_back_and_others_are_refused_with_all_forms() {
        for text in ["none", "code", "text", "0.01range", "0.1sd", "0.1mad"] {
            assert_eq!(text.parse::<NoiseLevel>().unwrap().to_string(), text);
        }
        for text in ["", "0.1", "sd", "-1sd", "NaNsd", "1 %"] {
            let refusal = text.parse::<NoiseLevel>().unwrap_err();
            assert!(refusal.contains(&format!("`{text}`")) && refusal.contains("0.1sd"));
        }
    }
}
