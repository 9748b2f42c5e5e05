//! Bringing all trees up to the data.
//!
//! Tree `k` on `n` observations is the tree grown on the first `milestone(n, k)` of them, with the later ones taken in one by
//! one, each drawn Poisson(1) times (online bagging, Oza and Russell 2001). Both steps draw from streams of their own and see
//! the rewards in the units of the observations up to there, so that the tree is the same whenever it is computed.

use super::bagged::{Arrival, BaggedTree};
use super::bootstrap::{bootstrap_counts, poisson_one};
use super::grow::{Grower, Training};
use super::refresh::milestone;
use super::scale::RewardScale;
use super::settings::ForestSettings;
use super::table::Table;
use neuralbo::linalg::{Points, Purpose, Rng, Streams};
use neuralbo::surrogate::Dataset;
use rayon::prelude::*;
use std::sync::{Arc, LazyLock};

/// The random choices of one forest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bagging {
    pub(super) settings: ForestSettings,
    pub(super) streams: Streams,
}

impl Bagging {
    /// The trees of `data`; `old` are those of fewer observations, in the same order, or none.
    pub(super) fn trees(&self, data: &Dataset, old: Vec<Arc<BaggedTree>>) -> Vec<Arc<BaggedTree>> {
        let milestones: Vec<usize> = (0..self.settings.trees)
            .map(|tree| milestone(data.len(), tree))
            .collect();
        let mut old: Vec<Option<Arc<BaggedTree>>> = old.into_iter().map(Some).collect();
        old.resize(self.settings.trees, None);
        let kept: Vec<_> = old
            .into_iter()
            .zip(&milestones)
            .map(|(old, &m)| old.filter(|tree| tree.milestone() == m))
            .collect();
        let known = kept
            .iter()
            .zip(&milestones)
            .map(|(kept, &m)| kept.as_ref().map_or(m, |tree| tree.len()));
        let first = known.min().unwrap_or(data.len());
        let units = (first..=data.len())
            .map(|len| RewardScale::of(&data.rewards()[..len]))
            .collect();
        let table = LazyLock::new(|| Table::new(data.rows()));
        let growth = Growth {
            bagging: self,
            data,
            first,
            units,
        };
        let bring_up = |grower: &mut Grower, (index, kept): (usize, Option<Arc<BaggedTree>>)| {
            let mut tree = kept
                .unwrap_or_else(|| Arc::new(growth.grow(index, milestones[index], &table, grower)));
            growth.take_in(index, &mut tree, grower);
            tree
        };
        kept.into_par_iter()
            .enumerate()
            .map_init(Grower::default, bring_up)
            .collect()
    }

    /// Trees that are all grown on all of `data`.
    #[cfg(test)]
    pub(super) fn all_grown(&self, data: &Dataset) -> Vec<Arc<BaggedTree>> {
        let units = vec![RewardScale::of(data.rewards())];
        let growth = Growth {
            bagging: self,
            data,
            first: data.len(),
            units,
        };
        let (table, mut grower) = (Table::new(data.rows()), Grower::default());
        (0..self.settings.trees)
            .map(|tree| Arc::new(growth.grow(tree, data.len(), &table, &mut grower)))
            .collect()
    }

    /// The same trees with one more row each where it is drawn; `target` gives the target of any row.
    pub(super) fn with_row(
        &self,
        mut trees: Vec<Arc<BaggedTree>>,
        rows: &Points,
        target: Target<'_>,
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
        target: Target<'_>,
        grower: &mut Grower,
    ) {
        let mut rng = self.stream(tree.len(), self.settings.trees + index);
        let count = if self.settings.bootstrap {
            poisson_one(&mut rng)
        } else {
            1
        };
        tree.insert(
            &Arrival {
                rows,
                target,
                count,
            },
            self.settings,
            grower,
            &mut rng,
        );
    }

    fn stream(&self, number: usize, index: usize) -> Rng {
        self.streams
            .indexed(number as u64, Purpose::Bootstrap, index as u64)
    }
}

/// The target of a row by its index.
pub(super) type Target<'a> = &'a (dyn Fn(usize) -> f64 + Sync);

/// What all trees need on their way to the present data.
struct Growth<'a> {
    bagging: &'a Bagging,
    data: &'a Dataset,
    /// The fewest observations that a tree is grown on, or comes from.
    first: usize,
    /// Units of the rewards of the first `first`, `first + 1`, … observations.
    units: Vec<RewardScale>,
}

impl Growth<'_> {
    /// The tree grown on the first `milestone` observations.
    fn grow(
        &self,
        index: usize,
        milestone: usize,
        table: &Table,
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
        let targets: Vec<f64> = self
            .data
            .rewards()
            .iter()
            .map(|&reward| units.target(reward))
            .collect();
        BaggedTree::grow(
            grower,
            &Training {
                table,
                targets: &targets,
                settings,
            },
            counts,
            &mut rng,
        )
    }

    /// Takes in the observations that the tree does not know.
    fn take_in(&self, index: usize, tree: &mut Arc<BaggedTree>, grower: &mut Grower) {
        while tree.len() < self.data.len() {
            let units = self.units[tree.len() + 1 - self.first];
            let target = |row: usize| units.target(self.data.rewards()[row]);
            self.bagging.take_in(
                index,
                Arc::make_mut(tree),
                self.data.rows(),
                &target,
                grower,
            );
        }
    }
}
