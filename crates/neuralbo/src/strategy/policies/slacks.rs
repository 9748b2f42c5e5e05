//! Models of the slacks of outcome constraints, one tangent posterior each, in the frame of the
//! objective's.
//!
//! The level of interest of a slack is zero, the border of the feasible set: the fit is focused
//! there. Slacks far from the border, compared with most, are compressed by a logarithm: a
//! constraint such as `1/x ≤ 1` spans many orders of magnitude, of which those near the border
//! matter. The others stay as they are, so that lines and parabolas remain what they are.

use rayon::prelude::*;

use super::constants::{FAR, MARGIN, SLACK_EVIDENCE};
use super::neighbourhood::NO_OBSERVATIONS;
use crate::acquisition::Limited;
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion};
use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::strategy::History;
use crate::surrogate::tangent::{TangentModel, TangentPosterior, WeightFunction};
use crate::surrogate::warp::{compress_far_from, median_distance};
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
    /// The evidence is computed from the observations nearest to `center`.
    pub(super) fn fit(
        model: &TangentModel,
        history: &History,
        near: &[usize],
        center: &[f64],
    ) -> Result<Self, FitError> {
        let fit = |j: usize| {
            let slack = |i: usize| history.slacks(i)[j];
            let measured = near.iter().copied().filter(|&i| slack(i).is_finite());
            let known: Vec<usize> = measured.collect();
            if known.is_empty() {
                return Err(NO_OBSERVATIONS);
            }
            let values: Vec<f64> = known.iter().map(|&i| slack(i)).collect();
            let rows = history.observed().rows().select(&known);
            let data = Dataset::from_parts(rows, compressed_around(&values, 0.0));
            let focused = model.clone().focused(0.0);
            let near = data.nearest(center, SLACK_EVIDENCE);
            focused.tuned(&near).fit(&data)
        };
        let slacks = (0..history.outcome_constraints()).into_par_iter();
        let posteriors = slacks.map(fit).collect::<Result<_, _>>()?;
        Ok(Self { posteriors })
    }

    /// Conditioned on running trials at their means, where that is possible.
    pub(super) fn with_pending(&self, pending: &Points) -> Self {
        Self {
            posteriors: given(&self.posteriors, pending),
        }
    }

    /// The means.
    fn mean(&self) -> SlackFunctions {
        let means = self.posteriors.iter().map(TangentPosterior::mean_function);
        SlackFunctions {
            functions: means.collect(),
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
            let at = Points::from_rows(row.len(), [row]);
            let margin = |p: &TangentPosterior| MARGIN * p.predict(&at).sd[0];
            self.posteriors.iter().map(margin).collect()
        };
        maximizer.maximize_within(&means.limit(objective), &margins, region, rng)
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
        maximizer.maximize_within(&self.limit(objective), &none, region, rng)
    }

    fn limit<'a>(&'a self, objective: &'a dyn Function) -> Limited<'a> {
        let slacks = self.functions.iter().map(|f| f as &dyn Function).collect();
        Limited { objective, slacks }
    }
}

/// Posteriors conditioned on running trials at their means, where that is possible.
pub(super) fn given(posteriors: &[TangentPosterior], pending: &Points) -> Vec<TangentPosterior> {
    let given = |posterior: &TangentPosterior| posterior.conditioned(pending);
    posteriors.iter().map(given).collect()
}

/// Values farther than [`FAR`] units from `level` compressed by a logarithm, the others as they are.
/// The unit is the median distance from `level`, 1 where it is 0.
pub(super) fn compressed_around(values: &[f64], level: f64) -> Vec<f64> {
    compress_far_from(level, FAR * median_distance(values, level), values)
}
