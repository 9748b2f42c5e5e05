//! The search of a pool, where a trust region has no meaning: an upper confidence bound over all
//! rows.
//!
//! Means are computed everywhere, standard deviations only for a short list: the rows of the
//! largest means, and random ones for the many of which nothing is known.

use std::collections::HashMap;
use std::sync::Arc;

use rand::RngExt;

use super::InitialSteps;
use super::constants::{CALIBRATION_FACTOR, MOST_NEIGHBOURS, POOL_BEST, POOL_RANDOM, POOL_WIDTH};
use super::failures::penalty;
use super::neighbourhood::{NO_OBSERVATIONS, best_row, largest};
use super::scores::{scored, units};
use super::slacks::compressed_around;
use crate::acquisition::maximize::{row_fingerprint, value_spread};
use crate::acquisition::{FailureProbability, Probability};
use crate::linalg::{Points, Purpose, Rng};
use crate::strategy::smbo::{Context, LastFit, NoChoice, Policy};
use crate::strategy::{
    Exhausted, History, LocalModel, ModelResult, NoModel, Origin, Setup, Suggestion,
};
use crate::surrogate::pool::{PoolModel, PoolPosterior};
use crate::surrogate::{Dataset, FitError};

/// The policy.
pub(crate) struct PoolSearch {
    setup: Setup,
    start: InitialSteps,
    nu: f64,
    /// Built on first use.
    rows: Option<IndexedPool>,
    /// By the number of observations.
    last: LastFit<usize, Arc<PoolPosterior>>,
}

impl Policy for PoolSearch {
    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        self.start.point(context)
    }

    /// The row of the largest upper confidence bound.
    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        let posterior = self.fitted(context.history)?;
        let space = Arc::clone(&self.setup.space);
        let pool = space.pool().ok_or(Exhausted)?;
        let nu = self.nu;
        let rows = self.rows.get_or_insert_with(|| IndexedPool::new(pool));
        let posterior = rows.with_pending(pool, &posterior, context.pending);
        let means = posterior.means();
        let streams = &self.setup.streams;
        let mut rng = streams.stream(context.number, Purpose::Candidates);
        let left =
            |i: &usize| !context.taken.contains(pool.row(*i)) && space.is_feasible(pool.row(*i));
        let list = short_list(&means, left, &mut rng);
        let sds = posterior.sds(&list);
        let bound = |(&i, sd): (&usize, &f64)| means[i] + nu * POOL_WIDTH * sd;
        let bounds = list.iter().zip(&sds).map(bound).collect();
        let bounds = less_failures(bounds, &pool.select(&list), context.history);
        let violations = rows.violations(&list, context.history, nu);
        let bounds = feasible_first(bounds, violations);
        let best = largest(&bounds).ok_or(Exhausted)?;
        let row = pool.row(list[best]).to_vec();
        Ok(Suggestion {
            mean: Some(means[list[best]]),
            sd: Some(CALIBRATION_FACTOR * sds[best]),
            ..self.setup.suggestion(row, Origin::Model("ucb"))
        })
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        if quantity == 0 {
            return Ok(self.fitted(history)?);
        }
        let pool = self.setup.space.pool().ok_or(NoModel::Modelless)?;
        let data = history.measured(quantity);
        let fit = IndexedPool::new(pool).fit(&data, data.rewards());
        Ok(Arc::new(fit?))
    }

    /// This model knows the whole pool.
    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        let center = best_row(&scored(history))?.to_vec();
        let posterior = self.model_of(history, 0)?;
        Ok(LocalModel {
            center,
            ..LocalModel::everywhere(posterior, 0)
        })
    }
}

impl PoolSearch {
    pub(crate) fn new(setup: Setup, nu: f64, start: InitialSteps) -> Self {
        Self {
            setup,
            start,
            nu,
            rows: None,
            last: LastFit::default(),
        }
    }

    fn fitted(&mut self, history: &History) -> Result<Arc<PoolPosterior>, FitError> {
        let data = history.observed();
        self.last.get_or_fit(data.len(), || {
            let pool = self.setup.space.pool().ok_or(NO_OBSERVATIONS)?;
            let rows = self.rows.get_or_insert_with(|| IndexedPool::new(pool));
            rows.fit(data, data.rewards()).map(Arc::new)
        })
    }
}

/// The model of a pool, and the index of each row.
struct IndexedPool {
    model: PoolModel,
    indices: HashMap<u128, usize>,
}

impl IndexedPool {
    fn new(pool: &Points) -> Self {
        let mut indices = HashMap::with_capacity(pool.len());
        for (i, row) in pool.rows().enumerate() {
            indices.entry(row_fingerprint(row)).or_insert(i);
        }
        Self {
            model: PoolModel::new(pool),
            indices,
        }
    }

    /// The index of a row; `None` for a row of another pool.
    fn index(&self, row: &[f64]) -> Option<usize> {
        self.indices.get(&row_fingerprint(row)).copied()
    }

    /// Fits the model to `values` at the rows of `data`, at most [`MOST_NEIGHBOURS`] of them.
    fn fit(&mut self, data: &Dataset, values: &[f64]) -> Result<PoolPosterior, FitError> {
        let kept = data.best_and_recent(MOST_NEIGHBOURS).into_iter();
        let known = kept.filter_map(|i| Some((self.index(data.rows().row(i))?, i)));
        let (indices, kept): (Vec<usize>, Vec<usize>) = known.unzip();
        let data = data.with_rewards(values.to_vec()).select(&kept);
        self.model.fit_data(&indices, &data)
    }

    /// The posterior conditioned on running trials at their means, where that is possible.
    fn with_pending(
        &mut self,
        pool: &Points,
        posterior: &Arc<PoolPosterior>,
        pending: &Points,
    ) -> Arc<PoolPosterior> {
        let indices: Vec<usize> = pending.rows().filter_map(|row| self.index(row)).collect();
        if indices.is_empty() {
            return Arc::clone(posterior);
        }
        Arc::new(self.model.conditioned(pool, posterior, &indices))
    }

    /// The violation of the outcome constraints by each row of a list, with every slack at its upper
    /// confidence bound. Constraints without a model do not count.
    fn violations(&mut self, list: &[usize], history: &History, nu: f64) -> Vec<f64> {
        let mut violations = vec![0.0; list.len()];
        for (j, unit) in units(history).iter().enumerate() {
            let data = history.measured(history.objectives() + j);
            let kept = data.select(&data.best_and_recent(MOST_NEIGHBOURS));
            let known = (0..kept.len()).filter(|&i| self.index(kept.rows().row(i)).is_some());
            let kept = kept.select(&known.collect::<Vec<_>>());
            let slacks = compressed_around(kept.rewards(), 0.0);
            let Ok(posterior) = self.fit(&kept, &slacks) else {
                continue;
            };
            let (means, sds) = (posterior.means(), posterior.sds(list));
            let bounds = list.iter().zip(sds).map(|(&i, sd)| means[i] + nu * sd);
            for (sum, slack) in violations.iter_mut().zip(bounds) {
                *sum += (-slack / unit).max(0.0);
            }
        }
        violations
    }
}

/// Rows that may satisfy all outcome constraints by their values, then the others by violation.
fn feasible_first(values: Vec<f64>, violations: Vec<f64>) -> Vec<f64> {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let least = finite.fold(f64::INFINITY, f64::min).min(0.0);
    let ranked = |(value, violation): (f64, f64)| match violation > 0.0 {
        true => least - 1.0 - violation,
        false => value,
    };
    values.into_iter().zip(violations).map(ranked).collect()
}

/// Indices of the short list among the rows that are left.
fn short_list(means: &[f64], left: impl Fn(&usize) -> bool, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_unstable_by(|&a, &b| means[b].total_cmp(&means[a]).then(a.cmp(&b)));
    let best = order.iter().copied().filter(&left).take(POOL_BEST);
    let mut list: Vec<usize> = best.collect();
    let random = (0..POOL_RANDOM).map(|_| rng.random_range(0..means.len()));
    list.extend(random.filter(&left));
    list
}

/// Values less the penalty of expected failures.
fn less_failures(values: Vec<f64>, rows: &Points, history: &History) -> Vec<f64> {
    if history.failed().is_empty() {
        return values;
    }
    let penalty = self::penalty(history.outcomes()) * value_spread(&values);
    let failures = FailureProbability::new(history.failed(), history.observed().rows());
    let values = values.into_iter().zip(failures.probabilities(rows));
    values.map(|(value, p)| value - penalty * p).collect()
}
