//! Which rows have been evaluated or are running.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

/// Rows closer than this in every coordinate count as the same: rounding in an encoding must not hide a duplicate.
const RESOLUTION: f64 = 1.0 / (1u64 << 30) as f64;

/// A 128-bit fingerprint of a row at the resolution that counts for duplicates; the same on every run and machine.
pub fn row_fingerprint(row: &[f64]) -> u128 {
    let mut halves = [DefaultHasher::new(), DefaultHasher::new()];
    for (i, half) in halves.iter_mut().enumerate() {
        half.write_usize(i);
        row.iter().for_each(|x| half.write_i64((x / RESOLUTION).round() as i64));
    }
    (u128::from(halves[1].finish()) << 64) | u128::from(halves[0].finish())
}

/// A set of rows, for asking whether a candidate is new.
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
    fingerprints: HashSet<u128>,
}

impl SeenRows {
    /// Adds a row; false when it was there already.
    pub fn insert(&mut self, row: &[f64]) -> bool {
        self.fingerprints.insert(row_fingerprint(row))
    }

    /// Whether the row is there.
    pub fn contains(&self, row: &[f64]) -> bool {
        !self.fingerprints.is_empty() && self.fingerprints.contains(&row_fingerprint(row))
    }

    /// Number of different rows.
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_does_not_hide_a_duplicate() {
        let mut seen = SeenRows::default();
        assert!(seen.insert(&[0.1 + 0.2, -0.0]));
        assert!(!seen.insert(&[0.3, 0.0]));
        assert!(!seen.contains(&[0.3 + 1e-8, 0.0]));
        assert!(!seen.contains(&[0.0, 0.3]));
        assert_eq!(seen.len(), 1);
    }
}
