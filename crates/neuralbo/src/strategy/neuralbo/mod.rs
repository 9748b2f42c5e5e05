//! The default method: Thompson samples of the [tangent model](crate::surrogate::tangent) inside a trust region.
//!
//! A suggestion, once the three points of the initial design are there:
//!
//! 1. the region's side is a fold over the finished trials; when it has collapsed the search descends anew, from points crossed of
//!    what it has found or from others;
//! 2. the model sees the observations around the best point, in units of the region;
//! 3. its scale, trend weights and noise follow from the evidence, its weights from the data in closed form;
//! 4. the region is centred at the best point *of the model*, which noise does not fool, stretched along what hardly matters, and
//!    widened where the noise would drown what the mean does in it;
//! 5. odd trials maximize a sampled function in the region, even ones the mean: half of the evaluations explore, half exploit.
//!    Running evaluations are taken as observed at their predicted means; where the mean's best point is among them the trial
//!    explores as well.
//!
//! Nothing is kept between suggestions but the fold and the rows already proposed: a fresh strategy answers the same.

mod belief;
mod crossover;
mod descents;
mod neighbourhood;
mod search_box;
mod settings;
mod trust_region;

pub use settings::NeuralBoSettings;
pub use trust_region::TrustRegionSettings;

use super::setup::{Ledger, one_by_one};
use super::sobol::SpaceFiller;
use super::{
    DesignKind, Exhausted, History, InitialDesign, LocalModel, NoModel, Origin, Request, Setup, Strategy, Suggestion,
    with_prediction,
};
use crate::acquisition::maximize::{Maximum, SearchRegion, SeenRows, score, value_spread};
use crate::acquisition::{AvoidFailures, Feasibility};
use crate::linalg::{Points, Purpose, squared_distance};
use crate::net::ArchitectureError;
use crate::surrogate::tangent::{Frame, TangentKernel, TangentModel, TangentPosterior};
use crate::surrogate::{Dataset, FitError, Function, Posterior};
use crossover::crossed;
use descents::{Descents, Stage};
use neighbourhood::{nearest, neighbourhood};
use search_box::{Boxes, SearchBox};
use std::sync::Arc;

/// Smallest unit of length, relative to the spread of the neighbours in a coordinate.
const SPREAD_SHARE: f64 = 0.1;
/// Distance in every coordinate within which two points are one to the mean, as a part of the region's side.
const SAME_PLACE: f64 = 0.05;
/// How much wider the prediction of a chosen point is than that of any other: it was chosen for what the model hopes of it. Without,
/// 90 % intervals held 78 to 82 % of what was observed next on BBOB.
const CHOSEN: f64 = 1.15;
/// Cost of a certain failure, in units of the sampled function's spread in the box. With one unit, an optimum at the border of a
/// failing region drew more than half of the trials over it.
const FAILURE: f64 = 3.0;

/// The default strategy.
pub struct NeuralBo {
    setup: Setup,
    settings: NeuralBoSettings,
    kernel: TangentKernel,
    design: InitialDesign,
    filler: SpaceFiller,
    ledger: Ledger,
    descents: Descents,
}

/// What is known at the moment one point is chosen.
struct Moment<'a> {
    history: &'a History,
    pending: &'a Points,
    taken: &'a SeenRows,
    number: u64,
}

/// A fitted model, the centre of the trust region and how far it is stretched along each coordinate.
struct Fitted {
    posterior: TangentPosterior,
    center: Vec<f64>,
    stretch: Vec<f64>,
}

impl NeuralBo {
    /// The strategy for a study.
    pub fn new(setup: Setup, settings: NeuralBoSettings) -> Result<Self, ArchitectureError> {
        let mut rng = setup.streams.stream(0, Purpose::NetworkInit);
        let kernel = TangentKernel::new(setup.space.encoded_dim(), settings.width, &mut rng)?;
        let mut design = InitialDesign::new(&setup, DesignKind::Sobol, settings.initial);
        if setup.space.pool().is_none() {
            design = design.centre_first(&setup);
        }
        let filler = SpaceFiller::new(&setup);
        let mut settings = settings;
        if setup.space.pool().is_some() {
            // A pool is scored whole, inside the region and outside: its collapse means nothing.
            settings.region.smallest = 0.0;
        }
        let descents = Descents::new(settings.region, settings.initial);
        Ok(Self { setup, settings, kernel, design, filler, ledger: Ledger::default(), descents })
    }

    /// Picks the next point.
    fn next(&self, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        if let Some(row) = self.design.row(moment.number).filter(|row| !moment.taken.contains(row)) {
            return Ok(self.setup.suggestion(row.to_vec(), Origin::Initial));
        }
        match self.descents.stage() {
            Stage::Search | Stage::Initial => self.searched(moment),
            Stage::Crossed => match self.crossed(moment) {
                Some(row) => Ok(self.setup.suggestion(row, Origin::Initial)),
                None => self.fresh(moment, Origin::Initial),
            },
            Stage::Fresh => self.fresh(moment, Origin::Initial),
        }
    }

    /// A point of the trust region.
    fn searched(&self, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        match self.fit(moment.history, moment.pending) {
            Ok(fitted) => self.by_model(&fitted, moment),
            Err(error) => self.fresh(moment, Origin::Fallback(error.to_string())),
        }
    }

    /// A point crossed from two earlier descents, if it has not been evaluated.
    fn crossed(&self, moment: &Moment<'_>) -> Option<Vec<f64>> {
        let mut rng = self.setup.streams.indexed(moment.number, Purpose::Candidates, 3);
        let row = crossed(&self.setup.space, moment.history.observed(), self.descents.ended(), &mut rng)?;
        (!moment.taken.contains(&row)).then_some(row)
    }

    /// The next point of a sequence that fills the space.
    fn fresh(&self, moment: &Moment<'_>, origin: Origin) -> Result<Suggestion, Exhausted> {
        Ok(self.setup.suggestion(self.filler.row(moment.number, moment.taken)?, origin))
    }

    /// The model around the best point, running trials taken as observed at their means.
    fn fit(&self, history: &History, pending: &Points) -> Result<Fitted, FitError> {
        let data = history.observed().since(self.descents.observations_before());
        let best = best_row(&data)?;
        let seen = neighbourhood(&data, best, self.descents.side(), self.settings.most_neighbours);
        let model = self.tuned(best, self.unit(&seen, best), &seen);
        let posterior = model.fit(&seen)?;
        let center = smoothed_best(&posterior, &seen);
        let stretch =
            posterior.influence(nearest(&seen, best, self.settings.evidence_points).rows()).into_iter().map(f64::recip).collect();
        let posterior = if pending.is_empty() { posterior } else { model.fit(&believed(&posterior, seen, pending))? };
        Ok(Fitted { posterior, center, stretch })
    }

    /// Half the region's side, but no less than a part of the neighbours' own distance: a region that has shrunk far below it
    /// would put them thousands of units away, where a quadratic is all there is to see.
    fn unit(&self, seen: &Dataset, center: &[f64]) -> f64 {
        (0.5 * self.descents.side()).max(SPREAD_SHARE * spread(seen, center))
    }

    /// The model at `center` in units of `unit`, tuned to the nearest of these observations.
    fn tuned(&self, center: &[f64], unit: f64, seen: &Dataset) -> TangentModel {
        let frame = Frame { center: center.to_vec(), unit };
        TangentModel::new(self.kernel.clone(), frame).tuned(&nearest(seen, center, self.settings.evidence_points))
    }

    fn by_model(&self, fitted: &Fitted, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        let (lower, upper) = self.search_box(fitted, moment.number);
        let incumbents = Points::from_rows(fitted.center.len(), [&fitted.center]);
        let region = SearchRegion::whole(&self.setup.space, moment.taken, incumbents).within(&lower, &upper);
        if moment.number.is_multiple_of(2) {
            let best = self.maximum(fitted, 0.0, &region, moment);
            // The mean does not move while others run: where its best point is under way already, exploring tells more.
            if let Some(best) = best.filter(|best| !under_way(&best.row, moment.pending, self.descents.side())) {
                return self.chosen(fitted, best, "mean", moment);
            }
        }
        match self.maximum(fitted, self.settings.nu, &region, moment) {
            None => Err(Exhausted),
            Some(best) => self.chosen(fitted, best, "thompson", moment),
        }
    }

    /// The best row of a function whose deviation from the mean is `nu` times the posterior's; `None` when nothing is left.
    fn maximum(&self, fitted: &Fitted, nu: f64, region: &SearchRegion<'_>, moment: &Moment<'_>) -> Option<Maximum> {
        let function = fitted.posterior.sample(nu, &mut self.setup.streams.stream(moment.number, Purpose::Sample));
        let function = self.steered(Box::new(function), region, moment);
        let mut rng = self.setup.streams.stream(moment.number, Purpose::Candidates);
        self.settings.maximizer.maximize(&*function, region, &mut rng)
    }

    fn chosen(&self, fitted: &Fitted, best: Maximum, rule: &'static str, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        if best.value == f64::NEG_INFINITY {
            return self.fresh(moment, Origin::Fallback("the model has no finite value".into()));
        }
        let suggestion = with_prediction(self.setup.suggestion(best.row, Origin::Model(rule)), &fitted.posterior);
        Ok(Suggestion { sd: suggestion.sd.map(|sd| CHOSEN * sd), ..suggestion })
    }

    fn search_box(&self, fitted: &Fitted, number: u64) -> SearchBox {
        let mut rng = self.setup.streams.indexed(number, Purpose::Candidates, 2);
        let boxes = Boxes { space: &self.setup.space, center: &fitted.center, stretch: &fitted.stretch };
        let side = boxes.audible_side(&fitted.posterior, self.descents.side(), self.settings.region.start, &mut rng);
        let mut found = boxes.of_side(side);
        boxes.hold_most(&mut found, &mut rng);
        found
    }

    /// Keeps the search away from where evaluations failed.
    fn steered(&self, function: Box<dyn Function>, region: &SearchRegion<'_>, moment: &Moment<'_>) -> Box<dyn Function> {
        let history = moment.history;
        if history.failed().is_empty() {
            return function;
        }
        let mut rng = self.setup.streams.indexed(moment.number, Purpose::Candidates, 1);
        let penalty = FAILURE * value_spread(&score(&*function, &self.settings.maximizer.probe(region, &mut rng)));
        let feasibility = Feasibility::new(history.failed(), history.observed().rows());
        Box::new(AvoidFailures { inner: function, feasibility, penalty })
    }
}

/// The row of the best reward.
fn best_row(data: &Dataset) -> Result<&[f64], FitError> {
    data.best().map(|best| data.rows().row(best)).ok_or(FitError::TooFewObservations { needed: 1, found: 0 })
}

/// Root mean square distance from `center` in a coordinate.
fn spread(data: &Dataset, center: &[f64]) -> f64 {
    let square: f64 = data.rows().rows().map(|row| squared_distance(row, center)).sum();
    (square / (data.len() * center.len()).max(1) as f64).sqrt()
}

/// Whether a running trial lies so near to `row`, seen from a region of this side, that both would say the same.
fn under_way(row: &[f64], pending: &Points, side: f64) -> bool {
    let near = |other: &[f64]| row.iter().zip(other).all(|(a, b)| (a - b).abs() <= SAME_PLACE * side);
    pending.rows().any(near)
}

/// The observation with the largest posterior mean, the first of equals.
fn smoothed_best(posterior: &TangentPosterior, data: &Dataset) -> Vec<f64> {
    let smoothed = posterior.smoothed_targets();
    let best = (0..smoothed.len()).max_by(|&a, &b| smoothed[a].total_cmp(&smoothed[b]).then(b.cmp(&a)));
    data.rows().row(best.unwrap_or(0)).to_vec()
}

/// The data with the running trials added at their predicted means.
fn believed(posterior: &TangentPosterior, mut data: Dataset, pending: &Points) -> Dataset {
    for (row, mean) in pending.rows().zip(posterior.predict(pending).mean) {
        data.push(row, mean);
    }
    data
}

impl Strategy for NeuralBo {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.descents.update(request.history);
        let taken = self.ledger.taken(&self.setup, request);
        one_by_one(&self.setup, request, taken, |number, taken, chosen| {
            let mut pending = request.pending.clone();
            chosen.iter().for_each(|suggestion| pending.push(&suggestion.row));
            self.next(&Moment { history: request.history, pending: &pending, taken, number })
        })
    }

    fn model(&mut self, history: &History) -> Result<Arc<dyn Posterior>, NoModel> {
        Ok(Arc::new(self.wide_model(history.observed())?))
    }

    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        Ok(self.model_to_rely_on(history.observed())?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
