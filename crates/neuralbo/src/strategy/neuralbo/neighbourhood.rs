//! Which observations the model sees.
//!
//! Far from the best point the objective says little about where to go next, and its values there dwarf the differences that
//! matter near it. So the model sees what lies around the centre: everything within the region's reach, but never fewer points
//! than a quadratic trend has coefficients (with half as many again to spare), nor more than a cap that bounds the cost.

use crate::linalg::squared_distance;
use crate::surrogate::Dataset;

/// Observations per coefficient of a quadratic in `d` coordinates.
const PER_COEFFICIENT: f64 = 1.5;
/// Never fewer than this, where there are as many.
const FEWEST: usize = 10;

/// The observations around `center`: at most `most`, at least enough for a quadratic, else those within `reach` of it in every
/// coordinate.
pub(super) fn neighbourhood(data: &Dataset, center: &[f64], reach: f64, most: usize) -> Dataset {
    let dim = center.len();
    let coefficients = ((dim + 1) * (dim + 2)) as f64 / 2.0;
    let enough = ((PER_COEFFICIENT * coefficients) as usize).max(FEWEST);
    let inside = |row: &&[f64]| row.iter().zip(center).all(|(a, b)| (a - b).abs() <= reach);
    let within = data.rows().rows().filter(inside).count();
    nearest(data, center, within.max(enough).min(most))
}

/// The `size` observations nearest to `center`, in the order they were made.
pub(super) fn nearest(data: &Dataset, center: &[f64], size: usize) -> Dataset {
    if data.len() <= size {
        return data.clone();
    }
    let mut order: Vec<(f64, usize)> = data.rows().rows().map(|row| squared_distance(row, center)).zip(0..).collect();
    order.select_nth_unstable_by(size - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = order[..size].iter().map(|(_, i)| *i).collect();
    kept.sort_unstable();
    data.select(&kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Points;

    fn line(count: usize) -> Dataset {
        let rows = Points::from_rows(1, (0..count).map(|i| [i as f64 / count as f64]));
        Dataset::from_parts(rows, vec![0.0; count])
    }

    #[test]
    fn the_nearest_are_kept_in_their_order() {
        let kept = nearest(&line(10), &[0.32], 3);
        assert_eq!(kept.rows().as_slice(), [0.2, 0.3, 0.4]);
    }

    #[test]
    fn size_follows_the_reach_between_its_limits() {
        let data = line(1000);
        assert_eq!(neighbourhood(&data, &[0.5], 1e-9, 500).len(), FEWEST);
        assert_eq!(neighbourhood(&data, &[0.5], 0.1, 500).len(), 201);
        assert_eq!(neighbourhood(&data, &[0.5], 1.0, 500).len(), 500);
        assert_eq!(neighbourhood(&line(4), &[0.5], 0.1, 500).len(), 4);
    }
}
