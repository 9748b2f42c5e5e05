//! Steps of least length onto violated comparisons.
//!
//! Symbols: `r` the residuals of the comparisons to be met, `J` their gradients, one a row, `d` the step: the shortest with
//! `J d = −r`, that is `d = Jᵀ λ` with `J Jᵀ λ = −r`, over the coordinates that are not at the end of the box.

use super::Place;
use super::demand::{At, Demand, Residual, demands};
use crate::space::Space;
use crate::space::constraint::Constraint;

/// Most steps; after half of them a comparison that is met may be violated again.
const MOST_STEPS: usize = 40;
/// Most halvings of a step that makes things worse.
const HALVINGS: usize = 6;
/// How far beyond a border is aimed, relative to the numbers compared and in coordinates: rounding must not undo a step.
const MARGIN: f64 = 1e-11;
/// What is added to `J Jᵀ`, relatively, so that contradicting comparisons are met as well as they can.
const RIDGE: f64 = 1e-14;
/// Steps shorter than this lead nowhere.
const SHORTEST: f64 = 1e-15;

/// Distance within which a row is at a border.
const AT_BORDER: f64 = 1e-8;
/// Cosine from which on a direction leads across a border.
const CROSSES: f64 = 1e-9;

/// A comparison to be met, linearized.
struct Line {
    residual: f64,
    gradient: Vec<f64>,
}

/// Moves a row onto what it violates, as far as small steps lead; relaxed, also along whole numbers and steps.
pub(super) fn onto(
    space: &Space,
    constraints: &[Constraint],
    row: &mut [f64],
    place: &Place<'_>,
    relaxed: bool,
) {
    let mut met: Vec<usize> = Vec::new();
    for step in 0..MOST_STEPS {
        let at = At::new(space, row).relaxed(relaxed);
        let wanted = wanted(constraints, &at);
        if step >= MOST_STEPS / 2 {
            met.clear();
        }
        let violated: Vec<&Demand<'_>> =
            wanted.iter().filter(|demand| !demand.holds(&at)).collect();
        if violated.is_empty() {
            return;
        }
        met.extend(violated.iter().map(|demand| demand.identity()));
        let chosen = wanted
            .iter()
            .filter(|demand| demand.is_equality() || met.contains(&demand.identity()));
        let lines: Vec<Line> = chosen.filter_map(|demand| line(demand, &at)).collect();
        let reach = |j: usize| {
            let (lower, upper) = place.bounds(j);
            (lower - row[j], upper - row[j])
        };
        let direction = shortest(&lines, &movable(&at, place), reach);
        if direction.iter().all(|d| d.abs() < SHORTEST) {
            return;
        }
        let moved = best_length(space, &wanted, row, &direction, place, relaxed);
        row.copy_from_slice(&moved);
    }
}

/// All comparisons that the row should satisfy.
fn wanted<'p>(constraints: &'p [Constraint], at: &At<'_>) -> Vec<Demand<'p>> {
    let mut wanted = Vec::new();
    for predicate in constraints.iter().filter_map(Constraint::predicate) {
        demands(predicate.truth(), true, at, &mut wanted);
    }
    wanted
}

/// The coordinates that may move.
fn movable(at: &At<'_>, place: &Place<'_>) -> Vec<bool> {
    let mut movable = vec![false; at.row.len()];
    for position in 0..at.space.parameters().len() {
        if let Some(coordinate) = at.coordinate(position) {
            movable[coordinate] = place.is_open(coordinate);
        }
    }
    movable
}

fn line(demand: &Demand<'_>, at: &At<'_>) -> Option<Line> {
    let residual = demand
        .residual(at)
        .filter(|residual| residual.amount.is_finite())?;
    let gradient = demand.gradient(at);
    let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
    if length == 0.0 {
        return None;
    }
    let margin = MARGIN * (residual.size + length);
    let amount = if demand.is_equality() {
        residual.amount
    } else if demand.is_inequality() {
        residual.amount + margin
    } else {
        // Away from where both sides are equal, by much more than counts as equal.
        1e-6 * (residual.size + length)
    };
    Some(Line {
        residual: amount,
        gradient,
    })
}

/// A direction from a feasible row, turned as little as needed so that it leads along the borders that it would cross; 0 where
/// nothing may move.
pub(super) fn along(
    space: &Space,
    constraints: &[Constraint],
    row: &[f64],
    place: &Place<'_>,
    direction: &[f64],
) -> Vec<f64> {
    let at = At::new(space, row);
    let movable = movable(&at, place);
    let wanted = wanted(constraints, &at);
    let borders: Vec<Vec<f64>> = wanted
        .iter()
        .filter_map(|demand| border(demand, &at))
        .collect();
    let ends = |j: usize| {
        let (lower, upper) = place.bounds(j);
        let low = if row[j] <= lower + AT_BORDER {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        let high = if row[j] >= upper - AT_BORDER {
            0.0
        } else {
            f64::INFINITY
        };
        (low, high)
    };
    let mut held: Vec<bool> = wanted
        .iter()
        .filter(|demand| border(demand, &at).is_some())
        .map(Demand::is_equality)
        .collect();
    loop {
        let chosen = borders
            .iter()
            .zip(&held)
            .filter(|(_, held)| **held)
            .map(|(border, _)| border);
        let lines: Vec<Line> = chosen
            .map(|gradient| Line {
                residual: dot(gradient, direction),
                gradient: gradient.clone(),
            })
            .collect();
        let turn = shortest(&lines, &movable, |j| {
            (ends(j).0 - direction[j], ends(j).1 - direction[j])
        });
        let turned: Vec<f64> = (0..row.len())
            .map(|j| {
                if movable[j] {
                    direction[j] + turn[j]
                } else {
                    0.0
                }
            })
            .collect();
        let crosses = |border: &Vec<f64>| {
            dot(border, &turned)
                > CROSSES * dot(border, border).sqrt() * dot(&turned, &turned).sqrt()
        };
        match (0..borders.len()).find(|&i| !held[i] && crosses(&borders[i])) {
            Some(crossed) => held[crossed] = true,
            None => return turned,
        }
    }
}

/// The gradient of a comparison at whose border the row is.
fn border(demand: &Demand<'_>, at: &At<'_>) -> Option<Vec<f64>> {
    let gradient = demand.gradient(at);
    let length = dot(&gradient, &gradient).sqrt();
    let near = |residual: Residual| residual.amount >= -AT_BORDER * (residual.size + length);
    let is_border =
        demand.is_equality() || demand.is_inequality() && demand.residual(at).is_some_and(near);
    (is_border && length > 0.0).then_some(gradient)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The shortest step onto all lines over the movable coordinates, each of which can be moved as far as `reach` says.
fn shortest(lines: &[Line], movable: &[bool], reach: impl Fn(usize) -> (f64, f64)) -> Vec<f64> {
    let mut free = movable.to_vec();
    let mut step = vec![0.0; movable.len()];
    loop {
        let left: Vec<f64> = lines
            .iter()
            .map(|line| {
                line.residual
                    + (0..step.len())
                        .filter(|&j| !free[j])
                        .map(|j| line.gradient[j] * step[j])
                        .sum::<f64>()
            })
            .collect();
        let weights = solve(lines, &left, &free);
        let mut stopped = false;
        for j in (0..free.len()).filter(|&j| free[j]).collect::<Vec<_>>() {
            step[j] = lines
                .iter()
                .zip(&weights)
                .map(|(line, weight)| weight * line.gradient[j])
                .sum();
            let (low, high) = reach(j);
            if step[j] < low || step[j] > high {
                step[j] = step[j].clamp(low.min(high), high.max(low));
                free[j] = false;
                stopped = true;
            }
        }
        if !stopped || !free.contains(&true) {
            return step;
        }
    }
}

/// `λ` of `J Jᵀ λ = −r` over the free coordinates, by elimination.
fn solve(lines: &[Line], residuals: &[f64], free: &[bool]) -> Vec<f64> {
    let count = lines.len();
    let dot = |a: &Line, b: &Line| {
        (0..free.len())
            .filter(|&j| free[j])
            .map(|j| a.gradient[j] * b.gradient[j])
            .sum::<f64>()
    };
    let mut matrix: Vec<Vec<f64>> = lines
        .iter()
        .map(|a| lines.iter().map(|b| dot(a, b)).collect())
        .collect();
    let mut right: Vec<f64> = residuals.iter().map(|r| -r).collect();
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] += RIDGE * row[i] + f64::MIN_POSITIVE;
    }
    for column in 0..count {
        let pivot = (column..count)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let (above, below) = matrix.split_at_mut(column + 1);
        let pivot = &above[column];
        for (other, row) in below.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            row[column..]
                .iter_mut()
                .zip(&pivot[column..])
                .for_each(|(x, p)| *x -= factor * p);
            right[column + 1 + other] -= factor * right[column];
        }
    }
    let mut weights = vec![0.0; count];
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|k| matrix[i][k] * weights[k]).sum();
        let weight = (right[i] - known) / matrix[i][i];
        weights[i] = if weight.is_finite() { weight } else { 0.0 };
    }
    weights
}

/// The row after the step, halved while the comparisons are worse met than before; after some halvings as it is.
fn best_length(
    space: &Space,
    wanted: &[Demand<'_>],
    row: &[f64],
    step: &[f64],
    place: &Place<'_>,
    relaxed: bool,
) -> Vec<f64> {
    let moved = |length: f64| -> Vec<f64> {
        row.iter()
            .zip(step)
            .enumerate()
            .map(|(j, (x, d))| {
                if *d == 0.0 {
                    *x
                } else {
                    place.clamp(j, x + length * d)
                }
            })
            .collect()
    };
    let worst = |row: &[f64]| {
        let at = At::new(space, row).relaxed(relaxed);
        let unmet = wanted
            .iter()
            .filter(|demand| !demand.holds(&at))
            .filter_map(|demand| demand.residual(&at));
        unmet
            .map(|residual| {
                if residual.amount.is_nan() {
                    f64::INFINITY
                } else {
                    residual.amount.abs()
                }
            })
            .sum::<f64>()
    };
    let before = worst(row);
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let trial = moved(length);
        if worst(&trial) < before {
            return trial;
        }
        length *= 0.5;
    }
    moved(1.0)
}
