//! Children: simulated binary crossover and polynomial mutation of numbers, exchange and redrawing of choices.

use std::ops::Range;

use rand::RngExt;

use crate::linalg::Rng;
use crate::space::{Coordinate, Space};
use crate::strategy::policies::parameters;

/// Chance that a child is crossed at all, and that a parameter is then.
const CROSSED: f64 = 0.9;
const PARAMETER_CROSSED: f64 = 0.5;
/// Indices of both distributions: the larger, the nearer children are to their parents.
const CROSSOVER_INDEX: f64 = 15.0;
const MUTATION_INDEX: f64 = 20.0;

/// A point of the space that descends from both rows.
pub(super) fn child(space: &Space, first: &[f64], second: &[f64], rng: &mut Rng) -> Vec<f64> {
    let parameters = parameters(space);
    let mut row = first.to_vec();
    if rng.random_bool(CROSSED) {
        for range in &parameters {
            if rng.random_bool(PARAMETER_CROSSED) {
                cross(
                    &mut row[range.clone()],
                    &second[range.clone()],
                    is_number(space, range),
                    rng,
                );
            }
        }
    }
    let chance = 1.0 / parameters.len().max(1) as f64;
    for range in &parameters {
        if rng.random_bool(chance) {
            mutate(&mut row[range.clone()], is_number(space, range), rng);
        }
    }
    space.snap_from(first, &mut row, &mut |_, coordinates| {
        coordinates.fill_with(|| rng.random_range(-1.0..=1.0));
    });
    if !space.is_feasible(&row) {
        space.repair(&mut row);
    }
    row
}

/// Whether small steps mean something; of two values they do not.
fn is_number(space: &Space, range: &Range<usize>) -> bool {
    !matches!(
        space.coordinates()[range.start],
        Coordinate::OneHot { .. } | Coordinate::Codeword { .. } | Coordinate::Grid { levels: 2 }
    )
}

/// A number moves to one of the two places that simulated binary crossover has for the pair; a choice is the other's.
fn cross(own: &mut [f64], other: &[f64], number: bool, rng: &mut Rng) {
    let ([x], true) = (&mut *own, number) else {
        return own.copy_from_slice(other);
    };
    let spread = spread(rng.random(), CROSSOVER_INDEX);
    let side = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
    *x = (0.5 * (*x + other[0]) + side * 0.5 * spread * (*x - other[0]).abs()).clamp(-1.0, 1.0);
}

/// The factor `β` of the parents' distance in which children of the quantile `u` lie apart.
fn spread(u: f64, index: f64) -> f64 {
    let power = 1.0 / (index + 1.0);
    if u <= 0.5 {
        (2.0 * u).powf(power)
    } else {
        (0.5 / (1.0 - u)).powf(power)
    }
}

/// A number moves by a part of the box that is mostly small; of a choice another value is drawn.
fn mutate(own: &mut [f64], number: bool, rng: &mut Rng) {
    if number {
        own.iter_mut()
            .for_each(|x| *x = (*x + 2.0 * step(rng.random())).clamp(-1.0, 1.0));
    } else {
        own.fill_with(|| rng.random_range(-1.0..=1.0));
    }
}

/// The step of polynomial mutation at the quantile `u`, from −1 to 1.
fn step(u: f64) -> f64 {
    let power = 1.0 / (MUTATION_INDEX + 1.0);
    if u < 0.5 {
        (2.0 * u).powf(power) - 1.0
    } else {
        1.0 - (2.0 * (1.0 - u)).powf(power)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams};

    #[test]
    fn the_distributions_have_their_closed_forms() {
        // Deb & Agrawal 1995: P(β ≤ b) = b^(η+1)/2 up to 1; half of the mutations are below nothing.
        assert!((spread(0.25, 15.0) - 0.5f64.powf(1.0 / 16.0)).abs() < 1e-12);
        assert!((spread(0.5, 15.0) - 1.0).abs() < 1e-12 && spread(0.9, 15.0) > 1.0);
        assert!(
            step(0.5).abs() < 1e-12
                && (step(0.0) + 1.0).abs() < 1e-12
                && (step(1.0) - 1.0).abs() < 1e-12
        );
        assert!((step(0.3) + step(0.7)).abs() < 1e-12);
    }

    #[test]
    fn children_are_points_of_the_space_near_their_parents() {
        let parameters =
            "x=float(0,1);k=choice(a,b,c);y=float(0,1) if k == b;n=int(1,5)".split(';');
        let space = Space::new(parameters.map(|p| p.parse().unwrap()).collect()).unwrap();
        let mut rng = Streams::new(1).stream(0, Purpose::Candidates);
        let draw = |rng: &mut Rng| crate::acquisition::maximize::random_row(&space, rng);
        for _ in 0..200 {
            let (first, second) = (draw(&mut rng), draw(&mut rng));
            let row = child(&space, &first, &second, &mut rng);
            let mut snapped = row.clone();
            space.snap(&mut snapped);
            assert_eq!(row, snapped);
        }
        let line = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let mean: f64 = (0..2000)
            .map(|_| child(&line, &[0.2], &[0.4], &mut rng)[0])
            .sum::<f64>()
            / 2000.0;
        assert!((mean - 0.25).abs() < 0.03, "{mean}");
    }
}
