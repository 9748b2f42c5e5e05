//! Models of the slacks of outcome constraints, one tangent posterior each, in the frame of the
//! objective's.
//!
//! The level of interest of a slack is zero, the border of the feasible set: the fit is focused
//! there. Slacks far from the border, compared with most, are compressed by a logarithm: a
//! constraint such as `1/x ≤ 1` spans many orders of magnitude, of which those near the border
//! matter. The others stay as they are, so that lines and parabolas remain what they are.

use rayon::prelude::*;

use super::constants::{FAR, MARGIN, SLACK_EVIDENCE};
use super::neighbourhood::nearest;
use crate::acquisition::Limited;
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion};
use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::strategy::History;
use crate::surrogate::tangent::{TangentModel, TangentPosterior, WeightFunction};
use crate::surrogate::{Dataset, FitError, Function, Posterior};

/// The posteriors of all slacks.
#[derive(Clone)]
pub(super) struct SlackModels {
    posteriors: Vec<TangentPosterior>,
}

/// One function per slack: the means, or samples.
pub(super) struct SlackFunctions {
    functions: Vec<WeightFunction>,
}

impl SlackModels {
    /// Fits `model` (its frame, not its hyper-parameters) to all slacks of the observations `near`.
    /// The evidence is computed from the `evidence` observations nearest to `center`.
    pub(super) fn fit(
        model: &TangentModel,
        history: &History,
        near: &[usize],
        center: &[f64],
        evidence: usize,
    ) -> Result<Self, FitError> {
        let evidence = SLACK_EVIDENCE.min(evidence);
        let fit = |j: usize| {
            let slack = |i: usize| history.slacks(i)[j];
            let measured = near.iter().copied().filter(|&i| slack(i).is_finite());
            let known: Vec<usize> = measured.collect();
            if known.is_empty() {
                return Err(FitError::TooFewObservations {
                    needed: 1,
                    found: 0,
                });
            }
            let values: Vec<f64> = known.iter().map(|&i| slack(i)).collect();
            let rows = history.observed().rows().select(&known);
            let data = Dataset::from_parts(rows, compressed_around(&values, 0.0));
            let tuned = model
                .clone()
                .focused(0.0)
                .tuned(&nearest(&data, center, evidence));
            tuned.fit(&data)
        };
        let posteriors: Result<Vec<_>, FitError> = (0..history.constraints())
            .into_par_iter()
            .map(fit)
            .collect();
        Ok(Self {
            posteriors: posteriors?,
        })
    }

    /// Conditioned on running trials at their means, where that is possible.
    pub(super) fn with_pending(&self, pending: &Points) -> Self {
        if pending.is_empty() {
            return self.clone();
        }
        let conditioned = |posterior: &TangentPosterior| {
            posterior
                .conditioned(pending)
                .unwrap_or_else(|_| posterior.clone())
        };
        Self {
            posteriors: self.posteriors.iter().map(conditioned).collect(),
        }
    }

    /// The means.
    fn mean(&self) -> SlackFunctions {
        SlackFunctions {
            functions: self
                .posteriors
                .iter()
                .map(TangentPosterior::mean_function)
                .collect(),
        }
    }

    /// One function drawn from each posterior, its deviation widened `nu` times, by the streams of a
    /// trial.
    pub(super) fn sample(&self, nu: f64, streams: &Streams, number: u64) -> SlackFunctions {
        let sample = |(j, posterior): (usize, &TangentPosterior)| {
            let mut rng = streams.indexed(number, Purpose::Sample, 1 + j as u64);
            posterior.sample(nu, &mut rng)
        };
        SlackFunctions {
            functions: self.posteriors.iter().enumerate().map(sample).collect(),
        }
    }

    /// The maximizer of a function where the means of all slacks keep a margin from the border.
    pub(super) fn mean_maximum(
        &self,
        objective: &dyn Function,
        maximizer: &Maximizer,
        region: &SearchRegion<'_>,
        rng: &mut Rng,
    ) -> Option<Maximum> {
        let means = self.mean();
        let margins = |row: &[f64]| {
            self.deviations(row)
                .into_iter()
                .map(|sd| MARGIN * sd)
                .collect()
        };
        maximizer.maximize_within(
            &Limited {
                objective,
                slacks: means.functions(),
            },
            &margins,
            region,
            rng,
        )
    }

    /// The standard deviation of each slack at a row.
    fn deviations(&self, row: &[f64]) -> Vec<f64> {
        let at = Points::from_rows(row.len(), [row]);
        self.posteriors
            .iter()
            .map(|posterior| posterior.predict(&at).sd[0])
            .collect()
    }

    /// The posterior of each slack.
    pub(super) fn posteriors(&self) -> &[TangentPosterior] {
        &self.posteriors
    }
}

impl SlackFunctions {
    /// The maximizer of a function where all slacks are positive; `None` when no row is left.
    pub(super) fn maximum(
        &self,
        objective: &dyn Function,
        maximizer: &Maximizer,
        region: &SearchRegion<'_>,
        rng: &mut Rng,
    ) -> Option<Maximum> {
        let none = |_: &[f64]| vec![0.0; self.functions.len()];
        maximizer.maximize_within(
            &Limited {
                objective,
                slacks: self.functions(),
            },
            &none,
            region,
            rng,
        )
    }

    fn functions(&self) -> Vec<&dyn Function> {
        self.functions
            .iter()
            .map(|function| function as &dyn Function)
            .collect()
    }
}

/// Values farther than [`FAR`] units from `level` compressed by a logarithm, the others as they are.
/// The unit is the median distance from `level`, 1 where it is 0.
pub(super) fn compressed_around(values: &[f64], level: f64) -> Vec<f64> {
    let far = FAR * median_distance(values, level);
    let compress = |value: &f64| {
        let distance = value - level;
        if distance.abs() <= far {
            *value
        } else {
            level + distance.signum() * far * (1.0 + (distance.abs() / far).ln())
        }
    };
    values.iter().map(compress).collect()
}

fn median_distance(values: &[f64], level: f64) -> f64 {
    let mut distances: Vec<f64> = values.iter().map(|value| (value - level).abs()).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances.get(distances.len() / 2).copied();
    median.filter(|median| *median > 0.0).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_far_from_the_border_are_compressed_and_the_order_stays() {
        let values = [0.0, 1.0, -1.0, 1.0, 1e9, -1e9, 11.0];
        let found = compressed_around(&values, 0.0);
        assert_eq!(found[..4], [0.0, 1.0, -1.0, 1.0]);
        assert!((found[4] - 10.0 * (1.0 + 1e8f64.ln())).abs() < 1e-9 && found[5] == -found[4]);
        assert!((10.0..11.0).contains(&found[6]), "{found:?}");
        assert_eq!(median_distance(&[0.0, 1.0, -2.0, 1e9, -1e9], 0.0), 2.0);
        assert_eq!(median_distance(&[3.0, 3.0], 3.0), 1.0);
        assert_eq!(median_distance(&[], 0.0), 1.0);
    }
}
