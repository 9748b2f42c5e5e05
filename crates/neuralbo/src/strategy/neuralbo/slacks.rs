//! Models of the slacks of outcome constraints, one tangent posterior each, in the frame of the objective's.
//!
//! A slack is a reward whose interesting level is not its best but zero, the border of what is feasible: the fit is focused there.
//! Slacks far from the border, compared with most, are brought nearer by a logarithm: a constraint such as `1/x ≤ 1` is measured over
//! many orders of magnitude, of which those near the border matter. The others stay as they are, so that lines and parabolas are
//! seen as what they are.

use rayon::prelude::*;

use super::neighbourhood::nearest;
use crate::acquisition::Limited;
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion};
use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::surrogate::tangent::{TangentModel, TangentPosterior, WeightFunction};
use crate::surrogate::{Dataset, FitError, Function, Posterior, warp};

/// Distances from the border, in units of their median, from which on only their logarithm counts.
const FAR: f64 = 10.0;
/// Standard deviations that the mean of a slack keeps from the border.
const MARGIN: f64 = 1.0;
/// Most observations that the evidence of a slack's model is computed from: there may be many slacks.
const MOST_EVIDENCE: usize = 96;

/// The posteriors of all slacks.
#[derive(Clone)]
pub(super) struct SlackModels {
    posteriors: Vec<TangentPosterior>,
}

/// One function a slack: the means, or samples.
pub(super) struct SlackFunctions {
    functions: Vec<WeightFunction>,
}

impl SlackModels {
    /// Fits `model` (its frame, not its hyper-parameters) to every column of `slacks`, one row an observation; NaN is what was not
    /// measured. The evidence is computed from the `evidence` observations nearest to the frame's centre.
    pub(super) fn fit(
        model: &TangentModel,
        (rows, slacks): (&Points, &Points),
        center: &[f64],
        evidence: usize,
    ) -> Result<Self, FitError> {
        let evidence = MOST_EVIDENCE.min(evidence);
        let fit = |j: usize| {
            let known: Vec<usize> = (0..rows.len())
                .filter(|&i| slacks.row(i)[j].is_finite())
                .collect();
            if known.is_empty() {
                return Err(FitError::TooFewObservations {
                    needed: 1,
                    found: 0,
                });
            }
            let values: Vec<f64> = known.iter().map(|&i| slacks.row(i)[j]).collect();
            let unit = usual(&values, 0.0);
            let data = Dataset::from_parts(rows.select(&known), tempered(&values, 0.0, unit));
            let tuned = model
                .clone()
                .focused(0.0)
                .tuned(&nearest(&data, center, evidence));
            tuned.fit(&data)
        };
        let posteriors: Result<Vec<_>, FitError> =
            (0..slacks.dim()).into_par_iter().map(fit).collect();
        Ok(Self {
            posteriors: posteriors?,
        })
    }

    /// Running trials taken as observed at their means; as it is where they cannot be told from observations.
    pub(super) fn with_pending(&self, pending: &Points) -> Self {
        let informed = |posterior: &TangentPosterior| posterior.conditioned(pending);
        Self {
            posteriors: self.posteriors.iter().map(informed).collect(),
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

    /// One function drawn from each posterior, its deviation from the mean widened `nu` times. The streams are those of one trial.
    pub(super) fn sample(&self, nu: f64, streams: &Streams, number: u64) -> SlackFunctions {
        let sample = |(j, posterior): (usize, &TangentPosterior)| {
            let mut rng = streams.indexed(number, Purpose::Sample, 1 + j as u64);
            posterior.sample(nu, &mut rng)
        };
        SlackFunctions {
            functions: self.posteriors.iter().enumerate().map(sample).collect(),
        }
    }

    /// The row where a function is largest, or nearly so, within the limits by the means: these keep a margin from every border.
    pub(super) fn mean_maximum(
        &self,
        objective: &dyn Function,
        (maximizer, region): (&Maximizer, &SearchRegion<'_>),
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
    /// The row where a function is largest within the limits; `None` when nothing is left.
    pub(super) fn maximum(
        &self,
        objective: &dyn Function,
        (maximizer, region): (&Maximizer, &SearchRegion<'_>),
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

    /// One function a slack.
    fn functions(&self) -> Vec<&dyn Function> {
        self.functions
            .iter()
            .map(|function| function as &dyn Function)
            .collect()
    }
}

/// The median distance of values from `level`, 1 where it is 0.
pub(super) fn usual(values: &[f64], level: f64) -> f64 {
    warp::median_distance(values, level)
}

/// Values farther than [`FAR`] units from `level` brought nearer by a logarithm; the others as they are.
pub(super) fn tempered(values: &[f64], level: f64, unit: f64) -> Vec<f64> {
    warp::compress_far_from(level, FAR * unit, values)
}
