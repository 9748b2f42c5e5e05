//! Answers for many rows, a tile at a time.

use super::{Prediction, PredictionGradient};
use crate::linalg::Points;
use rayon::prelude::*;
use std::ops::Range;

/// Answers of `f` for consecutive ranges of `size` that cover `0..len` (the last may be shorter), in parallel where there are
/// several. Ranges do not depend on the number of threads, so neither do the answers.
pub fn over_ranges<R: Send>(
    len: usize,
    size: usize,
    f: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    match len.div_ceil(size) {
        0 => Vec::new(),
        1 => vec![f(0..len)],
        tiles => (0..tiles)
            .into_par_iter()
            .map(|k| f(k * size..((k + 1) * size).min(len)))
            .collect(),
    }
}

/// Answers of `f` for consecutive tiles of `size` rows.
pub fn over_tiles<R: Send>(rows: &Points, size: usize, f: impl Fn(&Points) -> R + Sync) -> Vec<R> {
    let whole = rows.len() <= size;
    over_ranges(rows.len(), size, |range| {
        if whole {
            f(rows)
        } else {
            f(&rows.slice(range))
        }
    })
}

/// The predictions of all tiles as one.
pub fn joined(tiles: Vec<Prediction>) -> Prediction {
    let mut all = Prediction::default();
    tiles.into_iter().for_each(|tile| append(&mut all, tile));
    all
}

/// The same with gradients in `dim` coordinates.
pub fn joined_gradients(dim: usize, tiles: Vec<PredictionGradient>) -> PredictionGradient {
    let none = || Points::new(dim);
    let mut all = PredictionGradient {
        prediction: Prediction::default(),
        mean_gradient: none(),
        sd_gradient: none(),
    };
    for tile in tiles {
        append(&mut all.prediction, tile.prediction);
        all.mean_gradient.extend(&tile.mean_gradient);
        all.sd_gradient.extend(&tile.sd_gradient);
    }
    all
}

/// Values and gradients of all tiles as one pair.
pub fn joined_values(dim: usize, tiles: Vec<(Vec<f64>, Points)>) -> (Vec<f64>, Points) {
    let (mut values, mut gradients) = (Vec::new(), Points::new(dim));
    for (value, gradient) in tiles {
        values.extend(value);
        gradients.extend(&gradient);
    }
    (values, gradients)
}

fn append(all: &mut Prediction, tile: Prediction) {
    all.mean.extend(tile.mean);
    all.sd.extend(tile.sd);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_all_rows_in_order() {
        let rows = Points::from_rows(1, (0..10).map(|i| [f64::from(i)]));
        for size in [1, 3, 10, 99] {
            let tiles = over_tiles(&rows, size, |tile| tile.as_slice().to_vec());
            assert!(tiles.iter().all(|tile| tile.len() <= size));
            assert_eq!(tiles.concat(), rows.as_slice());
        }
        assert!(over_tiles(&Points::new(1), 3, Points::len).is_empty());
    }
}
