//! Growing one tree on counted rows.
//!
//! Each coordinate has a list of the tree's rows in its order. A node is the same range of positions in every list, and a
//! split partitions each list stably, so that nothing is ever sorted again.

use std::ops::Range;

use neuralbo::linalg::{Points, Rng};
use rand::RngExt;

use super::ForestSettings;
use super::tree::RegressionTree;

/// The rows column by column and the order of each column, computed once for all trees; both `dim × len`, one column after the other.
#[derive(Clone, Debug)]
pub(super) struct SortedRows {
    dim: usize,
    len: usize,
    columns: Vec<f64>,
    orders: Vec<u32>,
}

impl SortedRows {
    pub(super) fn new(rows: &Points) -> Self {
        let (dim, len) = (rows.dim(), rows.len());
        let mut columns = vec![0.0; dim * len];
        let mut orders = vec![0; dim * len];
        if len > 0 {
            let pairs = columns.chunks_mut(len).zip(orders.chunks_mut(len));
            pairs.enumerate().for_each(|(feature, (column, order))| {
                for (i, (value, index)) in column.iter_mut().zip(order.iter_mut()).enumerate() {
                    *value = rows.row(i)[feature];
                    *index = i as u32;
                }
                order.sort_unstable_by(|&a, &b| {
                    column[a as usize]
                        .total_cmp(&column[b as usize])
                        .then(a.cmp(&b))
                });
            });
        }
        Self {
            dim,
            len,
            columns,
            orders,
        }
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Values of a coordinate, by row.
    pub(super) fn column(&self, feature: usize) -> &[f64] {
        &self.columns[feature * self.len..(feature + 1) * self.len]
    }

    /// Rows in increasing order of a coordinate.
    pub(super) fn order(&self, feature: usize) -> &[u32] {
        &self.orders[feature * self.len..(feature + 1) * self.len]
    }
}

/// What all trees of a forest have in common.
#[derive(Clone, Copy)]
pub(super) struct TreeData<'a> {
    pub(super) table: &'a SortedRows,
    pub(super) targets: &'a [f64],
    pub(super) settings: ForestSettings,
}

/// A node that is yet to be split or left a leaf.
struct OpenNode {
    node: usize,
    depth: usize,
    range: Range<usize>,
}

/// A grown tree and the leaf of each row of the table that is in it.
pub(super) struct Grown {
    pub(super) tree: RegressionTree,
    pub(super) leaves: Vec<u32>,
}

/// Memory reused from tree to tree.
#[derive(Default)]
pub(super) struct Grower {
    /// Rows of the tree in the order of each coordinate, `dim × rows`.
    lists: Vec<u32>,
    rows: usize,
    /// By row of the table.
    sums: Vec<WeightedSum>,
    goes_left: Vec<bool>,
    spill: Vec<u32>,
    open: Vec<OpenNode>,
}

impl Grower {
    /// The tree on the rows with a positive count, weighted by it; ties are broken and coordinates drawn by `rng`.
    pub(super) fn grow(&mut self, training: &TreeData<'_>, counts: &[u32], rng: &mut Rng) -> Grown {
        self.start(training, counts);
        let mut grown = Grown {
            tree: RegressionTree::root(self.rows),
            leaves: vec![0; training.table.len()],
        };
        if training.table.dim() == 0 {
            return grown;
        }
        self.open.push(OpenNode {
            node: 0,
            depth: 0,
            range: 0..self.rows,
        });
        while let Some(open) = self.open.pop() {
            match self.best_split(training, &open, rng) {
                Some(split) => self.apply(training, &mut grown, open, split),
                None => self
                    .list(0, open.range)
                    .iter()
                    .for_each(|&row| grown.leaves[row as usize] = open.node as u32),
            }
        }
        grown
    }

    fn start(&mut self, training: &TreeData<'_>, counts: &[u32]) {
        let table = training.table;
        self.rows = counts.iter().filter(|&&c| c > 0).count();
        self.sums.clear();
        let weighted = counts.iter().zip(training.targets);
        self.sums.extend(weighted.map(|(&c, &y)| WeightedSum {
            weight: f64::from(c),
            total: f64::from(c) * y,
        }));
        self.lists.clear();
        for feature in 0..table.dim() {
            let rows = table.order(feature).iter().copied();
            self.lists.extend(rows.filter(|&i| counts[i as usize] > 0));
        }
        self.goes_left.clear();
        self.goes_left.resize(table.len(), false);
        self.spill.resize(self.rows, 0);
    }

    fn list(&self, feature: usize, range: Range<usize>) -> &[u32] {
        &self.lists[feature * self.rows..][range]
    }

    fn node_sums(&self, range: Range<usize>) -> WeightedSum {
        let mut total = WeightedSum::default();
        self.list(0, range)
            .iter()
            .for_each(|&i| total.add(self.sums[i as usize]));
        total
    }

    fn is_pure(&self, targets: &[f64], range: Range<usize>) -> bool {
        let rows = self.list(0, range);
        rows.iter()
            .all(|&i| targets[i as usize] == targets[rows[0] as usize])
    }

    /// The best cut; which of several equal ones is taken differs from node to node: coordinates are visited in memory order
    /// from a random one on.
    fn best_split(&self, training: &TreeData<'_>, open: &OpenNode, rng: &mut Rng) -> Option<Split> {
        let (table, min_leaf) = (training.table, training.settings.min_leaf as f64);
        let node = self.node_sums(open.range.clone());
        if node.weight < 2.0 * min_leaf || self.is_pure(training.targets, open.range.clone()) {
            return None;
        }
        let mut best = None;
        let first = rng.random_range(0..table.dim() as u32) as usize;
        for drawn in 0..table.dim() {
            let feature = (first + drawn) % table.dim();
            let order = self.list(feature, open.range.clone());
            let candidate = SortedColumn {
                feature,
                column: table.column(feature),
                order,
            };
            if !candidate.is_constant() {
                best = candidate.best_split(&self.sums, node, min_leaf, best);
            }
        }
        best
    }

    fn apply(&mut self, training: &TreeData<'_>, grown: &mut Grown, open: OpenNode, split: Split) {
        let left = grown
            .tree
            .split(open.node, open.depth, split.feature as u32, split.threshold);
        let depth = open.depth + 1;
        let middle = open.range.start + split.left_len;
        let sides = [
            (left + 1, middle..open.range.end),
            (left, open.range.start..middle),
        ];
        let before = self.open.len();
        for (node, range) in sides {
            if range.len() == 1 {
                grown.leaves[self.list(split.feature, range)[0] as usize] = node as u32;
            } else {
                self.open.push(OpenNode { node, depth, range });
            }
        }
        if self.open.len() > before {
            self.partition_lists(training.table.dim(), open.range, split);
        }
    }

    /// Brings the rows left of the cut to the front of the node's range in every list.
    fn partition_lists(&mut self, dim: usize, range: Range<usize>, split: Split) {
        let chosen = &self.lists[split.feature * self.rows..][range.clone()];
        for (position, &i) in chosen.iter().enumerate() {
            self.goes_left[i as usize] = position < split.left_len;
        }
        for feature in (0..dim).filter(|&f| f != split.feature) {
            let list = &mut self.lists[feature * self.rows..][range.clone()];
            partition(list, &self.goes_left, &mut self.spill);
        }
    }
}

/// Moves the rows that go left to the front, keeping both sides in order; every row is written to both sides and only the
/// right cursor advances, which spares a branch that could not be predicted.
fn partition(list: &mut [u32], goes_left: &[bool], spill: &mut [u32]) {
    let (mut kept, mut spilled) = (0, 0);
    for position in 0..list.len() {
        let row = list[position];
        let left = usize::from(goes_left[row as usize]);
        list[kept] = row;
        spill[spilled] = row;
        kept += left;
        spilled += 1 - left;
    }
    list[kept..].copy_from_slice(&spill[..spilled]);
}

/// Weight and weighted sum of targets of some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct WeightedSum {
    pub(super) weight: f64,
    pub(super) total: f64,
}

impl WeightedSum {
    pub(super) fn add(&mut self, other: WeightedSum) {
        self.weight += other.weight;
        self.total += other.total;
    }
}

/// A cut between two seen values of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) gain: f64,
    pub(super) feature: usize,
    pub(super) threshold: f64,
    /// Number of distinct rows left of the cut.
    pub(super) left_len: usize,
}

/// Gains closer than this are equal: rounding must not decide between coordinates that cut a node alike.
const TIE: f64 = 1.0 + 1e-9;

/// The rows of a node in the order of one coordinate.
pub(super) struct SortedColumn<'a> {
    pub(super) feature: usize,
    pub(super) column: &'a [f64],
    pub(super) order: &'a [u32],
}

impl SortedColumn<'_> {
    fn value(&self, position: usize) -> f64 {
        self.column[self.order[position] as usize]
    }

    pub(super) fn is_constant(&self) -> bool {
        self.value(0) == self.value(self.order.len() - 1)
    }

    /// The best cut with at least `min_leaf` draws on each side if it beats `best`.
    pub(super) fn best_split(
        &self,
        sums: &[WeightedSum],
        node: WeightedSum,
        min_leaf: f64,
        best: Option<Split>,
    ) -> Option<Split> {
        let mut bar = best.map_or(0.0, |b| b.gain * TIE);
        let mut found = None;
        let mut left = WeightedSum::default();
        let mut value = self.value(0);
        for (position, pair) in self.order.windows(2).enumerate() {
            left.add(sums[pair[0] as usize]);
            let next = self.column[pair[1] as usize];
            if next > value {
                let right = node.weight - left.weight;
                let difference = left.total * node.weight - node.total * left.weight;
                let gain = difference * difference / (left.weight * right * node.weight);
                if gain > bar && left.weight >= min_leaf && right >= min_leaf {
                    bar = gain * TIE;
                    found = Some((gain, position));
                }
                value = next;
            }
        }
        found
            .map(|(gain, position)| self.split_after(position, gain))
            .or(best)
    }

    fn split_after(&self, position: usize, gain: f64) -> Split {
        let (low, high) = (self.value(position), self.value(position + 1));
        let middle = 0.5 * low + 0.5 * high;
        // Between neighbouring numbers the middle rounds to one of them, and the upper one must stay on the right.
        let threshold = if middle >= low && middle < high {
            middle
        } else {
            low
        };
        Split {
            gain,
            feature: self.feature,
            threshold,
            left_len: position + 1,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_keeps_the_order_of_both_sides() {
        let goes_left = [true, false, true, false, true];
        let mut list = [3, 4, 0, 1, 2];
        partition(&mut list, &goes_left, &mut [0; 5]);
        assert_eq!(list, [4, 0, 2, 3, 1]);
        let mut all_right = [1, 3];
        partition(&mut all_right, &goes_left, &mut [0; 2]);
        assert_eq!(all_right, [1, 3]);
    }

    #[test]
    fn columns_are_ordered_with_ties_by_row() {
        let table = SortedRows::new(&Points::from_rows(
            2,
            [[0.5, 1.0], [-1.0, 1.0], [0.0, -1.0]],
        ));
        assert_eq!(table.column(0), [0.5, -1.0, 0.0]);
        assert_eq!(table.order(0), [1, 2, 0]);
        assert_eq!(table.order(1), [2, 0, 1]);
    }

    fn sorted<'a>(feature: usize, column: &'a [f64], order: &'a [u32]) -> SortedColumn<'a> {
        SortedColumn {
            feature,
            column,
            order,
        }
    }

    fn sums(targets: &[f64]) -> (Vec<WeightedSum>, WeightedSum) {
        let one = |&total: &f64| WeightedSum { weight: 1.0, total };
        let each: Vec<WeightedSum> = targets.iter().map(one).collect();
        let mut node = WeightedSum::default();
        each.iter().for_each(|&s| node.add(s));
        (each, node)
    }

    #[test]
    fn the_cut_falls_at_the_step_midway_between_values() {
        let (each, node) = sums(&[5.0, 1.0, 1.0, 5.0]);
        let column = [0.5, -1.0, 0.0, 1.0];
        let candidate = sorted(3, &column, &[1, 2, 0, 3]);
        let split = candidate.best_split(&each, node, 1.0, None).unwrap();
        // The sum of squares falls from 16 to 0.
        assert_eq!(
            split,
            Split {
                gain: 16.0,
                feature: 3,
                threshold: 0.25,
                left_len: 2
            }
        );
    }

    #[test]
    fn equal_values_are_never_separated_and_leaves_stay_large_enough() {
        let (each, node) = sums(&[0.0, 9.0, 1.0, 1.0]);
        let tied = sorted(0, &[0.0, 0.0, 1.0, 1.0], &[0, 1, 2, 3]);
        assert_eq!(tied.best_split(&each, node, 1.0, None).unwrap().left_len, 2);
        let free = sorted(0, &[0.0, 1.0, 2.0, 3.0], &[0, 1, 2, 3]);
        assert_eq!(free.best_split(&each, node, 2.0, None).unwrap().left_len, 2);
        assert_eq!(free.best_split(&each, node, 3.0, None), None);
    }

    #[test]
    fn the_earlier_of_equal_cuts_stays() {
        let (each, node) = sums(&[0.1, 0.3]);
        let forward = sorted(0, &[0.0, 1.0], &[0, 1]);
        let backward = sorted(1, &[1.0, 0.0], &[1, 0]);
        let first = forward.best_split(&each, node, 1.0, None);
        assert_eq!(backward.best_split(&each, node, 1.0, first), first);
    }

    #[test]
    fn neighbouring_numbers_are_separated() {
        let (each, node) = sums(&[0.0, 1.0]);
        let column = [1.0, 1.0_f64.next_up()];
        let split = sorted(0, &column, &[0, 1])
            .best_split(&each, node, 1.0, None)
            .unwrap();
        assert!(column[0] <= split.threshold && column[1] > split.threshold);
    }
}
