//! The shape of a grown tree: flat nodes, walked by many rows at once.

/// Rows that walk down a tree together, so that their memory reads overlap.
pub(super) const LANES: usize = 8;

/// One coordinate of the rows that walk together.
pub(super) type Lanes = [f64; LANES];

/// An inner node sends a row to `left` or, when its coordinate exceeds the threshold, to `left + 1`. A leaf has an infinite
/// threshold and itself as `left`, so that a row that has arrived stays while others still walk.
#[derive(Clone, Copy, Debug)]
struct Node {
    threshold: f64,
    feature: u32,
    left: u32,
}

/// The nodes of a regression tree; what its leaves say is kept apart.
#[derive(Clone, Debug)]
pub(super) struct RegressionTree {
    nodes: Vec<Node>,
    depth: usize,
}

impl RegressionTree {
    /// A tree of one leaf, with room for `leaves` of them.
    pub(super) fn root(leaves: usize) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(2 * leaves.max(1) - 1),
            depth: 0,
        };
        tree.push_leaf();
        tree
    }

    fn push_leaf(&mut self) {
        self.nodes.push(Node {
            threshold: f64::INFINITY,
            feature: 0,
            left: self.nodes.len() as u32,
        });
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Splits the leaf `node`, which is at `depth`; the new leaves are the returned index and the one after it.
    pub(super) fn split(
        &mut self,
        node: usize,
        depth: usize,
        feature: u32,
        threshold: f64,
    ) -> usize {
        let left = self.nodes.len();
        self.push_leaf();
        self.push_leaf();
        self.nodes[node] = Node {
            threshold,
            feature,
            left: left as u32,
        };
        self.depth = self.depth.max(depth + 1);
        left
    }

    /// Puts `other` in the place of the leaf `node`, which is at `depth`; returns where each of its nodes went.
    pub(super) fn graft(
        &mut self,
        node: usize,
        depth: usize,
        other: &RegressionTree,
    ) -> impl Fn(u32) -> u32 + use<> {
        let (node, added) = (node as u32, self.nodes.len() as u32);
        let place = move |i: u32| if i == 0 { node } else { added + i - 1 };
        let moved = |n: &Node| Node {
            left: place(n.left),
            ..*n
        };
        self.nodes.extend(other.nodes[1..].iter().map(moved));
        self.nodes[node as usize] = moved(&other.nodes[0]);
        self.depth = self.depth.max(depth + other.depth);
        place
    }

    /// The leaf of a row and its depth.
    pub(super) fn leaf(&self, row: &[f64]) -> (usize, usize) {
        let (mut at, mut depth) = (0, 0);
        loop {
            let node = self.nodes[at];
            let next = node.left as usize
                + row
                    .get(node.feature as usize)
                    .map_or(0, |x| usize::from(*x > node.threshold));
            if next == at {
                return (at, depth);
            }
            (at, depth) = (next, depth + 1);
        }
    }

    /// The leaves of the rows of a tile, which has one entry a coordinate.
    pub(super) fn leaves(&self, tile: &[Lanes]) -> [usize; LANES] {
        let mut at = [0; LANES];
        for _ in 0..self.depth {
            let mut moved = false;
            for (lane, position) in at.iter_mut().enumerate() {
                let node = self.nodes[*position];
                let next = node.left as usize
                    + usize::from(tile[node.feature as usize][lane] > node.threshold);
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

    /// Leaves 1, 3 and 4.
    fn tree() -> RegressionTree {
        let mut tree = RegressionTree::root(3);
        let left = tree.split(0, 0, 0, 0.0);
        let inner = tree.split(left + 1, 1, 1, 0.5);
        assert_eq!((left, inner), (1, 3));
        tree
    }

    const ROWS: [([f64; 2], usize, usize); 4] = [
        ([-1.0, 9.0], 1, 1),
        ([0.0, 9.0], 1, 1),
        ([0.1, 0.5], 3, 2),
        ([0.1, 0.6], 4, 2),
    ];

    #[test]
    fn rows_reach_their_leaves_alone_and_together() {
        let tile: Vec<Lanes> = (0..2)
            .map(|k| std::array::from_fn(|lane| ROWS[lane % 4].0[k]))
            .collect();
        assert_eq!(
            tree().leaves(&tile),
            std::array::from_fn(|lane| ROWS[lane % 4].1)
        );
        for (row, leaf, depth) in ROWS {
            assert_eq!(tree().leaf(&row), (leaf, depth));
        }
    }

    #[test]
    fn a_grafted_tree_stands_in_the_place_of_a_leaf() {
        let mut grafted = tree();
        let mut other = RegressionTree::root(2);
        other.split(0, 0, 1, 9.5);
        let place = grafted.graft(1, 1, &other);
        assert_eq!([0, 1, 2].map(place), [1, 5, 6]);
        assert_eq!(grafted.leaf(&[-1.0, 9.0]), (5, 2));
        assert_eq!(grafted.leaf(&[-1.0, 10.0]), (6, 2));
        assert_eq!(grafted.leaf(&[0.1, 0.6]), (4, 2));
        assert_eq!(grafted.len(), 7);
    }
}
