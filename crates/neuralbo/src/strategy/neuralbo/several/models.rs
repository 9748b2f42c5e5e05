//! One tangent posterior an objective, around one centre.

use rayon::prelude::*;

use super::super::neighbourhood::{nearest, neighbourhood, neighbours};
use super::super::slacks::SlackModels;
use super::super::{Moment, spread};
use super::FrontPolicy;
use super::aim::Place;
use super::standing::Standing;
use crate::linalg::Points;
use crate::strategy::History;
use crate::surrogate::tangent::{Frame, TangentModel, TangentPosterior};
use crate::surrogate::{Dataset, FitError};

/// Smallest unit of length, relative to the spread of the neighbours in a coordinate, and absolutely.
const SPREAD_SHARE: f64 = 0.1;
const SMALLEST_UNIT: f64 = 1e-6;

/// The models of all objectives in units of the front, and the box they are asked about.
pub(super) struct Models {
    pub(super) posteriors: Vec<TangentPosterior>,
    pub(super) center: Vec<f64>,
    /// Side of the box; `None` for the whole space.
    pub(super) side: Option<f64>,
    /// Factor of the side in each coordinate.
    pub(super) stretch: Vec<f64>,
    /// The models of the slacks, under outcome constraints.
    pub(super) slacks: Option<SlackModels>,
}

impl FrontPolicy {
    /// Fits the models of a trial.
    pub(super) fn fit(
        &self,
        moment: &Moment<'_>,
        standing: &Standing,
        place: &Place,
    ) -> Result<Models, FitError> {
        let center = self.point(moment, place.center);
        let fit = |objective: usize| {
            self.fit_objective(
                &standing.data(moment.history, objective),
                &center,
                place.side,
            )
        };
        let objectives = moment.history.objectives();
        let fitted: Vec<(TangentPosterior, Vec<f64>)> = (0..objectives)
            .into_par_iter()
            .map(fit)
            .collect::<Result<_, _>>()?;
        // A coordinate is as wide as the objectives want it on average.
        let mean = |j: usize| {
            fitted
                .iter()
                .map(|(_, influence)| influence[j].recip())
                .sum::<f64>()
                / objectives as f64
        };
        let stretch = (0..center.len()).map(mean).collect();
        let slacks = self.fit_slacks(moment.history, &center, place.side)?;
        let posteriors = fitted.into_iter().map(|(posterior, _)| posterior).collect();
        Ok(Models {
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
        if history.constraints() == 0 {
            return Ok(None);
        }
        let observed = history.observed();
        let near = neighbours(
            observed.rows(),
            center,
            side.unwrap_or(f64::INFINITY),
            self.settings.most_neighbours,
        );
        let seen = observed.select(&near);
        let slacks = Points::from_rows(
            history.constraints(),
            near.iter().map(|i| history.slacks(*i)),
        );
        let model = TangentModel::new(
            self.kernel.clone(),
            Frame::new(center.to_vec(), unit(&seen, center, side)),
        );
        SlackModels::fit(
            &model,
            (seen.rows(), &slacks),
            center,
            self.settings.evidence_points,
        )
        .map(Some)
    }

    /// The model of one objective and the influence of each coordinate on it.
    fn fit_objective(
        &self,
        data: &Dataset,
        center: &[f64],
        side: Option<f64>,
    ) -> Result<(TangentPosterior, Vec<f64>), FitError> {
        let seen = match side {
            Some(side) => neighbourhood(data, center, side, self.settings.most_neighbours),
            None => nearest(data, center, self.settings.most_neighbours),
        };
        let near = nearest(&seen, center, self.settings.evidence_points);
        let frame = Frame::new(center.to_vec(), unit(&seen, center, side));
        let posterior = TangentModel::new(self.kernel.clone(), frame)
            .tuned(&near)
            .fit(&seen)?;
        let influence = posterior.influence(near.rows());
        Ok((posterior, influence))
    }

    /// The row of an observation, moved to a point that may be run.
    pub(super) fn point(&self, moment: &Moment<'_>, observation: usize) -> Vec<f64> {
        let space = &self.setup.space;
        let row = moment.history.observed().rows().row(observation);
        let mut row: Vec<f64> = row.iter().map(|x| x.clamp(-1.0, 1.0)).collect();
        if !space.is_feasible(&row) {
            space.repair(&mut row);
        }
        row
    }
}

/// Half of the box, but no less than a part of the neighbours' own distance.
fn unit(seen: &Dataset, center: &[f64], side: Option<f64>) -> f64 {
    let share = if side.is_some() { SPREAD_SHARE } else { 1.0 };
    (0.5 * side.unwrap_or(0.0))
        .max(share * spread(seen, center))
        .max(SMALLEST_UNIT)
}

impl Models {
    /// With running trials taken as observed at their means.
    pub(super) fn informed(&self, pending: &Points) -> Vec<TangentPosterior> {
        let informed = |posterior: &TangentPosterior| posterior.conditioned(pending);
        self.posteriors.iter().map(informed).collect()
    }
}
