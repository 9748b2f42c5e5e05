//! Which observations a model of a region sees, and how.

use crate::linalg::squared_distance;
use crate::surrogate::Dataset;
use crate::surrogate::warp::limit_outliers;

/// Share of the gaps to the best reward that are usual, and how many times such a gap an observation may have: one outlier must not
/// be all the variance there is.
const USUAL: f64 = 0.9;
const OUTLIER: f64 = 10.0;

/// Up to `most` observations spread over all: the best, and then always the farthest from those taken; in the order they were made.
pub(super) fn spread_subset(data: &Dataset, most: usize) -> Dataset {
    let Some(best) = data.best().filter(|_| data.len() > most) else {
        return data.clone();
    };
    let mut distances = vec![f64::INFINITY; data.len()];
    let (mut taken, mut last) = (vec![best], best);
    while taken.len() < most {
        let from = data.rows().row(last);
        for (distance, row) in distances.iter_mut().zip(data.rows().rows()) {
            *distance = distance.min(squared_distance(row, from));
        }
        last = (0..distances.len())
            .max_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(b.cmp(&a)))
            .unwrap_or(best);
        taken.push(last);
    }
    taken.sort_unstable();
    taken.dedup();
    data.select(&taken)
}

/// Rewards far below all others raised to a limit.
pub(super) fn without_outliers(data: &Dataset) -> Dataset {
    let limited = limit_outliers(data.rewards(), USUAL, OUTLIER);
    limited.map_or_else(|| data.clone(), |rewards| data.with_rewards(rewards))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Points;

    fn line(rewards: &[f64]) -> Dataset {
        let rows = Points::from_rows(1, (0..rewards.len()).map(|i| [(i * i) as f64]));
        Dataset::from_parts(rows, rewards.to_vec())
    }

    #[test]
    fn subsets_are_spread_and_hold_the_best() {
        let data = line(&[0.0, 0.0, 9.0, 0.0, 0.0, 0.0]);
        // The farthest from 4 is 25; of the others 16 is 9 from its nearest, 9 is 5, 0 is 4 and 1 is 3.
        assert_eq!(spread_subset(&data, 3).rows().as_slice(), [4.0, 16.0, 25.0]);
        assert_eq!(spread_subset(&data, 6), data);
    }

    #[test]
    fn one_outlier_is_just_that_bad() {
        let mut rewards: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(without_outliers(&line(&rewards)).rewards(), rewards);
        rewards[0] = -1e12;
        // The gap of nine tenths is 17, the 18th of 20.
        assert_eq!(without_outliers(&line(&rewards)).rewards()[0], 19.0 - 170.0);
        assert_eq!(
            without_outliers(&line(&[2.0, 2.0, 2.0])).rewards(),
            [2.0, 2.0, 2.0]
        );
    }
}
