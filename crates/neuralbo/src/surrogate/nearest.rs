//! Selections of observations: those around a point, and the best.

use super::Dataset;
use crate::linalg::{Points, squared_distance};

/// The `size` observations nearest to `center`, in the order they were made.
pub(crate) fn nearest(data: &Dataset, center: &[f64], size: usize) -> Dataset {
    nearest_by(data, size, |row| squared_distance(row, center))
}

/// The `size` observations of the smallest distance, in the order they were made.
pub(crate) fn nearest_by(data: &Dataset, size: usize, distance: impl Fn(&[f64]) -> f64) -> Dataset {
    if data.len() <= size {
        data.clone()
    } else {
        data.select(&nearest_indices(data.rows(), size, distance))
    }
}

/// Their indices.
pub(crate) fn nearest_indices(
    rows: &Points,
    size: usize,
    distance: impl Fn(&[f64]) -> f64,
) -> Vec<usize> {
    if rows.len() <= size {
        return (0..rows.len()).collect();
    }
    let mut order: Vec<(f64, usize)> = rows.rows().map(distance).zip(0..).collect();
    order.select_nth_unstable_by(size - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = order[..size].iter().map(|(_, i)| *i).collect();
    kept.sort_unstable();
    kept
}

/// Root mean square distance from `center` in a coordinate.
pub(crate) fn spread(data: &Dataset, center: &[f64]) -> f64 {
    let square: f64 = data
        .rows()
        .rows()
        .map(|row| squared_distance(row, center))
        .sum();
    (square / (data.len() * center.len()).max(1) as f64).sqrt()
}

/// The rows of the `count` largest rewards, the largest first and the first of equals before the others.
pub(crate) fn best_rows(data: &Dataset, count: usize) -> Points {
    let rewards = data.rewards();
    let by_reward = |&a: &usize, &b: &usize| rewards[b].total_cmp(&rewards[a]).then(a.cmp(&b));
    let mut order: Vec<usize> = (0..rewards.len()).collect();
    if order.len() > count && count > 0 {
        order.select_nth_unstable_by(count - 1, by_reward);
    }
    order.truncate(count);
    order.sort_by(by_reward);
    data.rows().select(&order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_kept_in_their_order() {
        let data = Dataset::from_parts(
            Points::from_rows(1, (0..10).map(|i| [f64::from(i) / 10.0])),
            vec![0.0; 10],
        );
        assert_eq!(
            nearest(&data, &[0.32], 3).rows().as_slice(),
            [0.2, 0.3, 0.4]
        );
        assert_eq!(nearest(&data, &[0.32], 10), data);
    }

    #[test]
    fn best_rows_are_in_order() {
        let rows = Points::from_rows(1, (0..5).map(|i| [f64::from(i)]));
        let data = Dataset::from_parts(rows, vec![3.0, 9.0, 1.0, 9.0, 5.0]);
        assert_eq!(best_rows(&data, 3).as_slice(), [1.0, 3.0, 4.0]);
        assert_eq!(best_rows(&data, 9).len(), 5);
        assert!(best_rows(&data, 0).is_empty());
    }

    #[test]
    fn the_spread_is_that_of_one_coordinate() {
        let data =
            Dataset::from_parts(Points::from_rows(2, [[1.0, 2.0], [3.0, 2.0]]), vec![0.0; 2]);
        // Squared differences 0, 1, 4 and 1 over two rows of two coordinates.
        assert_eq!(spread(&data, &[1.0, 1.0]), 1.5f64.sqrt());
        assert_eq!(spread(&Dataset::new(2), &[1.0, 1.0]), 0.0);
    }
}
