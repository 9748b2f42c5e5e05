//! The best cut of a node along one coordinate.
//!
//! Glossary: `W`, `S` — weight and weighted sum of the targets in the node; `w`, `s` — the same left of the cut. A cut lowers
//! the node's sum of squares by `(s·W − S·w)² / (W·w·(W − w))`, which does not change when the targets are shifted.

/// Weight and weighted sum of targets of some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) weight: f64,
    pub(super) total: f64,
}

impl Sums {
    pub(super) fn add(&mut self, other: Sums) {
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
        sums: &[Sums],
        node: Sums,
        min_leaf: f64,
        best: Option<Split>,
    ) -> Option<Split> {
        let mut bar = best.map_or(0.0, |b| b.gain * TIE);
        let mut found = None;
        let mut left = Sums::default();
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

    fn sorted<'a>(feature: usize, column: &'a [f64], order: &'a [u32]) -> SortedColumn<'a> {
        SortedColumn {
            feature,
            column,
            order,
        }
    }

    fn sums(targets: &[f64]) -> (Vec<Sums>, Sums) {
        let one = |&total: &f64| Sums { weight: 1.0, total };
        let each: Vec<Sums> = targets.iter().map(one).collect();
        let mut node = Sums::default();
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
