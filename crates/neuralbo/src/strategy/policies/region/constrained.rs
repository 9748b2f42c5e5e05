//! A trust region under outcome constraints.
//!
//! Objective and slacks are modelled around the observation of the largest score: the best feasible
//! one or, while there is none, the one of least violation. Trials alternate between the means and
//! samples of the objective where those of the slacks allow it; the means keep a margin of a
//! standard deviation, so that borders are approached from inside.

use std::sync::{Arc, OnceLock};

use super::super::constants::{EVIDENCE_POINTS, SMALLEST_UNIT};
use super::super::neighbourhood::{best_row, farthest, neighbours};
use super::super::scores::scored;
use super::super::slacks::{SlackModels, compressed_around};
use super::RegionModels;
use super::descents::Descents;
use super::model::{Local, RegionShape, Tangent, admissible, unit};
use super::recommend::seen_noise;
use crate::linalg::Points;
use crate::strategy::{History, LocalModel};
use crate::surrogate::tangent::{Frame, TangentPosterior};
use crate::surrogate::{Dataset, FitError, Posterior};

/// The models of a region under outcome constraints.
pub(crate) struct ConstrainedModels;

impl RegionModels for ConstrainedModels {
    fn fit(
        &self,
        tangent: &Tangent,
        history: &History,
        scores: &Dataset,
        descents: &Descents,
    ) -> Result<Local, FitError> {
        let before = descents.observations_before();
        let own = scores.since(before);
        let best = best_row(&own)?;
        let near = neighbours(own.rows(), best, descents.side()).into_iter();
        let near: Vec<usize> = near.map(|i| before + i).collect();
        let unit = unit(descents.side(), scores.select(&near).spread(best));
        let center = before + own.best().unwrap_or(0);
        let (posterior, slacks) = models(tangent, history, &near, center, unit)?;
        let stretch = stretch(&posterior, &slacks, &scores.rows().select(&near));
        Ok(Local {
            posterior,
            center: admissible(&tangent.setup.space, best.to_vec()),
            shape: RegionShape::Axes(stretch),
            slacks: Some(slacks),
            mean_maximum: OnceLock::new(),
            improvement_predicted: false,
        })
    }

    /// Around the best feasible observation, with the models of the noisy slacks.
    fn reliable(&self, tangent: &Tangent, history: &History) -> Result<LocalModel, FitError> {
        let scores = scored(history);
        let center = best_row(&scores)?.to_vec();
        let near = neighbours(scores.rows(), &center, 0.0);
        let unit = scores.select(&near).spread(&center).max(SMALLEST_UNIT);
        let best = scores.best().unwrap_or(0);
        let (posterior, slacks) = models(tangent, history, &near, best, unit)?;
        let shared = |slack: &TangentPosterior| Arc::new(slack.clone()) as Arc<dyn Posterior>;
        let noisy = slacks.posteriors().iter().filter(|s| s.sees_noise());
        Ok(LocalModel {
            noise_sd: seen_noise(&posterior),
            posterior: Arc::new(posterior),
            reach: farthest(&scores.rows().select(&near), &center),
            center,
            slacks: noisy.map(shared).collect(),
            widening: 1.0,
        })
    }
}

/// The models of the reward and of all slacks by the observations `near`, precise around the
/// reward of the observation `center` and around the borders.
fn models(
    tangent: &Tangent,
    history: &History,
    near: &[usize],
    center: usize,
    unit: f64,
) -> Result<(TangentPosterior, SlackModels), FitError> {
    let observed = history.observed();
    let (row, level) = (observed.rows().row(center), observed.rewards()[center]);
    let seen = observed.select(near);
    let seen = seen.with_rewards(compressed_around(seen.rewards(), level));
    let frame = Frame::new(row.to_vec(), unit);
    let focused = tangent.informed(frame.clone()).focused(level);
    let evidence = seen.nearest(row, EVIDENCE_POINTS);
    let posterior = focused.tuned(&evidence).fit(&seen)?;
    let slacks = SlackModels::fit(&tangent.untuned(frame), history, near, row)?;
    Ok((posterior, slacks))
}

/// Factors of the region's side along each coordinate: the inverse of its influence on the objective and all slacks.
fn stretch(posterior: &TangentPosterior, slacks: &SlackModels, rows: &Points) -> Vec<f64> {
    let mut squares = vec![0.0; rows.dim()];
    for model in std::iter::once(posterior).chain(slacks.posteriors()) {
        for (square, influence) in squares.iter_mut().zip(model.influence(rows)) {
            *square += influence * influence;
        }
    }
    let mean = squares.iter().map(|square| square.ln()).sum::<f64>() / squares.len().max(1) as f64;
    let inverse = |square: &f64| (0.5 * (mean - square.ln())).exp();
    squares.iter().map(inverse).collect()
}
