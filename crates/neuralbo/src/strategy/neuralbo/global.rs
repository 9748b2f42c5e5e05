//! Trials that look beyond the trust region, in spaces with discrete coordinates.
//!
//! A region that has formed around a poor choice stays there: near and far mean nothing between choices, and what the model around the
//! best point says about other choices is guessed. So every third trial maximizes the expected improvement of a Gaussian process
//! over the whole space. It has a length scale for every coordinate, which tell the choices that matter from those that do not.

use std::sync::Arc;

use super::{Moment, RegionPolicy, slacks};
use crate::acquisition::maximize::{Maximizer, MaximizerSettings, Maximum, SearchRegion};
use crate::acquisition::{Penalty, ProbabilityOfFeasibility, avoiding_failures};
use crate::linalg::{Purpose, Rng};
use crate::strategy::rule::best_rows;
use crate::strategy::{AcquisitionRule, History, Origin, Suggestion, with_prediction};
use crate::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
use crate::surrogate::{Dataset, Function, Posterior, Surrogate, warp};

/// One of this many trials looks at the whole space.
const EVERY: u64 = 3;
/// Most coordinates that get a length scale each, and most that are looked at in this way at all.
const MOST_SCALES: usize = 40;
const MOST_COORDINATES: usize = 200;
/// Observations the length scales are fitted to.
const LIKELIHOOD_ROWS: usize = 120;
/// Most observations, the best and the most recent ones.
const MOST_SEEN: usize = 256;
/// Observations around which the maximum is sought.
const INCUMBENTS: usize = 8;
/// What a certain failure costs, in logarithms of the expected improvement.
const FAILURE: f64 = 10.0;

impl RegionPolicy {
    /// A trial of the whole space, where it is the turn of one.
    pub(super) fn global(&self, moment: &Moment<'_>) -> Option<Suggestion> {
        let turn = moment.number.abs_diff(self.design.len() as u64) % EVERY == EVERY - 1;
        if self.cube.is_some() || !turn || self.setup.space.encoded_dim() > MOST_COORDINATES {
            return None;
        }
        let kept = moment.merits.best_and_recent(MOST_SEEN);
        let data = tempered(&moment.history.observed().select(&kept));
        let posterior = self.process(&data, moment)?;
        let slacks = self.slack_processes(&kept, moment)?;
        let best =
            self.expected_improvement_maximum((&posterior, slacks), (&data, &kept), moment)?;
        // The process predicts tempered rewards, which are as they are in the better half only.
        let suggestion = with_prediction(
            self.setup.suggestion(best.row, Origin::Model("ei")),
            &*posterior,
        );
        Some(suggestion)
    }

    fn process(&self, data: &Dataset, moment: &Moment<'_>) -> Option<Arc<dyn Posterior>> {
        let ard = self.setup.space.encoded_dim() <= MOST_SCALES;
        let settings = GpSettings {
            kernel: Kernel::Matern52,
            ard,
            starts: 1,
            likelihood_rows: LIKELIHOOD_ROWS,
            ..GpSettings::default()
        };
        let posterior = GaussianProcess::new(settings)
            .ok()?
            .fit(data, &self.setup.streams)
            .ok()?;
        let informed = if moment.pending.is_empty() {
            None
        } else {
            posterior.with_pending(moment.pending)
        };
        Some(Arc::from(informed.unwrap_or(posterior)))
    }

    /// The processes of the slacks of outcome constraints.
    fn slack_processes(
        &self,
        kept: &[usize],
        moment: &Moment<'_>,
    ) -> Option<Vec<Arc<dyn Posterior>>> {
        let history = moment.history;
        let process = |j: usize| {
            let known: Vec<usize> = kept
                .iter()
                .copied()
                .filter(|&i| history.slacks(i)[j].is_finite())
                .collect();
            let slacks: Vec<f64> = known.iter().map(|&i| history.slacks(i)[j]).collect();
            let slacks = slacks::tempered(&slacks, 0.0, slacks::usual(&slacks, 0.0));
            self.process(
                &Dataset::from_parts(history.observed().rows().select(&known), slacks),
                moment,
            )
        };
        (0..history.constraints()).map(process).collect()
    }

    /// The expected improvement; under outcome constraints that of feasible observations times the chance to be feasible, or the
    /// chance alone while nothing is.
    fn improvement(
        &self,
        (posterior, slacks): (&Arc<dyn Posterior>, Vec<Arc<dyn Posterior>>),
        (data, kept): (&Dataset, &[usize]),
        history: &History,
        rng: &mut Rng,
    ) -> Box<dyn Function> {
        if slacks.is_empty() {
            return AcquisitionRule::ExpectedImprovement.function(posterior, data, rng);
        }
        let feasible: Vec<usize> = (0..kept.len())
            .filter(|&i| history.is_feasible(kept[i]))
            .collect();
        let improvement = AcquisitionRule::ExpectedImprovement;
        let inner = (!feasible.is_empty())
            .then(|| improvement.function(posterior, &data.select(&feasible), rng));
        Box::new(ProbabilityOfFeasibility { inner, slacks })
    }

    fn expected_improvement_maximum(
        &self,
        models: (&Arc<dyn Posterior>, Vec<Arc<dyn Posterior>>),
        (data, kept): (&Dataset, &[usize]),
        moment: &Moment<'_>,
    ) -> Option<Maximum> {
        let mut rng = self
            .setup
            .streams
            .indexed(moment.number, Purpose::Candidates, 5);
        let history = moment.history;
        let function = self.improvement(models, (data, kept), history, &mut rng);
        let succeeded = history.observed().rows();
        let penalty = |_: &dyn Function| Penalty::flat(FAILURE);
        let function = avoiding_failures(function, history.failed(), succeeded, penalty);
        let region = SearchRegion::whole(
            &self.setup.space,
            moment.taken,
            best_rows(&moment.merits.select(kept), INCUMBENTS),
        );
        let settings = MaximizerSettings {
            candidates: 1024,
            local_share: 0.5,
            starts: 8,
            steps: 40,
            perturbed: 20,
        };
        let best = Maximizer::new(settings)
            .ok()?
            .maximize(&*function, &region, &mut rng)?;
        (best.value > f64::NEG_INFINITY).then_some(best)
    }
}

/// Rewards below the median compressed: how bad the bad ones are would decide every length scale.
fn tempered(data: &Dataset) -> Dataset {
    data.with_rewards(warp::compress_below_median(data.rewards()))
}
