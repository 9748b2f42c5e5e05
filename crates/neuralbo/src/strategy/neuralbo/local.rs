//! The model around the best point, on which a suggestion is based.

use std::sync::{Arc, OnceLock};

use super::neighbourhood::{nearest, nearest_in, neighbourhood, points_for_a_quadratic};
use super::slacks::SlackModels;
use super::{RegionPolicy, best_row, spread};
use crate::acquisition::maximize::Maximum;
use crate::linalg::Points;
use crate::space::Space;
use crate::strategy::History;
use crate::surrogate::tangent::{Frame, Metric, TangentModel, TangentPosterior};
use crate::surrogate::{Dataset, FitError};

/// Smallest unit of length, relative to the spread of the neighbours in a coordinate.
const SPREAD_SHARE: f64 = 0.1;
/// Most coordinates that get a full metric: the Hessian of more has more entries than a study has observations.
const MOST_ROTATED: usize = 20;
/// Curvature that every direction is taken to have, as a part of the average, and what few observations add to it.
const LEAST_CURVATURE: f64 = 1e-4;
const CURVATURE_DOUBT: f64 = 0.1;

/// A fitted model, the centre of the trust region and its shape.
pub(super) struct Local {
    pub(super) posterior: TangentPosterior,
    pub(super) center: Vec<f64>,
    pub(super) shape: Shape,
    /// The models of the slacks, under outcome constraints.
    pub(super) slacks: Option<SlackModels>,
    /// The best row of the mean, once someone has asked for it.
    pub(super) mean_maximum: OnceLock<Option<Maximum>>,
}

/// How the trust region is stretched.
pub(super) enum Shape {
    /// Along each coordinate by its factor.
    Axes(Vec<f64>),
    /// By a full metric.
    Metric(Arc<Metric>),
}

impl Local {
    fn new(space: &Space, posterior: TangentPosterior, seen: &Dataset, shape: Shape) -> Self {
        let center = admissible(space, smoothed_best(&posterior, seen));
        Self { posterior, center, shape, slacks: None, mean_maximum: OnceLock::new() }
    }

    /// The posterior with running trials taken as observed at their means; as it is where they cannot be told from observations.
    pub(super) fn with_pending(&self, pending: &Points) -> TangentPosterior {
        if pending.is_empty() {
            return self.posterior.clone();
        }
        self.posterior.conditioned(pending).unwrap_or_else(|_| self.posterior.clone())
    }
}

impl RegionPolicy {
    /// The model of the present descent around its best point: first in the plain frame, then, once there are as many observations
    /// as a quadratic has coefficients, in the metric of the mean's own curvature.
    pub(super) fn fit(&self, history: &History, merits: &Dataset) -> Result<Local, FitError> {
        if history.constraints() > 0 {
            return self.fit_limited(history, merits);
        }
        let data = history.observed().since(self.descents.observations_before());
        let best = best_row(&data)?;
        let seen = neighbourhood(&data, best, self.descents.side(), self.settings.most_neighbours);
        let frame = Frame::new(best.to_vec(), self.unit(&seen, best));
        let near = nearest(&seen, best, self.settings.evidence_points);
        let posterior = self.untuned(frame.clone()).tuned(&near).fit(&seen)?;
        if let Some(local) = self.rotated(&posterior, &frame, &data, &seen) {
            return Ok(local);
        }
        let stretch = posterior.influence(near.rows()).into_iter().map(f64::recip).collect();
        Ok(Local::new(&self.setup.space, posterior, &seen, Shape::Axes(stretch)))
    }

    /// The model in the metric of the curvature; `None` where there are too few observations, too many coordinates or such as
    /// cannot be turned, or where it cannot be fitted.
    fn rotated(&self, plain: &TangentPosterior, frame: &Frame, data: &Dataset, seen: &Dataset) -> Option<Local> {
        let dim = frame.center.len();
        self.cube.as_ref().filter(|_| (2..=MOST_ROTATED).contains(&dim) && data.len() >= points_for_a_quadratic(dim))?;
        let curvature = plain.curvature(&frame.center, 0.5 * self.descents.side())?;
        let floor = LEAST_CURVATURE + CURVATURE_DOUBT * dim as f64 / seen.len() as f64;
        let metric = Arc::new(Metric::of_curvature(&curvature, floor)?);
        let seen = nearest_in(&metric, data, &frame.center, seen.len());
        let near = nearest_in(&metric, &seen, &frame.center, self.settings.evidence_points);
        let frame = Frame { metric: Some(Arc::clone(&metric)), ..frame.clone() };
        let posterior = self.untuned(frame).tuned_from(plain.hyper(), &near).fit(&seen).ok()?;
        Some(Local::new(&self.setup.space, posterior, &seen, Shape::Metric(metric)))
    }

    /// The model before it has seen data.
    pub(super) fn untuned(&self, frame: Frame) -> TangentModel {
        TangentModel::new(self.kernel.clone(), frame)
    }

    /// Half the region's side, but no less than a part of the neighbours' own distance: a region that has shrunk far below it
    /// would put them thousands of units away, where a quadratic is all there is to see.
    pub(super) fn unit(&self, seen: &Dataset, center: &[f64]) -> f64 {
        (0.5 * self.descents.side()).max(SPREAD_SHARE * spread(seen, center))
    }
}

/// The best trial may lie beyond a range that was narrowed since, or violate a constraint of the space: the nearest point that may
/// be run.
pub(super) fn admissible(space: &Space, row: Vec<f64>) -> Vec<f64> {
    let mut row: Vec<f64> = row.into_iter().map(|x| x.clamp(-1.0, 1.0)).collect();
    if !space.is_feasible(&row) {
        space.repair(&mut row);
    }
    row
}

/// The observation with the largest posterior mean, the first of equals.
fn smoothed_best(posterior: &TangentPosterior, data: &Dataset) -> Vec<f64> {
    let smoothed = posterior.smoothed_targets();
    let best = (0..smoothed.len()).max_by(|&a, &b| smoothed[a].total_cmp(&smoothed[b]).then(b.cmp(&a)));
    data.rows().row(best.unwrap_or(0)).to_vec()
}
