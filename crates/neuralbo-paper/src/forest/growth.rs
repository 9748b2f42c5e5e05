//! Bringing all trees up to the data.
//!
//! Tree `k` on `n` observations is the tree grown on the first `milestone(n, k)` of them, with the later ones taken in one by
//! one, each drawn Poisson(1) times (online bagging, Oza and Russell 2001). Both steps draw from streams of their own and see
//! the rewards in the units of the observations up to there, so that the tree is the same whenever it is computed.

use super::ForestSettings;
use super::bagged::{Arrival, BaggedTree};
use super::grow::{Grower, SortedRows, TreeData};
use super::posterior::RewardScale;
use neuralbo::linalg::{Points, Purpose, Rng, Streams};
use neuralbo::surrogate::Dataset;
use rand::RngExt;
use rayon::prelude::*;
use std::sync::{Arc, LazyLock};

/// The random choices of one forest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bagging {
    pub(super) settings: ForestSettings,
    pub(super) streams: Streams,
}

/// The number of observations to grow a tree on, or the tree that has been grown on them.
type TreeStart = (usize, Option<Arc<BaggedTree>>);

impl Bagging {
    /// The trees of `data`; `old` are those of fewer observations, in the same order, or none.
    pub(super) fn trees(&self, data: &Dataset, old: Vec<Arc<BaggedTree>>) -> Vec<Arc<BaggedTree>> {
        let (count, mut old) = (self.settings.trees, old.into_iter());
        let kept: Vec<TreeStart> = (0..count)
            .map(|tree| milestone(data.len(), tree))
            .map(|m| (m, old.next().filter(|tree| tree.milestone() == m)))
            .collect();
        let known = |(m, kept): &TreeStart| kept.as_ref().map_or(*m, |tree| tree.len());
        let first = kept.iter().map(known).min().unwrap_or(data.len());
        let units = (first..=data.len())
            .map(|len| RewardScale::of(&data.rewards()[..len]))
            .collect();
        let table = LazyLock::new(|| SortedRows::new(data.rows()));
        let growth = ForestUpdate {
            bagging: self,
            data,
            first,
            units,
        };
        let bring_up = |grower: &mut Grower, (index, (milestone, kept)): (usize, TreeStart)| {
            let grow = || Arc::new(growth.grow(index, milestone, &table, grower));
            let mut tree = kept.unwrap_or_else(grow);
            growth.take_in(index, &mut tree, grower);
            tree
        };
        let trees = kept.into_par_iter().enumerate();
        trees.map_init(Grower::default, bring_up).collect()
    }

    /// Trees that are all grown on all of `data`.
    #[cfg(test)]
    pub(super) fn all_grown(&self, data: &Dataset) -> Vec<Arc<BaggedTree>> {
        let units = vec![RewardScale::of(data.rewards())];
        let growth = ForestUpdate {
            bagging: self,
            data,
            first: data.len(),
            units,
        };
        let (table, mut grower) = (SortedRows::new(data.rows()), Grower::default());
        (0..self.settings.trees)
            .map(|tree| Arc::new(growth.grow(tree, data.len(), &table, &mut grower)))
            .collect()
    }

    /// The same trees with one more row each where it is drawn; `target` gives the target of any row.
    pub(super) fn with_row(
        &self,
        mut trees: Vec<Arc<BaggedTree>>,
        rows: &Points,
        target: TargetOf<'_>,
    ) -> Vec<Arc<BaggedTree>> {
        let take = |grower: &mut Grower, (index, tree): (usize, &mut Arc<BaggedTree>)| {
            self.take_in(index, Arc::make_mut(tree), rows, target, grower);
        };
        trees
            .par_iter_mut()
            .enumerate()
            .for_each_init(Grower::default, take);
        trees
    }

    /// Takes the next row into a tree.
    fn take_in(
        &self,
        index: usize,
        tree: &mut BaggedTree,
        rows: &Points,
        target: TargetOf<'_>,
        grower: &mut Grower,
    ) {
        let mut rng = self.stream(tree.len(), self.settings.trees + index);
        let count = if self.settings.bootstrap {
            poisson_one(&mut rng)
        } else {
            1
        };
        let arrival = Arrival {
            rows,
            target,
            count,
        };
        tree.insert(&arrival, self.settings, grower, &mut rng);
    }

    fn stream(&self, number: usize, index: usize) -> Rng {
        self.streams
            .indexed(number as u64, Purpose::Bootstrap, index as u64)
    }
}

/// The target of a row by its index.
pub(super) type TargetOf<'a> = &'a (dyn Fn(usize) -> f64 + Sync);

/// What all trees need on their way to the present data.
struct ForestUpdate<'a> {
    bagging: &'a Bagging,
    data: &'a Dataset,
    /// The fewest observations that a tree is grown on, or comes from.
    first: usize,
    /// Units of the rewards of the first `first`, `first + 1`, … observations.
    units: Vec<RewardScale>,
}

impl ForestUpdate<'_> {
    /// The tree grown on the first `milestone` observations.
    fn grow(
        &self,
        index: usize,
        milestone: usize,
        table: &SortedRows,
        grower: &mut Grower,
    ) -> BaggedTree {
        let Bagging { settings, .. } = *self.bagging;
        let mut rng = self.bagging.stream(milestone, index);
        let counts = if settings.bootstrap {
            bootstrap_counts(milestone, &mut rng)
        } else {
            vec![1; milestone]
        };
        let units = self.units[milestone - self.first];
        let rewards = self.data.rewards().iter();
        let targets: Vec<f64> = rewards.map(|&reward| units.target(reward)).collect();
        let data = TreeData {
            table,
            targets: &targets,
            settings,
        };
        BaggedTree::grow(grower, &data, counts, &mut rng)
    }

    /// Takes in the observations that the tree does not know.
    fn take_in(&self, index: usize, tree: &mut Arc<BaggedTree>, grower: &mut Grower) {
        while tree.len() < self.data.len() {
            let units = self.units[tree.len() + 1 - self.first];
            let target = |row: usize| units.target(self.data.rewards()[row]);
            let (tree, rows) = (Arc::make_mut(tree), self.data.rows());
            self.bagging.take_in(index, tree, rows, &target, grower);
        }
    }
}

/// Below this many observations every tree is grown anew with each of them.
const FEW: usize = 64;
/// From there on a tree is grown anew each time the data grew by about this share, each tree at another moment.
const SHARE: usize = 8;

/// The number of observations, at most `len`, with which `tree` was last grown anew: a function of
/// the two alone, so that a forest that saw the data grow and a fresh one have the same trees.
fn milestone(len: usize, tree: usize) -> usize {
    let is_due = |len: &usize| len % period(*len) == tree % period(*len);
    (1..=len).rev().find(is_due).unwrap_or(len)
}

/// Observations after which it is a tree's turn again.
fn period(len: usize) -> usize {
    if len < FEW {
        1
    } else {
        (1 << len.ilog2()) / SHARE
    }
}

/// Counts of a bootstrap sample: `len` draws with replacement from `len` rows.
fn bootstrap_counts(len: usize, rng: &mut Rng) -> Vec<u32> {
    let mut counts = vec![0; len];
    for _ in 0..len {
        counts[rng.random_range(0..len as u32) as usize] += 1;
    }
    counts
}

/// A Poisson(1) draw, the limit of a bootstrap count, by inversion of the distribution function.
fn poisson_one(rng: &mut Rng) -> u32 {
    let uniform: f64 = rng.random();
    let mut count = 0;
    let mut probability = (-1.0_f64).exp();
    let mut cumulative = probability;
    // The terms underflow long before 64 draws; the bound only guards the sum's rounding just below 1.
    while uniform >= cumulative && count < 64 {
        count += 1;
        probability /= f64::from(count);
        cumulative += probability;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_take_turns_and_miss_few_observations() {
        for len in 1..3000_usize {
            let milestones: Vec<usize> = (0..500).map(|tree| milestone(len, tree)).collect();
            let few_missed = |&m: &usize| m <= len && (len - m) as f64 <= 0.2 * m as f64;
            assert!(milestones.iter().all(few_missed), "{len}");
            let due = milestones.iter().filter(|&&m| m == len).count();
            assert!(due <= 500_usize.div_ceil(period(len)), "{len}: {due}");
        }
    }

    #[test]
    fn a_milestone_stays_until_the_next() {
        for tree in [0, 1, 77, 499] {
            for len in 2..2000 {
                let (before, now) = (milestone(len - 1, tree), milestone(len, tree));
                let stays = now == before || now == len;
                assert!(stays, "tree {tree}, {len}: {before}, {now}");
            }
        }
    }

    #[test]
    fn a_bootstrap_sample_draws_as_many_as_there_are() {
        let counts = bootstrap_counts(1000, &mut Streams::new(3).stream(0, Purpose::Bootstrap));
        assert_eq!(counts.iter().sum::<u32>(), 1000);
        let absent = counts.iter().filter(|&&c| c == 0).count() as f64 / 1000.0;
        assert!((absent - (-1.0_f64).exp()).abs() < 0.05, "{absent}");
    }

    #[test]
    fn poisson_draws_have_unit_mean_and_variance() {
        let mut rng = Streams::new(5).stream(0, Purpose::Bootstrap);
        let mut draw = |_| f64::from(poisson_one(&mut rng));
        let draws: Vec<f64> = (0..20_000).map(&mut draw).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
        assert!((variance - 1.0).abs() < 0.06, "{variance}");
    }
}
