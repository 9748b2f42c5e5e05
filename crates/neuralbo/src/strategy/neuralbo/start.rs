//! The points a study begins with: the centre of the box, then one step along each parameter from the best point so far.
//!
//! `d + 1` such points show the slope of the objective; a step that improves is the place from which the next one starts, so that the
//! start already descends.

use super::search_box::parameters;
use crate::space::{Coordinate, Space};
use crate::strategy::History;

/// Length of a step in encoded units; the box has side 2.
const STEP: f64 = 0.4;

/// How many points there are: one for the centre and one a parameter.
pub(super) fn points(space: &Space) -> usize {
    parameters(space).len() + 1
}

/// The point of trial `number`; `None` past the last.
pub(super) fn row(space: &Space, number: u64, history: &History) -> Option<Vec<f64>> {
    let observed = history.observed();
    let mut row = match observed.best() {
        Some(best) if number > 0 => observed.rows().row(best).to_vec(),
        _ => vec![0.0; space.encoded_dim()],
    };
    if number > 0 {
        let range = parameters(space).into_iter().nth(usize::try_from(number).ok()? - 1)?;
        step(&mut row[range.clone()], &space.coordinates()[range.start]);
    }
    space.repair(&mut row);
    Some(row)
}

/// Up in a number, down where the box ends before; to the next of several choices.
fn step(values: &mut [f64], coordinate: &Coordinate) {
    match coordinate {
        Coordinate::OneHot { .. } => values.rotate_right(1),
        _ => values.iter_mut().for_each(|x| *x += if *x + STEP <= 1.0 { STEP } else { -STEP }),
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
    fn is_at(space: &Space, number: u64, history: &History, expected: [f64; 3]) -> bool {
        row(space, number, history).unwrap().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn steps_start_from_the_best_so_far() {
        let space = space(&["x=float(0,1)", "y=float(0,1)", "z=float(0,1)"]);
        let mut history = History::new(3);
        assert!(is_at(&space, 0, &history, [0.0; 3]));
        history.push_observed(&[0.0; 3], 1.0);
        assert!(is_at(&space, 1, &history, [0.4, 0.0, 0.0]));
        history.push_observed(&[0.4, 0.0, 0.0], 2.0);
        assert!(is_at(&space, 2, &history, [0.4, 0.4, 0.0]));
        history.push_observed(&[0.4, 0.4, 0.0], 0.0);
        assert!(is_at(&space, 3, &history, [0.4, 0.0, 0.4]));
        assert_eq!((points(&space), row(&space, 4, &history)), (4, None));
    }

    #[test]
    fn steps_stay_in_the_box_and_change_choices() {
        let space = space(&["x=float(0,1)", "c=choice(a,b,c)", "n=int(1,3)"]);
        let mut history = History::new(5);
        history.push_observed(&[0.9, 1.0, -1.0, -1.0, 0.0], 1.0);
        assert!((row(&space, 1, &history).unwrap()[0] - 0.5).abs() < 1e-12);
        assert_eq!(row(&space, 2, &history).unwrap()[1..4], [-1.0, 1.0, -1.0]);
        assert!(row(&space, 3, &history).unwrap()[4] > 0.0);
    }
}
