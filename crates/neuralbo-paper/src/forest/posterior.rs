//! The fitted forest.

use super::bagged::BaggedTree;
use super::growth::Bagging;
use super::scale::RewardScale;
use super::tree::{LANES, Lanes};
use neuralbo::linalg::Points;
use neuralbo::surrogate::tiles::over_ranges;
use neuralbo::surrogate::{Dataset, Posterior, Prediction};
use std::ops::Range;
use std::sync::Arc;

/// Rows predicted by one task: enough to read each tree from memory once for many of them.
const BLOCK: usize = 128;

/// The trees of some data and what they say.
#[derive(Clone, Debug)]
pub(super) struct ForestPosterior {
    bagging: Bagging,
    scale: RewardScale,
    /// Rows that were observed, then those that are being evaluated.
    rows: Points,
    /// Their targets; a row that is being evaluated has the mean of the forest (kriging believer).
    targets: Vec<f64>,
    trees: Vec<Arc<BaggedTree>>,
    /// By tree and node.
    values: Vec<Vec<f64>>,
}

impl ForestPosterior {
    pub(super) fn new(bagging: Bagging, data: &Dataset, trees: Vec<Arc<BaggedTree>>) -> Self {
        let scale = RewardScale::of(data.rewards());
        let targets = data.rewards().iter().map(|&y| scale.target(y)).collect();
        let mut forest = Self {
            bagging,
            scale,
            rows: data.rows().clone(),
            targets,
            trees,
            values: Vec::new(),
        };
        forest.evaluate();
        forest
    }

    fn evaluate(&mut self) {
        let means = |tree: &Arc<BaggedTree>| tree.means(&self.targets);
        self.values = self.trees.iter().map(means).collect();
    }

    /// Mean and standard deviation over the trees in units of the targets, one pair a row.
    fn moments(&self, rows: &Points) -> Vec<(f64, f64)> {
        over_ranges(rows.len(), BLOCK, |range| self.block_moments(rows, range)).concat()
    }

    /// Welford's update, tree after tree.
    fn block_moments(&self, rows: &Points, range: Range<usize>) -> Vec<(f64, f64)> {
        let tiles = tiles(rows, range.clone());
        let mut moments = vec![[(0.0, 0.0); LANES]; range.len().div_ceil(LANES)];
        for (seen, (tree, values)) in self.trees.iter().zip(&self.values).enumerate() {
            let share = 1.0 / (seen + 1) as f64;
            for (k, moments) in moments.iter_mut().enumerate() {
                let leaves = tree.leaves(&tiles[k * rows.dim()..(k + 1) * rows.dim()]);
                for ((mean, squares), leaf) in moments.iter_mut().zip(leaves) {
                    let difference: f64 = values[leaf] - *mean;
                    *mean += difference * share;
                    *squares += difference * (values[leaf] - *mean);
                }
            }
        }
        let count = self.trees.len() as f64;
        let all = moments.into_iter().flatten().take(range.len());
        all.map(|(mean, squares)| (mean, (squares / count).sqrt()))
            .collect()
    }
}

/// The rows of a range as tiles of `LANES` of them, coordinate by coordinate; the last tile repeats the last row.
fn tiles(rows: &Points, range: Range<usize>) -> Vec<Lanes> {
    let starts = range.clone().step_by(LANES);
    let row = |start: usize, lane: usize| rows.row((start + lane).min(range.end - 1));
    starts
        .flat_map(|start| {
            (0..rows.dim()).map(move |k| std::array::from_fn(|lane| row(start, lane)[k]))
        })
        .collect()
}

impl Posterior for ForestPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let in_rewards = |(mean, sd)| (self.scale.mean(mean), self.scale.sd(sd));
        let (mean, sd) = self.moments(rows).into_iter().map(in_rewards).unzip();
        Prediction { mean, sd }
    }

    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        let mut forest = self.clone();
        for (row, (mean, _)) in rows.rows().zip(self.moments(rows)) {
            forest.rows.push(row);
            forest.targets.push(mean);
            let target = |i: usize| forest.targets[i];
            forest.trees = self.bagging.with_row(forest.trees, &forest.rows, &target);
        }
        forest.evaluate();
        Some(Box::new(forest))
    }
}
