//! The fitted forest.

use super::bootstrap::{bootstrap_counts, poisson_one};
use super::grow::{Grower, Training};
use super::scale::RewardScale;
use super::settings::ForestSettings;
use super::table::Table;
use super::tree::Tree;
use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::surrogate::{Dataset, FitError, Posterior, Prediction};
use rayon::prelude::*;
use std::sync::Arc;

/// Rows predicted by one task: enough to read each tree from memory once for many of them.
const BLOCK: usize = 128;

/// A forest and what is needed to grow its trees again.
#[derive(Clone, Debug)]
pub(super) struct ForestPosterior {
    settings: ForestSettings,
    streams: Streams,
    scale: RewardScale,
    /// Rows and targets that were observed.
    observed: Arc<(Points, Vec<f64>)>,
    /// Rows that are being evaluated, with the targets they are given meanwhile (kriging believer).
    pending: (Points, Vec<f64>),
    trees: Vec<Arc<Tree>>,
}

impl ForestPosterior {
    pub(super) fn fit(settings: ForestSettings, data: &Dataset, streams: Streams) -> Result<Self, FitError> {
        if data.is_empty() {
            return Err(FitError::TooFewObservations { needed: 1, found: 0 });
        }
        if let Some(i) = data.rewards().iter().position(|y| !y.is_finite()) {
            let detail = format!("reward {i} is {}, and only finite rewards can be averaged", data.rewards()[i]);
            return Err(FitError::Diverged { step: 0, detail });
        }
        let (scale, targets) = RewardScale::fit(data.rewards());
        let observed = Arc::new((data.rows().clone(), targets));
        let pending = (Points::new(data.rows().dim()), Vec::new());
        let mut forest = Self { settings, streams, scale, observed, pending, trees: Vec::new() };
        forest.trees = forest.grow_trees(|_| None);
        Ok(forest)
    }

    /// All trees in order, grown unless `keep` has one.
    fn grow_trees(&self, keep: impl Fn(usize) -> Option<Arc<Tree>> + Sync) -> Vec<Arc<Tree>> {
        let (mut rows, mut targets) = self.observed.as_ref().clone();
        rows.extend(&self.pending.0);
        targets.extend_from_slice(&self.pending.1);
        let table = Table::new(&rows);
        let training = Training { table: &table, targets: &targets, settings: self.settings };
        let grow = |grower: &mut Grower, index: usize| {
            keep(index).unwrap_or_else(|| {
                let mut rng = self.stream(index);
                let counts = self.counts(index, &mut rng);
                Arc::new(grower.grow(&training, &counts, &mut rng))
            })
        };
        (0..self.settings.trees).into_par_iter().map_init(Grower::default, grow).collect()
    }

    fn stream(&self, index: usize) -> Rng {
        self.streams.indexed(self.observed.1.len() as u64, Purpose::Bootstrap, index as u64)
    }

    /// How often each observed and each pending row enters a tree.
    fn counts(&self, tree: usize, rng: &mut Rng) -> Vec<u32> {
        let len = self.observed.1.len();
        let mut counts = if self.settings.bootstrap { bootstrap_counts(len, rng) } else { vec![1; len] };
        counts.extend(self.pending_counts(tree));
        counts
    }

    /// Drawn from a stream of their own, one after the other: further pending rows do not change the counts of earlier ones.
    fn pending_counts(&self, tree: usize) -> Vec<u32> {
        let mut rng = self.stream(self.settings.trees + tree);
        self.pending.1.iter().map(|_| if self.settings.bootstrap { poisson_one(&mut rng) } else { 1 }).collect()
    }

    /// Mean and standard deviation over the trees in units of the targets, one pair a row.
    fn moments(&self, rows: &Points) -> Vec<(f64, f64)> {
        let blocks = rows.len().div_ceil(BLOCK);
        if blocks <= 1 {
            return self.block_moments(rows, 0);
        }
        (0..blocks).into_par_iter().flat_map_iter(|block| self.block_moments(rows, block)).collect()
    }

    /// Welford's update, tree after tree.
    fn block_moments(&self, rows: &Points, block: usize) -> Vec<(f64, f64)> {
        let range = block * BLOCK..rows.len().min((block + 1) * BLOCK);
        let mut moments = vec![(0.0, 0.0); range.len()];
        for (seen, tree) in self.trees.iter().enumerate() {
            let share = 1.0 / (seen + 1) as f64;
            tree.for_each_value(rows, range.clone(), |offset, value| {
                let (mean, squares) = &mut moments[offset];
                let difference: f64 = value - *mean;
                *mean += difference * share;
                *squares += difference * (value - *mean);
            });
        }
        let count = self.trees.len() as f64;
        moments.into_iter().map(|(mean, squares)| (mean, (squares / count).sqrt())).collect()
    }
}

impl Posterior for ForestPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let (mean, sd) = self.moments(rows).into_iter().map(|(mean, sd)| (self.scale.mean(mean), self.scale.sd(sd))).unzip();
        Prediction { mean, sd }
    }

    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        let known = self.pending.1.len();
        let mut forest = Self { trees: Vec::new(), ..self.clone() };
        forest.pending.0.extend(rows);
        forest.pending.1.extend(self.moments(rows).into_iter().map(|(mean, _)| mean));
        forest.trees = forest.grow_trees(|tree| {
            let unchanged = forest.pending_counts(tree)[known..].iter().all(|&count| count == 0);
            unchanged.then(|| self.trees[tree].clone())
        });
        Some(Box::new(forest))
    }
}
