//! Values of many rows, and the best of them.

use rayon::prelude::*;

use super::{Maximum, SeenRows};
use crate::linalg::{Points, squared_distance};
use crate::surrogate::Function;

/// Rows handed to a function at once: the size is fixed, so that values do not depend on the number of threads.
const BATCH: usize = 512;

/// Rows, from the best down, among which separate hills are sought.
const MOST_COMPARED: usize = 512;

/// The value at each row; what is not a number counts as −∞.
pub fn score(function: &dyn Function, rows: &Points) -> Vec<f64> {
    let starts: Vec<usize> = (0..rows.len()).step_by(BATCH).collect();
    let batch = |start: usize| function.value(&rows.slice(start..(start + BATCH).min(rows.len())));
    let values: Vec<Vec<f64>> = starts.into_par_iter().map(batch).collect();
    values.into_iter().flatten().map(ordered).collect()
}

/// Twice the distance from the median to the largest of the finite values: subtracting it sinks the best below the middle.
///
/// It is 1 where all values are equal or none is finite, so that a penalty in these units never vanishes.
pub fn value_spread(values: &[f64]) -> f64 {
    let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    match finite.last() {
        Some(largest) if *largest > finite[finite.len() / 2] => {
            2.0 * (largest - finite[finite.len() / 2])
        }
        _ => 1.0,
    }
}

/// NaN as −∞, so that values can be compared.
pub(super) fn ordered(value: f64) -> f64 {
    if value.is_nan() {
        f64::NEG_INFINITY
    } else {
        value
    }
}

/// Indices, the largest value first and the first of equals before the others.
fn ranking(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order
}

/// The `count` best different rows that have not been seen. Rows are compared from the best down: of thousands only a few are.
pub(super) fn best_of(
    rows: &Points,
    values: &[f64],
    count: usize,
    seen: &SeenRows,
) -> Vec<Maximum> {
    let mut taken = SeenRows::default();
    let fresh = |&i: &usize| !seen.contains(rows.row(i)) && taken.insert(rows.row(i));
    let maximum = |i: usize| Maximum {
        row: rows.row(i).to_vec(),
        value: values[i],
    };
    let best = ranking(values).into_iter().filter(fresh).take(count);
    best.map(maximum).collect()
}

/// Rows with their values.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    pub rows: Points,
    pub values: Vec<f64>,
}

impl Scored {
    pub(super) fn new(function: &dyn Function, rows: Points) -> Self {
        Self {
            values: score(function, &rows),
            rows,
        }
    }

    pub(super) fn extend(&mut self, other: &Scored) {
        self.rows.extend(&other.rows);
        self.values.extend_from_slice(&other.values);
    }

    /// Each row or the one in its place, whichever is better.
    pub(super) fn or_better(mut self, other: Scored) -> Self {
        for i in 0..self.values.len() {
            if other.values[i] > self.values[i] {
                self.values[i] = other.values[i];
                self.rows.row_mut(i).copy_from_slice(other.rows.row(i));
            }
        }
        self
    }

    /// The `count` best different rows that have not been seen.
    pub(super) fn best(&self, count: usize, seen: &SeenRows) -> Vec<Maximum> {
        best_of(&self.rows, &self.values, count, seen)
    }

    /// `count` different rows to refine: half of them the best ones, half the best that have nothing better within `reach`, so
    /// that a crowd on one hill does not hide a narrower and higher one (Rinnooy Kan & Timmer 1987).
    pub(super) fn starts(&self, count: usize, reach: f64) -> Scored {
        let ranking = ranking(&self.values);
        let mut taken = SeenRows::default();
        let different = ranking.iter().copied();
        let different = different.filter(|&i| taken.insert(self.rows.row(i)));
        let mut chosen: Vec<usize> = different.take(count.div_ceil(2)).collect();
        let near = |i: usize, k: usize| {
            squared_distance(self.rows.row(i), self.rows.row(k)) <= reach * reach
        };
        let tops = (0..ranking.len().min(MOST_COMPARED))
            .filter(|&r| ranking[..r].iter().all(|&k| !near(ranking[r], k)));
        // The tops are sought one by one, each among all better rows: no more of them than are wanted.
        let others = tops
            .map(|r| ranking[r])
            .filter(|&top| taken.insert(self.rows.row(top)))
            .take(count - chosen.len());
        let others: Vec<usize> = others.collect();
        chosen.extend(others);
        Scored {
            rows: self.rows.select(&chosen),
            values: chosen.iter().map(|&i| self.values[i]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::plain;

    #[test]
    fn not_a_number_ranks_last_and_duplicates_are_dropped() {
        let rows = Points::from_rows(1, [[0.0], [0.5], [0.9], [0.5]]);
        let scored = Scored::new(&plain(|x| if x[0] == 0.9 { f64::NAN } else { x[0] }), rows);
        assert_eq!(scored.values, [0.0, 0.5, f64::NEG_INFINITY, 0.5]);
        assert_eq!(ranking(&scored.values), [1, 3, 0, 2]);
        let mut seen = SeenRows::default();
        seen.insert(&[0.0]);
        let best = scored.best(3, &seen).into_iter();
        let best: Vec<f64> = best.map(|maximum| maximum.row[0]).collect();
        assert_eq!(best, [0.5, 0.9]);
    }

    #[test]
    fn starts_are_the_best_and_then_the_tops_of_other_hills() {
        let rows = Points::from_rows(1, [[0.9], [0.88], [0.89], [0.65], [0.4], [-0.8], [-0.7]]);
        let starts = Scored::new(&plain(|x| x[0]), rows).starts(4, 0.3);
        assert_eq!(starts.rows.as_slice(), [0.9, 0.89, -0.7]);
    }

    #[test]
    fn spread_ignores_what_is_not_finite() {
        let values = [1.0, f64::NEG_INFINITY, 2.0, f64::NAN, 5.0];
        assert_eq!(value_spread(&values), 6.0);
        assert_eq!((value_spread(&[3.0, 3.0]), value_spread(&[])), (1.0, 1.0));
    }

    #[test]
    fn batches_are_put_together_in_order() {
        let rows = Points::from_rows(1, (0..2_000).map(|i| [f64::from(i)]));
        assert_eq!(score(&plain(|x| x[0]), &rows), rows.as_slice());
    }
}
