//! Hit-and-run: from a feasible row to a random point of a random line through it.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::demand::{At, demands};
use super::{Place, holds};
use crate::linalg::Rng;
use crate::space::Space;
use crate::space::constraint::Constraint;

/// Most points of a line that are tried; each one nearer than the one before.
const MOST_TRIES: usize = 40;
/// Chance that one whole number, step or choice is drawn anew, where there are some.
const DISCRETE: f64 = 0.5;

/// One step within a box.
pub(super) fn step(
    space: &Space,
    constraints: &[Constraint],
    row: &mut [f64],
    place: &Place<'_>,
    rng: &mut Rng,
) {
    if !holds(space, constraints, row) {
        return;
    }
    along_a_line(space, constraints, row, place, rng);
    change_one(space, constraints, row, place, rng);
}

fn along_a_line(
    space: &Space,
    constraints: &[Constraint],
    row: &mut [f64],
    place: &Place<'_>,
    rng: &mut Rng,
) {
    let Some((direction, on_surface)) = direction(space, constraints, row, place, rng) else {
        return;
    };
    let (mut back, mut ahead) = chord(row, &direction, place);
    for _ in 0..MOST_TRIES {
        let length = back + (ahead - back) * rng.random::<f64>();
        let mut next: Vec<f64> = row
            .iter()
            .zip(&direction)
            .enumerate()
            .map(|(j, (x, d))| {
                if *d == 0.0 {
                    *x
                } else {
                    place.clamp(j, x + length * d)
                }
            })
            .collect();
        space.snap(&mut next);
        // Back onto curved equalities. Elsewhere a step that ends outside must not end at the border instead.
        if if on_surface {
            space.slide(constraints, &mut next, place)
        } else {
            holds(space, constraints, &next)
        } {
            row.copy_from_slice(&next);
            return;
        }
        if length < 0.0 {
            back = length;
        } else {
            ahead = length;
        }
    }
}

/// A random direction of the continuous coordinates, along all equalities, and whether there are some; `None` where nothing can
/// move.
fn direction(
    space: &Space,
    constraints: &[Constraint],
    row: &[f64],
    place: &Place<'_>,
    rng: &mut Rng,
) -> Option<(Vec<f64>, bool)> {
    let at = At::new(space, row);
    let mut open = vec![false; row.len()];
    for coordinate in (0..space.parameters().len()).filter_map(|position| at.coordinate(position)) {
        open[coordinate] = place.is_open(coordinate);
    }
    let mut direction: Vec<f64> = open
        .iter()
        .map(|open| {
            if *open {
                StandardNormal.sample(rng)
            } else {
                0.0
            }
        })
        .collect();
    let mut wanted = Vec::new();
    for predicate in constraints.iter().filter_map(Constraint::predicate) {
        demands(predicate.truth(), true, &at, &mut wanted);
    }
    let mut normals: Vec<Vec<f64>> = Vec::new();
    for demand in wanted.iter().filter(|demand| demand.is_equality()) {
        let mut normal: Vec<f64> = demand
            .gradient(&at)
            .iter()
            .zip(&open)
            .map(|(g, open)| if *open { *g } else { 0.0 })
            .collect();
        normals
            .iter()
            .for_each(|earlier| remove(&mut normal, earlier));
        let length = dot(&normal, &normal).sqrt();
        if length > 1e-12 {
            normal.iter_mut().for_each(|g| *g /= length);
            normals.push(normal);
        }
    }
    normals
        .iter()
        .for_each(|normal| remove(&mut direction, normal));
    let moves = dot(&direction, &direction) > 1e-20;
    moves.then_some((direction, !normals.is_empty()))
}

/// How far the direction leads back and ahead within the box.
fn chord(row: &[f64], direction: &[f64], place: &Place<'_>) -> (f64, f64) {
    let (mut back, mut ahead) = (f64::NEG_INFINITY, f64::INFINITY);
    for (j, (x, d)) in row
        .iter()
        .zip(direction)
        .enumerate()
        .filter(|(_, (_, d))| **d != 0.0)
    {
        let (lower, upper) = place.bounds(j);
        let (a, b) = ((lower - x) / d, (upper - x) / d);
        back = back.max(a.min(b));
        ahead = ahead.min(a.max(b));
    }
    (back.min(0.0), ahead.max(0.0))
}

/// Draws one discrete parameter anew, if that is feasible.
fn change_one(
    space: &Space,
    constraints: &[Constraint],
    row: &mut [f64],
    place: &Place<'_>,
    rng: &mut Rng,
) {
    let is_discrete = |position: &usize| {
        let (parameter, block) = space.part(*position);
        parameter.domain().count().is_some_and(|count| count > 1)
            && !block.range.is_empty()
            && place.is_open(block.range.start)
    };
    let discrete: Vec<usize> = (0..space.parameters().len()).filter(is_discrete).collect();
    if discrete.is_empty() || !rng.random_bool(DISCRETE) {
        return;
    }
    let position = discrete[rng.random_range(0..discrete.len())];
    let count = space.parameters()[position].domain().count().unwrap_or(1);
    let mut next = row.to_vec();
    space.set_level(position, rng.random_range(0..count) as f64, &mut next);
    if space.slide(constraints, &mut next, place) {
        row.copy_from_slice(&next);
    }
}

fn remove(from: &mut [f64], unit: &[f64]) {
    let along = dot(from, unit);
    from.iter_mut().zip(unit).for_each(|(x, u)| *x -= along * u);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
