//! The search of a pool, where a trust region means nothing: an upper confidence bound over all of its rows.
//!
//! Means are computed everywhere, deviations only for a short list: the rows of the largest means, and some at random, which stand
//! for the many of which nothing is known.

use std::collections::HashMap;
use std::sync::Arc;

use rand::RngExt;

use super::failures::price;
use super::merits::units;
use super::slacks::{tempered, usual};
use super::{CHOSEN, Moment, RegionPolicy};
use crate::acquisition::maximize::{row_fingerprint, value_spread};
use crate::acquisition::{FailureProbability, Probability};
use crate::linalg::{Points, Purpose, Rng};
use crate::space::Space;
use crate::strategy::{Exhausted, History, Origin, Suggestion};
use crate::surrogate::pool::{PoolModel, PoolPosterior};
use crate::surrogate::{Dataset, FitError};

/// Standard deviations that the bound lies above the mean, where ν is one.
const WIDTH: f64 = 3.0;
/// Rows of the short list: of the largest means, and at random.
const BEST: usize = 1024;
const RANDOM: usize = 1024;

/// The model of the pool, and where its rows are.
pub(super) struct PoolSearch {
    model: PoolModel,
    places: HashMap<u128, usize>,
}

impl PoolSearch {
    pub(super) fn new(pool: &Points) -> Self {
        let mut places = HashMap::with_capacity(pool.len());
        pool.rows()
            .enumerate()
            .for_each(|(i, row)| _ = places.entry(row_fingerprint(row)).or_insert(i));
        Self {
            model: PoolModel::new(pool),
            places,
        }
    }

    /// The places of rows; those of another pool have none.
    fn indices(&self, rows: &Points) -> Vec<usize> {
        rows.rows()
            .filter_map(|row| self.places.get(&row_fingerprint(row)).copied())
            .collect()
    }

    /// Fits the model to the observations, at most `most` of them.
    fn fit(
        &mut self,
        pool: &Points,
        data: &Dataset,
        most: usize,
    ) -> Result<PoolPosterior, FitError> {
        let seen: Vec<(usize, f64)> = data
            .best_and_recent(most)
            .into_iter()
            .filter_map(|i| Some((self.place(data.rows().row(i))?, data.rewards()[i])))
            .collect();
        let (indices, rewards): (Vec<usize>, Vec<f64>) = seen.into_iter().unzip();
        self.model.fit(pool, &indices, &rewards)
    }

    /// Values by which rows that may satisfy all outcome constraints come first, by the values given, and then those that miss them
    /// least: each slack is taken as large as its model may hope. A constraint that has no model yet decides nothing.
    fn feasible_first(
        &mut self,
        values: Vec<f64>,
        list: &[usize],
        (pool, history): (&Points, &History),
        (most, nu): (usize, f64),
    ) -> Vec<f64> {
        let units = units(history);
        let mut missed = vec![0.0; list.len()];
        for (j, unit) in units.iter().enumerate() {
            let data = history.measured(history.objectives() + j);
            let seen: Vec<(usize, f64)> = data
                .best_and_recent(most)
                .into_iter()
                .filter_map(|i| Some((self.place(data.rows().row(i))?, data.rewards()[i])))
                .collect();
            let (indices, slacks): (Vec<usize>, Vec<f64>) = seen.into_iter().unzip();
            let Ok(posterior) =
                self.model
                    .fit(pool, &indices, &tempered(&slacks, 0.0, usual(&slacks, 0.0)))
            else {
                continue;
            };
            let (means, sds) = (posterior.means(), posterior.sds(list));
            let hoped = list.iter().zip(sds).map(|(&i, sd)| means[i] + nu * sd);
            missed
                .iter_mut()
                .zip(hoped)
                .for_each(|(missed, slack)| *missed += (-slack / unit).max(0.0));
        }
        let least = values
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .fold(f64::INFINITY, f64::min)
            .min(0.0);
        let ranked = |(value, missed): (f64, f64)| {
            if missed > 0.0 {
                least - 1.0 - missed
            } else {
                value
            }
        };
        values.into_iter().zip(missed).map(ranked).collect()
    }

    fn place(&self, row: &[f64]) -> Option<usize> {
        self.places.get(&row_fingerprint(row)).copied()
    }

    /// The same with running trials taken as observed at their means.
    fn informed(
        &mut self,
        pool: &Points,
        posterior: &Arc<PoolPosterior>,
        pending: &Points,
    ) -> Arc<PoolPosterior> {
        let indices = self.indices(pending);
        if indices.is_empty() {
            return Arc::clone(posterior);
        }
        Arc::new(self.model.conditioned(pool, posterior, &indices))
    }
}

/// A model of a pool that is asked for once.
pub(super) fn posterior(
    pool: &Points,
    data: &Dataset,
    most: usize,
) -> Result<PoolPosterior, FitError> {
    PoolSearch::new(pool).fit(pool, data, most)
}

/// Indices of the short list that are left.
fn short_list(
    (space, pool): (&Space, &Points),
    means: &[f64],
    moment: &Moment<'_>,
    rng: &mut Rng,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.sort_unstable_by(|&a, &b| means[b].total_cmp(&means[a]).then(a.cmp(&b)));
    let left = |i: &usize| !moment.taken.contains(pool.row(*i)) && space.is_feasible(pool.row(*i));
    let mut list: Vec<usize> = order.iter().copied().filter(left).take(BEST).collect();
    list.extend(
        (0..RANDOM)
            .map(|_| rng.random_range(0..pool.len()))
            .filter(left),
    );
    list
}

impl RegionPolicy {
    /// Fits the model of a pool.
    pub(super) fn fit_pool(
        &mut self,
        pool: &Points,
        data: &Dataset,
    ) -> Result<PoolPosterior, FitError> {
        let most = self.settings.most_neighbours;
        self.pool
            .get_or_insert_with(|| PoolSearch::new(pool))
            .fit(pool, data, most)
    }

    /// The row of the largest bound.
    pub(super) fn chosen_of_pool(
        &mut self,
        posterior: &Arc<PoolPosterior>,
        moment: &Moment<'_>,
    ) -> Result<Suggestion, Exhausted> {
        let space = Arc::clone(&self.setup.space);
        let (Some(pool), Some(search)) = (space.pool(), &mut self.pool) else {
            return Err(Exhausted);
        };
        let (posterior, most) = (
            search.informed(pool, posterior, moment.pending),
            self.settings.most_neighbours,
        );
        let means = posterior.means();
        let mut rng = self
            .setup
            .streams
            .stream(moment.number, Purpose::Candidates);
        let list = short_list((&space, pool), &means, moment, &mut rng);
        let sds = posterior.sds(&list);
        let bounds = list
            .iter()
            .zip(&sds)
            .map(|(&i, sd)| means[i] + self.settings.nu * WIDTH * sd)
            .collect();
        let bounds = less_failures(bounds, &pool.select(&list), moment.history);
        let bounds = search.feasible_first(
            bounds,
            &list,
            (pool, moment.history),
            (most, self.settings.nu),
        );
        let best = (0..list.len())
            .max_by(|&a, &b| bounds[a].total_cmp(&bounds[b]).then(b.cmp(&a)))
            .ok_or(Exhausted)?;
        let suggestion = self
            .setup
            .suggestion(pool.row(list[best]).to_vec(), Origin::Model("ucb"));
        Ok(Suggestion {
            mean: Some(means[list[best]]),
            sd: Some(CHOSEN * sds[best]),
            ..suggestion
        })
    }
}

/// Values less what failures cost.
fn less_failures(values: Vec<f64>, rows: &Points, history: &History) -> Vec<f64> {
    if history.failed().is_empty() {
        return values;
    }
    let penalty = price(history.outcomes()) * value_spread(&values);
    let chances =
        FailureProbability::new(history.failed(), history.observed().rows()).probabilities(rows);
    values
        .into_iter()
        .zip(chances)
        .map(|(value, chance)| value - penalty * chance)
        .collect()
}
