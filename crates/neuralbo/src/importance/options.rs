//! How much work an answer is worth, and how sure it is.

use crate::linalg::normal_cdf;

/// How closely indices and dependences are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportanceOptions {
    /// Points of each of the two sequences for the posterior mean.
    pub points: usize,
    /// The same for each function drawn from the posterior.
    pub sample_points: usize,
    /// Functions drawn from the posterior for the intervals.
    pub samples: usize,
    /// Probability that an interval holds the truth, if the model is right.
    pub level: f64,
    /// Whether pairs of parameters are looked at as well.
    pub interactions: bool,
    /// Keys all random streams: the same seed gives the same answer.
    pub seed: u64,
}

impl Default for ImportanceOptions {
    fn default() -> Self {
        Self {
            points: 2048,
            sample_points: 256,
            samples: 24,
            level: 0.9,
            interactions: true,
            seed: 0,
        }
    }
}

/// A number and the interval that holds it with the probability that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// By the posterior mean, or the median of functions drawn from the posterior where that lies outside of the interval.
    pub value: f64,
    /// Lower end, by functions drawn from the posterior; never above the value.
    pub low: f64,
    /// Upper end; never below the value.
    pub high: f64,
}

impl Estimate {
    /// The value and the central part of what samples say, which holds `level` of them.
    pub(super) fn new(value: f64, mut samples: Vec<f64>, level: f64) -> Self {
        samples.retain(|sample| sample.is_finite());
        samples.sort_by(f64::total_cmp);
        let low = quantile(&samples, 0.5 * (1.0 - level)).map_or(value, |low| low.min(value));
        let high = quantile(&samples, 0.5 * (1.0 + level)).map_or(value, |high| high.max(value));
        Self { value, low, high }
    }

    /// The same for a quantity that the posterior mean may put outside of the interval, because it is smoother than the functions
    /// drawn: there the median of what they say is the estimate.
    pub(super) fn inside(value: f64, samples: Vec<f64>, level: f64) -> Self {
        let mut sorted: Vec<f64> = samples.into_iter().filter(|x| x.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |q: f64| quantile(&sorted, q).unwrap_or(value);
        let (low, high) = (at(0.5 * (1.0 - level)), at(0.5 * (1.0 + level)));
        let value = if (low..=high).contains(&value) {
            value
        } else {
            at(0.5)
        };
        Self { value, low, high }
    }

    /// The same within bounds that the truth has.
    pub(super) fn within(self, low: f64, high: f64) -> Self {
        let tame = |x: f64| x.clamp(low, high);
        Self {
            value: tame(self.value),
            low: tame(self.low),
            high: tame(self.high),
        }
    }
}

/// Linear between the two nearest of sorted numbers.
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let place = q.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let (below, share) = (place.floor() as usize, place.fract());
    let above = sorted[(below + 1).min(sorted.len() - 1)];
    Some(sorted[below] + share * (above - sorted[below]))
}

/// The number below which a standard normal variable lies with probability `p`, by halving.
pub(super) fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        *(if normal_cdf(middle) < p {
            &mut low
        } else {
            &mut high
        }) = middle;
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_central_and_hold_the_value() {
        let samples: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        let inside = Estimate::new(40.0, samples.clone(), 0.9);
        assert!(
            (inside.low - 5.0).abs() < 1e-9 && (inside.high - 95.0).abs() < 1e-9,
            "{inside:?}"
        );
        assert_eq!(Estimate::new(-3.0, samples.clone(), 0.9).low, -3.0);
        let median = Estimate::inside(-3.0, samples.clone(), 0.9);
        assert!((median.value - 50.0).abs() < 1e-9 && (median.low - 5.0).abs() < 1e-9);
        assert_eq!(Estimate::inside(40.0, samples, 0.9), inside);
        assert_eq!(
            Estimate::new(1.0, vec![f64::NAN], 0.9),
            Estimate {
                value: 1.0,
                low: 1.0,
                high: 1.0
            }
        );
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.95, 1.6448536269514722),
            (0.975, 1.959963984540054),
            (0.005, -2.5758293035489004),
        ] {
            assert!((normal_quantile(p) - z).abs() < 1e-9, "{p}");
        }
    }
}
