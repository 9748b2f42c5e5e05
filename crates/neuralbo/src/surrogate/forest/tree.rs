//! A grown tree: flat nodes, read for many rows at once.

use crate::linalg::Points;
use std::ops::Range;

/// Rows that walk down a tree together, so that their memory reads overlap.
const LANES: usize = 8;

/// An inner node sends a row to `left` or, when its coordinate exceeds the threshold, to `left + 1`. A leaf has an infinite
/// threshold and itself as `left`, so that a row that has arrived stays while others still walk.
#[derive(Clone, Copy, Debug)]
struct Node {
    threshold: f64,
    feature: u32,
    left: u32,
}

/// A regression tree.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Value of each node; only those of leaves are read.
    values: Vec<f64>,
    depth: usize,
}

impl Tree {
    /// A tree of one leaf, with room for `leaves` of them.
    pub(super) fn root(leaves: usize) -> Self {
        let nodes = 2 * leaves.max(1) - 1;
        let mut tree = Self { nodes: Vec::with_capacity(nodes), values: Vec::with_capacity(nodes), depth: 0 };
        tree.push_leaf();
        tree
    }

    fn push_leaf(&mut self) {
        self.nodes.push(Node { threshold: f64::INFINITY, feature: 0, left: self.nodes.len() as u32 });
        self.values.push(0.0);
    }

    pub(super) fn set_value(&mut self, node: usize, value: f64) {
        self.values[node] = value;
    }

    /// Splits the leaf `node`, which is at `depth`; the new leaves are the returned index and the one after it.
    pub(super) fn split(&mut self, node: usize, depth: usize, feature: u32, threshold: f64) -> usize {
        let left = self.nodes.len();
        self.push_leaf();
        self.push_leaf();
        self.nodes[node] = Node { threshold, feature, left: left as u32 };
        self.depth = self.depth.max(depth + 1);
        left
    }

    /// Calls `visit` with each row's offset in `range` and the value of its leaf.
    pub(super) fn for_each_value(&self, rows: &Points, range: Range<usize>, mut visit: impl FnMut(usize, f64)) {
        let mut start = range.start;
        while start < range.end {
            let leaves = self.leaves(std::array::from_fn(|lane| rows.row((start + lane).min(range.end - 1))));
            for (lane, &leaf) in leaves.iter().enumerate().take(range.end - start) {
                visit(start + lane - range.start, self.values[leaf]);
            }
            start += LANES;
        }
    }

    fn leaves(&self, rows: [&[f64]; LANES]) -> [usize; LANES] {
        let mut at = [0; LANES];
        for _ in 0..self.depth {
            let mut moved = false;
            for (position, row) in at.iter_mut().zip(rows) {
                let node = self.nodes[*position];
                let next = node.left as usize + usize::from(row[node.feature as usize] > node.threshold);
                moved |= next != *position;
                *position = next;
            }
            if !moved {
                break;
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_reach_their_leaves_whatever_their_number() {
        let mut tree = Tree::root(3);
        let left = tree.split(0, 0, 0, 0.0);
        let inner = tree.split(left + 1, 1, 1, 0.5);
        for (node, value) in [(left, 1.0), (inner, 2.0), (inner + 1, 3.0)] {
            tree.set_value(node, value);
        }
        let pattern = [([-1.0, 9.0], 1.0), ([0.0, 9.0], 1.0), ([0.1, 0.5], 2.0), ([0.1, 0.6], 3.0)];
        for len in [1, 7, 8, 9, 21] {
            let rows = Points::from_rows(2, (0..len).map(|i| pattern[i % 4].0));
            let mut seen = Vec::new();
            tree.for_each_value(&rows, 0..len, |offset, value| {
                assert_eq!(offset, seen.len());
                seen.push(value);
            });
            assert_eq!(seen, (0..len).map(|i| pattern[i % 4].1).collect::<Vec<f64>>());
        }
    }
}
