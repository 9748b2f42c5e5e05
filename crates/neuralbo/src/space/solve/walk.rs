//! Hit-and-run: from a feasible row to a random point of a random line through it.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::demand::At;
use super::project::{movable, wanted};
use super::{RowBox, Solver};
use crate::linalg::{Rng, add_scaled, dot};

/// Most points of a line that are tried, each nearer than the one before.
const MOST_TRIES: usize = 40;
/// Chance that one int, step or choice is drawn anew, where there are some.
const DISCRETE: f64 = 0.5;

/// One step within a box.
pub(super) fn step(problem: &Solver<'_>, row: &mut [f64], place: &RowBox<'_>, rng: &mut Rng) {
    if problem.holds(row) {
        along_a_line(problem, row, place, rng);
        change_one(problem, row, place, rng);
    }
}

fn along_a_line(problem: &Solver<'_>, row: &mut [f64], place: &RowBox<'_>, rng: &mut Rng) {
    let Some((direction, on_surface)) = direction(problem, row, place, rng) else {
        return;
    };
    let (mut back, mut ahead) = chord(row, &direction, place);
    for _ in 0..MOST_TRIES {
        let length = back + (ahead - back) * rng.random::<f64>();
        let mut next = place.moved(row, &direction, length);
        problem.space.snap(&mut next);
        // Back onto curved equalities. Elsewhere a step that ends outside must not end at the border instead.
        let is_feasible = if on_surface {
            problem.slide(&mut next, place)
        } else {
            problem.holds(&next)
        };
        if is_feasible {
            row.copy_from_slice(&next);
            return;
        }
        *(if length < 0.0 { &mut back } else { &mut ahead }) = length;
    }
}

/// A random direction of the continuous coordinates, along all equalities, and whether there are some; `None` where nothing can
/// move.
fn direction(
    problem: &Solver<'_>,
    row: &[f64],
    place: &RowBox<'_>,
    rng: &mut Rng,
) -> Option<(Vec<f64>, bool)> {
    let at = At::new(problem.space, row);
    let open = movable(&at, place);
    if !open.contains(&true) {
        return None;
    }
    let mut draw = |open: &bool| match open {
        true => StandardNormal.sample(rng),
        false => 0.0,
    };
    let mut direction: Vec<f64> = open.iter().map(&mut draw).collect();
    let wanted = wanted(problem, &at);
    let mut normals: Vec<Vec<f64>> = Vec::new();
    for demand in wanted.iter().filter(|demand| demand.is_equality()) {
        let mut normal = demand.gradient(&at);
        let closed = normal.iter_mut().zip(&open).filter(|(_, open)| !**open);
        closed.for_each(|(g, _)| *g = 0.0);
        normals.iter().for_each(|e| remove(&mut normal, e));
        let length = dot(&normal, &normal).sqrt();
        if length > 1e-12 {
            normal.iter_mut().for_each(|g| *g /= length);
            normals.push(normal);
        }
    }
    normals.iter().for_each(|n| remove(&mut direction, n));
    let moves = dot(&direction, &direction) > 1e-20;
    moves.then_some((direction, !normals.is_empty()))
}

/// How far the direction leads back and ahead within the box.
fn chord(row: &[f64], direction: &[f64], place: &RowBox<'_>) -> (f64, f64) {
    let (mut back, mut ahead) = (f64::NEG_INFINITY, f64::INFINITY);
    for (j, d) in direction.iter().enumerate().filter(|(_, d)| **d != 0.0) {
        let (lower, upper) = place.bounds(j);
        let (a, b) = ((lower - row[j]) / d, (upper - row[j]) / d);
        back = back.max(a.min(b));
        ahead = ahead.min(a.max(b));
    }
    (back.min(0.0), ahead.max(0.0))
}

/// Draws one discrete parameter anew, if that is feasible.
fn change_one(problem: &Solver<'_>, row: &mut [f64], place: &RowBox<'_>, rng: &mut Rng) {
    let space = problem.space;
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
    if problem.slide(&mut next, place) {
        row.copy_from_slice(&next);
    }
}

fn remove(from: &mut [f64], unit: &[f64]) {
    add_scaled(from, -dot(from, unit), unit);
}
