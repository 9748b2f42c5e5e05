//! Expected improvement over the whole space, for spaces with discrete coordinates.
//!
//! A region that has formed around a poor choice stays there: values of a choice have no distance,
//! and the model around the best point only extrapolates to other values. So some trials maximize
//! the expected improvement of a Gaussian process over the whole space. It has a length scale per
//! coordinate, which tells the choices that matter from the others.

use std::sync::Arc;

use super::alternate::Occasional;
use super::constants::{
    WHOLE_FAILURE, WHOLE_INCUMBENTS, WHOLE_LIKELIHOOD, WHOLE_MAXIMIZER, WHOLE_OBSERVATIONS,
    WHOLE_SCALES,
};
use super::outcomes::compressed_around;
use super::settings::BuildError;
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion};
use crate::acquisition::{Avoid, Feasibility, LogChance};
use crate::linalg::{Points, Purpose, Rng};
use crate::strategy::acquisition_rule::best_rows;
use crate::strategy::smbo::Context;
use crate::strategy::{AcquisitionRule, History, Origin, Setup, Suggestion, with_prediction};
use crate::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
use crate::surrogate::{Dataset, Function, Posterior, Surrogate};

/// The policy.
pub(crate) struct Whole {
    setup: Setup,
    /// Before any fit.
    process: GaussianProcess,
    maximizer: Maximizer,
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
    pub(crate) fn new(setup: Setup) -> Result<Self, BuildError> {
        let process = GaussianProcess::new(GpSettings {
            kernel: Kernel::Matern52,
            ard: setup.space.encoded_dim() <= WHOLE_SCALES,
            starts: 1,
            likelihood_rows: WHOLE_LIKELIHOOD,
            ..GpSettings::default()
        })?;
        Ok(Self {
            setup,
            process,
            maximizer: Maximizer::new(WHOLE_MAXIMIZER)?,
        })
    }

    fn processes(&self, context: &Context<'_>) -> Option<Processes> {
        let history = context.history;
        let kept = context.scores.most_telling(WHOLE_OBSERVATIONS);
        let data = compressed(&history.observed().select(&kept));
        let objective = self.fit(&data, context.pending)?;
        let slack = |j: usize| {
            let measured = |i: &usize| history.slacks(*i)[j].is_finite();
            let known: Vec<usize> = kept.iter().copied().filter(measured).collect();
            let slacks: Vec<f64> = known.iter().map(|&i| history.slacks(i)[j]).collect();
            let rows = history.observed().rows().select(&known);
            let data = Dataset::from_parts(rows, compressed_around(&slacks, 0.0));
            self.fit(&data, context.pending)
        };
        Some(Processes {
            objective,
            slacks: (0..history.constraints())
                .map(slack)
                .collect::<Option<_>>()?,
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
        let mut function = processes.improvement(history, &mut rng);
        if !history.failed().is_empty() {
            function = Box::new(Avoid {
                inner: function,
                chance: Box::new(Feasibility::new(
                    history.failed(),
                    history.observed().rows(),
                )),
                reference: f64::INFINITY,
                penalty: WHOLE_FAILURE,
                wall: 0.0,
            });
        }
        let incumbents = best_rows(&context.scores.select(&processes.kept), WHOLE_INCUMBENTS);
        let region = SearchRegion::whole(space, context.taken, incumbents);
        let best = self.maximizer.maximize(&*function, &region, &mut rng)?;
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
        let feasible: Vec<usize> = (0..self.kept.len())
            .filter(|&i| history.is_feasible(self.kept[i]))
            .collect();
        let inner = (!feasible.is_empty())
            .then(|| rule.function(&self.objective, &self.data.select(&feasible), rng));
        Box::new(LogChance {
            inner,
            slacks: self.slacks.clone(),
        })
    }
}

/// Rewards below the median compressed by a logarithm: the worst ones would decide every length
/// scale.
fn compressed(data: &Dataset) -> Dataset {
    let mut sorted = data.rewards().to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(best), Some(median)) = (sorted.last(), sorted.get(sorted.len() / 2)) else {
        return data.clone();
    };
    let unit = best - median;
    if !(unit > 0.0 && unit.is_finite()) {
        return data.clone();
    }
    let compress = |reward: &f64| {
        if reward < median {
            median - unit * ((median - reward) / unit).ln_1p()
        } else {
            *reward
        }
    };
    Dataset::from_parts(
        data.rows().clone(),
        data.rewards().iter().map(compress).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Points;

    #[test]
    fn only_bad_rewards_are_compressed_and_their_order_stays() {
        let rewards = vec![-1e6, 3.0, 5.0, -7.0, 4.0];
        let data = Dataset::from_parts(
            Points::from_rows(1, (0..5).map(|i| [f64::from(i)])),
            rewards,
        );
        let found = compressed(&data).rewards().to_vec();
        assert_eq!((found[1], found[2], found[4]), (3.0, 5.0, 4.0));
        assert!((found[3] - (3.0 - 2.0 * 6f64.ln())).abs() < 1e-12);
        assert!(found[0] < found[3] && found[0] > -30.0, "{found:?}");
        let equal = Dataset::from_parts(Points::from_rows(1, [[0.0], [1.0]]), vec![2.0, 2.0]);
        assert_eq!(compressed(&equal).rewards(), [2.0, 2.0]);
    }
}
