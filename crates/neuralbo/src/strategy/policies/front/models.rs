//! One tangent posterior per objective, around one centre.

use rayon::prelude::*;

use super::super::Tangent;
use super::super::constants::{EVIDENCE_POINTS, MOST_NEIGHBOURS, SMALLEST_UNIT, SPREAD_SHARE};
use super::super::neighbourhood::{neighbourhood, neighbours};
use super::super::region::admissible;
use super::super::slacks::SlackModels;
use super::FrontSearch;
use super::aim::{Aim, AimPlace};
use super::units::FrontUnits;
use crate::strategy::History;
use crate::strategy::smbo::Context;
use crate::surrogate::tangent::{Frame, TangentPosterior};
use crate::surrogate::{Dataset, FitError};

/// The models of all objectives in units of the front, and the box they are asked about.
pub(super) struct FrontModels {
    pub(super) aim: Aim,
    pub(super) posteriors: Vec<TangentPosterior>,
    pub(super) center: Vec<f64>,
    /// Side of the box; `None` for the whole space.
    pub(super) side: Option<f64>,
    /// Factor of the side in each coordinate.
    pub(super) stretch: Vec<f64>,
    /// The models of the slacks, under outcome constraints.
    pub(super) slacks: Option<SlackModels>,
}

impl FrontSearch {
    /// Fits the models of a trial.
    pub(super) fn fit(
        &self,
        context: &Context<'_>,
        front: &FrontUnits,
        place: AimPlace,
    ) -> Result<FrontModels, FitError> {
        let center = self.point(context, place.center);
        let (tangent, history) = (&self.tangent, context.history);
        let objectives = history.objectives();
        let fit = |k: usize| fit_objective(tangent, &front.data(history, k), &center, place.side);
        let fits = (0..objectives).into_par_iter().map(fit);
        let fitted: Vec<(TangentPosterior, Vec<f64>)> = fits.collect::<Result<_, _>>()?;
        // The stretch of a coordinate is the average over the objectives.
        let mean = |j: usize| {
            let stretches = fitted.iter().map(|(_, influence)| influence[j].recip());
            stretches.sum::<f64>() / objectives as f64
        };
        let stretch = (0..center.len()).map(mean).collect();
        let slacks = self.fit_slacks(history, &center, place.side)?;
        let posteriors = fitted.into_iter().map(|(posterior, _)| posterior).collect();
        Ok(FrontModels {
            aim: place.aim,
            posteriors,
            center,
            side: place.side,
            stretch,
            slacks,
        })
    }

    /// The models of the slacks, where there are outcome constraints.
    fn fit_slacks(
        &self,
        history: &History,
        center: &[f64],
        side: Option<f64>,
    ) -> Result<Option<SlackModels>, FitError> {
        if self.setup.goals.slacks == 0 {
            return Ok(None);
        }
        let observed = history.observed();
        let reach = side.unwrap_or(f64::INFINITY);
        let near = neighbours(observed.rows(), center, reach);
        let seen = observed.select(&near);
        let frame = Frame::new(center.to_vec(), unit(&seen, center, side));
        SlackModels::fit(&self.tangent.untuned(frame), history, &near, center).map(Some)
    }

    /// The row of an observation, moved to a point that may be run.
    pub(super) fn point(&self, context: &Context<'_>, observation: usize) -> Vec<f64> {
        let row = context.history.observed().rows().row(observation);
        admissible(&self.setup.space, row.to_vec())
    }
}

/// The model of one objective and the influence of each coordinate on it.
fn fit_objective(
    tangent: &Tangent,
    data: &Dataset,
    center: &[f64],
    side: Option<f64>,
) -> Result<(TangentPosterior, Vec<f64>), FitError> {
    let seen = match side {
        Some(side) => neighbourhood(data, center, side),
        None => data.nearest(center, MOST_NEIGHBOURS),
    };
    let near = seen.nearest(center, EVIDENCE_POINTS);
    let frame = Frame::new(center.to_vec(), unit(&seen, center, side));
    let posterior = tangent.untuned(frame).tuned(&near).fit(&seen)?;
    let influence = posterior.influence(near.rows());
    Ok((posterior, influence))
}

/// Half the side of the box, but no less than a part of the neighbours' spread.
fn unit(seen: &Dataset, center: &[f64], side: Option<f64>) -> f64 {
    let share = if side.is_some() { SPREAD_SHARE } else { 1.0 };
    (0.5 * side.unwrap_or(0.0))
        .max(share * seen.spread(center))
        .max(SMALLEST_UNIT)
}
