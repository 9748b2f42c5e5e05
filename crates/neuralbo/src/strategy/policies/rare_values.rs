//! Trials of values that have hardly been tried, in spaces with choices.
//!
//! A value that was poor beside the numbers of another value may be the best beside its own, and no
//! model can tell from a single trial. So some trials go to the value with the fewest: the numbers
//! are spread over the box, the other choices are those of the best point.

use std::ops::Range;

use super::search_box::parameters;
use crate::linalg::Points;
use crate::space::{Coordinate, Space};
use crate::strategy::smbo::{Context, Occasional};
use crate::strategy::{Origin, Setup, Suggestion};

/// The policy.
pub(crate) struct RareValues {
    setup: Setup,
    values: Vec<ChoiceValue>,
}

impl RareValues {
    pub(crate) fn new(setup: Setup) -> Self {
        let values = values(&setup.space);
        Self { setup, values }
    }
}

/// One value of a choice: its coordinates, and the positive one; none for the first of the two
/// values of a single coordinate.
#[derive(Clone, Debug, PartialEq)]
struct ChoiceValue {
    range: Range<usize>,
    positive: Option<usize>,
}

impl ChoiceValue {
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

/// The values of all choices with one coordinate per value, and of both sides of a bool.
fn values(space: &Space) -> Vec<ChoiceValue> {
    let of = |range: Range<usize>| {
        let positive: Vec<Option<usize>> = match space.coordinates()[range.start] {
            Coordinate::OneHot { .. } => range.clone().map(Some).collect(),
            Coordinate::Grid { levels: 2 } => vec![None, Some(range.start)],
            _ => Vec::new(),
        };
        let value = move |positive| ChoiceValue {
            range: range.clone(),
            positive,
        };
        positive.into_iter().map(value)
    };
    parameters(space).into_iter().flat_map(of).collect()
}

/// The value with the fewest trials, the first of equals.
fn least_tried<'a>(
    values: &'a [ChoiceValue],
    finished: &Points,
    running: &Points,
) -> Option<&'a ChoiceValue> {
    let rows = || finished.rows().chain(running.rows());
    values
        .iter()
        .min_by_key(|value| rows().filter(|row| value.is_in(row)).count())
}

impl Occasional for RareValues {
    fn propose(&self, context: &Context<'_>) -> Option<Suggestion> {
        let (space, history) = (&*self.setup.space, context.history);
        let finished = (0..history.len()).map(|i| history.row(i));
        let finished = Points::from_rows(space.encoded_dim(), finished);
        let rare = least_tried(&self.values, &finished, context.pending)?;
        let best = context.scores.rows().row(context.scores.best()?);
        let mut row = context.filler.row(context.number, context.taken).ok()?;
        let at_best = self.values.iter().filter(|value| value.is_in(best));
        at_best.for_each(|value| value.write(&mut row));
        rare.write(&mut row);
        space.repair(&mut row);
        (!context.taken.contains(&row) && space.is_feasible(&row))
            .then(|| self.setup.suggestion(row, Origin::Sampled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::tests::parse;

    #[test]
    fn the_value_with_the_fewest_trials_is_next() {
        let values = values(&parse("x=float(0,1) c=choice(a,b,c) b=bool"));
        assert_eq!(values.len(), 5);
        let rows = [
            [0.0, 1.0, -1.0, -1.0, -1.0],
            [0.1, -1.0, -1.0, 1.0, 1.0],
            [0.2, 1.0, -1.0, -1.0, -1.0],
        ];
        let finished = Points::from_rows(5, rows);
        let rare = least_tried(&values, &finished, &Points::new(5)).unwrap();
        assert_eq!((rare.range.clone(), rare.positive), (1..4, Some(2)));
        let running = [[0.0, -1.0, 1.0, -1.0, -1.0], [0.5, -1.0, 1.0, -1.0, -1.0]];
        let running = Points::from_rows(5, running);
        let rare = least_tried(&values, &finished, &running).unwrap();
        assert_eq!((rare.range.clone(), rare.positive), (1..4, Some(3)));
        let mut row = rows[0];
        rare.write(&mut row);
        assert_eq!(row, [0.0, -1.0, -1.0, 1.0, -1.0]);
    }
}
