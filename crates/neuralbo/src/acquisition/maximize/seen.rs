//! Which rows have been evaluated or are running.

use std::collections::HashSet;
use std::sync::Arc;

/// Rows closer than this in every coordinate count as the same: rounding in an encoding must not hide a duplicate.
const RESOLUTION: f64 = 1.0 / (1u64 << 30) as f64;

/// A 128-bit fingerprint of a row at the resolution that counts for duplicates; the same on every machine and release.
pub fn row_fingerprint(row: &[f64]) -> u128 {
    // Two chains with unlike cells: rows that meet in one half do not meet in the other.
    let mut halves = [0u64; 2];
    for x in row {
        let cell = (x / RESOLUTION).round() as i64 as u64;
        halves = [mixed(halves[0] ^ cell), mixed(halves[1] ^ mixed(cell))];
    }
    (u128::from(halves[1]) << 64) | u128::from(halves[0])
}

/// One step of SplitMix64 (Steele, Lea & Flood 2014): every bit of the input reaches every bit of the output.
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A set of rows, for asking whether a candidate is new.
///
/// Clones share what [`SeenRows::settle`] has settled, so that a clone costs what was added since, not what is there.
///
/// ```
/// use neuralbo::acquisition::maximize::SeenRows;
///
/// let mut seen = SeenRows::default();
/// seen.insert(&[0.5, -1.0]);
/// assert!(seen.contains(&[0.5, -1.0]) && !seen.contains(&[0.5, 1.0]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SeenRows {
    settled: Arc<HashSet<u128>>,
    added: HashSet<u128>,
}

impl SeenRows {
    /// Adds a row; false when it was there already.
    pub fn insert(&mut self, row: &[f64]) -> bool {
        let print = row_fingerprint(row);
        !self.settled.contains(&print) && self.added.insert(print)
    }

    /// Whether the row is there.
    pub fn contains(&self, row: &[f64]) -> bool {
        let print = row_fingerprint(row);
        self.settled.contains(&print) || self.added.contains(&print)
    }

    /// Number of different rows.
    pub fn len(&self) -> usize {
        self.settled.len() + self.added.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.added.is_empty()
    }

    /// Lets future clones share all rows; copies them only while an earlier clone still lives.
    pub fn settle(&mut self) {
        if !self.added.is_empty() {
            // Not drained: a clone of an empty set copies its capacity also.
            Arc::make_mut(&mut self.settled).extend(std::mem::take(&mut self.added));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_follows_the_published_sequence() {
        // The first two outputs of SplitMix64 from state 0.
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mixed(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn neighbouring_rows_have_different_fingerprints_in_both_halves() {
        let row = |i: u32| [i % 200, i / 200].map(|cell| f64::from(cell) / 100.0 - 1.0);
        let prints: Vec<u128> = (0..40_000).map(|i| row_fingerprint(&row(i))).collect();
        for shift in [0, 64] {
            let half = |print: &u128| (print >> shift) as u64;
            let halves: HashSet<u64> = prints.iter().map(half).collect();
            assert_eq!(halves.len(), 40_000);
        }
    }

    #[test]
    fn rounding_does_not_hide_a_duplicate() {
        let mut seen = SeenRows::default();
        assert!(seen.insert(&[0.1 + 0.2, -0.0]));
        assert!(!seen.insert(&[0.3, 0.0]));
        assert!(!seen.contains(&[0.3 + 1e-8, 0.0]));
        assert!(!seen.contains(&[0.0, 0.3]));
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn clones_share_what_is_settled_and_keep_what_they_add() {
        let mut seen = SeenRows::default();
        seen.insert(&[0.5]);
        seen.settle();
        let mut clone = seen.clone();
        assert!(!clone.insert(&[0.5]) && clone.insert(&[0.25]));
        assert_eq!(
            (clone.len(), seen.len(), seen.contains(&[0.25])),
            (2, 1, false)
        );
        clone.settle();
        assert!(seen.insert(&[0.25]) && !clone.insert(&[0.25]));
    }
}
