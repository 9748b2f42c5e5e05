//! The observations that a model sees.
//!
//! Values far from the best point say little about where to go next and dwarf the differences near
//! it. So the model sees the observations around the centre: all within the region's reach, but
//! never fewer than a quadratic has coefficients, nor more than a cap that bounds the cost. Rewards
//! whose gap to the best is more than a thousand times that of nine tenths of them are cut off
//! there: a single outlier must not hide the differences between the others.

use super::constants::{FEWEST_NEIGHBOURS, MOST_NEIGHBOURS, OUTLIER, USUAL_GAPS};
use crate::linalg::{Points, squared_distance};
use crate::surrogate::tangent::Metric;
use crate::surrogate::warp::limit_outliers;
use crate::surrogate::{Dataset, FitError, nearest_indices};

/// A model needs an observation.
pub(crate) const NO_OBSERVATIONS: FitError = FitError::TooFewObservations {
    needed: 1,
    found: 0,
};

/// Coefficients of a quadratic in `dim` coordinates.
pub(super) fn points_for_a_quadratic(dim: usize) -> usize {
    (dim + 1) * (dim + 2) / 2
}

/// The observations within `reach` of `center` in every coordinate; at least enough for a
/// quadratic, at most [`MOST_NEIGHBOURS`].
pub(super) fn neighbourhood(data: &Dataset, center: &[f64], reach: f64) -> Dataset {
    without_outliers(data.select(&neighbours(data.rows(), center, reach)))
}

/// Their indices, in the order they were made.
pub(super) fn neighbours(rows: &Points, center: &[f64], reach: f64) -> Vec<usize> {
    let enough = points_for_a_quadratic(center.len()).max(FEWEST_NEIGHBOURS);
    let inside = |row: &&[f64]| row.iter().zip(center).all(|(a, b)| (a - b).abs() <= reach);
    let within = rows.rows().filter(inside).count();
    let size = within.max(enough).min(MOST_NEIGHBOURS);
    nearest_indices(rows, size, |row| squared_distance(row, center))
}

/// The `size` observations nearest to `center` in a metric, outliers cut off.
pub(super) fn nearest_in(metric: &Metric, data: &Dataset, center: &[f64], size: usize) -> Dataset {
    let length = |row: &[f64]| metric.squared_length(&difference(row, center));
    without_outliers(data.nearest_by(size, length))
}

/// The index of the largest value, the first of equals.
pub(super) fn largest(values: &[f64]) -> Option<usize> {
    (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)))
}

/// Distance of the farthest row from `center`.
pub(super) fn farthest(rows: &Points, center: &[f64]) -> f64 {
    let distances = rows.rows().map(|row| squared_distance(row, center));
    distances.fold(0.0, f64::max).sqrt()
}

/// The row of the largest reward.
pub(super) fn best_row(data: &Dataset) -> Result<&[f64], FitError> {
    let best = data.best().ok_or(NO_OBSERVATIONS)?;
    Ok(data.rows().row(best))
}

/// `row − center`.
pub(super) fn difference(row: &[f64], center: &[f64]) -> Vec<f64> {
    row.iter().zip(center).map(|(a, b)| a - b).collect()
}

/// Rewards far below all others raised to a limit.
pub(super) fn without_outliers(data: Dataset) -> Dataset {
    match limit_outliers(data.rewards(), USUAL_GAPS, OUTLIER) {
        Some(rewards) => data.with_rewards(rewards),
        None => data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: usize) -> Dataset {
        let rows = Points::from_rows(1, (0..count).map(|i| [i as f64 / count as f64]));
        Dataset::from_parts(rows, vec![0.0; count])
    }

    #[test]
    fn size_follows_the_reach_between_its_limits() {
        let data = line(1000);
        let size = |reach: f64| neighbourhood(&data, &[0.5], reach).len();
        assert_eq!(
            [1e-9, 0.1, 1.0].map(size),
            [FEWEST_NEIGHBOURS, 201, MOST_NEIGHBOURS]
        );
        assert_eq!(neighbourhood(&line(4), &[0.5], 0.1).len(), 4);
    }

    #[test]
    fn a_metric_has_its_own_neighbours() {
        let rows = Points::from_rows(2, [[0.0, 0.0], [0.3, 0.0], [0.0, 0.5]]);
        let data = Dataset::from_parts(rows, vec![0.0; 3]);
        let metric = Metric::of_curvature(&faer::mat![[100.0, 0.0], [0.0, 1.0]], 0.0).unwrap();
        assert_eq!(data.nearest(&[0.0, 0.0], 2).rows().row(1), [0.3, 0.0]);
        let in_metric = nearest_in(&metric, &data, &[0.0, 0.0], 2);
        assert_eq!(in_metric.rows().row(1), [0.0, 0.5]);
    }

    #[test]
    fn outliers_are_cut_off_and_others_are_not() {
        let cut = |rewards: &[f64]| {
            let rows = Points::from_rows(1, (0..rewards.len()).map(|i| [i as f64]));
            let data = without_outliers(Dataset::from_parts(rows, rewards.to_vec()));
            data.rewards().to_vec()
        };
        let outlier = cut(&[1.0, 2.0, -1e300, 3.0, 4.0]);
        assert_eq!(outlier, [1.0, 2.0, 4.0 - 3000.0, 3.0, 4.0]);
        assert_eq!(cut(&[1.0, -900.0, 3.0]), [1.0, -900.0, 3.0]);
        assert_eq!(cut(&[1.0, -1e9]), [1.0, -1e9]);
        assert_eq!(cut(&[]), Vec::<f64>::new());
    }
}
