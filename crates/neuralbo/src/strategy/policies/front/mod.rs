//! Two to four objectives: Thompson samples of one [tangent model](crate::surrogate::tangent) per
//! objective, maximized for the gain in hypervolume over the front.
//!
//! After the initial design (the centre, then a scrambled Sobol sequence) a suggestion is made as
//! follows:
//!
//! 1. the front of the observations gives the units: in each objective its worst reward is 0 and
//!    its best is 1;
//! 2. the trial's [aim](aim::Aim) says where to look: in the whole space, around a point of the
//!    front, or for the best of one objective. The box around a point of the front has a side of its
//!    own, a fold over the finished trials;
//! 3. the models see the observations there, in units, compressed below the front;
//! 4. trials alternate between the means and sampled functions; running trials are taken as observed
//!    at their predicted means, and count as members of the front;
//! 5. the [gain](gain) in hypervolume is maximized by candidates and gradients.

mod aim;
mod choice;
mod gain;
mod models;
mod regions;
#[cfg(test)]
mod tests;
mod units;

use std::sync::Arc;

use super::constants::FRONT_MORE_INITIAL;
use super::{InitialSteps, Tangent};
use crate::linalg::Points;
use crate::strategy::presets::neuralbo::NeuralBoSettings;
use crate::strategy::smbo::{Alternate, Context, LastFit, NoChoice, Policy};
use crate::strategy::{Exhausted, History, InitialDesign, ModelResult, Request, Setup, Suggestion};
use crate::surrogate::Dataset;
use regions::Regions;
use units::FrontUnits;

/// The policy: models around the points of the front, and the gain in hypervolume maximized.
pub(crate) struct FrontSearch {
    setup: Setup,
    settings: NeuralBoSettings,
    tangent: Tangent,
    start: InitialSteps,
    regions: Regions,
    /// Asked for models, and for points while nothing is feasible.
    single: Alternate,
    /// By finished trials; `None` while no feasible trial has all objectives.
    last: LastFit<usize, Option<Arc<FrontUnits>>>,
}

impl Policy for FrontSearch {
    fn observe(&mut self, request: &Request<'_>, _: &Dataset) {
        self.regions.update(request.history);
    }

    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        self.start.point(context)
    }

    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        let (history, goals) = (context.history, &self.setup.goals);
        let front = self.last.get_or_fit(history.len(), || {
            Ok(FrontUnits::of(history, goals).map(Arc::new))
        })?;
        let Some(front) = front else {
            return self.nothing_feasible(context);
        };
        let place = self.place(context, &front);
        let models = self.fit(context, &front, place)?;
        self.suggestion(context, &front, &models)
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        self.single.model_of(history, quantity)
    }
}

impl FrontSearch {
    /// The policy of a study; `single` is the policy of one objective.
    pub(crate) fn new(tangent: Tangent, settings: NeuralBoSettings, single: Alternate) -> Self {
        let setup = tangent.setup.clone();
        let size = setup.space.encoded_dim() + FRONT_MORE_INITIAL;
        let initial = settings.initial.unwrap_or(size);
        let design = InitialDesign::new(&setup, initial).centre_first(&setup);
        Self {
            regions: Regions::new(setup.streams, settings.region, initial),
            start: InitialSteps::of_design(setup.clone(), design),
            setup,
            settings,
            tangent,
            single,
            last: LastFit::default(),
        }
    }

    /// While nothing is feasible the least violation is sought, as for a single objective.
    fn nothing_feasible(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        if self.setup.goals.slacks == 0 {
            return Err(NoChoice::because("no trial has all objectives"));
        }
        let none = Points::new(context.pending.dim());
        let request = Request::new(context.history, &none, context.number, 1);
        self.single.observe(&request, context.scores);
        let alone = Context {
            batch_index: None,
            ..*context
        };
        match self.single.opening(&alone) {
            Some(suggestion) => Ok(suggestion?),
            None => self.single.choose(&alone),
        }
    }
}
