//! Predictions for many rows, a tile at a time.

use crate::linalg::Points;
use rayon::prelude::*;

/// Answers of `f` for consecutive tiles of `size` rows (the last may be shorter), in parallel where there are several. Tiles do not
/// depend on the number of threads, so neither do the answers.
pub(super) fn over_tiles<R: Send>(rows: &Points, size: usize, f: impl Fn(&Points) -> R + Sync) -> Vec<R> {
    if rows.len() <= size {
        return vec![f(rows)];
    }
    let tiles = rows.len().div_ceil(size);
    (0..tiles).into_par_iter().map(|k| f(&rows.slice(k * size..((k + 1) * size).min(rows.len())))).collect()
}
