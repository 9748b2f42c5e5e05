//! The initial design.
//!
//! In a box: the centre, then one step along each parameter from the best point so far. These
//! points show the slope of the objective, and a step that improves is where the next one starts.
//! Every value of a small choice is tried, since nothing else can tell which is best. Pools and
//! studies of several objectives take the points of an [`InitialDesign`] as they are.

use std::ops::Range;

use super::constants::{MOST_START_VALUES, START_STEP};
use super::search_box::parameters;
use crate::space::{Coordinate, Space};
use crate::strategy::smbo::Context;
use crate::strategy::{Exhausted, InitialDesign, Origin, Setup, Suggestion};
use crate::surrogate::Dataset;

/// The points a study begins with.
pub(crate) struct InitialSteps {
    setup: Setup,
    design: InitialDesign,
    /// Whether steps from the centre come before the points of the design.
    steps: bool,
    /// Whether there are exactly as many points as steps and the centre.
    complete: bool,
    /// Further trials at the centre, which another policy makes.
    looks: u64,
}

impl InitialSteps {
    /// The points of a design.
    pub(crate) fn of_design(setup: Setup, design: InitialDesign) -> Self {
        Self {
            setup,
            design,
            steps: false,
            complete: false,
            looks: 0,
        }
    }

    /// Steps along the parameters: one for each, or `size` points filled up by a Sobol sequence.
    pub(crate) fn steps(setup: Setup, size: Option<usize>) -> Self {
        let points = size.unwrap_or_else(|| points(&setup.space));
        Self {
            design: InitialDesign::new(&setup, points),
            setup,
            steps: true,
            complete: size.is_none(),
            looks: 0,
        }
    }

    /// The same after further trials at the centre, which another policy makes.
    pub(crate) fn after_looks(mut self, looks: usize) -> Self {
        self.looks = looks as u64;
        self
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.design.len() + self.looks as usize
    }

    /// The number of a trial after the start; the distance to it for earlier ones.
    pub(crate) fn turn(&self, number: u64) -> u64 {
        number.abs_diff(self.len() as u64)
    }

    /// The trial's point; `None` past the last one, and where the point is taken.
    pub(crate) fn point(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        let row = self.row(context.number, context.scores)?;
        (!context.taken.contains(&row)).then(|| Ok(self.setup.suggestion(row, Origin::Initial)))
    }

    fn row(&self, number: u64, scores: &Dataset) -> Option<Vec<f64>> {
        let (space, number) = (&self.setup.space, number.saturating_sub(self.looks));
        if scores.is_empty() && self.complete {
            return row_without_results(space, number);
        }
        let spread = self.design.row(number)?;
        let step = self.steps.then(|| row(space, number, scores)).flatten();
        Some(step.unwrap_or_else(|| spread.to_vec()))
    }
}

/// A change of one parameter.
enum StartStep {
    /// Up in a number; down where a step up leaves the box.
    Number(usize),
    /// To one value of a small choice.
    Value(Range<usize>, usize),
    /// To another value of a large choice.
    Next(Range<usize>),
}

/// One point for the centre and one per step.
fn points(space: &Space) -> usize {
    steps(space).len() + 1
}

/// The point of trial `number`; `None` past the last.
fn row(space: &Space, number: u64, observed: &Dataset) -> Option<Vec<f64>> {
    let mut row = match observed.best() {
        Some(best) if number > 0 => observed.rows().row(best).to_vec(),
        _ => vec![0.0; space.encoded_dim()],
    };
    if number > 0 {
        let place = usize::try_from(number).ok()? - 1;
        steps(space).into_iter().nth(place)?.take(&mut row);
    }
    space.repair(&mut row);
    Some(row)
}

/// The point of trial `number` before any result: the centre, the steps from it, then steps down in
/// the numbers; `None` past the last.
fn row_without_results(space: &Space, number: u64) -> Option<Vec<f64>> {
    let (steps, mut row) = (steps(space), vec![0.0; space.encoded_dim()]);
    let number = usize::try_from(number).ok()?;
    if number > steps.len() {
        let down = number - steps.len() - 1;
        row[steps.iter().filter_map(StartStep::number).nth(down)?] -= START_STEP;
    } else if let Some(step) = number.checked_sub(1) {
        steps.into_iter().nth(step)?.take(&mut row);
    }
    space.repair(&mut row);
    Some(row)
}

fn steps(space: &Space) -> Vec<StartStep> {
    let of = |range: Range<usize>| match space.coordinates()[range.start] {
        // The centre has the first value.
        Coordinate::OneHot { len, .. } if len <= MOST_START_VALUES => (1..len)
            .map(|k| StartStep::Value(range.clone(), k))
            .collect(),
        Coordinate::OneHot { .. } | Coordinate::Codeword { .. } => vec![StartStep::Next(range)],
        _ => vec![StartStep::Number(range.start)],
    };
    parameters(space).into_iter().flat_map(of).collect()
}

impl StartStep {
    /// The coordinate of a number.
    fn number(&self) -> Option<usize> {
        match self {
            Self::Number(i) => Some(*i),
            _ => None,
        }
    }

    fn take(self, row: &mut [f64]) {
        match self {
            Self::Number(i) if row[i] + START_STEP <= 1.0 => row[i] += START_STEP,
            Self::Number(i) => row[i] -= START_STEP,
            Self::Value(range, k) => {
                row[range.clone()].fill(-1.0);
                row[range.start + k] = 1.0;
            }
            Self::Next(range) => row[range].rotate_right(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::tests::parse;

    /// Equal up to the rounding of the encoding.
    fn is_near(row: Option<Vec<f64>>, expected: &[f64]) -> bool {
        let row = row.unwrap();
        row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn steps_start_from_the_best_so_far() {
        let space = parse("x=float(0,1) y=float(0,1) z=float(0,1)");
        let mut data = Dataset::new(3);
        let expected = [
            ([0.0, 0.0, 0.0], 1.0),
            ([0.4, 0.0, 0.0], 2.0),
            ([0.4, 0.4, 0.0], 0.0),
            ([0.4, 0.0, 0.4], 0.0),
        ];
        for (number, (expected, reward)) in (0..).zip(expected) {
            assert!(is_near(row(&space, number, &data), &expected), "{number}");
            data.push(&expected, reward);
        }
        assert_eq!((points(&space), row(&space, 4, &data)), (4, None));
    }

    #[test]
    fn a_first_batch_steps_to_both_sides_of_the_centre() {
        let space = parse("x=float(0,1) c=choice(a,b,c) y=float(0,1)");
        let (a, b, c) = ([1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]);
        let points = [
            (0.0, a, 0.0),
            (START_STEP, a, 0.0),
            (0.0, b, 0.0),
            (0.0, c, 0.0),
            (0.0, a, START_STEP),
            (-START_STEP, a, 0.0),
            (0.0, a, -START_STEP),
        ];
        for (number, (x, value, y)) in (0..).zip(points) {
            let expected = [x, value[0], value[1], value[2], y];
            let found = row_without_results(&space, number);
            assert!(is_near(found, &expected), "{number}");
        }
        assert_eq!(row_without_results(&space, 7), None);
    }

    #[test]
    fn steps_stay_in_the_box_and_change_choices() {
        let space = parse("x=float(0,1) c=choice(a,b,c) n=int(1,3)");
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
        for count in [7, 100] {
            let values: Vec<String> = (0..count).map(|i| format!("v{i}")).collect();
            let space = parse(&format!("c=choice({})", values.join(",")));
            assert_eq!(points(&space), 2);
            let mut data = Dataset::new(space.encoded_dim());
            let first = row(&space, 0, &data).unwrap();
            data.push(&first, 1.0);
            assert_ne!(row(&space, 1, &data).unwrap(), first);
        }
    }
}
