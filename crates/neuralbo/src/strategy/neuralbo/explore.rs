//! Trials of values that have hardly been tried, in spaces with choices.
//!
//! A value that was poor beside the numbers of another value may be the best beside its own, and no model can tell from a single
//! trial. So every sixth trial goes to the value with the fewest trials: the numbers are spread over the box, the other choices
//! are those of the best point.

use std::ops::Range;

use super::search_box::parameters;
use super::{Moment, RegionPolicy};
use crate::linalg::Points;
use crate::space::{Coordinate, Space};
use crate::strategy::{Origin, Suggestion};

/// One of this many trials is of this kind, and which.
const EVERY: u64 = 6;
const TURN: u64 = 4;

/// One value of a choice: its coordinates, and the one that is positive. Of the two values of a single coordinate the first is
/// negative and has none.
#[derive(Clone, Debug, PartialEq)]
struct Value {
    range: Range<usize>,
    positive: Option<usize>,
}

impl Value {
    fn is_in(&self, row: &[f64]) -> bool {
        match self.positive {
            Some(i) => row[i] > 0.0,
            None => row[self.range.start] < 0.0,
        }
    }

    fn write(&self, row: &mut [f64]) {
        row[self.range.clone()].fill(-1.0);
        self.positive.into_iter().for_each(|i| row[i] = 1.0);
    }
}

/// The values of all choices with a coordinate for each.
fn values(space: &Space) -> Vec<Value> {
    let of = |range: Range<usize>| match space.coordinates()[range.start] {
        Coordinate::OneHot { .. } => range
            .clone()
            .map(|i| Value {
                range: range.clone(),
                positive: Some(i),
            })
            .collect(),
        Coordinate::Grid { levels: 2 } => [None, Some(range.start)]
            .map(|positive| Value {
                range: range.clone(),
                positive,
            })
            .into(),
        _ => Vec::new(),
    };
    parameters(space).into_iter().flat_map(of).collect()
}

/// The value with the fewest trials, the first of equals.
fn least_tried<'a>(values: &'a [Value], finished: &Points, running: &Points) -> Option<&'a Value> {
    let trials = |value: &Value| {
        finished
            .rows()
            .chain(running.rows())
            .filter(|row| value.is_in(row))
            .count()
    };
    values.iter().min_by_key(|value| trials(value))
}

impl RegionPolicy {
    /// A trial of the value with the fewest, where it is the turn of one.
    pub(super) fn explored(&self, moment: &Moment<'_>) -> Option<Suggestion> {
        let space = &*self.setup.space;
        let values = if moment.number.abs_diff(self.design.len() as u64) % EVERY == TURN {
            values(space)
        } else {
            Vec::new()
        };
        let history = moment.history;
        let finished = Points::from_rows(
            space.encoded_dim(),
            (0..history.len()).map(|i| history.row(i)),
        );
        let rare = least_tried(&values, &finished, moment.pending)?;
        let best = moment
            .merits
            .best()
            .map(|best| moment.merits.rows().row(best))?;
        let mut row = moment.filler.row(moment.number, moment.taken).ok()?;
        values
            .iter()
            .filter(|value| value.is_in(best))
            .for_each(|value| value.write(&mut row));
        rare.write(&mut row);
        space.repair(&mut row);
        (!moment.taken.contains(&row) && space.is_feasible(&row))
            .then(|| self.setup.suggestion(row, Origin::Sampled))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_value_with_the_fewest_trials_is_next() {
        let parameters = ["x=float(0,1)", "c=choice(a,b,c)", "b=bool"];
        let space = Space::new(parameters.iter().map(|p| p.parse().unwrap()).collect()).unwrap();
        let values = values(&space);
        assert_eq!(values.len(), 5);
        let rows = [
            [0.0, 1.0, -1.0, -1.0, -1.0],
            [0.1, -1.0, -1.0, 1.0, 1.0],
            [0.2, 1.0, -1.0, -1.0, -1.0],
        ];
        let finished = Points::from_rows(5, rows);
        let rare = least_tried(&values, &finished, &Points::new(5)).unwrap();
        assert_eq!(
            rare,
            &Value {
                range: 1..4,
                positive: Some(2)
            }
        );
        let running = Points::from_rows(
            5,
            [[0.0, -1.0, 1.0, -1.0, -1.0], [0.5, -1.0, 1.0, -1.0, -1.0]],
        );
        let rare = least_tried(&values, &finished, &running).unwrap();
        assert_eq!(
            rare,
            &Value {
                range: 1..4,
                positive: Some(3)
            }
        );
        let mut row = rows[0];
        rare.write(&mut row);
        assert_eq!(row, [0.0, -1.0, -1.0, 1.0, -1.0]);
    }
}
