//! The default method: Thompson samples of the [tangent model](crate::surrogate::tangent) inside a trust region.
//!
//! A suggestion, once the points to begin with (the centre, a step along each number, every value of a small choice) are there:
//!
//! 1. the region's side is a fold over the finished trials; when it has collapsed the search descends anew, from points crossed of
//!    what it has found or from others;
//! 2. the model sees the observations around the best point, in units of the region and, once they suffice for one, in the metric
//!    of the mean's curvature;
//! 3. its scale, trend weights and noise follow from the evidence, its weights from the data in closed form;
//! 4. the region is centred at the best point *of the model*, which noise does not fool, shaped by the metric or stretched along
//!    what hardly matters, and widened where the noise would hide what the mean does in it;
//! 5. trials maximize in turn the mean and a sampled function in the region: half of the evaluations exploit, half explore.
//!    Running evaluations are taken as observed at their predicted means; where the mean's best point is among them the trial
//!    explores as well. Of a batch the first trials maximize the mean in regions of several sides, the others sampled functions.
//!
//! In spaces with discrete coordinates some trials look at the whole space and at values hardly tried, since a region around a poor choice
//! does not leave it. A pool has no region: all of its rows are compared.
//!
//! All of this is a [policy](super::smbo::Policy) of the loop that methods with a model share. The model is fitted once per finished
//! trial; the points of a batch only condition it. Nothing else is kept between suggestions but the fold and the rows already
//! proposed: a fresh strategy answers the same.

mod branches;
mod crossover;
mod descents;
mod explore;
mod failures;
mod global;
mod limited;
mod local;
mod merits;
mod neighbourhood;
mod pool;
mod recommend;
mod rotated;
mod search_box;
mod settings;
mod several;
mod slacks;
mod start;
mod trust_region;

pub use settings::NeuralBoSettings;
pub use several::FrontSearch;
pub use trust_region::TrustRegionSettings;

use super::smbo::{Moment, NoChoice, Policy, Smbo};
use super::{
    DesignKind, Exhausted, History, InitialDesign, LocalModel, NoModel, Origin, Request, Setup,
    Strategy, Suggestion, with_prediction,
};
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion, SeenRows};
use crate::linalg::{Points, Purpose, Rng};
use crate::net::ArchitectureError;
use crate::space::{Coordinate, Space};
use crate::surrogate::nearest::spread;
use crate::surrogate::pool::PoolPosterior;
use crate::surrogate::tangent::{TangentKernel, TangentPosterior};
use crate::surrogate::{Dataset, FitError, Function, Posterior};
use crossover::crossed;
use descents::{Descents, Stage};
use failures::price;
use local::{Local, Shape};
use merits::merits;
use pool::PoolSearch;
use rotated::RotatedBox;
use search_box::{Boxes, detectable_side, probes};
use std::borrow::Cow;
use std::sync::Arc;

/// Distance in every coordinate within which two points are one to the mean, as a part of the region's side.
const SAME_PLACE: f64 = 0.05;
/// A point is chosen for what the model hopes of it. By how many standard deviations the mean there is too high and how many times
/// as wide the error is, with and without noise; measured on BBOB.
const HOPE: f64 = 0.5;
const CHOSEN: f64 = 2.3;
const HOPE_WITHOUT_NOISE: f64 = 1.0;
const CHOSEN_WITHOUT_NOISE: f64 = 3.5;
/// Parts of the region's side within which the first trials of a batch maximize the mean: which of them is right only shows
/// afterwards.
const BATCH_PARTS: [f64; 5] = [1.0, 0.3, 2.0, 0.1, 0.03];
/// How many times as wide the region is in which the mean is maximized, where it has foreseen the last improvement.
const WIDER: f64 = 2.0;
/// Points to begin with in a pool, which has no centre and no steps.
const FROM_A_POOL: usize = 3;

/// The default strategy.
pub struct NeuralBo {
    smbo: Smbo<RegionPolicy>,
}

/// The policy: a model around the best point, its mean and samples maximized in a trust region. Of a pool all rows are compared.
struct RegionPolicy {
    setup: Setup,
    settings: NeuralBoSettings,
    kernel: TangentKernel,
    design: InitialDesign,
    descents: Descents,
    /// `[−1, 1]^d`, where every coordinate is continuous: only then can the region be turned.
    cube: Option<Space>,
    /// What is known of a pool, once someone has asked.
    pool: Option<PoolSearch>,
}

/// What a suggestion is based on: the model around the best point, or that of a pool.
#[derive(Clone)]
enum Model {
    Local(Arc<Local>),
    Pool(Arc<PoolPosterior>),
}

impl Model {
    fn posterior(self) -> Arc<dyn Posterior> {
        match self {
            Self::Local(local) => Arc::new(local.posterior.clone()),
            Self::Pool(posterior) => posterior,
        }
    }
}

/// Where the next point is sought.
enum Area<'a> {
    Box(SearchRegion<'a>),
    Rotated(RotatedBox<'a>),
}

impl NeuralBo {
    /// The strategy for a study.
    pub fn new(setup: Setup, settings: NeuralBoSettings) -> Result<Self, ArchitectureError> {
        Ok(Self {
            smbo: Smbo::new(RegionPolicy::new(setup, settings)?),
        })
    }
}

impl Policy for RegionPolicy {
    type Model = Model;
    /// Finished trials, and how many run at once: on both depends the region. Of a pool the observations.
    type Key = (usize, usize);

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn observe<'a>(&mut self, request: &Request<'a>) -> Cow<'a, Dataset> {
        // Workers come and go: as many as there are now, roughly, are taken to have run from the first trial on.
        let together = (request.pending.len() + request.count).next_power_of_two();
        self.follow(request.history, together)
    }

    fn without_model(&self, moment: &Moment<'_>) -> Option<Result<Suggestion, Exhausted>> {
        if let Some(row) = self
            .initial(moment)
            .filter(|row| !moment.taken.contains(row))
        {
            return Some(Ok(self.setup.suggestion(row, Origin::Initial)));
        }
        if self.setup.space.pool().is_some() {
            return None;
        }
        match self.descents.stage() {
            Stage::Search | Stage::Initial => self
                .explored(moment)
                .or_else(|| self.global(moment))
                .map(Ok),
            Stage::Crossed => match self.crossed(moment) {
                Some(row) => Some(Ok(self.setup.suggestion(row, Origin::Initial))),
                None => Some(moment.space_filling(Origin::Initial)),
            },
            Stage::Fresh => Some(moment.space_filling(Origin::Initial)),
        }
    }

    fn key(&self, history: &History) -> (usize, usize) {
        match self.setup.space.pool() {
            Some(_) => (history.observed().len(), 0),
            None => (history.len(), self.descents.together()),
        }
    }

    fn refit(&mut self, history: &History, merits: &Dataset) -> Result<Model, FitError> {
        match Arc::clone(&self.setup.space).pool() {
            Some(pool) => Ok(Model::Pool(Arc::new(
                self.fit_pool(pool, history.observed())?,
            ))),
            None => Ok(Model::Local(Arc::new(self.fit(history, merits)?))),
        }
    }

    fn choose(&mut self, model: &Model, moment: &Moment<'_>) -> Result<Suggestion, NoChoice> {
        match model {
            Model::Local(local) => self.by_model(local, moment),
            Model::Pool(posterior) => Ok(self.chosen_of_pool(posterior, moment)?),
        }
    }
}

impl RegionPolicy {
    fn new(setup: Setup, settings: NeuralBoSettings) -> Result<Self, ArchitectureError> {
        let mut rng = setup.streams.stream(0, Purpose::NetworkInit);
        let kernel = TangentKernel::new(setup.space.encoded_dim(), settings.width, &mut rng)?;
        let is_pool = setup.space.pool().is_some();
        let initial = settings.initial.unwrap_or_else(|| {
            if is_pool {
                FROM_A_POOL
            } else {
                start::points(&setup.space)
            }
        });
        let design = InitialDesign::new(&setup, DesignKind::Sobol, initial);
        let descents = Descents::new(settings.region, initial, 1);
        let continuous = setup
            .space
            .coordinates()
            .iter()
            .all(|coordinate| *coordinate == Coordinate::Continuous);
        let cube = Space::from_bounds(&vec![(-1.0, 1.0); setup.space.encoded_dim()])
            .ok()
            .filter(|_| continuous);
        Ok(Self {
            setup,
            settings,
            kernel,
            design,
            descents,
            cube,
            pool: None,
        })
    }

    /// A point to begin with; `None` past the last.
    fn initial(&self, moment: &Moment<'_>) -> Option<Vec<f64>> {
        if moment.merits.is_empty()
            && self.settings.initial.is_none()
            && self.setup.space.pool().is_none()
        {
            return start::row_without_results(&self.setup.space, moment.number);
        }
        let spread = self.design.row(moment.number)?.to_vec();
        let structured = match self.setup.space.pool() {
            Some(_) => None,
            None => start::row(&self.setup.space, moment.number, moment.merits),
        };
        Some(structured.unwrap_or(spread))
    }

    /// Takes in the trials finished since the last call, of which `together` run at once; all observations with their merits. Under
    /// outcome constraints the merits of earlier trials may change with every later one, and the descents are followed from the first
    /// trial on.
    fn follow<'a>(&mut self, history: &'a History, together: usize) -> Cow<'a, Dataset> {
        let merits = merits(history);
        if history.constraints() > 0 || self.descents.together() != together {
            self.descents = Descents::new(self.settings.region, self.design.len(), together);
        }
        self.descents.update(history, &merits);
        merits
    }

    /// A point crossed from two earlier descents, if it has not been evaluated.
    fn crossed(&self, moment: &Moment<'_>) -> Option<Vec<f64>> {
        let mut rng = self
            .setup
            .streams
            .indexed(moment.number, Purpose::Candidates, 3);
        let row = crossed(
            &self.setup.space,
            moment.merits,
            self.descents.ended(),
            &mut rng,
        )?;
        (!moment.taken.contains(&row)).then_some(row)
    }

    fn by_model(&self, local: &Local, moment: &Moment<'_>) -> Result<Suggestion, NoChoice> {
        if let Some(best) = self.exploited(local, moment) {
            return self.chosen(&local.posterior, best, "mean");
        }
        match self.sample_maximum(local, &local.with_pending(moment.pending), moment) {
            None => Err(NoChoice::because("everything in the trust region is taken")),
            Some(best) => self.chosen(&local.posterior, best, "thompson"),
        }
    }

    /// The best row of the mean, if this trial is one to exploit it. The mean does not move while others run: where its best row is
    /// under way already, exploring tells more.
    fn exploited(&self, local: &Local, moment: &Moment<'_>) -> Option<Maximum> {
        // The first trial after those to begin with is one at the mean, then every second.
        let in_turn = || {
            moment
                .number
                .abs_diff(self.design.len() as u64)
                .is_multiple_of(2)
                .then_some(1.0)
        };
        let part = moment
            .place
            .and_then(|place| BATCH_PARTS.get(place).copied())
            .or_else(in_turn)?;
        let best = if part == 1.0 {
            local
                .mean_maximum
                .get_or_init(|| self.mean_maximum(local, part, moment))
                .clone()?
        } else {
            self.mean_maximum(local, part, moment)?
        };
        let idle = !under_way(
            &best.row,
            moment.pending,
            part.min(1.0) * self.descents.side(),
        );
        (idle && !moment.taken.contains(&best.row)).then_some(best)
    }

    /// The best row of the mean in a region of this part of the side; the same for all suggestions until a trial finishes, so its
    /// random numbers are those of the history. The regions of other sides than the first are those of a batch, sought with less effort.
    fn mean_maximum(&self, local: &Local, part: f64, moment: &Moment<'_>) -> Option<Maximum> {
        let finished = moment.history.len() as u64;
        let mut rng = self.setup.streams.indexed(finished, Purpose::Candidates, 4);
        let maximizer = if part == 1.0 {
            &self.settings.maximizer
        } else {
            &self.settings.batch_maximizer
        };
        let part = if local.foreseen { WIDER * part } else { part };
        let area = self.area(local, part, (moment.merits, moment.finished), &mut rng);
        let function = self.steered(
            Box::new(local.posterior.mean_function()),
            (&area, &local.center),
            moment.history,
            &mut rng,
        );
        match (&area, &local.slacks) {
            (Area::Box(region), Some(slacks)) => {
                slacks.mean_maximum(&*function, (maximizer, region), &mut rng)
            }
            _ => area.maximize(&*function, maximizer, &mut rng),
        }
    }

    /// The best row of a sample; `None` when nothing is left. Beside running trials, whose number is that of the samples to come, it
    /// is sought with less effort: each is one of many.
    fn sample_maximum(
        &self,
        local: &Local,
        posterior: &TangentPosterior,
        moment: &Moment<'_>,
    ) -> Option<Maximum> {
        let mut rng = self
            .setup
            .streams
            .stream(moment.number, Purpose::Candidates);
        let area = self.area(local, 1.0, (moment.merits, moment.taken), &mut rng);
        let sample = posterior.sample(
            self.settings.nu,
            &mut self.setup.streams.stream(moment.number, Purpose::Sample),
        );
        let function = self.steered(
            Box::new(sample),
            (&area, &local.center),
            moment.history,
            &mut rng,
        );
        let alone = moment.pending.is_empty();
        let maximizer = if alone {
            &self.settings.maximizer
        } else {
            &self.settings.batch_maximizer
        };
        match (&area, &local.slacks) {
            (Area::Box(region), Some(slacks)) => {
                let slacks = slacks.with_pending(moment.pending).sample(
                    self.settings.nu,
                    &self.setup.streams,
                    moment.number,
                );
                slacks.maximum(&*function, (maximizer, region), &mut rng)
            }
            _ => area.maximize(&*function, maximizer, &mut rng),
        }
    }

    fn chosen(
        &self,
        posterior: &TangentPosterior,
        best: Maximum,
        rule: &'static str,
    ) -> Result<Suggestion, NoChoice> {
        if best.value == f64::NEG_INFINITY {
            return Err(NoChoice::because("the model has no finite value"));
        }
        let suggestion = with_prediction(
            self.setup.suggestion(best.row, Origin::Model(rule)),
            posterior,
        );
        let (hope, widening) = if posterior.sees_noise() {
            (HOPE, CHOSEN)
        } else {
            (HOPE_WITHOUT_NOISE, CHOSEN_WITHOUT_NOISE)
        };
        let mean = suggestion
            .mean
            .zip(suggestion.sd)
            .map(|(mean, sd)| mean - hope * sd);
        Ok(Suggestion {
            mean,
            sd: suggestion.sd.map(|sd| widening * sd),
            ..suggestion
        })
    }

    /// The trust region, or a region of `part` of its side.
    fn area<'a>(
        &'a self,
        local: &'a Local,
        part: f64,
        (merits, taken): (&Dataset, &'a SeenRows),
        rng: &mut Rng,
    ) -> Area<'a> {
        let (center, side, widest) = (
            &local.center,
            part * self.descents.side(),
            self.settings.region.start,
        );
        if let (Shape::Metric(metric), Some(cube)) = (&local.shape, &self.cube) {
            let space = &*self.setup.space;
            let of_side = |side: f64| RotatedBox {
                metric,
                center,
                half: 0.5 * side,
                space,
                cube,
                taken,
            };
            let whole = (vec![-1.0; center.len()], vec![1.0; center.len()]);
            let rows = |side: f64| of_side(side).rows(&probes(&whole, rng));
            return Area::Rotated(of_side(detectable_side(
                &local.posterior,
                side,
                widest,
                rows,
            )));
        }
        let even = vec![1.0; center.len()];
        let stretch = if let Shape::Axes(stretch) = &local.shape {
            stretch
        } else {
            &even
        };
        let boxes = Boxes {
            space: &self.setup.space,
            center,
            stretch,
        };
        let side = detectable_side(&local.posterior, side, widest, |side| {
            probes(&boxes.of_side(side), rng)
        });
        let mut found = boxes.of_side(side);
        boxes.hold_most(&mut found, rng);
        let incumbents = branches::incumbents(&self.setup.space, center, merits);
        Area::Box(
            SearchRegion::whole(&self.setup.space, taken, incumbents).within(&found.0, &found.1),
        )
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

/// The row of the best reward.
fn best_row(data: &Dataset) -> Result<&[f64], FitError> {
    data.best()
        .map(|best| data.rows().row(best))
        .ok_or(FitError::TooFewObservations {
            needed: 1,
            found: 0,
        })
}

/// Whether a running trial lies so near to `row`, seen from a region of this side, that both would say the same.
fn under_way(row: &[f64], pending: &Points, side: f64) -> bool {
    let near = |other: &[f64]| {
        row.iter()
            .zip(other)
            .all(|(a, b)| (a - b).abs() <= SAME_PLACE * side)
    };
    pending.rows().any(near)
}

impl Strategy for NeuralBo {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.smbo.suggest(request)
    }

    fn model(&mut self, history: &History) -> Result<Arc<dyn Posterior>, NoModel> {
        self.model_of(history, 0)
    }

    fn model_of(
        &mut self,
        history: &History,
        quantity: usize,
    ) -> Result<Arc<dyn Posterior>, NoModel> {
        let policy = &self.smbo.policy;
        match policy.setup.space.pool() {
            Some(_) if quantity == 0 => {
                Ok(self.smbo.model(history, history.observed())?.posterior())
            }
            Some(pool) => Ok(Arc::new(pool::posterior(
                pool,
                &history.measured(quantity),
                policy.settings.most_neighbours,
            )?)),
            None => Ok(policy.wide_model(&history.measured(quantity))?),
        }
    }

    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        let policy = &self.smbo.policy;
        if policy.setup.space.pool().is_some() {
            // This model knows the whole pool.
            let center = best_row(&merits(history))?.to_vec();
            return Ok(LocalModel {
                posterior: self.model(history)?,
                center,
                reach: f64::INFINITY,
                slacks: Vec::new(),
            });
        }
        if history.constraints() > 0 {
            return Ok(policy.limited_model_to_rely_on(history)?);
        }
        Ok(policy.model_to_rely_on(history.observed())?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod limited_tests;
