//! A tree with its bootstrap sample: grown on some observations, it takes in further ones where they fall.

use super::ForestSettings;
use super::grow::{Grower, Grown, SortedRows, TreeData};
use super::tree::{LANES, Lanes, RegressionTree};
use neuralbo::linalg::{Points, Rng};

/// A tree and which rows it has seen how often.
#[derive(Clone, Debug)]
pub(super) struct BaggedTree {
    tree: RegressionTree,
    /// How often each row was drawn.
    counts: Vec<u32>,
    /// The leaf of each row that was drawn.
    leaves: Vec<u32>,
    milestone: usize,
}

/// A row to be taken in and what is known about all rows up to it.
pub(super) struct Arrival<'a> {
    pub(super) rows: &'a Points,
    pub(super) target: &'a dyn Fn(usize) -> f64,
    pub(super) count: u32,
}

impl BaggedTree {
    /// The tree grown on the first `counts.len()` rows of the table.
    pub(super) fn grow(
        grower: &mut Grower,
        training: &TreeData<'_>,
        counts: Vec<u32>,
        rng: &mut Rng,
    ) -> Self {
        let milestone = counts.len();
        let mut padded = counts.clone();
        padded.resize(training.table.len(), 0);
        let Grown { tree, mut leaves } = grower.grow(training, &padded, rng);
        leaves.truncate(milestone);
        Self {
            tree,
            counts,
            leaves,
            milestone,
        }
    }

    /// The number of rows that the whole tree was grown on.
    pub(super) fn milestone(&self) -> usize {
        self.milestone
    }

    /// The number of rows it knows.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Takes in the next row: the leaf it falls in is grown again from the rows in it.
    pub(super) fn insert(
        &mut self,
        arrival: &Arrival<'_>,
        settings: ForestSettings,
        grower: &mut Grower,
        rng: &mut Rng,
    ) {
        let row = self.len();
        self.counts.push(arrival.count);
        self.leaves.push(0);
        if arrival.count == 0 {
            return;
        }
        let (leaf, depth) = self.tree.leaf(arrival.rows.row(row));
        self.leaves[row] = leaf as u32;
        let there: Vec<usize> = (0..=row)
            .filter(|&i| self.leaves[i] as usize == leaf && self.counts[i] > 0)
            .collect();
        let table = SortedRows::new(&arrival.rows.select(&there));
        let targets: Vec<f64> = there.iter().map(|&i| (arrival.target)(i)).collect();
        let counts: Vec<u32> = there.iter().map(|&i| self.counts[i]).collect();
        let data = TreeData {
            table: &table,
            targets: &targets,
            settings,
        };
        let Grown { tree, leaves } = grower.grow(&data, &counts, rng);
        let place = self.tree.graft(leaf, depth, &tree);
        let pairs = there.iter().zip(leaves);
        pairs.for_each(|(&i, leaf)| self.leaves[i] = place(leaf));
    }

    /// The mean target of each leaf, by node.
    pub(super) fn means(&self, targets: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.tree.len()];
        for ((&count, &leaf), target) in self.counts.iter().zip(&self.leaves).zip(targets) {
            let (weight, total) = &mut sums[leaf as usize];
            *weight += f64::from(count);
            *total += f64::from(count) * target;
        }
        let mean = |(weight, total)| if weight > 0.0 { total / weight } else { 0.0 };
        sums.into_iter().map(mean).collect()
    }

    /// The leaves of the rows of a tile.
    pub(super) fn leaves(&self, tile: &[Lanes]) -> [usize; LANES] {
        self.tree.leaves(tile)
    }
}
