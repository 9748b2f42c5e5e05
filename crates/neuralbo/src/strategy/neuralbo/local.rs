//! The model around the best point, on which a suggestion is based.

use std::sync::{Arc, OnceLock};

use super::neighbourhood::{
    difference, nearest, nearest_in, neighbourhood, points_for_a_quadratic,
};
use super::slacks::SlackModels;
use super::{RegionPolicy, best_row, spread};
use crate::acquisition::maximize::Maximum;
use crate::linalg::Points;
use crate::space::Space;
use crate::strategy::History;
use crate::strategy::rule::best_rows;
use crate::surrogate::tangent::{Frame, Metric, TangentModel, TangentPosterior};
use crate::surrogate::{Dataset, FitError};

/// Smallest unit of length, relative to the spread of the neighbours in a coordinate.
const SPREAD_SHARE: f64 = 0.1;
/// Most coordinates that get a full metric: the Hessian of more has more entries than a study has observations.
const MOST_ROTATED: usize = 20;
/// Curvature that every direction is taken to have, as a part of the average, and what few observations add to it without and with
/// noise.
const LEAST_CURVATURE: f64 = 1e-4;
const CURVATURE_DOUBT: f64 = 0.03;
const NOISY_DOUBT: f64 = 0.1;
/// How many times as many observations as a quadratic has coefficients there must be before the best of them give a metric.
const ELITE_SHARE: usize = 2;
/// Smallest width of the best observations in a direction, relative to the largest.
const NARROWEST: f64 = 1e-3;
/// Error of a prediction, as a part of what the trial improved, up to which the model has foreseen it.
const FORESEEN: f64 = 0.3;

/// A fitted model, the centre of the trust region and its shape.
pub(super) struct Local {
    pub(super) posterior: TangentPosterior,
    pub(super) center: Vec<f64>,
    pub(super) shape: Shape,
    /// The models of the slacks, under outcome constraints.
    pub(super) slacks: Option<SlackModels>,
    /// The best row of the mean, once someone has asked for it.
    pub(super) mean_maximum: OnceLock<Option<Maximum>>,
    /// Whether the last observation is the best and the model predicts from all others by how much.
    pub(super) foreseen: bool,
}

/// What the model is fitted to, and in which frame.
struct View {
    frame: Frame,
    seen: Dataset,
}

impl View {
    /// The observations nearest to the centre.
    fn near(&self, size: usize) -> Dataset {
        match &self.frame.metric {
            None => nearest(&self.seen, &self.frame.center, size),
            Some(metric) => nearest_in(metric, &self.seen, &self.frame.center, size),
        }
    }
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
        let foreseen = !posterior.sees_noise()
            && posterior
                .last_improvement_error()
                .is_some_and(|surprise| surprise < FORESEEN);
        Self {
            posterior,
            center,
            shape,
            slacks: None,
            mean_maximum: OnceLock::new(),
            foreseen,
        }
    }

    /// The posterior with running trials taken as observed at their means; as it is where they cannot be told from observations.
    pub(super) fn with_pending(&self, pending: &Points) -> TangentPosterior {
        self.posterior.conditioned(pending)
    }
}

impl RegionPolicy {
    /// The model of the present descent around its best point: in a plain frame or, once there are enough observations, in that of the
    /// best of them; then, with as many as a quadratic has coefficients, in the metric of the mean's own curvature.
    pub(super) fn fit(&self, history: &History, merits: &Dataset) -> Result<Local, FitError> {
        if history.constraints() > 0 {
            return self.fit_limited(history, merits);
        }
        let data = history
            .observed()
            .since(self.descents.observations_before());
        let plain = self.plain_view(&data)?;
        let (posterior, view) = match self.elite_fit(&data, &plain) {
            // Noise has its part in which observations are best.
            Some((posterior, view)) if !posterior.sees_noise() => (posterior, view),
            _ => (self.tuned(&plain)?, plain),
        };
        if let Some(local) = self.rotated(&posterior, &view, &data) {
            return Ok(local);
        }
        let near = view.near(self.settings.evidence_points);
        let stretch = posterior
            .influence(near.rows())
            .into_iter()
            .map(f64::recip)
            .collect();
        Ok(Local::new(
            &self.setup.space,
            posterior,
            &view.seen,
            Shape::Axes(stretch),
        ))
    }

    /// What lies around the best observation.
    fn plain_view(&self, data: &Dataset) -> Result<View, FitError> {
        let best = best_row(data)?;
        let seen = neighbourhood(
            data,
            best,
            self.descents.side(),
            self.settings.most_neighbours,
        );
        let frame = Frame::new(best.to_vec(), self.unit(spread(&seen, best)));
        Ok(View { frame, seen })
    }

    /// The model in the frame of the best observations; `None` where there are too few observations, too many coordinates or such as
    /// cannot be turned.
    fn elite_fit(&self, data: &Dataset, plain: &View) -> Option<(TangentPosterior, View)> {
        let dim = plain.frame.center.len();
        self.turns(dim, data.len() / ELITE_SHARE)?;
        let metric = Metric::of_moments(&elite_moments(data, &plain.frame.center), NARROWEST)?;
        let view = self.view_in(metric, data, plain);
        let posterior = self.tuned(&view).ok()?;
        Some((posterior, view))
    }

    /// The model in the metric of the curvature, which is computed twice: the first time it is that of neighbours chosen in another
    /// metric. `None` as above, or where it cannot be fitted.
    fn rotated(&self, posterior: &TangentPosterior, view: &View, data: &Dataset) -> Option<Local> {
        self.turns(view.frame.center.len(), data.len())?;
        let mut view = self.curvature_view(posterior, view, data)?;
        if !posterior.sees_noise() {
            let sketch = self
                .untuned(view.frame.clone())
                .with_hyper(*posterior.hyper())
                .fit(&view.seen)
                .ok()?;
            view = self.curvature_view(&sketch, &view, data)?;
        }
        let posterior = self.tuned_from(posterior, &view).ok()?;
        let metric = view.frame.metric?;
        Some(Local::new(
            &self.setup.space,
            posterior,
            &view.seen,
            Shape::Metric(metric),
        ))
    }

    /// Whether a full metric can be told from this many observations.
    fn turns(&self, dim: usize, observations: usize) -> Option<()> {
        let enough =
            (2..=MOST_ROTATED).contains(&dim) && observations >= points_for_a_quadratic(dim);
        (self.cube.is_some() && enough).then_some(())
    }

    /// What lies around the centre in the metric of the mean's curvature.
    fn curvature_view(
        &self,
        posterior: &TangentPosterior,
        view: &View,
        data: &Dataset,
    ) -> Option<View> {
        let Frame {
            center,
            unit,
            metric,
        } = &view.frame;
        let curvature = posterior.curvature(0.5 * self.descents.side() / unit)?;
        let doubt = if posterior.sees_noise() {
            NOISY_DOUBT
        } else {
            CURVATURE_DOUBT
        };
        let floor = LEAST_CURVATURE + doubt * center.len() as f64 / view.seen.len() as f64;
        let further = Metric::of_curvature(&curvature, floor)?;
        let metric = metric
            .as_ref()
            .map_or_else(|| further.clone(), |metric| metric.then(&further));
        let seen = nearest_in(&metric, data, center, view.seen.len());
        Some(View {
            frame: Frame {
                metric: Some(Arc::new(metric)),
                ..view.frame.clone()
            },
            seen,
        })
    }

    /// As many observations as in another view, around the same centre in this metric.
    fn view_in(&self, metric: Metric, data: &Dataset, other: &View) -> View {
        let center = &other.frame.center;
        let seen = nearest_in(&metric, data, center, other.seen.len());
        let squares: f64 = seen
            .rows()
            .rows()
            .map(|row| metric.squared_length(&difference(row, center)))
            .sum();
        let spread = (squares / (seen.len() * center.len()).max(1) as f64).sqrt();
        let frame = Frame {
            center: center.clone(),
            unit: self.unit(spread),
            metric: Some(Arc::new(metric)),
        };
        View { frame, seen }
    }

    /// The model by a short search from the hyper-parameters of another.
    fn tuned_from(
        &self,
        other: &TangentPosterior,
        view: &View,
    ) -> Result<TangentPosterior, FitError> {
        let near = view.near(self.settings.evidence_points);
        self.untuned(view.frame.clone())
            .tuned_from(other.hyper(), &near)
            .fit(&view.seen)
    }

    fn tuned(&self, view: &View) -> Result<TangentPosterior, FitError> {
        self.untuned(view.frame.clone())
            .tuned(&view.near(self.settings.evidence_points))
            .fit(&view.seen)
    }

    /// The model before it has seen data.
    pub(super) fn untuned(&self, frame: Frame) -> TangentModel {
        TangentModel::new(self.kernel.clone(), frame)
    }

    /// Half the region's side, but no less than a part of the neighbours' own distance in a coordinate: a region that has shrunk far
    /// below it would put them thousands of units away, where a quadratic is all there is to see.
    pub(super) fn unit(&self, spread: f64) -> f64 {
        (0.5 * self.descents.side()).max(SPREAD_SHARE * spread)
    }
}

/// Second moments of the best observations around the best one.
fn elite_moments(data: &Dataset, best: &[f64]) -> faer::Mat<f64> {
    let elite = best_rows(data, points_for_a_quadratic(best.len()));
    let steps = faer::Mat::from_fn(best.len(), elite.len(), |i, j| elite.row(j)[i] - best[i]);
    &steps * steps.transpose()
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
    let best =
        (0..smoothed.len()).max_by(|&a, &b| smoothed[a].total_cmp(&smoothed[b]).then(b.cmp(&a)));
    data.rows().row(best.unwrap_or(0)).to_vec()
}
