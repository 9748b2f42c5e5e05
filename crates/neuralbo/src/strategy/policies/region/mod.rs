//! A trust region: means and Thompson samples of the [tangent model](crate::surrogate::tangent)
//! around the best point.
//!
//! After the initial design a suggestion is made as follows:
//!
//! 1. the region's side is a fold over the finished trials; a collapsed region restarts from points
//!    crossed of earlier descents or from space-filling ones;
//! 2. the model sees the observations around the best point, in units of the region and, once there
//!    are enough of them, in the metric of the mean's curvature;
//! 3. its scale, trend weights and noise follow from the evidence, its weights from the data in
//!    closed form;
//! 4. the region is centred at the best point *of the model*, robust to noise; it is shaped by the
//!    metric or stretched along coordinates of little influence, and widened where noise would hide
//!    the slope of the mean;
//! 5. trials alternate between the maximum of the mean and that of a sampled function. Running
//!    trials are taken as observed at their predicted means; where the mean's maximizer is among
//!    them a sample is maximized instead. The first trials of a batch maximize the mean in regions
//!    of several sides, the others sampled functions.
//!
//! The model is fitted once per finished trial; the points of a batch only condition it.

mod constrained;
mod crossover;
mod descents;
mod model;
mod recommend;
mod replicates;
pub(super) mod rotated;

pub(crate) use constrained::ConstrainedModels;
pub(super) use model::admissible;
pub(crate) use model::{Tangent, UnconstrainedModels};
pub(super) use replicates::Replicates;

use std::sync::Arc;

use super::InitialSteps;
use super::constants::{
    BATCH_PARTS, BORDER_SLOPE, CALIBRATION_FACTOR, MAXIMIZER, NOISELESS_BIAS, NOISELESS_FACTOR,
    OPTIMISM_BIAS, SAME_PLACE, WIDER,
};
use super::failures::FailurePenalty;
use super::search_box::{Boxes, SearchBox, detectable_side, sample_maximizer};
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion, SeenRows};
use crate::linalg::{Points, Purpose, Rng};
use crate::space::Space;
use crate::strategy::presets::neuralbo::NeuralBoSettings;
use crate::strategy::smbo::{Context, LastFit, NoChoice, Policy};
use crate::strategy::{
    Exhausted, History, LocalModel, ModelResult, NoModel, Origin, Request, Setup, Suggestion,
    with_prediction,
};
use crate::surrogate::tangent::TangentPosterior;
use crate::surrogate::{Dataset, FitError, Function};
use descents::{DescentStage, Descents};
use model::{Local, RegionShape};
use rotated::RotatedBox;

/// How the models of a trust region are fitted: with or without outcome constraints.
pub(crate) trait RegionModels: Send {
    /// The models of the present descent around its best point.
    fn fit(
        &self,
        tangent: &Tangent,
        history: &History,
        scores: &Dataset,
        descents: &Descents,
    ) -> Result<Local, FitError>;

    /// The model behind the recommendation.
    fn reliable(&self, tangent: &Tangent, history: &History) -> Result<LocalModel, FitError>;
}

/// The policy.
pub(crate) struct RegionSearch {
    setup: Setup,
    tangent: Tangent,
    settings: NeuralBoSettings,
    start: InitialSteps,
    /// Trials before the search: those of the start or, if more, those of another policy.
    initial: usize,
    descents: Descents,
    replicates: Replicates,
    models: Box<dyn RegionModels>,
    /// `[−1, 1]^d` where the region can be rotated.
    cube: Option<Space>,
    /// By finished trials and trials that run at once: the region depends on both.
    last: LastFit<(usize, usize), Arc<Local>>,
}

/// The set of rows in which the next point is sought.
enum Area<'a> {
    Box(SearchRegion<'a>),
    Rotated(RotatedBox<'a>),
}

impl Policy for RegionSearch {
    fn observe(&mut self, request: &Request<'_>, scores: &Dataset) {
        // Workers come and go: roughly the present number is taken to have run from the first trial.
        let together = (request.pending.len() + request.count).next_power_of_two();
        // Under outcome constraints a trial can change the scores of earlier ones.
        let rescores = self.setup.goals.slacks > 0;
        if rescores || self.descents.together() != together {
            self.descents = Descents::new(self.settings.region, self.initial, together);
        }
        self.descents.update(request.history, scores);
        self.learn_noise(request.history);
    }

    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        let begins = self.initial == self.start.len();
        let start = begins.then(|| self.start.point(context)).flatten();
        start.or_else(|| match self.descents.stage() {
            DescentStage::Search | DescentStage::Initial => None,
            DescentStage::Crossed => Some(match self.crossed(context) {
                Some(row) => Ok(self.setup.suggestion(row, Origin::Initial)),
                None => context.space_filling(Origin::Initial),
            }),
            DescentStage::Fresh => Some(context.space_filling(Origin::Initial)),
        })
    }

    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        let key = (context.history.len(), self.descents.together());
        let local = self.last.get_or_fit(key, || {
            let (history, scores) = (context.history, context.scores);
            let local = self
                .models
                .fit(&self.tangent, history, scores, &self.descents);
            local.map(Arc::new)
        })?;
        if let Some(again) = self.replicate(&local, context) {
            return Ok(again);
        }
        if let Some(best) = self.exploited(&local, context) {
            return self.suggestion(&local.posterior, best, "mean");
        }
        match self.sample_maximum(&local, context) {
            None => Err(NoChoice::because("everything in the trust region is taken")),
            Some(best) => self.suggestion(&local.posterior, best, "thompson"),
        }
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        self.learn_noise(history);
        let mut tangent = self.tangent.clone();
        tangent.replicate_variance = tangent.replicate_variance.filter(|_| quantity == 0);
        Ok(Arc::new(tangent.wide_model(&history.measured(quantity))?))
    }

    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        self.learn_noise(history);
        Ok(self.models.reliable(&self.tangent, history)?)
    }
}

impl RegionSearch {
    pub(crate) fn new(
        tangent: Tangent,
        models: Box<dyn RegionModels>,
        settings: NeuralBoSettings,
        start: InitialSteps,
        cube: Option<Space>,
    ) -> Self {
        Self {
            setup: tangent.setup.clone(),
            tangent,
            settings,
            descents: Descents::new(settings.region, start.len(), 1),
            initial: start.len(),
            start,
            replicates: Replicates::default(),
            models,
            cube,
            last: LastFit::default(),
        }
    }

    /// Number of trials before the search.
    pub(crate) fn initial(&self) -> usize {
        self.initial
    }

    /// Begins the search after this many trials of another policy, with this side.
    pub(crate) fn begin_after(&mut self, trials: usize, side: f64) {
        if self.initial != trials {
            self.initial = trials;
            self.settings.region.start = side;
            self.descents = Descents::new(self.settings.region, trials, 1);
        }
    }

    /// The model behind a recommendation of another policy, see [`Tangent::model_of_row`].
    pub(crate) fn model_of_row(
        &mut self,
        history: &History,
        row: &[f64],
        reach: f64,
    ) -> Result<LocalModel, NoModel> {
        self.learn_noise(history);
        Ok(self.tangent.model_of_row(history.observed(), row, reach)?)
    }

    /// Takes in what repeated evaluations have shown.
    fn learn_noise(&mut self, history: &History) {
        self.replicates.update(history.observed());
        self.tangent.replicate_variance = self.replicates.variance();
    }

    /// The best point again, where the model sees noise that nothing has proven.
    fn replicate(&self, local: &Local, context: &Context<'_>) -> Option<Suggestion> {
        let space = &self.setup.space;
        let row = self
            .replicates
            .wanted(space, context.history, context.scores)?;
        let runs = context.pending.rows().any(|running| running == row);
        let suspected = local.posterior.sees_noise() && !runs;
        let again = || {
            let origin = Origin::Model("replicate");
            self.setup.suggestion(row.to_vec(), origin)
        };
        suspected.then(|| with_prediction(again(), &local.posterior))
    }

    /// A point crossed from two earlier descents, unless it is taken.
    fn crossed(&self, context: &Context<'_>) -> Option<Vec<f64>> {
        let streams = &self.setup.streams;
        let row = crossover::crossed(
            &self.setup.space,
            context.scores,
            self.descents.ended(),
            &mut streams.indexed(context.number, Purpose::Candidates, 3),
        )?;
        (!context.taken.contains(&row)).then_some(row)
    }

    /// The maximizer of the mean, if this trial exploits it. The mean does not change while trials
    /// run: where its maximizer is running, a sample tells more.
    fn exploited(&self, local: &Local, context: &Context<'_>) -> Option<Maximum> {
        // The first trial after the start is one at the mean, then every second.
        let in_turn = || {
            let turn = self.start.turn(context.number);
            turn.is_multiple_of(2).then_some(1.0)
        };
        let in_batch = |index: usize| BATCH_PARTS.get(index).copied();
        let part = context.batch_index.and_then(in_batch).or_else(in_turn)?;
        let maximum = || self.mean_maximum(local, part, context);
        let best = match part == 1.0 {
            true => local.mean_maximum.get_or_init(maximum).clone()?,
            false => maximum()?,
        };
        let side = part.min(1.0) * self.descents.side();
        (!is_running(&best.row, context.pending, side) && !context.taken.contains(&best.row))
            .then_some(best)
    }

    /// The maximizer of the mean in a region of this part of the side. It is the same for all
    /// suggestions until a trial finishes, so its random numbers are those of the history. Regions
    /// of other sides than the first are those of a batch and searched with less effort.
    fn mean_maximum(&self, local: &Local, part: f64, context: &Context<'_>) -> Option<Maximum> {
        let finished = context.history.len() as u64;
        let mut rng = self.setup.streams.indexed(finished, Purpose::Candidates, 4);
        let maximizer = &sample_maximizer(part == 1.0);
        let part = part
            * if local.improvement_predicted {
                WIDER
            } else {
                1.0
            };
        let area = self.area(local, part, context.scores, context.finished, &mut rng);
        let mean = Box::new(local.posterior.mean_function());
        let function = self.without_failures(mean, local, &area, context.history, &mut rng);
        match (&area, &local.slacks) {
            (Area::Box(region), Some(slacks)) => {
                slacks.mean_maximum(&*function, maximizer, region, &mut rng)
            }
            _ => area.maximize(&*function, maximizer, &mut rng),
        }
    }

    /// The maximizer of a sample given the running trials; `None` when nothing is left.
    fn sample_maximum(&self, local: &Local, context: &Context<'_>) -> Option<Maximum> {
        let (streams, number) = (&self.setup.streams, context.number);
        let posterior = local.with_pending(context.pending);
        let mut rng = streams.stream(number, Purpose::Candidates);
        let area = self.area(local, 1.0, context.scores, context.taken, &mut rng);
        let nu = self.settings.nu;
        let sample = Box::new(posterior.sample(nu, &mut streams.stream(number, Purpose::Sample)));
        let function = self.without_failures(sample, local, &area, context.history, &mut rng);
        let maximizer = &sample_maximizer(context.pending.is_empty());
        match (&area, &local.slacks) {
            (Area::Box(region), Some(slacks)) => slacks
                .with_pending(context.pending)
                .sample(nu, streams, number)
                .maximum(&*function, maximizer, region, &mut rng),
            _ => area.maximize(&*function, maximizer, &mut rng),
        }
    }

    fn without_failures(
        &self,
        function: Box<dyn Function>,
        local: &Local,
        area: &Area<'_>,
        history: &History,
        rng: &mut Rng,
    ) -> Box<dyn Function> {
        let penalty = FailurePenalty {
            history,
            center: &local.center,
            border_slope: BORDER_SLOPE,
        };
        penalty.subtract(function, || area.probe(&MAXIMIZER, rng))
    }

    /// The suggestion of a maximizer. Predictions there are optimistic and are corrected.
    fn suggestion(
        &self,
        posterior: &TangentPosterior,
        best: Maximum,
        rule: &'static str,
    ) -> Result<Suggestion, NoChoice> {
        if best.value == f64::NEG_INFINITY {
            return Err(NoChoice::because("the model has no finite value"));
        }
        let suggestion = self.setup.suggestion(best.row, Origin::Model(rule));
        let suggestion = with_prediction(suggestion, posterior);
        let (bias, factor) = match posterior.sees_noise() {
            true => (OPTIMISM_BIAS, CALIBRATION_FACTOR),
            false => (NOISELESS_BIAS, NOISELESS_FACTOR),
        };
        let both = suggestion.mean.zip(suggestion.sd);
        Ok(Suggestion {
            mean: both.map(|(mean, sd)| mean - bias * sd),
            sd: suggestion.sd.map(|sd| factor * sd),
            ..suggestion
        })
    }

    /// The trust region, or a region of `part` of its side.
    fn area<'a>(
        &'a self,
        local: &'a Local,
        part: f64,
        scores: &Dataset,
        taken: &'a SeenRows,
        rng: &mut Rng,
    ) -> Area<'a> {
        let (space, center) = (&*self.setup.space, &local.center);
        let (side, widest) = (part * self.descents.side(), self.settings.region.start);
        if let (RegionShape::Metric(metric), Some(cube)) = (&local.shape, &self.cube) {
            let of_side = |side: f64| RotatedBox {
                metric,
                center,
                half: 0.5 * side,
                space,
                cube,
                taken,
            };
            let whole = SearchBox::whole(center.len());
            let rows = |side: f64| of_side(side).rows(&whole.probes(rng));
            let side = detectable_side(&local.posterior, side, widest, rows);
            return Area::Rotated(of_side(side));
        }
        let even = vec![1.0; center.len()];
        let stretch = match &local.shape {
            RegionShape::Axes(stretch) => stretch,
            RegionShape::Metric(_) => &even,
        };
        let boxes = Boxes {
            space,
            center,
            stretch,
        };
        let rows = |side: f64| boxes.of_side(side).probes(rng);
        let side = detectable_side(&local.posterior, side, widest, rows);
        Area::Box(boxes.region(side, taken, scores, rng))
    }
}

impl Area<'_> {
    fn maximize(
        &self,
        function: &dyn Function,
        maximizer: &Maximizer,
        rng: &mut Rng,
    ) -> Option<Maximum> {
        match self {
            Self::Box(region) => maximizer.maximize(function, region, rng),
            Self::Rotated(rotated) => rotated.maximize(function, maximizer, rng),
        }
    }

    fn probe(&self, maximizer: &Maximizer, rng: &mut Rng) -> Points {
        match self {
            Self::Box(region) => maximizer.probe(region, rng),
            Self::Rotated(rotated) => rotated.probe(maximizer, rng),
        }
    }
}

/// Whether a running trial lies so near to `row`, compared with a region of this side, that both
/// would show the same.
fn is_running(row: &[f64], pending: &Points, side: f64) -> bool {
    let near = |other: &[f64]| {
        let mut pairs = row.iter().zip(other);
        pairs.all(|(a, b)| (a - b).abs() <= SAME_PLACE * side)
    };
    pending.rows().any(near)
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::linalg::Streams;

    /// The centre of the region after a history of trials made one by one.
    pub(crate) fn fitted_center(space: Space, seed: u64, history: &History) -> Vec<f64> {
        let settings = NeuralBoSettings::for_dim(space.encoded_dim());
        let setup = Setup::new(Arc::new(space), Streams::new(seed));
        let start = InitialSteps::steps(setup.clone(), None);
        let mut descents = Descents::new(settings.region, start.len(), 1);
        descents.update(history, history.observed());
        let tangent = Tangent::new(setup, settings.width).unwrap();
        let local =
            UnconstrainedModels::new(true).fit(&tangent, history, history.observed(), &descents);
        local.unwrap().center
    }
}
