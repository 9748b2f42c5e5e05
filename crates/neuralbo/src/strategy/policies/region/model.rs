//! The model around the best point, on which a suggestion is based.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::super::constants::{
    CURVATURE_FLOOR, ELITE_SHARE, EVIDENCE_POINTS, LEAST_CURVATURE, MOST_ROTATED, NARROWEST,
    NOISY_CURVATURE_FLOOR, PREDICTED, SPREAD_SHARE,
};
use super::super::neighbourhood::{
    best_row, difference, largest, nearest_in, neighbourhood, points_for_a_quadratic,
};
use super::super::slacks::SlackModels;
use super::RegionModels;
use super::descents::Descents;
use crate::acquisition::maximize::Maximum;
use crate::linalg::{Points, Purpose, SettingError};
use crate::space::Space;
use crate::strategy::smbo::LastFit;
use crate::strategy::{History, LocalModel, Setup};
use crate::surrogate::tangent::{Frame, Metric, TangentKernel, TangentModel, TangentPosterior};
use crate::surrogate::{Dataset, FitError};

/// The tangent kernel of a study.
#[derive(Clone)]
pub(crate) struct Tangent {
    pub(in super::super) setup: Setup,
    kernel: TangentKernel,
    /// Variance of the rewards' noise by repeated evaluations.
    pub(super) replicate_variance: Option<f64>,
}

impl Tangent {
    pub(crate) fn new(setup: Setup, width: usize) -> Result<Self, SettingError> {
        let mut rng = setup.streams.stream(0, Purpose::NetworkInit);
        let kernel = TangentKernel::new(setup.space.encoded_dim(), width, &mut rng)?;
        Ok(Self {
            setup,
            kernel,
            replicate_variance: None,
        })
    }

    /// The model before it has seen data.
    pub(in super::super) fn untuned(&self, frame: Frame) -> TangentModel {
        TangentModel::new(self.kernel.clone(), frame)
    }

    /// The same with what repeated evaluations have shown.
    pub(super) fn informed(&self, frame: Frame) -> TangentModel {
        let model = self.untuned(frame);
        model.with_replicate_variance(self.replicate_variance)
    }
}

/// The models of a region without outcome constraints.
pub(crate) struct UnconstrainedModels {
    /// Whether all coordinates are continuous, so that the region can be rotated.
    rotates: bool,
    /// Whether the first observations of a descent, as many as a power of two, were noisy.
    noisy: RefCell<LastFit<Range<usize>, bool>>,
}

impl UnconstrainedModels {
    pub(crate) fn new(rotates: bool) -> Self {
        Self {
            rotates,
            noisy: RefCell::default(),
        }
    }

    /// The metric of the best observations needs a fit of its own, which is for nothing where noise
    /// is seen. So it is not tried where noise was seen already.
    fn was_noisy(&self, tangent: &Tangent, history: &History, before: usize) -> bool {
        let data = history.observed();
        let known = (data.len() - before).next_power_of_two() / 2;
        let first = || {
            let first = data.prefix(before + known);
            Ok(tangent.wide_model(&first.since(before))?.sees_noise())
        };
        let mut noisy = self.noisy.borrow_mut();
        let seen = noisy.get_or_fit(before..before + known, first);
        seen.unwrap_or(false)
    }
}

/// A fitted model, the centre of the trust region and its shape.
pub(crate) struct Local {
    pub(super) posterior: TangentPosterior,
    pub(in super::super) center: Vec<f64>,
    pub(super) shape: RegionShape,
    /// The models of the slacks, under outcome constraints.
    pub(super) slacks: Option<SlackModels>,
    /// The maximizer of the mean, computed on demand.
    pub(super) mean_maximum: OnceLock<Option<Maximum>>,
    /// Whether the last observation is the best one and the others predict its improvement.
    pub(super) improvement_predicted: bool,
}

/// The data of a fit and its frame.
struct FrameView {
    frame: Frame,
    seen: Dataset,
}

impl FrameView {
    /// The observations nearest to the centre.
    fn near(&self, size: usize) -> Dataset {
        match &self.frame.metric {
            None => self.seen.nearest(&self.frame.center, size),
            Some(metric) => nearest_in(metric, &self.seen, &self.frame.center, size),
        }
    }
}

/// How the trust region is stretched.
pub(super) enum RegionShape {
    /// Along each coordinate by its factor.
    Axes(Vec<f64>),
    /// By a full metric.
    Metric(Arc<Metric>),
}

impl Local {
    /// The posterior conditioned on running trials at their means, where that is possible.
    pub(super) fn with_pending(&self, pending: &Points) -> TangentPosterior {
        self.posterior.conditioned(pending)
    }
}

impl RegionModels for UnconstrainedModels {
    fn reliable(&self, tangent: &Tangent, history: &History) -> Result<LocalModel, FitError> {
        tangent.reliable_model(history.observed())
    }

    /// In a plain frame or, once there are enough observations, in that of the best of them; then,
    /// with as many as a quadratic has coefficients, in the metric of the mean's own curvature.
    fn fit(
        &self,
        tangent: &Tangent,
        history: &History,
        _: &Dataset,
        descents: &Descents,
    ) -> Result<Local, FitError> {
        let before = descents.observations_before();
        let data = history.observed().since(before);
        let fit = RegionFit {
            tangent,
            rotates: self.rotates,
            side: descents.side(),
            data: &data,
        };
        let has_elite = fit.has_elite(data.rows().dim()).is_some();
        fit.local(has_elite && self.was_noisy(tangent, history, before))
    }
}

/// One fit to the observations of the present descent.
struct RegionFit<'a> {
    tangent: &'a Tangent,
    rotates: bool,
    /// Side of the trust region.
    side: f64,
    data: &'a Dataset,
}

impl RegionFit<'_> {
    fn local(&self, was_noisy: bool) -> Result<Local, FitError> {
        let (posterior, view) = self.first_fit(was_noisy)?;
        if let Some(local) = self.rotated(&posterior, &view) {
            return Ok(local);
        }
        let near = view.near(EVIDENCE_POINTS);
        let influence = posterior.influence(near.rows()).into_iter();
        let shape = RegionShape::Axes(influence.map(f64::recip).collect());
        Ok(self.around(posterior, &view.seen, shape))
    }

    /// In the frame of the best observations, or in the plain one where noise is seen: noise decides
    /// in part which observations are best.
    fn first_fit(&self, was_noisy: bool) -> Result<(TangentPosterior, FrameView), FitError> {
        let plain = self.plain_view()?;
        let fitted = match was_noisy {
            true => Some(self.tuned(&plain)?),
            false => None,
        };
        if let Some(noisy) = fitted.as_ref().filter(|fitted| fitted.sees_noise()) {
            return Ok((noisy.clone(), plain));
        }
        match (self.elite_fit(&plain), fitted) {
            (Some((posterior, view)), _) if !posterior.sees_noise() => Ok((posterior, view)),
            (_, Some(fitted)) => Ok((fitted, plain)),
            (_, None) => Ok((self.tuned(&plain)?, plain)),
        }
    }

    fn around(&self, posterior: TangentPosterior, seen: &Dataset, shape: RegionShape) -> Local {
        let small_error = posterior
            .last_improvement_error()
            .is_some_and(|e| e < PREDICTED);
        Local {
            center: admissible(&self.tangent.setup.space, smoothed_best(&posterior, seen)),
            improvement_predicted: !posterior.sees_noise() && small_error,
            posterior,
            shape,
            slacks: None,
            mean_maximum: OnceLock::new(),
        }
    }

    /// The neighbours of the best observation.
    fn plain_view(&self) -> Result<FrameView, FitError> {
        let best = best_row(self.data)?;
        let seen = neighbourhood(self.data, best, self.side);
        let frame = Frame::new(best.to_vec(), unit(self.side, seen.spread(best)));
        Ok(FrameView { frame, seen })
    }

    /// The model in the frame of the best observations; `None` where there are too few observations,
    /// or coordinates that cannot be rotated.
    fn elite_fit(&self, plain: &FrameView) -> Option<(TangentPosterior, FrameView)> {
        let center = &plain.frame.center;
        self.has_elite(center.len())?;
        let metric = Metric::of_moments(&elite_moments(self.data, center), NARROWEST)?;
        let view = self.view_in(metric, plain);
        let posterior = self.tuned(&view).ok()?;
        Some((posterior, view))
    }

    /// The model in the metric of the curvature, which is computed twice: the first time by
    /// neighbours in another metric. `None` as above, or where it cannot be fitted.
    fn rotated(&self, posterior: &TangentPosterior, view: &FrameView) -> Option<Local> {
        self.rotates(view.frame.center.len(), self.data.len())?;
        let mut view = self.curvature_view(posterior, view)?;
        if !posterior.sees_noise() {
            let sketch = self.untuned(&view).with_hyper(*posterior.hyper());
            view = self.curvature_view(&sketch.fit(&view.seen).ok()?, &view)?;
        }
        let posterior = self.tuned_from(posterior, &view).ok()?;
        let shape = RegionShape::Metric(view.frame.metric?);
        Some(self.around(posterior, &view.seen, shape))
    }

    /// Whether there are enough observations for a metric of the best ones.
    fn has_elite(&self, dim: usize) -> Option<()> {
        self.rotates(dim, self.data.len() / ELITE_SHARE)
    }

    /// Whether this many observations determine a full metric.
    fn rotates(&self, dim: usize, observations: usize) -> Option<()> {
        let enough = observations >= points_for_a_quadratic(dim);
        (self.rotates && enough && (2..=MOST_ROTATED).contains(&dim)).then_some(())
    }

    /// The neighbours of the centre in the metric of the mean's curvature.
    fn curvature_view(&self, posterior: &TangentPosterior, view: &FrameView) -> Option<FrameView> {
        let center = &view.frame.center;
        let curvature = posterior.curvature(0.5 * self.side / view.frame.unit)?;
        let floor = match posterior.sees_noise() {
            true => NOISY_CURVATURE_FLOOR,
            false => CURVATURE_FLOOR,
        };
        let floor = LEAST_CURVATURE + floor * center.len() as f64 / view.seen.len() as f64;
        let further = Metric::of_curvature(&curvature, floor)?;
        let metric = match &view.frame.metric {
            Some(metric) => metric.then(&further),
            None => further,
        };
        let seen = nearest_in(&metric, self.data, center, view.seen.len());
        let mut frame = view.frame.clone();
        frame.metric = Some(Arc::new(metric));
        Some(FrameView { frame, seen })
    }

    /// As many observations as in another view, around the same centre in this metric.
    fn view_in(&self, metric: Metric, other: &FrameView) -> FrameView {
        let center = &other.frame.center;
        let seen = nearest_in(&metric, self.data, center, other.seen.len());
        let square = |row: &[f64]| metric.squared_length(&difference(row, center));
        let squares: f64 = seen.rows().rows().map(square).sum();
        let spread = (squares / (seen.len() * center.len()).max(1) as f64).sqrt();
        let frame = Frame {
            center: center.clone(),
            unit: unit(self.side, spread),
            metric: Some(Arc::new(metric)),
        };
        FrameView { frame, seen }
    }

    /// The model by a short search from the hyper-parameters of another.
    fn tuned_from(
        &self,
        other: &TangentPosterior,
        view: &FrameView,
    ) -> Result<TangentPosterior, FitError> {
        let near = view.near(EVIDENCE_POINTS);
        let model = self.untuned(view).tuned_from(other.hyper(), &near);
        model.fit(&view.seen)
    }

    fn tuned(&self, view: &FrameView) -> Result<TangentPosterior, FitError> {
        let near = view.near(EVIDENCE_POINTS);
        self.untuned(view).tuned(&near).fit(&view.seen)
    }

    fn untuned(&self, view: &FrameView) -> TangentModel {
        self.tangent.informed(view.frame.clone())
    }
}

/// Half the region's side, but no less than a part of the neighbours' spread: a region far below it
/// would put them thousands of units away, where only a quadratic can be seen.
pub(super) fn unit(side: f64, spread: f64) -> f64 {
    (0.5 * side).max(SPREAD_SHARE * spread)
}

/// Second moments of the best observations around the best one.
fn elite_moments(data: &Dataset, best: &[f64]) -> faer::Mat<f64> {
    let elite = data.best_rows(points_for_a_quadratic(best.len()));
    let steps = faer::Mat::from_fn(best.len(), elite.len(), |i, j| elite.row(j)[i] - best[i]);
    &steps * steps.transpose()
}

/// The nearest row that may be run: the best trial may lie beyond a range that was narrowed since,
/// or violate a constraint of the space.
pub(in super::super) fn admissible(space: &Space, row: Vec<f64>) -> Vec<f64> {
    let mut row: Vec<f64> = row.into_iter().map(|x| x.clamp(-1.0, 1.0)).collect();
    if !space.is_feasible(&row) {
        space.repair(&mut row);
    }
    row
}

/// The observation with the largest posterior mean, the first of equals.
fn smoothed_best(posterior: &TangentPosterior, data: &Dataset) -> Vec<f64> {
    let smoothed = posterior.smoothed_targets();
    data.rows().row(largest(&smoothed).unwrap_or(0)).to_vec()
}
