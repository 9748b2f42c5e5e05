//! The points a study begins with: the centre of the box, then one step along each parameter from the best point so far.
//!
//! Such points show the slope of the objective; a step that improves is the place from which the next one starts, so that the
//! start already descends. Of a choice every value is tried, unless there are many: which is best can be told by nothing else.

use std::ops::Range;

use super::search_box::parameters;
use crate::space::{Coordinate, Space};
use crate::surrogate::Dataset;

/// Length of a step in encoded units; the box has side 2.
const STEP: f64 = 0.4;
/// Most values of a choice that are all tried.
const MOST_VALUES: usize = 6;

/// A change of one parameter.
enum Step {
    /// Up in a number, down where the box ends before.
    Number(usize),
    /// To one value of a choice of a few.
    Value(Range<usize>, usize),
    /// To another value of a choice of many.
    Next(Range<usize>),
}

/// How many points there are: one for the centre and one a step.
pub(super) fn points(space: &Space) -> usize {
    steps(space).len() + 1
}

/// The point of trial `number`; `None` past the last.
pub(super) fn row(space: &Space, number: u64, observed: &Dataset) -> Option<Vec<f64>> {
    let mut row = match observed.best() {
        Some(best) if number > 0 => observed.rows().row(best).to_vec(),
        _ => vec![0.0; space.encoded_dim()],
    };
    if number > 0 {
        steps(space)
            .into_iter()
            .nth(usize::try_from(number).ok()? - 1)?
            .take(&mut row);
    }
    space.repair(&mut row);
    Some(row)
}

/// The point of trial `number` while no other has finished: the centre, the steps from it, then steps down in the numbers; `None`
/// past the last.
pub(super) fn row_without_results(space: &Space, number: u64) -> Option<Vec<f64>> {
    let (steps, mut row) = (steps(space), vec![0.0; space.encoded_dim()]);
    let number = usize::try_from(number).ok()?;
    if number > steps.len() {
        let down = number - steps.len() - 1;
        row[steps.iter().filter_map(Step::number).nth(down)?] -= STEP;
    } else if let Some(step) = number.checked_sub(1) {
        steps.into_iter().nth(step)?.take(&mut row);
    }
    space.repair(&mut row);
    Some(row)
}

fn steps(space: &Space) -> Vec<Step> {
    let of = |range: Range<usize>| match space.coordinates()[range.start] {
        // The centre has the first value.
        Coordinate::OneHot { len, .. } if len <= MOST_VALUES => {
            (1..len).map(|k| Step::Value(range.clone(), k)).collect()
        }
        Coordinate::OneHot { .. } | Coordinate::Codeword { .. } => vec![Step::Next(range)],
        _ => vec![Step::Number(range.start)],
    };
    parameters(space).into_iter().flat_map(of).collect()
}

impl Step {
    /// The coordinate of a number.
    fn number(&self) -> Option<usize> {
        if let Self::Number(i) = self {
            Some(*i)
        } else {
            None
        }
    }

    fn take(self, row: &mut [f64]) {
        match self {
            Self::Number(i) => row[i] += if row[i] + STEP <= 1.0 { STEP } else { -STEP },
            Self::Value(range, k) => {
                row[range.clone()].fill(-1.0);
                row[range.start + k] = 1.0;
            }
            Self::Next(range) => row[range].rotate_right(1),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn space(parameters: &[&str]) -> Space {
        Space::new(parameters.iter().map(|p| p.parse().unwrap()).collect()).unwrap()
    }

    /// Whether the point of trial `number` is this one, up to the rounding of the encoding.
    fn is_at(space: &Space, number: u64, data: &Dataset, expected: [f64; 3]) -> bool {
        row(space, number, data)
            .unwrap()
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn steps_start_from_the_best_so_far() {
        let space = space(&["x=float(0,1)", "y=float(0,1)", "z=float(0,1)"]);
        let mut data = Dataset::new(3);
        assert!(is_at(&space, 0, &data, [0.0; 3]));
        data.push(&[0.0; 3], 1.0);
        assert!(is_at(&space, 1, &data, [0.4, 0.0, 0.0]));
        data.push(&[0.4, 0.0, 0.0], 2.0);
        assert!(is_at(&space, 2, &data, [0.4, 0.4, 0.0]));
        data.push(&[0.4, 0.4, 0.0], 0.0);
        assert!(is_at(&space, 3, &data, [0.4, 0.0, 0.4]));
        assert_eq!((points(&space), row(&space, 4, &data)), (4, None));
    }

    #[test]
    fn a_first_batch_steps_to_both_sides_of_the_centre() {
        let space = space(&["x=float(0,1)", "c=choice(a,b,c)", "y=float(0,1)"]);
        let is_at = |number: u64, expected: [f64; 5]| {
            row_without_results(&space, number)
                .unwrap()
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12)
        };
        assert!(is_at(0, [0.0, 1.0, -1.0, -1.0, 0.0]) && is_at(1, [STEP, 1.0, -1.0, -1.0, 0.0]));
        assert!(is_at(2, [0.0, -1.0, 1.0, -1.0, 0.0]) && is_at(3, [0.0, -1.0, -1.0, 1.0, 0.0]));
        assert!(is_at(4, [0.0, 1.0, -1.0, -1.0, STEP]));
        assert!(is_at(5, [-STEP, 1.0, -1.0, -1.0, 0.0]) && is_at(6, [0.0, 1.0, -1.0, -1.0, -STEP]));
        assert_eq!(row_without_results(&space, 7), None);
    }

    #[test]
    fn steps_stay_in_the_box_and_change_choices() {
        let space = space(&["x=float(0,1)", "c=choice(a,b,c)", "n=int(1,3)"]);
        let mut data = Dataset::new(5);
        data.push(&[0.9, 1.0, -1.0, -1.0, 0.0], 1.0);
        assert!((row(&space, 1, &data).unwrap()[0] - 0.5).abs() < 1e-12);
        assert_eq!(row(&space, 2, &data).unwrap()[1..4], [-1.0, 1.0, -1.0]);
        assert_eq!(row(&space, 3, &data).unwrap()[1..4], [-1.0, -1.0, 1.0]);
        assert!(row(&space, 4, &data).unwrap()[4] > 0.0);
        assert_eq!((points(&space), row(&space, 5, &data)), (5, None));
    }

    #[test]
    fn of_a_choice_of_many_one_other_value_is_tried() {
        let values = |count: usize| {
            (0..count)
                .map(|i| format!("v{i}"))
                .collect::<Vec<_>>()
                .join(",")
        };
        for count in [7, 100] {
            let space = space(&[&format!("c=choice({})", values(count))]);
            assert_eq!(points(&space), 2);
            let mut data = Dataset::new(space.encoded_dim());
            let first = row(&space, 0, &data).unwrap();
            data.push(&first, 1.0);
            assert_ne!(row(&space, 1, &data).unwrap(), first);
        }
    }
}
