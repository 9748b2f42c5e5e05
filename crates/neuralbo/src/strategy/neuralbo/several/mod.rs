//! The default method for two to four objectives: Thompson samples of one [tangent model](crate::surrogate::tangent) an objective,
//! and the next point where they add most to the hypervolume of the front.
//!
//! A suggestion, once the points to begin with (the centre, then a scrambled Sobol sequence) are there:
//!
//! 1. the front of the observations gives the units: in each objective its worst reward is 0 and its best is 1;
//! 2. the trial's [aim](aim::Aim) says where to look: in the whole space, around a point of the front, or for the best of one
//!    objective. The box around a point of the front has a side of its own, a fold over the finished trials;
//! 3. the models see the observations there, in units, with what is worse than the front brought nearer by a logarithm;
//! 4. trials use the means and sampled functions in turn; running evaluations are taken as observed at their predicted means, and
//!    are on the front with them;
//! 5. the [gain](gain) in hypervolume over the front is maximized by candidates and gradients.
//!
//! Nothing is kept between suggestions but the fold and the rows already proposed: a fresh strategy answers the same.

mod aim;
mod choice;
mod gain;
mod models;
mod regions;
mod standing;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::sync::Arc;

use super::super::setup::{Ledger, one_by_one};
use super::super::sobol::SpaceFiller;
use super::merits::merits;
use super::{Moment, NeuralBo, NeuralBoSettings};
use crate::linalg::Purpose;
use crate::net::ArchitectureError;
use crate::strategy::{DesignKind, Exhausted, History, InitialDesign, NoModel, Origin, Request, Setup, Strategy, Suggestion};
use crate::surrogate::Posterior;
use crate::surrogate::tangent::TangentKernel;
use regions::Regions;
use standing::Standing;

/// Points to begin with beside one a coordinate.
const MORE_INITIAL: usize = 2;

/// The default strategy for several objectives.
pub struct FrontSearch {
    setup: Setup,
    settings: NeuralBoSettings,
    kernel: TangentKernel,
    design: InitialDesign,
    filler: SpaceFiller,
    ledger: Ledger,
    regions: Regions,
    /// Asked for models only.
    single: NeuralBo,
}

impl FrontSearch {
    /// The strategy for a study.
    pub fn new(setup: Setup, settings: NeuralBoSettings) -> Result<Self, ArchitectureError> {
        let dim = setup.space.encoded_dim();
        let kernel = TangentKernel::new(dim, settings.width, &mut setup.streams.stream(0, Purpose::NetworkInit))?;
        let initial = settings.initial.unwrap_or(dim + MORE_INITIAL);
        let design = InitialDesign::new(&setup, DesignKind::Sobol, initial).centre_first(&setup);
        let regions = Regions::new(setup.streams, settings.region, initial);
        let single = NeuralBo::new(setup.clone(), settings)?;
        let filler = SpaceFiller::new(&setup);
        Ok(Self { setup, settings, kernel, design, filler, ledger: Ledger::default(), regions, single })
    }

    fn next(&mut self, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        if let Some(row) = self.design.row(moment.number).filter(|row| !moment.taken.contains(row)) {
            return Ok(self.setup.suggestion(row.to_vec(), Origin::Initial));
        }
        let Some(standing) = Standing::of(moment.history, &self.setup.goals) else {
            return self.nothing_feasible(moment);
        };
        let place = self.place(moment, &standing);
        match self.fit(moment, &standing, &place) {
            Ok(models) => self.chosen(moment, &standing, (&place, &models)),
            Err(error) => self.fresh(moment, Origin::Fallback(error.to_string())),
        }
    }

    /// While nothing is feasible the least violation is sought, as for a single objective.
    fn nothing_feasible(&mut self, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        if moment.history.constraints() == 0 {
            return self.fresh(moment, Origin::Fallback("no trial has all objectives".to_owned()));
        }
        self.single.follow(moment.history, 1);
        self.single.next(moment)
    }

    /// The next point of a sequence that fills the space.
    fn fresh(&self, moment: &Moment<'_>, origin: Origin) -> Result<Suggestion, Exhausted> {
        Ok(self.setup.suggestion(self.filler.row(moment.number, moment.taken)?, origin))
    }
}

impl Strategy for FrontSearch {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.regions.update(request.history);
        let merits = merits(request.history);
        let (setup, mut ledger) = (self.setup.clone(), std::mem::take(&mut self.ledger));
        let taken = ledger.taken(&setup, request);
        let suggestions = one_by_one(&setup, request, taken, |number, taken, chosen| {
            let mut pending = request.pending.clone();
            chosen.iter().for_each(|suggestion| pending.push(&suggestion.row));
            let (history, pending, finished) = (request.history, &pending, ledger.finished());
            self.next(&Moment { history, merits: &merits, pending, taken, finished, number, place: None })
        });
        self.ledger = ledger;
        suggestions
    }

    fn model(&mut self, history: &History) -> Result<Arc<dyn Posterior>, NoModel> {
        self.single.model_of(history, 0)
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> Result<Arc<dyn Posterior>, NoModel> {
        self.single.model_of(history, quantity)
    }
}
