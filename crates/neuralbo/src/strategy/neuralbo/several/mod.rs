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

use std::borrow::Cow;
use std::sync::Arc;

use super::merits::merits;
use super::{Moment, NeuralBo, NeuralBoSettings, NoChoice, Policy, Smbo};
use crate::linalg::Purpose;
use crate::net::ArchitectureError;
use crate::strategy::{
    DesignKind, Exhausted, History, InitialDesign, NoModel, Origin, Request, Setup, Strategy,
    Suggestion,
};
use crate::surrogate::tangent::TangentKernel;
use crate::surrogate::{Dataset, FitError, Posterior};
use regions::Regions;
use standing::Standing;

/// Points to begin with beside one a coordinate.
const MORE_INITIAL: usize = 2;

/// The default strategy for several objectives.
pub struct FrontSearch {
    smbo: Smbo<FrontPolicy>,
}

/// The policy: models around the points of the front, and the gain in hypervolume maximized.
struct FrontPolicy {
    setup: Setup,
    settings: NeuralBoSettings,
    kernel: TangentKernel,
    design: InitialDesign,
    regions: Regions,
    /// Asked for models, and for points while nothing is feasible.
    single: NeuralBo,
}

impl FrontSearch {
    /// The strategy for a study.
    pub fn new(setup: Setup, settings: NeuralBoSettings) -> Result<Self, ArchitectureError> {
        let dim = setup.space.encoded_dim();
        let kernel = TangentKernel::new(
            dim,
            settings.width,
            &mut setup.streams.stream(0, Purpose::NetworkInit),
        )?;
        let initial = settings.initial.unwrap_or(dim + MORE_INITIAL);
        let design = InitialDesign::new(&setup, DesignKind::Sobol, initial).centre_first(&setup);
        let regions = Regions::new(setup.streams, settings.region, initial);
        let single = NeuralBo::new(setup.clone(), settings)?;
        Ok(Self {
            smbo: Smbo::new(FrontPolicy {
                setup,
                settings,
                kernel,
                design,
                regions,
                single,
            }),
        })
    }
}

impl Policy for FrontPolicy {
    /// The front; `None` while no feasible trial has all objectives. The models around its points are those of one trial each.
    type Model = Option<Arc<Standing>>;
    /// Finished trials.
    type Key = usize;

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn observe<'a>(&mut self, request: &Request<'a>) -> Cow<'a, Dataset> {
        self.regions.update(request.history);
        merits(request.history)
    }

    fn without_model(&self, moment: &Moment<'_>) -> Option<Result<Suggestion, Exhausted>> {
        let row = self
            .design
            .row(moment.number)
            .filter(|row| !moment.taken.contains(row))?;
        Some(Ok(self.setup.suggestion(row.to_vec(), Origin::Initial)))
    }

    fn key(&self, history: &History) -> usize {
        history.len()
    }

    fn refit(&mut self, history: &History, _: &Dataset) -> Result<Self::Model, FitError> {
        Ok(Standing::of(history, &self.setup.goals).map(Arc::new))
    }

    fn choose(
        &mut self,
        standing: &Self::Model,
        moment: &Moment<'_>,
    ) -> Result<Suggestion, NoChoice> {
        let Some(standing) = standing else {
            return self.nothing_feasible(moment);
        };
        let place = self.place(moment, standing);
        let models = self.fit(moment, standing, &place)?;
        self.chosen(moment, standing, (&place, &models))
    }
}

impl FrontPolicy {
    /// While nothing is feasible the least violation is sought, as for a single objective.
    fn nothing_feasible(&mut self, moment: &Moment<'_>) -> Result<Suggestion, NoChoice> {
        if moment.history.constraints() == 0 {
            return Err(NoChoice::because("no trial has all objectives"));
        }
        self.single.smbo.policy.follow(moment.history, 1);
        Ok(self.single.smbo.next(&Moment {
            place: None,
            ..*moment
        })?)
    }
}

impl Strategy for FrontSearch {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.smbo.suggest(request)
    }

    fn model(&mut self, history: &History) -> Result<Arc<dyn Posterior>, NoModel> {
        self.smbo.policy.single.model_of(history, 0)
    }

    fn model_of(
        &mut self,
        history: &History,
        quantity: usize,
    ) -> Result<Arc<dyn Posterior>, NoModel> {
        self.smbo.policy.single.model_of(history, quantity)
    }
}
