//! Expected improvement over the whole space, for spaces with discrete coordinates.
//!
//! A region that has formed around a poor choice stays there: values of a choice have no distance,
//! and the model around the best point only extrapolates to other values. So some trials maximize
//! the expected improvement of a Gaussian process over the whole space. It has a length scale per
//! coordinate, which tells the choices that matter from the others.

use std::sync::Arc;

use super::constants::{
    WHOLE_FAILURE, WHOLE_INCUMBENTS, WHOLE_LIKELIHOOD, WHOLE_MAXIMIZER, WHOLE_OBSERVATIONS,
    WHOLE_SCALES,
};
use super::slacks::compressed_around;
use crate::acquisition::maximize::{Maximum, SearchRegion};
use crate::acquisition::{Penalty, ProbabilityOfFeasibility, avoiding_failures};
use crate::linalg::{Points, Purpose, Rng, SettingError};
use crate::strategy::smbo::{Context, Occasional};
use crate::strategy::{AcquisitionRule, History, Origin, Setup, Suggestion, with_prediction};
use crate::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
use crate::surrogate::warp::compress_below_median;
use crate::surrogate::{Dataset, Function, Posterior, Surrogate};

/// The policy.
pub(crate) struct Whole {
    setup: Setup,
    /// Before any fit.
    process: GaussianProcess,
}

/// The processes of one trial.
struct Processes {
    objective: Arc<dyn Posterior>,
    /// Of the slacks of outcome constraints.
    slacks: Vec<Arc<dyn Posterior>>,
    /// The observations seen, and their rewards as the process of the objective sees them.
    kept: Vec<usize>,
    data: Dataset,
}

impl Occasional for Whole {
    fn propose(&self, context: &Context<'_>) -> Option<Suggestion> {
        let processes = self.processes(context)?;
        let best = self.maximum(&processes, context)?;
        let suggestion = self.setup.suggestion(best.row, Origin::Model("ei"));
        // Only the better half of the rewards is predicted as it is, the rest compressed.
        Some(with_prediction(suggestion, &*processes.objective))
    }
}

impl Whole {
    pub(crate) fn new(setup: Setup) -> Result<Self, SettingError> {
        let process = GaussianProcess::new(GpSettings {
            kernel: Kernel::Matern52,
            ard: setup.space.encoded_dim() <= WHOLE_SCALES,
            starts: 1,
            likelihood_rows: WHOLE_LIKELIHOOD,
            ..GpSettings::default()
        })?;
        Ok(Self { setup, process })
    }

    fn processes(&self, context: &Context<'_>) -> Option<Processes> {
        let history = context.history;
        let kept = context.scores.best_and_recent(WHOLE_OBSERVATIONS);
        let data = history.observed().select(&kept);
        // The worst rewards would decide every length scale.
        let data = data.with_rewards(compress_below_median(data.rewards()));
        let objective = self.fit(&data, context.pending)?;
        let slack = |j: usize| {
            let measured = |i: &usize| history.slacks(*i)[j].is_finite();
            let known: Vec<usize> = kept.iter().copied().filter(measured).collect();
            let slacks: Vec<f64> = known.iter().map(|&i| history.slacks(i)[j]).collect();
            let rows = history.observed().rows().select(&known);
            let data = Dataset::from_parts(rows, compressed_around(&slacks, 0.0));
            self.fit(&data, context.pending)
        };
        let slacks = (0..history.outcome_constraints()).map(slack);
        Some(Processes {
            objective,
            slacks: slacks.collect::<Option<_>>()?,
            kept,
            data,
        })
    }

    /// The process of some observations, conditioned on running trials; `None` where it cannot be
    /// fitted.
    fn fit(&self, data: &Dataset, pending: &Points) -> Option<Arc<dyn Posterior>> {
        let mut process = self.process.clone();
        let posterior = process.fit(data, &self.setup.streams).ok()?;
        let conditioned = (!pending.is_empty()).then(|| posterior.with_pending(pending));
        Some(Arc::from(conditioned.flatten().unwrap_or(posterior)))
    }

    fn maximum(&self, processes: &Processes, context: &Context<'_>) -> Option<Maximum> {
        let (history, space) = (context.history, &self.setup.space);
        let streams = &self.setup.streams;
        let mut rng = streams.indexed(context.number, Purpose::Candidates, 5);
        let function = processes.improvement(history, &mut rng);
        let succeeded = history.observed().rows();
        let penalty = |_: &dyn Function| Penalty::flat(WHOLE_FAILURE);
        let function = avoiding_failures(function, history.failed(), succeeded, penalty);
        let incumbents = context
            .scores
            .select(&processes.kept)
            .best_rows(WHOLE_INCUMBENTS);
        let region = SearchRegion::whole(space, context.taken, incumbents);
        let best = WHOLE_MAXIMIZER.maximize(&*function, &region, &mut rng)?;
        (best.value > f64::NEG_INFINITY).then_some(best)
    }
}

impl Processes {
    /// The expected improvement; under outcome constraints that over feasible observations times the
    /// probability of feasibility, or the probability alone while nothing is feasible.
    fn improvement(&self, history: &History, rng: &mut Rng) -> Box<dyn Function> {
        let rule = AcquisitionRule::ExpectedImprovement;
        if self.slacks.is_empty() {
            return rule.function(&self.objective, &self.data, rng);
        }
        let feasible = (0..self.kept.len()).filter(|&i| history.is_feasible(self.kept[i]));
        let seen = self.data.select(&feasible.collect::<Vec<_>>());
        let inner = (!seen.is_empty()).then(|| rule.function(&self.objective, &seen, rng));
        let slacks = self.slacks.clone();
        Box::new(ProbabilityOfFeasibility { inner, slacks })
    }
}
